//! The kernels on a grid of host threads, against plain loops in `f64`.

#[macro_use]
#[path = "emulated/call.rs"]
mod call;
#[path = "emulated/formulas.rs"]
mod formulas;
#[path = "emulated/grid.rs"]
mod grid;

use call::{Data, Results};
use formulas::*;
use keops_core::Scalar;
use keops_gpu_kernels::abi::{Accumulator, Item, Merge, NONE, Range};
use keops_gpu_kernels::plan::{Lists, Plan};
use keops_gpu_kernels::reduction::*;

/// Numbers in [−1, 1) that look random.
fn numbers<T: Scalar>(count: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            T::from_f64((state >> 40) as f64 / (1u64 << 23) as f64 - 1.0)
        })
        .collect()
}

fn table<T: Scalar>(rows: u64, dim: usize, seed: u64) -> Data<T> {
    Data(numbers(rows as usize * dim, seed), dim)
}

fn at<T: Scalar>(data: &Data<T>, row: u64, k: usize) -> f64 {
    data.0[row as usize * data.1 + k].to_f64()
}

fn close<T: Scalar>(got: T, wanted: f64, tolerance: f64, what: &str) {
    let got = got.to_f64();
    assert!(got == wanted || (got - wanted).abs() <= tolerance, "{what}: {got} instead of {wanted}");
}

macro_rules! gauss {
    ($t:ty, $rows:expr, $columns:expr, $accumulator:expr, $tolerance:expr) => {{
        let (m, n) = ($rows as u64, $columns as u64);
        let data = [table::<$t>(m, 3, 1), table(n, 3, 2), table(n, 1, 3), Data(vec![0.75 as $t], 1)];
        let Results { values, .. } = call!(Gauss, Sum, $t, &data, m, n, $accumulator, 2);
        for i in 0..m {
            let mut sum = 0.0;
            for j in 0..n {
                let d: f64 = (0..3).map(|k| (at(&data[0], i, k) - at(&data[1], j, k)).powi(2)).sum();
                sum += (-0.75 * d).exp() * at(&data[2], j, 0);
            }
            close(values[i as usize], sum, $tolerance, &format!("row {i} of {m} x {n}"));
        }
    }};
}

#[test]
fn sums_of_all_sizes() {
    for (m, n) in [(1, 1), (1, 1000), (3, 5), (127, 257), (512, 256), (513, 255), (700, 3), (130, 1030), (2, 0), (0, 5)]
    {
        gauss!(f32, m, n, Accumulator::Block, 2e-5);
        gauss!(f64, m, n, Accumulator::Block, 1e-12);
    }
}

#[test]
fn exponentials_that_grow() {
    let data = [table::<f32>(9, 3, 1), table(300, 3, 2), table(300, 1, 3), Data(vec![-0.25], 1)];
    let Results { values, .. } = call!(Gauss, Sum, f32, &data, 9, 300, Accumulator::Block, 1);
    for i in 0..9 {
        let d = |j| (0..3).map(|k| (at(&data[0], i, k) - at(&data[1], j, k)).powi(2)).sum::<f64>();
        let sum = (0..300).map(|j| (0.25 * d(j)).exp() * at(&data[2], j, 0)).sum();
        close(values[i as usize], sum, 1e-4, "growing");
    }
}

#[test]
fn sums_with_every_accumulator() {
    for (m, n) in [(1, 300), (130, 700)] {
        gauss!(f32, m, n, Accumulator::Kahan, 1e-5);
        gauss!(f32, m, n, Accumulator::F64, 1e-5);
        gauss!(f64, m, n, Accumulator::Kahan, 1e-12);
        gauss!(f64, m, n, Accumulator::F64, 1e-12);
    }
}

#[test]
fn rows_that_are_j_and_factors_of_rows() {
    let (rows, columns) = (140, 300);
    let data = [table::<f64>(columns, 1, 4), table(rows, 1, 5)];
    let Results { values, .. } = call!(Columns, Sum, f64, &data, rows, columns, Accumulator::Block, 1);
    for r in 0..rows {
        let (y, sum) = (at(&data[1], r, 0), (0..columns).map(|c| at(&data[0], c, 0)).sum::<f64>());
        let squares: f64 = (0..columns).map(|c| at(&data[0], c, 0).powi(2)).sum();
        close(values[2 * r as usize], y * sum, 1e-12, "first");
        close(values[2 * r as usize + 1], y * squares, 1e-12, "second");
    }
}

