//! Rows of results → one row, added up in `f64`: gradients towards parameters.
//!
//! A block adds up one component: each of its threads every 128th row, then all threads together.

use crate::abi::{Arguments, THREADS};
use crate::access::global;
use crate::compensated::{total as value, two_sum};
use crate::grid::Grid;
use crate::memory::Memory;
use crate::number::Number;
use keops_core::{Formula, Real};

/// One thread of *total*.
///
/// # Safety
/// As for [`super::reduce()`].
#[inline(always)]
pub unsafe fn total<F: Formula, T: Number, G: Grid>(grid: G, arguments: &Arguments) {
    let parts = global::<T>(arguments.parts);
    let thread = grid.thread();
    let shared = grid.shared::<f64>();
    let mut e = grid.block() as usize;
    while e < F::OUT {
        let mut sum = (0.0, 0.0);
        let mut row = u64::from(thread);
        while row < arguments.rows {
            // SAFETY: there are so many rows.
            let v = unsafe { *parts.add(row as usize * F::OUT + e) };
            sum = add(sum, (v.to_f64(), 0.0));
            row += u64::from(THREADS);
        }
        let mut distance = THREADS / 2;
        while distance > 0 {
            // SAFETY: the block has shared memory for two numbers of each thread; barriers part writes from reads.
            unsafe {
                shared.store(2 * thread, sum.0);
                shared.store(2 * thread + 1, sum.1);
                grid.barrier();
                if thread < distance {
                    let shared = shared.staged();
                    let other = 2 * (thread + distance);
                    sum = add(sum, (shared.load(other), shared.load(other + 1)));
                }
                grid.barrier();
            }
            distance /= 2;
        }
        if thread == 0 {
            // SAFETY: the result has `OUT` numbers.
            unsafe { *global::<T>(arguments.values).add(e) = T::from_f64(value(sum.0, sum.1)) };
        }
        e += grid.blocks() as usize;
    }
}

/// Adds two compensated sums.
#[inline(always)]
fn add(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let real = <f64 as Number>::Real::splat;
    let (s, lost) = two_sum(real(a.0), real(b.0));
    (<f64 as Number>::of(s), a.1 + b.1 + <f64 as Number>::of(lost))
}
