//! Formulas written by hand, as the macro would emit them, and data for them.
#![allow(dead_code, missing_docs, unreachable_pub)]

use keops_runtime::__private::{Category, Formula, Keep, Outer, Real, Shape, Sink, Source, Stage, Staged, Variable};

macro_rules! formula {
    (
        $(#[$doc:meta])* $name:ident keeps $keep:ident;
        variables $($var:ident: $category:ident $dim:literal),*;
        param $np:literal |$p:ident, $pout:ident| $param:block
        row $nr:literal |$x:ident, $xpar:ident, $xout:ident| $row:block
        col $nc:literal |$y:ident, $ypar:ident, $yout:ident| $col:block
        pair $nd:literal outer $at:literal + $len:literal |$r:ident, $c:ident, $par:ident, $out:ident| $pair:block
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name;
        impl Formula for $name {
            const TEXT: &'static str = stringify!($name);
            const VARIABLES: &'static [Variable] =
                &[$(Variable { name: stringify!($var), category: Category::$category, dim: $dim }),*];
            const KEEP: Keep = Keep::$keep;
            const SHAPE: Shape = Shape::Narrow;
            const PARAM: usize = $np;
            const ROW: usize = $nr;
            const COL: usize = $nc;
            const DIM: usize = $nd;
            const OUTER: Outer = Outer { at: $at, len: $len };
            const ACC: usize = if $len > 0 { $len } else { $nd };
            const OUT: usize = Self::ACC;
            type Pair<V: Copy> = [V; $nd];
            type Acc<V: Copy> = [V; if $len > 0 { $len } else { $nd }];
            fn param<R: Real>($p: &impl Source<R>, $pout: &mut impl Stage<R>) $param
            fn row<R: Real>($x: &impl Source<R>, $xpar: &impl Staged<R>, $xout: &mut impl Stage<R>) $row
            fn col<R: Real>($y: &impl Source<R>, $ypar: &impl Staged<R>, $yout: &mut impl Stage<R>) $col
            fn pair<R: Real>(
                $r: &impl Staged<R>, $c: &impl Staged<R>, $par: &impl Staged<R>, $out: &mut impl Sink<R>,
            ) $pair
            fn finish<R: Real>(
                _row: &impl Staged<R>, _par: &impl Staged<R>, acc: &impl Staged<R>, out: &mut impl Stage<R>,
            ) {
                (0..Self::ACC).for_each(|k| out.put(k, acc.at(k)));
            }
        }
    };
}

/// −g·|x − y|² of two points staged at the same positions.
fn exponent<R: Real>(row: &impl Staged<R>, col: &impl Staged<R>, par: &impl Staged<R>) -> R {
    let square = |k| {
        let d = row.at(k) - col.at(k);
        d * d
    };
    -(par.at(0) * (square(0) + square(1)))
}

formula! {
    /// Σ_j exp(−g|x − y|²) b_j, b of two numbers.
    Gauss keeps I;
    variables x_i: Vi 2, y_j: Vj 2, b_j: Vj 2, g: Pm 1;
    param 1 |p, out| { out.put(0, p.at(3, 0)) }
    row 2 |x, _par, out| { (0..2).for_each(|k| out.put(k, x.at(0, k))) }
    col 4 |y, _par, out| { (0..2).for_each(|k| { out.put(k, y.at(1, k)); out.put(2 + k, y.at(2, k)) }) }
    pair 1 outer 2 + 2 |row, col, par, out| { out.put(0, exponent(row, col, par).exp()) }
}

formula! {
    /// Σ_i exp(−g|x − y|²) over i, one row per j.
    GaussPerColumn keeps J;
    variables x_i: Vi 2, y_j: Vj 2, g: Pm 1;
    param 1 |p, out| { out.put(0, p.at(2, 0)) }
    row 2 |x, _par, out| { (0..2).for_each(|k| out.put(k, x.at(1, k))) }
    col 2 |y, _par, out| { (0..2).for_each(|k| out.put(k, y.at(0, k))) }
    pair 1 outer 0 + 0 |row, col, par, out| { out.put(0, exponent(row, col, par).exp()) }
}

formula! {
    /// −g|x − y|², the exponent of a log-sum-exp.
    Exponent keeps I;
    variables x_i: Vi 2, y_j: Vj 2, g: Pm 1;
    param 1 |p, out| { out.put(0, p.at(2, 0)) }
    row 2 |x, _par, out| { (0..2).for_each(|k| out.put(k, x.at(0, k))) }
    col 2 |y, _par, out| { (0..2).for_each(|k| out.put(k, y.at(1, k))) }
    pair 1 outer 0 + 0 |row, col, par, out| { out.put(0, exponent(row, col, par)) }
}

formula! {
    /// Gradient of the log-sum-exp of [`Exponent`] towards x: Σ_j e·e^{F−m}·(−2g)(x − y).
    ExponentGradX keeps I;
    variables x_i: Vi 2, y_j: Vj 2, g: Pm 1, m: Vi 1, e: Vi 1;
    param 1 |p, out| { out.put(0, p.at(2, 0)) }
    row 4 |x, _par, out| {
        (0..2).for_each(|k| out.put(k, x.at(0, k)));
        out.put(2, x.at(3, 0));
        out.put(3, x.at(4, 0));
    }
    col 2 |y, _par, out| { (0..2).for_each(|k| out.put(k, y.at(1, k))) }
    pair 2 outer 0 + 0 |row, col, par, out| {
        let w = row.at(3) * (exponent(row, col, par) - row.at(2)).exp();
        (0..2).for_each(|k| out.put(k, w * R::lit(-2.0) * par.at(0) * (row.at(k) - col.at(k))));
    }
}

formula! {
    /// The same towards y: one row per j, a sum over i.
    ExponentGradY keeps J;
    variables x_i: Vi 2, y_j: Vj 2, g: Pm 1, m: Vi 1, e: Vi 1;
    param 1 |p, out| { out.put(0, p.at(2, 0)) }
    row 2 |y, _par, out| { (0..2).for_each(|k| out.put(k, y.at(1, k))) }
    col 4 |x, _par, out| {
        (0..2).for_each(|k| out.put(k, x.at(0, k)));
        out.put(2, x.at(3, 0));
        out.put(3, x.at(4, 0));
    }
    pair 2 outer 0 + 0 |row, col, par, out| {
        let w = col.at(3) * (exponent(row, col, par) - col.at(2)).exp();
        (0..2).for_each(|k| out.put(k, w * R::lit(2.0) * par.at(0) * (col.at(k) - row.at(k))));
    }
}

formula! {
    /// The same towards g: one row in all.
    ExponentGradG keeps None;
    variables x_i: Vi 2, y_j: Vj 2, g: Pm 1, m: Vi 1, e: Vi 1;
    param 1 |p, out| { out.put(0, p.at(2, 0)) }
    row 4 |x, _par, out| {
        (0..2).for_each(|k| out.put(k, x.at(0, k)));
        out.put(2, x.at(3, 0));
        out.put(3, x.at(4, 0));
    }
    col 2 |y, _par, out| { (0..2).for_each(|k| out.put(k, y.at(1, k))) }
    pair 1 outer 0 + 0 |row, col, par, out| {
        let f = exponent(row, col, par);
        out.put(0, row.at(3) * (f - row.at(2)).exp() * f / par.at(0));
    }
}

formula! {
    /// An exponent per j with weights of two numbers per j.
    Weighted keeps I;
    variables x_i: Vi 1, s_j: Vj 1, w_j: Vj 2;
    param 0 |_p, _out| {}
    row 1 |x, _par, out| { out.put(0, x.at(0, 0)) }
    col 3 |y, _par, out| {
        out.put(0, y.at(1, 0));
        (0..2).for_each(|k| out.put(1 + k, y.at(2, k)));
    }
    pair 1 outer 1 + 2 |row, col, _par, out| { out.put(0, row.at(0) * col.at(0)) }
}

formula! {
    /// Gradient of the log of the weighted sums towards w: Σ_i es_c·e^{F−m}.
    WeightedGradW keeps J;
    variables x_i: Vi 1, s_j: Vj 1, w_j: Vj 2, m: Vi 1, e: Vi 2;
    param 0 |_p, _out| {}
    row 1 |y, _par, out| { out.put(0, y.at(1, 0)) }
    col 4 |x, _par, out| {
        out.put(0, x.at(0, 0));
        out.put(1, x.at(3, 0));
        (0..2).for_each(|k| out.put(2 + k, x.at(4, k)));
    }
    pair 1 outer 2 + 2 |row, col, _par, out| { out.put(0, (row.at(0) * col.at(0) - col.at(1)).exp()) }
}

formula! {
    /// Gradient of the mean towards x: Σ_j Σ_c es_c (w_c − O_c) e^{F−m} s.
    WeightedMeanGradX keeps I;
    variables x_i: Vi 1, s_j: Vj 1, w_j: Vj 2, m: Vi 1, e: Vi 2, o: Vi 2;
    param 0 |_p, _out| {}
    row 6 |x, _par, out| {
        out.put(0, x.at(0, 0));
        out.put(1, x.at(3, 0));
        (0..2).for_each(|k| { out.put(2 + k, x.at(4, k)); out.put(4 + k, x.at(5, k)) });
    }
    col 3 |y, _par, out| {
        out.put(0, y.at(1, 0));
        (0..2).for_each(|k| out.put(1 + k, y.at(2, k)));
    }
    pair 1 outer 0 + 0 |row, col, _par, out| {
        let k = (row.at(0) * col.at(0) - row.at(1)).exp();
        let c = |c: usize| row.at(2 + c) * (col.at(1 + c) - row.at(4 + c));
        out.put(0, (c(0) + c(1)) * k * col.at(0));
    }
}

formula! {
    /// p·(x − y)² component by component.
    Squares keeps I;
    variables x_i: Vi 2, y_j: Vj 2, p: Pm 1;
    param 1 |p, out| { out.put(0, p.at(2, 0)) }
    row 2 |x, _par, out| { (0..2).for_each(|k| out.put(k, x.at(0, k))) }
    col 2 |y, _par, out| { (0..2).for_each(|k| out.put(k, y.at(1, k))) }
    pair 2 outer 0 + 0 |row, col, par, out| {
        (0..2).for_each(|k| {
            let d = row.at(k) - col.at(k);
            out.put(k, par.at(0) * d * d);
        });
    }
}

formula! {
    /// Gradient of [`Squares`] towards x.
    SquaresGradX keeps I;
    variables x_i: Vi 2, y_j: Vj 2, p: Pm 1, e: Vi 2;
    param 1 |p, out| { out.put(0, p.at(2, 0)) }
    row 4 |x, _par, out| { (0..2).for_each(|k| { out.put(k, x.at(0, k)); out.put(2 + k, x.at(3, k)) }) }
    col 2 |y, _par, out| { (0..2).for_each(|k| out.put(k, y.at(1, k))) }
    pair 2 outer 0 + 0 |row, col, par, out| {
        (0..2).for_each(|k| out.put(k, row.at(2 + k) * R::lit(2.0) * par.at(0) * (row.at(k) - col.at(k))));
    }
}

formula! {
    /// The same towards y.
    SquaresGradY keeps J;
    variables x_i: Vi 2, y_j: Vj 2, p: Pm 1, e: Vi 2;
    param 1 |p, out| { out.put(0, p.at(2, 0)) }
    row 2 |y, _par, out| { (0..2).for_each(|k| out.put(k, y.at(1, k))) }
    col 4 |x, _par, out| { (0..2).for_each(|k| { out.put(k, x.at(0, k)); out.put(2 + k, x.at(3, k)) }) }
    pair 2 outer 0 + 0 |row, col, par, out| {
        (0..2).for_each(|k| out.put(k, col.at(2 + k) * R::lit(-2.0) * par.at(0) * (col.at(k) - row.at(k))));
    }
}

formula! {
    /// The same towards p.
    SquaresGradP keeps None;
    variables x_i: Vi 2, y_j: Vj 2, p: Pm 1, e: Vi 2;
    param 0 |_p, _out| {}
    row 4 |x, _par, out| { (0..2).for_each(|k| { out.put(k, x.at(0, k)); out.put(2 + k, x.at(3, k)) }) }
    col 2 |y, _par, out| { (0..2).for_each(|k| out.put(k, y.at(1, k))) }
    pair 1 outer 0 + 0 |row, col, _par, out| {
        let term = |k| {
            let d = row.at(k) - col.at(k);
            row.at(2 + k) * d * d
        };
        out.put(0, term(0) + term(1));
    }
}

formula! {
    /// Σ_j 1.
    Ones keeps I;
    variables x_i: Vi 1, y_j: Vj 1;
    param 0 |_p, _out| {}
    row 0 |_x, _par, _out| {}
    col 0 |_y, _par, _out| {}
    pair 1 outer 0 + 0 |_row, _col, _par, out| { out.put(0, R::lit(1.0)) }
}

formula! {
    /// Four numbers per i, as they are.
    Four keeps I;
    variables x_i: Vi 4;
    param 0 |_p, _out| {}
    row 4 |x, _par, out| { (0..4).for_each(|k| out.put(k, x.at(0, k))) }
    col 0 |_y, _par, _out| {}
    pair 4 outer 0 + 0 |row, _col, _par, out| { (0..4).for_each(|k| out.put(k, row.at(k))) }
}

/// `rows` points of `D` numbers in [0, 1), spread evenly and without order; different for every `seed`.
pub fn points<const D: usize>(rows: usize, seed: u64) -> Vec<[f64; D]> {
    let number = |i: usize, k: usize| {
        let n = (7919 * i as u64 + 1047 * k as u64 + 613 * seed + 5) % 10007;
        // A multiple of 2⁻¹⁴, so that the value is the same in f32.
        ((n * 16384) / 10007) as f64 / 16384.0
    };
    (0..rows).map(|i| core::array::from_fn(|k| number(i, k))).collect()
}

/// Are two numbers within `tolerance`, or the same infinity?
pub fn close(got: f64, want: f64, tolerance: f64) -> bool {
    got == want || (got - want).abs() <= tolerance || (got.is_nan() && want.is_nan())
}

/// Asserts that tables agree.
#[track_caller]
pub fn assert_close<'a>(
    got: impl IntoIterator<Item = &'a f64>,
    want: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    let (got, want): (Vec<f64>, Vec<f64>) = (got.into_iter().copied().collect(), want.into_iter().copied().collect());
    assert_eq!(got.len(), want.len(), "{got:?} is not {want:?}");
    for (k, (&g, &w)) in got.iter().zip(&want).enumerate() {
        assert!(close(g, w, tolerance), "number {k}: got {g}, want {w}\ngot  {got:?}\nwant {want:?}");
    }
}
