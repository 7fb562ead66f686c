//! [`run`]: a group of cases at some places, against the expected numbers.

use crate::case::{Case, Table, read};
use crate::place::Place;
use crate::table::{Entry, Number};
use keops::Error;
use ndarray::Array2;

/// A number type of the data.
pub trait Type: Number + 'static {
    /// Its relative tolerance in a case.
    fn tolerance(case: &Case) -> f64;
    /// Nearest number of this type.
    fn from_f64(v: f64) -> Self;
}

impl Type for f32 {
    fn tolerance(case: &Case) -> f64 {
        case.rtol_f32
    }
    fn from_f64(v: f64) -> Self {
        v as f32
    }
}

impl Type for f64 {
    fn tolerance(case: &Case) -> f64 {
        case.rtol_f64
    }
    fn from_f64(v: f64) -> Self {
        v
    }
}

/// All cases of `tests/oracle/cases.json`.
///
/// # Panics
/// If they cannot be read.
#[must_use]
pub fn cases() -> Vec<Case> {
    read(include_str!("../../../tests/oracle/cases.json")).expect("cases.json holds cases")
}

/// Stack of the threads that run cases: an unoptimised build gives every temporary of a large formula a place of its own,
/// which for wide registers adds up to some megabytes.
const STACK: usize = 32 << 20;

/// Runs all cases of a table at each of the places.
///
/// # Panics
/// If a result is not as expected, with a list of all that are not.
pub fn run<T: Type>(entries: &[Entry<T>], places: Vec<Place>) {
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build().expect("threads can be started");
    let (numbers, wrong) = pool.install(|| differences(entries, &places));
    println!("{} cases, {numbers} numbers compared", entries.len());
    assert!(wrong.is_empty(), "{} results are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// How many numbers are as expected, and which results are not.
fn differences<T: Type>(entries: &[Entry<T>], places: &[Place]) -> (usize, Vec<String>) {
    let cases = cases();
    let mut wrong = Vec::new();
    let mut numbers = 0;
    for entry in entries {
        let case = cases.iter().find(|case| case.name == entry.name).expect("the table was made from the cases");
        for &place in places {
            let mut report = |what: &str, outcome: Result<usize, String>| match (outcome, &case.optional) {
                (Ok(count), _) => numbers += count,
                (Err(error), Some(reason)) => println!("{} {what}: {error} (acceptable: {reason})", case.name),
                (Err(error), None) => wrong.push(format!("{} {what} ({place:?}): {error}", case.name)),
            };
            let data: Vec<Array2<T>> = case.variables.iter().map(|v| array(&v.data, v.dim)).collect();
            let got = (entry.value)(&data, place);
            report("value", compare(got, &case.value, case.scale, T::tolerance(case)));
            for gradient in &case.gradients {
                let Some((_, f)) = entry.gradients.iter().find(|(name, _)| *name == gradient.variable) else {
                    report(&gradient.variable, Err("the gradient was not compiled".to_string()));
                    continue;
                };
                let seed = values_only(&gradient.seed, case);
                let columns = seed.first().map_or(0, Vec::len);
                let got = f(&data, &array(&seed, columns), place);
                let what = format!("gradient towards {}", gradient.variable);
                report(&what, compare(got, &gradient.value, gradient.scale, T::tolerance(case)));
            }
        }
    }
    (numbers, wrong)
}

/// Rows as an array, of `columns` numbers also if there are none.
fn array<T: Type>(rows: &Table, columns: usize) -> Array2<T> {
    Array2::from_shape_fn((rows.len(), columns), |(row, k)| T::from_f64(rows[row][k]))
}

/// A seed without its zeros for indices, which have no gradient.
fn values_only(seed: &Table, case: &Case) -> Table {
    let entries = match case.calls().first() {
        Some(&"Min_ArgMin_Reduction" | &"Max_ArgMax_Reduction") => 1,
        Some(&"KMin_ArgKMin_Reduction") => {
            let k = case.formula.rsplit(',').nth(1).and_then(|k| k.trim().parse().ok());
            k.expect("K is the last argument but one")
        }
        _ => return seed.clone(),
    };
    let dim = |row: &[f64]| row.len() / entries / 2;
    seed.iter().map(|row| row.chunks(2 * dim(row)).flat_map(|entry| entry[..dim(row)].to_vec()).collect()).collect()
}

/// How many numbers are as expected, or which one is not.
fn compare(got: Result<Array2<f64>, Error>, want: &Table, scale: f64, tolerance: f64) -> Result<usize, String> {
    let got = got.map_err(|error| error.to_string())?;
    let shape = (want.len(), want.first().map_or(got.ncols(), Vec::len));
    if got.dim() != shape {
        return Err(format!("the result has shape {:?}, not {shape:?}", got.dim()));
    }
    for (row, want) in want.iter().enumerate() {
        for (k, &want) in want.iter().enumerate() {
            let got = got[[row, k]];
            if !is_near(got, want, scale * tolerance) {
                let error = (got - want).abs() / scale;
                return Err(format!(
                    "[{row}, {k}] is {got:e}, not {want:e}: off by {error:.1e} of the scale, tolerance {tolerance:.1e}"
                ));
            }
        }
    }
    Ok(got.len())
}

/// Non-finite numbers match in kind and sign, finite ones within `tolerance`.
fn is_near(got: f64, want: f64, tolerance: f64) -> bool {
    if want.is_nan() { got.is_nan() } else { got == want || (got - want).abs() <= tolerance }
}

#[cfg(test)]
mod tests {
    use super::compare;
    use ndarray::array;

    #[test]
    fn numbers_within_the_tolerance_are_as_expected() {
        let want = vec![vec![1.0, f64::NAN], vec![f64::NEG_INFINITY, 0.0]];
        assert_eq!(compare(Ok(array![[1.0 + 1e-7, f64::NAN], [f64::NEG_INFINITY, -1e-7]]), &want, 10.0, 1e-7), Ok(4));
    }

    #[test]
    fn wrong_numbers_and_shapes_are_found() {
        let one = |got: f64, want: f64| compare(Ok(array![[got]]), &vec![vec![want]], 1.0, 1e-6);
        for (got, want) in [
            (1.0 + 2e-6, 1.0),
            (f64::NAN, 1.0),
            (1.0, f64::NAN),
            (f64::INFINITY, f64::NEG_INFINITY),
            (1e300, f64::INFINITY),
            (f64::INFINITY, 1.0),
        ] {
            assert!(one(got, want).is_err(), "{got} is not {want}");
        }
        assert!(compare(Ok(array![[1.0, 1.0]]), &vec![vec![1.0]], 1.0, 1e-6).is_err());
        assert!(compare(Ok(array![[1.0], [1.0]]), &vec![vec![1.0]], 1.0, 1e-6).is_err());
    }
}