#[test]
fn one_row_in_all() {
    let (rows, columns) = (777, 300);
    let data = [table::<f32>(rows, 1, 6), table(columns, 1, 7)];
    let Results { values, .. } = call!(Whole, Sum, f32, &data, rows, columns, Accumulator::Block, 1);
    let sum = |d: &Data<f32>, n| (0..n).map(|i| at(d, i, 0)).sum::<f64>();
    close(values[0], sum(&data[0], rows) * sum(&data[1], columns), 1e-3, "total");
}

#[test]
fn numbers_of_rows_and_columns() {
    let data = [table::<f32>(700, 1, 1), table(300, 1, 1)];
    let Results { values, .. } = call!(Numbers, Sum, f32, &data, 700, 300, Accumulator::Block, 1);
    for i in 0..700 {
        close(values[i], (300 * i + 300 * 299) as f64, 0.0, "sum of numbers");
    }
}

#[test]
fn columns_of_which_nothing_is_staged_count() {
    for n in [0, 1, 3, 255, 1000] {
        let data = [table::<f32>(5, 1, 1), table(n, 1, 2)];
        let Results { values, .. } = call!(NothingOfColumns, Sum, f32, &data, 5, n, Accumulator::Block, 1);
        for i in 0..5 {
            close(values[i], n as f64 * at(&data[0], i as u64, 0), 1e-4, "n times x");
        }
    }
}

#[test]
fn wide_rows_sums_and_columns() {
    let (m, n) = (131, 70);
    let data = [table::<f64>(m, 300, 1), table(n, 300, 2), table(n, 1, 3)];
    for accumulator in [Accumulator::Block, Accumulator::Kahan, Accumulator::F64] {
        let Results { values, .. } = call!(WideRows, Sum, f64, &data, m, n, accumulator, 1);
        for i in 0..m {
            let term = |j| (0..300).map(|k| at(&data[0], i, k) * at(&data[1], j, k)).sum::<f64>() * at(&data[2], j, 0);
            close(values[i as usize], (0..n).map(term).sum(), 1e-11, "wide rows");
        }
    }
    let data = [table::<f64>(m, 90, 1), table(n, 90, 2)];
    for accumulator in [Accumulator::Block, Accumulator::Kahan] {
        let Results { values, .. } = call!(WideSums, Sum, f64, &data, m, n, accumulator, 1);
        for i in 0..m {
            let difference = |j, k| at(&data[0], i, k) - at(&data[1], j, k);
            let squares: Vec<f64> = (0..n).map(|j| (0..90).map(|k| difference(j, k).powi(2)).sum()).collect();
            for k in 0..90 {
                let sum: f64 = (0..n).map(|j| squares[j as usize] * difference(j, k)).sum();
                close(values[i as usize * 90 + k], sum, 1e-9, "wide sums");
            }
        }
    }
    let data = [table::<f64>(m, 1, 1), table(n, 4000, 2)];
    let Results { values, .. } = call!(WideColumns, Sum, f64, &data, m, n, Accumulator::Block, 1);
    let sum: f64 = data[1].0.iter().sum();
    for i in 0..m {
        close(values[i as usize], at(&data[0], i, 0) * sum, 1e-9, "wide columns");
    }
}

