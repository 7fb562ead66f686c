//! Data that is read while the call runs: the same results as from memory, within the rounding of another order of merging, and
//! clear errors.

mod common;

use common::*;
use keops_runtime::__private::{
    ArgKMin, ArgMin, Call, GradExponential, GradSelected, Gradient, KMinArgKMin, LogSumExp, Max, MaxSumShiftExp, Min,
    MinArgMin, Reduce, Rows, RowsView, Sum, SumSoftMaxWeight,
};
use keops_runtime::{BlockRows, Error, FileRows, Offsets, Ranges};
use ndarray::{Array2, ArrayD, Axis, s};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// A path in a folder of its own, removed in the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("keops-stream-{}-{number}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Place(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A `.npy` file as NumPy writes it.
fn npy(shape: &[usize], numbers: impl IntoIterator<Item = f64>) -> Vec<u8> {
    let axes: String = shape.iter().map(|len| format!("{len}, ")).collect();
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({axes}), }}");
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers.into_iter().flat_map(f64::to_le_bytes));
    bytes
}

fn file(place: &Place, name: &str, table: &Array2<f64>) -> FileRows<f64> {
    let path = place.path(name);
    std::fs::write(&path, npy(table.shape(), table.iter().copied())).unwrap();
    FileRows::npy(path).unwrap()
}

/// The rows in blocks of uneven lengths, empty ones among them.
fn blocks(table: &Array2<f64>) -> BlockRows<'_, f64> {
    BlockRows::new(table.nrows(), table.ncols(), move || {
        let mut lengths = [3, 0, 1, 7, 2, 40].into_iter().cycle();
        let mut start = 0;
        std::iter::from_fn(move || {
            let end = table.nrows().min(start + lengths.next()?);
            let block = (start < table.nrows()).then(|| table.slice(s![start..end, ..]).to_owned());
            start = end;
            block.map(Ok::<_, String>)
        })
    })
}

fn table<const D: usize>(rows: usize, seed: u64) -> Array2<f64> {
    Array2::from(points::<D>(rows, seed))
}

fn look(rows: &impl Rows<f64, 1>) -> RowsView<'_, f64> {
    rows.rows_view()
}

/// Runs an operation on arrays, on files and on iterators of blocks with a limit that allows few rows at a time, and returns the
/// three results.
macro_rules! three_ways {
    ($operation:ty, $tables:expr, $limit:expr $(, $choice:ident($($argument:expr),*))*) => {{
        let tables = $tables;
        let place = Place::new("ways");
        let of = |views| Call::<$operation, f64>::new(views)$(.$choice($($argument),*))*;
        let plain = of(tables.each_ref().map(look)).run().unwrap();
        let mut number = 0;
        let files = tables.each_ref().map(|table| {
            number += 1;
            file(&place, &number.to_string(), table)
        });
        let of_files = of(files.each_ref().map(look)).memory_limit($limit).run().unwrap();
        let streams = tables.each_ref().map(blocks);
        let of_blocks = of(streams.each_ref().map(look)).memory_limit($limit).run().unwrap();
        // The pieces depend on sizes only.
        assert_eq!(of_files, of_blocks);
        (plain, of_files)
    }};
}

/// −g|x − y|² and so on: x and y of two numbers, some of b's width, one parameter.
fn tables<const E: usize>(m: usize, n: usize) -> [Array2<f64>; 3] {
    [table::<2>(m, 1), table::<E>(n, 2), Array2::from_elem((1, 1), 0.7)]
}

/// Enough for about seven rows of a few numbers.
const LIMIT: usize = 4 * 7 * 48;

#[test]
fn sums_are_the_same() {
    for (m, n) in [(1, 1), (5, 300), (300, 5), (40, 77), (3, 1000), (0, 4), (4, 0)] {
        let [x, y, g] = tables::<2>(m, n);
        let (plain, streamed) =
            three_ways!(Reduce<Gauss, Sum>, [x.clone(), y.clone(), table::<2>(n, 3), g.clone()], LIMIT);
        assert_close(&streamed, &plain, 1e-13 * n as f64);
        let (plain, streamed) = three_ways!(Reduce<GaussPerColumn, Sum>, [x, y, g], LIMIT);
        assert_close(&streamed, &plain, 1e-13 * m as f64);
    }
}

