//! Suggestions for misspelt names.

/// The candidate nearest to `name`, if one is near enough to be meant.
pub(crate) fn nearest<S: AsRef<str>>(name: &str, candidates: impl IntoIterator<Item = S>) -> Option<String> {
    let lower = name.to_lowercase();
    let limit = (name.chars().count() / 3).max(1);
    let far = |candidate: &str| match candidate.strip_prefix(&lower) {
        // `x` for `x_i`.
        Some(rest) if rest.starts_with('_') => 1,
        _ => distance(&lower, candidate),
    };
    candidates
        .into_iter()
        .map(|c| (far(&c.as_ref().to_lowercase()), c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c.as_ref().to_string())
}

/// Least number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("exp", "epx"), 1);
    }

    #[test]
    fn suggests_only_what_is_near() {
        let names = ["Exp", "SqDist", "Scalprod"];
        assert_eq!(nearest("sqdist", names).as_deref(), Some("SqDist"));
        assert_eq!(nearest("SqDits", names).as_deref(), Some("SqDist"));
        assert_eq!(nearest("Gauss", names), None);
        assert_eq!(nearest("x", ["y_j", "x_i"]).as_deref(), Some("x_i"));
    }
}