#[test]
fn many_right_hand_sides() {
    let (m, n) = (300, 270);
    let data = [table::<f64>(m, 1, 1), table(n, 1, 2), table(n, 70, 3)];
    for accumulator in [Accumulator::Block, Accumulator::Kahan] {
        let sums = call!(Many, Sum, f64, &data, m, n, accumulator, 1).values;
        let means = call!(Many, SumSoftMaxWeight, f64, &data, m, n, accumulator, 1).values;
        let logs = call!(Many, LogSumExp, f64, &data, m, n, accumulator, 1).values;
        for i in 0..m {
            let factor = |j| at(&data[0], i, 0) * at(&data[1], j, 0);
            let unit: f64 = (0..n).map(|j| factor(j).exp()).sum();
            for e in 0..70 {
                let sum: f64 = (0..n).map(|j| factor(j) * at(&data[2], j, e)).sum();
                close(sums[i as usize * 70 + e], sum, 1e-11, "sum");
                let sum: f64 = (0..n).map(|j| factor(j).exp() * at(&data[2], j, e)).sum();
                close(means[i as usize * 70 + e], sum / unit, 1e-12, "mean");
                let log = logs[i as usize * 70 + e];
                assert!(if sum < 0.0 { log.is_nan() } else { (log - sum.ln()).abs() < 1e-8 }, "{log}: log {sum}");
            }
        }
    }
}

#[test]
fn exponential_reductions() {
    for (m, n) in [(1, 700), (140, 300), (5, 0)] {
        let data = [table::<f64>(m, 2, 1), table(n, 2, 2), table(n, 2, 3)];
        let means = call!(Attention, SumSoftMaxWeight, f64, &data, m, n, Accumulator::Block, 1).values;
        let raw = call!(Attention, SoftMaxRaw, f64, &data, m, n, Accumulator::F64, 1).values;
        let plain = [table::<f64>(m, 1, 4), table(n, 1, 5)];
        let logs = call!(Plain, LogSumExp, f64, &plain, m, n, Accumulator::Kahan, 1).values;
        let shifted = call!(PairWeights, MaxSumShiftExp, f64, &plain, m, n, Accumulator::Block, 1).values;
        for i in 0..m {
            let r = i as usize;
            let exponent = |j| (0..2).map(|k| at(&data[0], i, k) * at(&data[1], j, k)).sum::<f64>();
            let top = (0..n).map(exponent).fold(f64::NEG_INFINITY, f64::max);
            let unit: f64 = (0..n).map(|j| (exponent(j) - top).exp()).sum();
            close(raw[4 * r], top, 1e-15, "largest exponent");
            close(raw[4 * r + 1], unit, 1e-11, "sum without weights");
            for e in 0..2 {
                let sum: f64 = (0..n).map(|j| (exponent(j) - top).exp() * at(&data[2], j, e)).sum();
                close(raw[4 * r + 2 + e], sum, 1e-11, "sum");
                close(means[2 * r + e], if n == 0 { 0.0 } else { sum / unit }, 1e-12, "mean");
            }
            let exponent = |j| at(&plain[0], i, 0) * at(&plain[1], j, 0);
            let top = (0..n).map(exponent).fold(f64::NEG_INFINITY, f64::max);
            let log = (0..n).map(|j| exponent(j).exp()).sum::<f64>().ln();
            close(logs[r], log, 1e-12, "log-sum-exp");
            close(shifted[3 * r], top, 1e-15, "largest exponent");
            for (e, sign) in [(0, -1.0), (1, 1.0)] {
                let term = |j| (exponent(j) - top).exp() * (at(&plain[0], i, 0) + sign * at(&plain[1], j, 0));
                close(shifted[3 * r + 1 + e], (0..n).map(term).sum(), 1e-11, "weighted by the pair");
            }
        }
    }
}

#[test]
fn exponents_at_the_ends() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    // Exponents are x y with x = 1.
    for (exponents, wanted) in [
        (vec![-inf; 600], -inf),
        (vec![-inf, 2.0, -inf], 2.0),
        (vec![1.0, inf, -inf, 3.0], inf),
        (vec![1000.0, 1000.0], 1000.0 + 2f32.ln()),
        (vec![-1000.0; 512], -1000.0 + 512f32.ln()),
    ] {
        let n = exponents.len() as u64;
        let data = [Data(vec![1f32], 1), Data(exponents, 1)];
        let log = call!(Plain, LogSumExp, f32, &data, 1, n, Accumulator::Block, 1).values[0];
        assert!(log == wanted || (log - wanted).abs() < 1e-4, "{log} instead of {wanted}");
    }
    for position in [0, 3, 5] {
        let mut exponents = vec![1f32; 6];
        exponents[position] = nan;
        let data = [Data(vec![1f32], 1), Data(exponents, 1)];
        assert!(call!(Plain, LogSumExp, f32, &data, 1, 6, Accumulator::Block, 1).values[0].is_nan());
    }
    let data = [Data(vec![1f32], 1), Data(vec![-inf; 5], 1)];
    assert_eq!(call!(Plain, MaxSumShiftExp, f32, &data, 1, 5, Accumulator::Block, 1).values, [-inf, 0.0]);
}