#[test]
fn exponential_reductions_are_the_same() {
    let (plain, streamed) = three_ways!(Reduce<Exponent, LogSumExp>, tables::<2>(23, 150), LIMIT);
    assert_close(&streamed, &plain, 1e-13);
    let (plain, streamed) = three_ways!(Reduce<Exponent, MaxSumShiftExp>, tables::<2>(23, 150), LIMIT);
    assert_close(&streamed, &plain, 1e-12);
    let weighted = [table::<1>(23, 1), table::<1>(150, 2), table::<2>(150, 3)];
    let (plain, streamed) = three_ways!(Reduce<Weighted, SumSoftMaxWeight>, weighted, LIMIT);
    assert_close(&streamed, &plain, 1e-13);
    let (plain, streamed) = three_ways!(Reduce<Exponent, LogSumExp>, tables::<2>(3, 0), LIMIT);
    assert_eq!((plain, streamed.iter().all(|&v| v == f64::NEG_INFINITY)), (streamed, true));
}

#[test]
fn selections_are_the_same_to_the_last_bit() {
    macro_rules! same {
        ($reduction:ty) => {
            let (plain, streamed) = three_ways!(Reduce<Squares, $reduction>, tables::<2>(37, 500), LIMIT);
            assert_eq!(plain, streamed);
        };
    }
    same!(Min);
    same!(Max);
    same!(ArgMin);
    same!(MinArgMin);
    same!(ArgKMin<5>);
    same!(KMinArgKMin<3>);
}

#[test]
fn gradients_are_the_same() {
    macro_rules! near {
        ($operation:ty) => {
            let [x, y, g] = tables::<2>(29, 140);
            let (plain, streamed) = three_ways!($operation, [x, y, g, table::<1>(29, 4)], LIMIT);
            assert_close(&streamed, &plain, 1e-12);
        };
        (selected $operation:ty) => {
            let [x, y, g] = tables::<2>(29, 140);
            let (plain, streamed) = three_ways!($operation, [x, y, g, table::<2>(29, 4)], LIMIT);
            assert_close(&streamed, &plain, 1e-12);
        };
    }
    near!(Gradient<GradExponential<Exponent, LogSumExp, ExponentGradX>, 0>);
    near!(Gradient<GradExponential<Exponent, LogSumExp, ExponentGradY>, 1>);
    near!(Gradient<GradExponential<Exponent, LogSumExp, ExponentGradG>, 2>);
    near!(selected Gradient<GradSelected<Squares, Min, SquaresGradX, 3>, 0>);
    near!(selected Gradient<GradSelected<Squares, Min, SquaresGradY, 3>, 1>);
    near!(selected Gradient<GradSelected<Squares, Min, SquaresGradP, 3>, 2>);
}

#[test]
fn block_patterns_and_segments_are_the_same() {
    let (m, n) = (61, 230);
    let (rows, columns) =
        (Offsets::new(vec![0, 9, 9, 30, 61]).unwrap(), Offsets::new(vec![0, 50, 51, 120, 200, 230]).unwrap());
    let ranges = Ranges::new(&rows, &columns, |i, j| (3 * i + 2 * j) % 4 == 1);
    let (plain, streamed) = three_ways!(Reduce<Squares, MinArgMin>, tables::<2>(m, n), LIMIT, ranges(&ranges));
    assert_eq!(plain, streamed);
    let (plain, streamed) = three_ways!(Reduce<GaussPerColumn, Sum>, tables::<2>(m, n), LIMIT, ranges(&ranges));
    assert_close(&streamed, &plain, 1e-12);

    let [x, y, g] = tables::<2>(m, n);
    let (i, j) = (Offsets::new(vec![0, 9, 9, 30, 61]).unwrap(), Offsets::new(vec![0, 100, 101, 230, 230]).unwrap());
    let place = Place::new("segments");
    let files = [&x, &y, &g].map(|t| file(&place, &format!("{}", t.as_ptr() as usize), t));
    let call = |views| Call::<Reduce<Exponent, LogSumExp>, f64>::new(views).segments(&i, &j).unwrap();
    let plain = call([&x, &y, &g].map(look)).run().unwrap();
    let streamed = call(files.each_ref().map(look)).memory_limit(LIMIT).run().unwrap();
    assert_close(&streamed, &plain, 1e-13);
}

