//! A few formulas, as the compiler would emit them.

use keops_core::{Category, Formula, Keep, Outer, Real, Shape, Sink, Source, Stage, Staged, Variable};

const fn variable(name: &'static str, category: Category, dim: usize) -> Variable {
    Variable { name, category, dim }
}

macro_rules! formula {
    (
        $(#[$doc:meta])*
        $name:ident: $keep:ident, $shape:ident,
        [$(($variable:literal, $category:ident, $dim:expr)),*],
        param $param:expr, row $row:expr, col $col:expr, dim $pair:expr, outer ($at:expr, $len:expr), acc $acc:expr,
        $(fn param($pv:ident, $po:ident) $param_code:block)?
        fn row($rv:ident, $rp:ident, $ro:ident) $row_code:block
        fn col($cv:ident, $cp:ident, $co:ident) $col_code:block
        fn pair($x:ident, $y:ident, $p:ident, $out:ident) $pair_code:block
        $(fn finish($fx:ident, $acc_name:ident, $fo:ident) $finish_code:block)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;
        impl Formula for $name {
            const TEXT: &'static str = stringify!($name);
            const VARIABLES: &'static [Variable] = &[$(variable($variable, Category::$category, $dim)),*];
            const KEEP: Keep = Keep::$keep;
            const SHAPE: Shape = Shape::$shape;
            const PARAM: usize = $param;
            const ROW: usize = $row;
            const COL: usize = $col;
            const DIM: usize = $pair;
            const OUTER: Outer = Outer { at: $at, len: $len };
            const ACC: usize = $acc;
            const OUT: usize = $acc;
            type Pair<V: Copy> = [V; $pair];
            type Acc<V: Copy> = [V; $acc];
            fn param<R: Real>(p: &impl Source<R>, out: &mut impl Stage<R>) {
                let _ = (p, &out);
                $(let ($pv, $po) = (p, out); $param_code)?
            }
            fn row<R: Real>($rv: &impl Source<R>, $rp: &impl Staged<R>, $ro: &mut impl Stage<R>) {
                let _ = $rp;
                $row_code
            }
            fn col<R: Real>($cv: &impl Source<R>, $cp: &impl Staged<R>, $co: &mut impl Stage<R>) {
                let _ = $cp;
                $col_code
            }
            fn pair<R: Real>($x: &impl Staged<R>, $y: &impl Staged<R>, $p: &impl Staged<R>, $out: &mut impl Sink<R>) {
                let _ = (&$x, &$y, &$p);
                $pair_code
            }
            #[allow(unreachable_code, unused_variables)]
            fn finish<R: Real>(row: &impl Staged<R>, par: &impl Staged<R>, acc: &impl Staged<R>, out: &mut impl Stage<R>) {
                $(
                    let ($fx, $acc_name, $fo) = (row, acc, out);
                    $finish_code
                    return;
                )?
                #[allow(unreachable_code)]
                for e in 0..$acc {
                    out.put(e, acc.at(e));
                }
            }
        }
    };
}

formula! {
    /// Σ_j e^{−γ|x_i − y_j|²} b_j
    Gauss: I, Narrow, [("x", Vi, 3), ("y", Vj, 3), ("b", Vj, 1), ("gamma", Pm, 1)],
    param 1, row 3, col 4, dim 1, outer (3, 1), acc 1,
    fn param(v, out) { out.put(0, v.at(3, 0) * R::lit(-core::f64::consts::LOG2_E)); }
    fn row(v, p, out) { for k in 0..3 { out.put(k, v.at(0, k)); } }
    fn col(v, p, out) { for k in 0..3 { out.put(k, v.at(1, k)); } out.put(3, v.at(2, 0)); }
    fn pair(x, y, p, out) {
        let mut s = R::lit(0.0);
        for k in 0..3 { let d = x.at(k) - y.at(k); s = d.fma(d, s); }
        out.put(0, s.exp2_mul(p.at(0)));
    }
}

formula! {
    /// Σ_i x_i y_j, x_i² : the columns are i; the factor x² of the row is applied at the end.
    Columns: J, Narrow, [("x", Vi, 1), ("y", Vj, 1)],
    param 0, row 1, col 1, dim 2, outer (0, 0), acc 2,
    fn row(v, p, out) { out.put(0, v.at(1, 0)); }
    fn col(v, p, out) { out.put(0, v.at(0, 0)); }
    fn pair(x, y, p, out) { out.put_product(0, x.at(0), y.at(0)); out.put(1, y.at(0) * y.at(0)); }
    fn finish(row, acc, out) { out.put(0, acc.at(0)); out.put(1, acc.at(1) * row.at(0)); }
}

formula! {
    /// Exponent x·y, weights v_j.
    Attention: I, Narrow, [("x", Vi, 2), ("y", Vj, 2), ("v", Vj, 2)],
    param 0, row 2, col 4, dim 1, outer (2, 2), acc 2,
    fn row(v, p, out) { for k in 0..2 { out.put(k, v.at(0, k)); } }
    fn col(v, p, out) { for k in 0..2 { out.put(k, v.at(1, k)); out.put(2 + k, v.at(2, k)); } }
    fn pair(x, y, p, out) { out.put(0, x.at(0).fma(y.at(0), x.at(1) * y.at(1))); }
}

formula! {
    /// Exponent x y, weights x − y and x + y.
    PairWeights: I, Narrow, [("x", Vi, 1), ("y", Vj, 1)],
    param 0, row 1, col 1, dim 3, outer (0, 0), acc 2,
    fn row(v, p, out) { out.put(0, v.at(0, 0)); }
    fn col(v, p, out) { out.put(0, v.at(1, 0)); }
    fn pair(x, y, p, out) {
        let (x, y) = (x.at(0), y.at(0));
        out.put(1, x - y);
        out.put(0, x * y);
        out.put(2, x + y);
    }
}

formula! {
    /// Exponent x y, no weights.
    Plain: I, Narrow, [("x", Vi, 1), ("y", Vj, 1)],
    param 0, row 1, col 1, dim 1, outer (0, 0), acc 1,
    fn row(v, p, out) { out.put(0, v.at(0, 0)); }
    fn col(v, p, out) { out.put(0, v.at(1, 0)); }
    fn pair(x, y, p, out) { out.put(0, x.at(0) * y.at(0)); }
}

formula! {
    /// (x_i − y_j)² of two components.
    Distances: I, Narrow, [("x", Vi, 2), ("y", Vj, 2)],
    param 0, row 2, col 2, dim 2, outer (0, 0), acc 2,
    fn row(v, p, out) { for k in 0..2 { out.put(k, v.at(0, k)); } }
    fn col(v, p, out) { for k in 0..2 { out.put(k, v.at(1, k)); } }
    fn pair(x, y, p, out) { for k in 0..2 { let d = x.at(k) - y.at(k); out.put(k, d * d); } }
}

formula! {
    /// Σ_j x_i·y_j b_j in 300 dimensions: rows do not fit in registers.
    WideRows: I, Wide, [("x", Vi, 300), ("y", Vj, 300), ("b", Vj, 1)],
    param 0, row 300, col 301, dim 1, outer (300, 1), acc 1,
    fn row(v, p, out) { for k in 0..300 { out.put(k, v.at(0, k)); } }
    fn col(v, p, out) { for k in 0..300 { out.put(k, v.at(1, k)); } out.put(300, v.at(2, 0)); }
    fn pair(x, y, p, out) {
        let mut s = R::lit(0.0);
        for k in 0..300 { s = x.at(k).fma(y.at(k), s); }
        out.put(0, s);
    }
}

formula! {
    /// Σ_j |x_i − y_j|² (x_i − y_j) in 90 dimensions: sums do not fit in registers.
    WideSums: I, Wide, [("x", Vi, 90), ("y", Vj, 90)],
    param 0, row 90, col 90, dim 90, outer (0, 0), acc 90,
    fn row(v, p, out) { for k in 0..90 { out.put(k, v.at(0, k)); } }
    fn col(v, p, out) { for k in 0..90 { out.put(k, v.at(1, k)); } }
    fn pair(x, y, p, out) {
        let mut s = R::lit(0.0);
        for k in 0..90 { let d = x.at(k) - y.at(k); s = d.fma(d, s); }
        for k in 0..90 { out.put_product(k, s, x.at(k) - y.at(k)); }
    }
}

formula! {
    /// Σ_j y_j with 4000 numbers each: columns do not fit in shared memory.
    WideColumns: I, Wide, [("x", Vi, 1), ("y", Vj, 4000)],
    param 0, row 1, col 4000, dim 1, outer (0, 0), acc 1,
    fn row(v, p, out) { out.put(0, v.at(0, 0)); }
    fn col(v, p, out) { for k in 0..4000 { out.put(k, v.at(1, k)); } }
    fn pair(x, y, p, out) {
        let mut s = R::lit(0.0);
        for k in 0..4000 { s = s + y.at(k); }
        out.put_product(0, x.at(0), s);
    }
}

formula! {
    /// Exponent or factor x y, 70 right-hand sides.
    Many: I, Narrow, [("x", Vi, 1), ("y", Vj, 1), ("b", Vj, 70)],
    param 0, row 1, col 71, dim 1, outer (1, 70), acc 70,
    fn row(v, p, out) { out.put(0, v.at(0, 0)); }
    fn col(v, p, out) { out.put(0, v.at(1, 0)); for k in 0..70 { out.put(1 + k, v.at(2, k)); } }
    fn pair(x, y, p, out) { out.put(0, x.at(0) * y.at(0)); }
}

formula! {
    /// Σ_i x_i Σ_j y_j: one row in all.
    Whole: None, Narrow, [("x", Vi, 1), ("y", Vj, 1)],
    param 0, row 1, col 1, dim 1, outer (0, 1), acc 1,
    fn row(v, p, out) { out.put(0, v.at(0, 0)); }
    fn col(v, p, out) { out.put(0, v.at(1, 0)); }
    fn pair(x, y, p, out) { out.put(0, R::lit(1.0)); }
    fn finish(row, acc, out) { out.put(0, acc.at(0) * row.at(0)); }
}

formula! {
    /// Σ_j (i + 2j), from the numbers of rows and columns.
    Numbers: I, Narrow, [("x", Vi, 1), ("y", Vj, 1)],
    param 0, row 1, col 1, dim 1, outer (0, 0), acc 1,
    fn row(v, p, out) { out.put(0, v.index_half(Category::Vi, false)); }
    fn col(v, p, out) { out.put(0, v.index_half(Category::Vj, false)); }
    fn pair(x, y, p, out) { out.put(0, y.at(0).fma(R::lit(2.0), x.at(0))); }
}

formula! {
    /// Σ_j x_i: nothing of a column is staged.
    NothingOfColumns: I, Narrow, [("x", Vi, 1), ("y", Vj, 1)],
    param 0, row 1, col 0, dim 1, outer (0, 0), acc 1,
    fn row(v, p, out) { out.put(0, v.at(0, 0)); }
    fn col(v, p, out) { let _ = (v, out); }
    fn pair(x, y, p, out) { out.put(0, x.at(0)); }
}
