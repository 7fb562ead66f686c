//! [`reduce`]: one reduction, step by step.

use super::plan::{self, Sizes, Step};
use super::reader::{self, Buffer, Loaded, Used};
use super::run::{Progress, Run};
use crate::cpu::{self, Partial, Total};
use crate::domain::{Domain, Origin, Table};
use crate::engine::Reduction;
use crate::error::Error;
use crate::options::Options;
use core::ops::Range;
use keops_core::{Category, Formula, Keep, Scalar};
use ndarray::{ArrayViewMut2, s};
use std::sync::mpsc;

/// Runs one reduction in pieces: the arguments are those of [`crate::engine::reduce`], and tables may be stored.
pub(crate) fn reduce<F: Formula, R: Reduction, T: Scalar>(
    run: &Run,
    tables: &[Table<'_, T>],
    domain: &Domain<'_>,
    options: &Options,
    values: ArrayViewMut2<'_, T>,
    indices: ArrayViewMut2<'_, u64>,
) -> Result<(), Error> {
    let tables: Vec<_> = tables.iter().map(Table::view).collect();
    let tables = &tables[..];
    let sizes = Sizes::new::<F, R, T>(tables, domain, run.limit())?;
    tracing::debug!(formula = F::TEXT, ?sizes, "running in pieces");
    let steps = || plan::steps(tables, domain, sizes);
    let progress = Progress {
        reduction: run.next_reduction(),
        done: 0,
        pairs: domain.pattern.pairs() * domain.elements.len() as u64,
    };
    let (send, receive) = mpsc::sync_channel(0);
    let (give_back, used) = mpsc::channel();
    let mut work = Work::<F, R, T> {
        run,
        tables,
        domain,
        options,
        values,
        indices,
        loaded: tables.iter().map(|_| None).collect(),
        used: give_back,
        partial: None,
        total: Total::new(F::OUT),
        progress,
    };
    std::thread::scope(|scope| {
        if tables.iter().all(|table| table.stored.is_none()) {
            return steps().try_for_each(|step| work.step(&step, Vec::new()));
        }
        let reader = scope.spawn(move || {
            reader::read::<F, T>(tables, domain, plan::steps(tables, domain, sizes), &send, &used);
        });
        for step in steps() {
            // It hangs up only after an error, or in a panic of an iterator of blocks.
            let Ok(loaded) = receive.recv() else { break };
            work.step(&step, loaded?)?;
        }
        drop(receive);
        reader.join().map_err(|_| Error::Read {
            formula: F::TEXT,
            variable: "",
            from: "blocks".to_string(),
            reason: "the iterator panicked".to_string(),
        })
    })
}

/// A reduction on its way.
struct Work<'w, 't, F, R, T: Scalar> {
    run: &'w Run,
    tables: &'w [Table<'t, T>],
    domain: &'w Domain<'t>,
    options: &'w Options,
    values: ArrayViewMut2<'w, T>,
    indices: ArrayViewMut2<'w, u64>,
    loaded: Loaded<T>,
    used: Used<T>,
    /// The states of the current slab.
    partial: Option<Partial<F, R, T>>,
    /// For [`Keep::None`]: the sum of the finished rows of the current batch element.
    total: Total,
    progress: Progress,
}

impl<F: Formula, R: Reduction, T: Scalar> Work<'_, '_, F, R, T> {
    fn step(&mut self, step: &Step, loaded: Loaded<T>) -> Result<(), Error> {
        for (old, new) in self.loaded.iter_mut().zip(loaded) {
            if let Some(old) = new.and_then(|new| old.replace(new)) {
                // It may be that nobody reads any more.
                let _ = self.used.send(old);
            }
        }
        let Step { elements, rows, columns, first, last } = step.clone();
        let pattern = self.domain.pattern.window(rows.clone(), columns.clone());
        let pairs = pattern.pairs() * elements.len() as u64;
        let [row, column] = [rows.start, columns.start];
        let origin = match F::KEEP {
            Keep::J => Origin { i: column, j: row },
            Keep::I | Keep::None => Origin { i: row, j: column },
        };
        let domain = Domain { batch: self.domain.batch, elements: elements.clone(), pattern: &pattern, origin };
        let tables = self.tables.iter().zip(&self.loaded).zip(F::VARIABLES);
        let tables: Vec<_> = tables.map(|((table, buffer), v)| part::<F, T>(table, buffer, v.category, step)).collect();

        let all_rows = self.domain.pattern.rows();
        let whole = rows.len() == all_rows || F::KEEP != Keep::None;
        let results = self.results(&elements, &rows);
        let mut values = self.values.slice_mut(s![results.clone(), ..]);
        let mut indices = self.indices.slice_mut(s![results, ..]);
        if first && last && column == 0 && whole {
            cpu::reduce::<F, R, T>(&tables, &domain, self.options, values, indices)?;
        } else {
            let partial = match (first, self.partial.as_mut()) {
                (false, Some(partial)) => partial,
                _ => self.partial.insert(Partial::new(domain.rows())?),
            };
            partial.absorb(&tables, &domain, self.options);
            if let Some(partial) = self.partial.take_if(|_| last) {
                if F::KEEP == Keep::None {
                    if row == 0 {
                        self.total = Total::new(F::OUT);
                    }
                    self.total.merge(&partial.total(&tables, &domain, self.options));
                    let to = values.iter_mut().zip(self.total.get());
                    to.for_each(|(to, sum)| *to = T::from_f64(sum));
                    indices.fill(0);
                } else {
                    partial.finish(&tables, &domain, self.options, values, indices);
                }
            }
        }
        self.progress.done += pairs;
        self.run.report(self.progress);
        Ok(())
    }

    /// Where the results of some rows of some elements are.
    fn results(&self, elements: &Range<usize>, rows: &Range<usize>) -> Range<usize> {
        let first = elements.start - self.domain.elements.start;
        if F::KEEP == Keep::None {
            return first..first + elements.len();
        }
        let start = first * self.domain.pattern.rows() + rows.start;
        start..start + elements.len() * rows.len()
    }
}

/// What a step sees of a table.
fn part<'t, F: Formula, T: Scalar>(
    table: &'t Table<'_, T>,
    buffer: &'t Option<Buffer<T>>,
    category: Category,
    step: &Step,
) -> Table<'t, T> {
    if table.stored.is_some() {
        // Every table is read in the first step of a slab.
        let (data, skip) = buffer.as_ref().map_or((Buffer::none(), 0), |buffer| (buffer.view(), buffer.skip));
        return Table::new(data, table.steps.clone(), skip);
    }
    let rows = plan::part::<F>(category, step);
    Table { data: table.data.slice(s![.., rows, ..]), ..table.view() }
}
