//! Row numbers.

use super::vector::op;
use super::{Dims, Operation};
use crate::ir::Category;

pub(super) static OPERATIONS: &[Operation] = &[
    op(
        "IndexI",
        "",
        &[],
        &[],
        Dims::ToScalar,
        "the row number i, from 0; sums, differences and comparisons of row numbers and numbers are exact for any number of rows, also in f32; derivative 0",
        |ir, _, _| Ok(ir.index(Category::Vi)),
    ),
    op("IndexJ", "", &[], &[], Dims::ToScalar, "the row number j, from 0, as IndexI", |ir, _, _| {
        Ok(ir.index(Category::Vj))
    }),
];