/// Squared distances of component `d` in order: by value, then by number; without NaN.
fn sorted(data: &[Data<f32>; 2], i: u64, n: u64, d: usize) -> Vec<(f32, u64)> {
    let distance = |j| {
        let difference = data[0].0[2 * i as usize + d] - data[1].0[2 * j as usize + d];
        difference * difference
    };
    let mut all: Vec<_> = (0..n).map(|j| (distance(j), j)).filter(|(v, _)| !v.is_nan()).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

#[test]
fn selections_with_ties_and_nan() {
    for (m, n) in [(1, 900), (2, 300), (150, 290), (600, 2)] {
        // Few different values make many ties.
        let coarse = |mut t: Data<f32>| {
            t.0.iter_mut().for_each(|v| *v = (*v * 4.0).round());
            t
        };
        let mut data = [coarse(table::<f32>(m, 2, 1)), coarse(table(n, 2, 2))];
        data[1].0.iter_mut().step_by(37).for_each(|v| *v = f32::NAN);
        let block = Accumulator::Block;
        let min = call!(Distances, Min, f32, &data, m, n, block, 1).values;
        let arg_min = call!(Distances, ArgMin, f32, &data, m, n, block, 1).indices;
        let both = call!(Distances, MaxArgMax, f32, &data, m, n, block, 1);
        let k_min = call!(Distances, KMin<3>, f32, &data, m, n, block, 1).values;
        let k_both = call!(Distances, KMinArgKMin<3>, f32, &data, m, n, block, 1);
        let long = call!(Distances, KMinArgKMin<40>, f32, &data, m, n, block, 1);
        for i in 0..m {
            for d in 0..2 {
                let all = sorted(&data, i, n, d);
                let r = 2 * i as usize + d;
                let nth = |k: usize| all.get(k).copied().unwrap_or((f32::INFINITY, NONE));
                assert_eq!((min[r], arg_min[r]), nth(0), "row {i} of {m} x {n}");
                let largest = all.iter().rev().take_while(|v| v.0 == all[all.len() - 1].0).last();
                let largest = largest.copied().unwrap_or((f32::NEG_INFINITY, NONE));
                assert_eq!((both.values[r], both.indices[r]), largest, "row {i} of {m} x {n}");
                for k in 0..3 {
                    let at = 6 * i as usize + 2 * k + d;
                    assert_eq!(k_min[at], nth(k).0);
                    assert_eq!((k_both.values[at], k_both.indices[at]), nth(k), "row {i} of {m} x {n}");
                }
                for k in 0..40 {
                    let at = 80 * i as usize + 2 * k + d;
                    assert_eq!((long.values[at], long.indices[at]), nth(k), "entry {k} of row {i} of {m} x {n}");
                }
            }
        }
    }
}

/// Two batches of rows against ranges of columns, in items as a host would make them.
#[test]
fn lists_of_items() {
    // Per batch 600 rows and 90 columns; `b` is the same for both batches.
    let (m, n) = (600u64, 90u64);
    let data = [table::<f64>(2 * m, 3, 1), table(2 * n, 3, 2), table(n, 1, 3), Data(vec![0.5], 1)];
    let offsets = [0, 0, 0, 0, m, n, 0, 0];
    let ranges = [Range { first: 0, last: 7 }, Range { first: 20, last: 23 }, Range { first: 40, last: 90 }];
    // Rows 0..550 meet the first two ranges and, as a second chunk, the last one; rows 550..580 the last one only; rows
    // from 580 on nothing.
    let mut items = Vec::new();
    let mut merges = Vec::new();
    let mut records = 0;
    for batch in 0..2 {
        for (rows, chunks) in
            [(0..512, vec![(0, 2), (2, 1)]), (512..550, vec![(0, 2), (2, 1)]), (550..580, vec![(2, 1)])]
        {
            let count = rows.end - rows.start;
            for row in rows.clone() {
                let (record, output) = (records + row - rows.start, batch * m + row);
                merges.push(Merge { row, record, step: count, records: chunks.len() as u64, output, batch });
            }
            for (first_range, number) in chunks {
                let (first_row, record) = (rows.start, records);
                items.push(Item { first_row, record, first_range, ranges: number, rows: count as u32, batch });
                records += count;
            }
        }
        merges.extend((580..600).map(|row| Merge {
            row,
            record: 0,
            step: 0,
            records: 0,
            output: batch * m + row,
            batch,
        }));
    }

    let lists = Lists {
        items: items.as_ptr() as u64,
        item_count: items.len() as u64,
        merges: merges.as_ptr() as u64,
        merge_count: merges.len() as u64,
        ranges: ranges.as_ptr() as u64,
    };
    let tables: Vec<_> = data.iter().map(Data::table).collect();
    let columns = |row: u64| match row {
        0..550 => vec![0..7, 20..23, 40..90],
        550..580 => std::iter::once(40..90).collect(),
        _ => vec![],
    };
    macro_rules! listed {
        ($formula:ty, $reduction:ty) => {{
            let plan = Plan::listed::<$formula, $reduction, f64>(
                2 * m,
                records,
                lists.item_count,
                lists.merge_count,
                Accumulator::Block,
                3,
            );
            call!(@run $formula, $reduction, f64, &data, plan, |at: Addresses| {
                plan.listed_arguments(&tables, Addresses { offsets: offsets.as_ptr() as u64, ..at }, lists)
            })
        }};
    }
    let sums = listed!(Gauss, Sum).values;
    let nearest = listed!(Gauss, ArgMax).indices;
    for batch in 0..2 {
        for row in 0..m {
            let factor = |j: u64| {
                let d: f64 =
                    (0..3).map(|k| (at(&data[0], batch * m + row, k) - at(&data[1], batch * n + j, k)).powi(2)).sum();
                (-0.5 * d).exp()
            };
            let all: Vec<u64> = columns(row).into_iter().flatten().collect();
            let sum: f64 = all.iter().map(|&j| factor(j) * at(&data[2], j, 0)).sum();
            close(sums[(batch * m + row) as usize], sum, 1e-12, &format!("row {row} of batch {batch}"));
            let best = all.iter().copied().max_by(|&a, &b| factor(a).total_cmp(&factor(b))).unwrap_or(NONE);
            assert_eq!(nearest[(batch * m + row) as usize], best, "row {row} of batch {batch}");
        }
    }
}

/// Sizes of launches that fill a device, and memory that stays bounded.
#[test]
fn plans() {
    let plan = |rows, columns| Plan::dense::<Gauss, Sum, f32>(rows, columns, Accumulator::Block, 132);
    assert!(plan(10_000, 10_000).reduce.blocks >= 264);
    let row = plan(1, 1_000_000);
    assert!(row.reduce.blocks >= 264 && row.lanes > 1 && row.mergers == 128, "{row:?}");
    let large = plan(1_000_000_000, 1_000_000_000);
    assert_eq!((large.chunks, large.memory.scratch), (1, 0));
    assert_eq!(large.memory.state_values, 8_000_000_000);
    assert_eq!(plan(0, 10).reduce.blocks, 0);
    assert_eq!(plan(10, 0).reduce.blocks, 0);
    assert_eq!(plan(10, 0).merge.blocks, 1);
    // Chunks are counted in 32 bits.
    assert!(plan(1, 1 << 40).chunk <= 1 << 31);
    let wide = Plan::dense::<WideRows, Sum, f32>(1 << 20, 1 << 20, Accumulator::Block, 132);
    assert_eq!(wide.reduce.blocks, 264);
}
