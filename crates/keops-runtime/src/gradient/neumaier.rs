//! [`Neumaier`]: a compensated sum in `f64`, whatever the type of the data.

/// A running sum and what rounding has taken from it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Neumaier {
    sum: f64,
    carry: f64,
}

impl Neumaier {
    /// Adds one number.
    pub(crate) fn add(&mut self, v: f64) {
        let sum = self.sum + v;
        // Of an infinite or NaN sum nothing has been lost that could be told.
        if sum.is_finite() {
            self.carry += if self.sum.abs() >= v.abs() { (self.sum - sum) + v } else { (v - sum) + self.sum };
        }
        self.sum = sum;
    }

    /// Adds another sum.
    pub(super) fn merge(&mut self, other: Neumaier) {
        self.add(other.sum);
        self.carry += other.carry;
    }

    /// The sum.
    pub(crate) fn total(&self) -> f64 {
        self.sum + self.carry
    }
}

#[cfg(test)]
mod tests {
    use super::Neumaier;

    fn sum(numbers: impl IntoIterator<Item = f64>) -> Neumaier {
        numbers.into_iter().fold(Neumaier::default(), |mut sum, v| {
            sum.add(v);
            sum
        })
    }

    #[test]
    fn keeps_what_cancellation_would_lose() {
        let numbers = [1e30, 1.0, -1e30].repeat(1000);
        assert_eq!(sum(numbers.clone()).total(), 1000.0);
        let (left, right) = numbers.split_at(1001);
        let mut merged = sum(left.iter().copied());
        merged.merge(sum(right.iter().copied()));
        assert_eq!(merged.total(), 1000.0);
    }

    #[test]
    fn passes_infinities_and_nan_on() {
        assert_eq!(sum([1.0, f64::INFINITY, 2.0]).total(), f64::INFINITY);
        assert!(sum([f64::INFINITY, f64::NEG_INFINITY]).total().is_nan());
        assert!(sum([1.0, f64::NAN]).total().is_nan());
    }
}
