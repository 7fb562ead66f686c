//! The thread that reads ahead.

use super::plan::{self, Step};
use super::source::Cursor;
use crate::cpu::column_category;
use crate::domain::{Domain, Table};
use crate::error::Error;
use core::ops::Range;
use keops_core::{Formula, Scalar};
use ndarray::{ArrayView2, ArrayView3, Axis};
use std::sync::mpsc::{Receiver, Sender, SyncSender};

/// Rows of a variable that have been read.
#[derive(Debug, Default)]
pub(super) struct Buffer<T> {
    numbers: Vec<T>,
    shape: (usize, usize, usize),
    /// Position of its first batch element in the table.
    pub(super) skip: usize,
}

impl<T: Scalar> Buffer<T> {
    /// Elements × rows × numbers.
    pub(super) fn view(&self) -> ArrayView3<'_, T> {
        ArrayView3::from_shape(self.shape, &self.numbers).unwrap_or(Self::none())
    }

    /// No rows.
    pub(super) fn none<'n>() -> ArrayView3<'n, T>
    where
        T: 'n,
    {
        ArrayView2::from(&[] as &[[T; 0]]).insert_axis(Axis(0))
    }
}

/// What has been read for a step: for each variable its rows, if they are other ones than those of the step before.
pub(super) type Loaded<T> = Vec<Option<Buffer<T>>>;

/// Reads what `steps` need and sends it, one step ahead of the one who receives. Ends when there are no more steps, after an
/// error, or when nobody listens. Buffers that are not needed any more come back through `used`.
pub(super) fn read<F: Formula, T: Scalar>(
    tables: &[Table<'_, T>],
    domain: &Domain<'_>,
    steps: impl Iterator<Item = Step>,
    to: &SyncSender<Result<Loaded<T>, Error>>,
    used: &Receiver<Buffer<T>>,
) {
    let mut cursors: Vec<_> = tables.iter().map(|_| None).collect();
    for step in steps {
        let loaded = load::<F, T>(tables, domain, &step, &mut cursors, used);
        let failed = loaded.is_err();
        if to.send(loaded).is_err() || failed {
            return;
        }
    }
}

/// What is used of a thread that reads.
pub(super) type Used<T> = Sender<Buffer<T>>;

type Opened<'s, T> = Option<Box<dyn Cursor<T> + 's>>;

fn load<'s, F: Formula, T: Scalar>(
    tables: &[Table<'s, T>],
    domain: &Domain<'_>,
    step: &Step,
    cursors: &mut [Opened<'s, T>],
    used: &Receiver<Buffer<T>>,
) -> Result<Loaded<T>, Error> {
    let mut loaded = Vec::with_capacity(tables.len());
    for ((table, variable), cursor) in tables.iter().zip(F::VARIABLES).zip(cursors) {
        let changes = step.first || variable.category == column_category::<F>();
        let Some(source) = table.stored.filter(|_| changes) else {
            loaded.push(None);
            continue;
        };
        let error = |reason| Error::Read { formula: F::TEXT, variable: variable.name, from: source.name(), reason };
        let (_, rows, columns) = table.data.dim();
        let cursor = match cursor {
            Some(cursor) => cursor,
            None => cursor.insert(source.open(rows, columns).map_err(error)?),
        };
        let positions = plan::positions(table, domain.batch, step.elements.clone());
        let part = plan::part::<F>(variable.category, step);
        let buffer = used.try_recv().unwrap_or_default();
        loaded.push(Some(fill(buffer, cursor.as_mut(), positions, part, columns).map_err(error)?));
    }
    Ok(loaded)
}

fn fill<T: Scalar>(
    mut buffer: Buffer<T>,
    cursor: &mut dyn Cursor<T>,
    positions: Range<usize>,
    rows: Range<usize>,
    columns: usize,
) -> Result<Buffer<T>, String> {
    buffer.numbers.clear();
    buffer.shape = (positions.len(), rows.len(), columns);
    buffer.skip = positions.start;
    for position in positions {
        cursor.read(position, rows.clone(), &mut buffer.numbers)?;
    }
    Ok(buffer)
}