#[test]
fn batches_are_the_same() {
    let deep = |shape: &[usize], seed| {
        let numbers = points::<1>(shape.iter().product(), seed).into_iter().flatten().collect();
        ArrayD::from_shape_vec(shape, numbers).unwrap()
    };
    // x has all batch axes, y is shared along the first one, g along the second.
    let data = [deep(&[2, 3, 11, 2], 1), deep(&[3, 40, 2], 2), deep(&[2, 1, 1, 1], 3)];
    let place = Place::new("batches");
    let files = [0, 1, 2].map(|k: usize| {
        let path = place.path(&k.to_string());
        std::fs::write(&path, npy(data[k].shape(), data[k].iter().copied())).unwrap();
        FileRows::<f64>::npy(path).unwrap()
    });
    let arrays = || data.each_ref().map(look);
    let stored = || files.each_ref().map(look);
    type Lse = Reduce<Exponent, LogSumExp>;
    let plain = Call::<Lse, f64>::new(arrays()).batched().run().unwrap();
    for limit in [LIMIT, 4 * 100 * 48, 1 << 20] {
        let streamed = Call::<Lse, f64>::new(stored()).memory_limit(limit).batched().run().unwrap();
        assert_eq!(streamed.shape(), [2, 3, 11, 1]);
        assert_close(&streamed, &plain, 1e-13);
    }
    let seed = deep(&[2, 3, 11, 1], 4);
    type Towards = Gradient<GradExponential<Exponent, LogSumExp, ExponentGradY>, 1>;
    let [x, y, g] = arrays();
    let plain = Call::<Towards, f64>::new([x, y, g, look(&seed)]).batched().run().unwrap();
    let [x, y, g] = stored();
    let streamed = Call::<Towards, f64>::new([x, y, g, look(&seed)]).memory_limit(LIMIT);
    let streamed = streamed.batched().run().unwrap();
    assert_eq!(streamed.shape(), [3, 40, 2]);
    assert_close(&streamed, &plain, 1e-12);
}

#[test]
fn a_limit_that_is_enough_changes_nothing() {
    let (plain, streamed) = three_ways!(Reduce<Gauss, Sum>, {
        let [x, y, g] = tables::<2>(700, 3000);
        [x, y, table::<2>(3000, 3), g]
    }, 1 << 30);
    assert_eq!(plain, streamed);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let [x, y, g] = tables::<2>(700, 3000);
    let b = table::<2>(3000, 3);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let views = [&x, &y, &b, &g].map(look);
        pool.install(|| Call::<Reduce<Gauss, Sum>, f64>::new(views).memory_limit(1 << 16).run().unwrap())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn progress_ends_with_all_pairs() {
    use std::sync::{Arc, Mutex};
    let seen = Arc::new(Mutex::new(Vec::new()));
    let [x, y, g] = tables::<2>(50, 400);
    let streams = [&x, &y, &g].map(blocks);
    let views = streams.each_ref().map(look);
    let to = Arc::clone(&seen);
    let call = Call::<Reduce<Exponent, LogSumExp>, f64>::new(views).memory_limit(LIMIT);
    call.progress(move |progress| to.lock().unwrap().push(progress)).run().unwrap();
    let seen = seen.lock().unwrap();
    assert!(seen.len() > 10 && seen.windows(2).all(|two| two[0].done < two[1].done));
    assert!(seen.iter().all(|progress| (progress.pairs, progress.reduction) == (20_000, 0)));
    assert_eq!(seen.last().unwrap().done, 20_000);
}

/// A call of a sum whose y is read from `y`, and its error; nothing is written.
#[track_caller]
fn refused(y: &impl Rows<f64, 1>, limit: usize) -> Error {
    let (x, b, g) = (table::<2>(3, 1), table::<2>(100, 3), 0.7);
    let views = [look(&x), look(y), look(&b), look(&g)];
    let call = Call::<Reduce<Gauss, Sum>, f64>::new(views).memory_limit(limit);
    let mut out = Array2::from_elem((3, 2), -7.0);
    let error = call.run_into(&mut out).unwrap_err();
    assert_eq!(out, Array2::from_elem((3, 2), -7.0));
    error
}

#[test]
fn wrong_files_are_refused() {
    let place = Place::new("wrong");
    let path = place.path("y.npy");
    let wrong = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        FileRows::<f64>::npy(&path).unwrap_err().to_string()
    };
    let right = npy(&[100, 2], vec![1.0; 200]);
    let text = wrong(&right[..right.len() - 1]);
    assert!(text.contains("y.npy: it has 1727 bytes, but numbers of shape [100, 2] need 1728 bytes"), "{text}");
    assert!(wrong(b"hello, world").contains("y.npy: it is no .npy file"));
    assert!(wrong(&right[..20]).contains("ends within its header"));
    std::fs::write(&path, &right).unwrap();
    let text = FileRows::<f32>::npy(&path).unwrap_err().to_string();
    assert!(text.contains("y.npy: it holds numbers of type <f8, but the call needs <f4"), "{text}");
    let at = right.windows(5).position(|five| five == b"False").unwrap();
    let mut bytes = right.clone();
    bytes[at..at + 5].copy_from_slice(b"True ");
    let text = wrong(&bytes);
    assert!(text.contains("y.npy: it is in Fortran order"), "{text}");
    let missing = FileRows::<f64>::npy(place.path("none.npy")).unwrap_err();
    assert!(matches!(missing, Error::File { .. }) && missing.to_string().contains("none.npy"));

    let wide = file(&place, "wide.npy", &table::<3>(100, 1));
    assert!(matches!(refused(&wide, 1 << 20), Error::Columns { variable: "y_j", expected: 2, got: 3, .. }));
    let long = file(&place, "long.npy", &table::<2>(101, 1));
    assert!(matches!(refused(&long, 1 << 20), Error::Rows { variable: "b_j", expected: 101, got: 100, .. }));
    let good = file(&place, "good.npy", &table::<2>(100, 1));
    assert_eq!(refused(&good, 100), Error::MemoryLimit { formula: "Gauss", limit: 100, needed: 128 });
}

