//! [`Mistaken`]: what stands in for a formula that could not be compiled.

use keops_core::{Formula, Keep, Outer, Real, Shape, Sink, Source, Stage, Staged, Variable};

/// A formula with a mistake. The mistake stops the build, so this never runs; it lets the rest of a crate be checked.
#[derive(Debug, Clone, Copy)]
pub struct Mistaken;

impl Formula for Mistaken {
    const TEXT: &'static str = "formula with a mistake";
    const VARIABLES: &'static [Variable] = &[];
    const KEEP: Keep = Keep::I;
    const SHAPE: Shape = Shape::Narrow;
    const PARAM: usize = 0;
    const ROW: usize = 0;
    const COL: usize = 0;
    const DIM: usize = 1;
    const OUTER: Outer = Outer { at: 0, len: 0 };
    const ACC: usize = 1;
    const OUT: usize = 1;
    type Pair<V: Copy> = [V; 1];
    type Acc<V: Copy> = [V; 1];

    fn param<R: Real>(_: &impl Source<R>, _: &mut impl Stage<R>) {}
    fn row<R: Real>(_: &impl Source<R>, _: &impl Staged<R>, _: &mut impl Stage<R>) {}
    fn col<R: Real>(_: &impl Source<R>, _: &impl Staged<R>, _: &mut impl Stage<R>) {}
    fn pair<R: Real>(_: &impl Staged<R>, _: &impl Staged<R>, _: &impl Staged<R>, _: &mut impl Sink<R>) {}
    fn finish<R: Real>(_: &impl Staged<R>, _: &impl Staged<R>, _: &impl Staged<R>, _: &mut impl Stage<R>) {}
}