#[test]
fn a_file_that_shrinks_is_an_error() {
    let place = Place::new("shrinks");
    let y = file(&place, "y.npy", &table::<2>(100, 1));
    std::fs::File::options().write(true).open(y.path()).unwrap().set_len(1000).unwrap();
    let text = refused(&y, LIMIT).to_string();
    assert!(
        text.contains("reading variable `y_j` from file") && text.contains("y.npy: it has been shortened"),
        "{text}"
    );
    assert!(text.contains("it ends at byte 1000"), "{text}");
}

#[test]
fn errors_of_iterators_name_the_block() {
    let y = table::<2>(100, 1);
    let some = |rows: usize, failing: usize, columns: usize| {
        let y = &y;
        BlockRows::new(100, 2, move || {
            (0..rows.div_ceil(10)).map(move |block| {
                if block == failing {
                    return Err("the line went dead");
                }
                Ok(y.slice(s![..10, ..if block == 3 { columns } else { 2 }]).to_owned())
            })
        })
    };
    let text = |y: &BlockRows<'_, f64>| {
        let text = refused(y, LIMIT).to_string();
        assert!(text.starts_with("Gauss: reading variable `y_j` from an iterator of blocks: "), "{text}");
        text
    };
    assert!(text(&some(100, 6, 2)).ends_with("block 6 (from row 60 on): the line went dead"));
    assert!(text(&some(90, 99, 2)).ends_with("it ended after 9 blocks with 90 rows, but 100 were promised"));
    assert!(text(&some(110, 99, 2)).ends_with("block 10 goes beyond the 100 rows that were promised"));
    assert!(text(&some(100, 99, 1)).ends_with("block 3 has 1 numbers per row, but 2 were promised"));
}

#[test]
fn parts_of_a_raw_file_are_rows() {
    let place = Place::new("raw");
    let all = table::<2>(30, 5);
    let path = place.path("y.raw");
    let mut bytes = b"seven b".to_vec();
    bytes.extend(all.iter().flat_map(|v| v.to_ne_bytes()));
    std::fs::write(&path, bytes).unwrap();
    let y = FileRows::<f64>::raw(&path, 7 + 10 * 16, &[20, 2]).unwrap();
    let x = table::<2>(6, 1);
    let call = |y| Call::<Reduce<Squares, MinArgMin>, f64>::new([look(&x), y, look(&0.7)]).run().unwrap();
    let rest = all.slice_axis(Axis(0), (10..).into());
    assert_eq!(call(look(&y)), call(look(&rest)));
}
