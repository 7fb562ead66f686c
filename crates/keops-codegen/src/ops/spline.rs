//! B-splines by the recurrence of Cox and de Boor, written in nodes: derivatives of any order follow, also by the knots.

use super::vector::{one_number, op};
use super::{Dims, Literal, LiteralKind, Operation, dims};
use crate::ir::{Dim, Ir, NodeId};

pub(super) static OPERATIONS: &[Operation] = &[op(
    "BSpline",
    "bspline",
    &["t", "x"],
    &[LiteralKind::Int],
    Dims::Custom(|d, lits| {
        let (n, k) = size(&d[0], lits)?;
        one_number(&d[1]).map(|()| Dim::Lit(n - k - 1))
    }),
    "the n − k − 1 B-splines of degree k on the n knots t, which ascend, at x: those of degree 0 are 1 where t_l ≤ x < t_(l+1); all are 0 outside the knots, and parts of repeated knots that would be 0 / 0 are 0",
    |ir, x, lits| {
        let (n, k) = size(&ir.dim(x[0]).clone(), lits)?;
        Ok(splines(ir, x[0], x[1], n, k))
    },
)];

/// Number of knots and degree.
fn size(knots: &Dim, lits: &[Literal]) -> Result<(usize, usize), String> {
    let n = knots.known("there is a spline for each interval of knots")?;
    let k = dims::count(lits, 0, "the degree")?;
    if n < k.saturating_add(2) {
        return Err(format!("degree {k} needs at least {} knots, but there are {n}", k.saturating_add(2)));
    }
    Ok((n, k))
}

fn splines(ir: &mut Ir, t: NodeId, x: NodeId, n: usize, k: usize) -> NodeId {
    let zero = ir.constant(0.0);
    let (low, high) = (ir.slice(t, 0, 1, n - 1), ir.slice(t, 1, 1, n - 1));
    let (from, to) = (ir.map("LessOrEqual", &[low, x]), ir.map("LessThan", &[x, high]));
    let mut b = ir.mul(from, to);
    if k == 0 {
        return b;
    }
    // Outside the knots all splines vanish; the weights, which would be infinite at infinity, are taken at the first knot.
    let (first, last) = (ir.slice(t, 0, 1, 1), ir.slice(t, n - 1, 1, 1));
    let (below, above) = (ir.map("LessThan", &[x, first]), ir.map("LessOrEqual", &[last, x]));
    let inner = ir.choose(above, first, x);
    let x = ir.choose(below, first, inner);
    for d in 1..=k {
        // b_l · (x − t_l) / (t_(l+d) − t_l) + b_(l+1) · (t_(l+d+1) − x) / (t_(l+d+1) − t_(l+1))
        let (start, end) = (ir.slice(t, 0, 1, n - d), ir.slice(t, d, 1, n - d));
        let width = ir.sub(end, start);
        let (flat, inverse) = (ir.map("Equal", &[width, zero]), ir.map("Inv", &[width]));
        let inverse = ir.choose(flat, zero, inverse);
        let share = ir.mul(b, inverse);
        let len = n - d - 1;
        let (left, right) = (ir.slice(share, 0, 1, len), ir.slice(share, 1, 1, len));
        let (start, end) = (ir.slice(t, 0, 1, len), ir.slice(t, d + 1, 1, len));
        let (rising, falling) = (ir.sub(x, start), ir.sub(end, x));
        let (left, right) = (ir.mul(left, rising), ir.mul(right, falling));
        b = ir.add(left, right);
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Inputs, eval};
    use crate::ir::Category;
    use crate::ops::find;

    /// The splines at `x` and their derivative by `x`.
    fn at(knots: &[f64], x: f64, degree: i64) -> [Vec<f64>; 2] {
        let mut ir = Ir::new();
        let t = ir.var(0, Category::Pm, Dim::Lit(knots.len()));
        let v = ir.var(1, Category::Vi, Dim::ONE);
        let b = find("BSpline").unwrap().apply(&mut ir, &[t, v], &[Literal::Int(degree)]).unwrap();
        let one = ir.constant(1.0);
        let slope = find("Diff").unwrap().apply(&mut ir, &[b, v, one], &[]).unwrap();
        let out = eval(&ir, &[b, slope], &Inputs { variables: vec![knots.to_vec(), vec![x]], ..Inputs::default() });
        [out[0].clone(), out[1].clone()]
    }

    #[test]
    fn hats_are_zero_outside_and_at_the_last_knot() {
        let knots = [0.0, 1.0, 2.0, 3.0];
        for (x, want) in [(0.0, [0.0, 0.0]), (1.0, [1.0, 0.0]), (2.5, [0.0, 0.5]), (3.0, [0.0, 0.0])] {
            assert_eq!(at(&knots, x, 1)[0], want);
        }
        for x in [-1.0, 4.0, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(at(&knots, x, 1), [[0.0, 0.0], [0.0, 0.0]]);
        }
        assert_eq!(at(&knots, 2.0, 0)[0], [0.0, 0.0, 1.0]);
        assert!(at(&knots, f64::NAN, 1)[0][0].is_nan());
    }

    /// The cubic spline on 0, 1, 2, 3, 4 is x³/6 on [0, 1] and (4 − 6 (x−2)² + 3 (x−2)³ s) / 6 around its middle.
    #[test]
    fn cubic_splines_and_their_slope_in_closed_form() {
        let knots = [0.0, 1.0, 2.0, 3.0, 4.0];
        let [b, slope] = at(&knots, 0.5, 3);
        assert!((b[0] - 0.125 / 6.0).abs() < 1e-15 && (slope[0] - 0.125).abs() < 1e-15);
        let [b, slope] = at(&knots, 2.5, 3);
        let z: f64 = 0.5;
        assert!((b[0] - (4.0 - 6.0 * z * z + 3.0 * z.powi(3)) / 6.0).abs() < 1e-15);
        assert!((slope[0] - (-12.0 * z + 9.0 * z * z) / 6.0).abs() < 1e-15);
    }

    #[test]
    fn repeated_knots_have_no_part() {
        let [b, slope] = at(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], 0.25, 2);
        // Bernstein polynomials.
        assert_eq!(b, [0.5625, 0.375, 0.0625]);
        assert_eq!(slope, [-1.5, 1.0, 0.5]);
    }

    #[test]
    fn mistakes_are_named() {
        let mut ir = Ir::new();
        let (t, x) = (ir.var(0, Category::Pm, Dim::Lit(3)), ir.var(1, Category::Vi, Dim::ONE));
        let mut message =
            |args: &[NodeId], k| find("BSpline").unwrap().apply(&mut ir, args, &[Literal::Int(k)]).unwrap_err();
        assert_eq!(message(&[t, x], 2), "BSpline: degree 2 needs at least 4 knots, but there are 3");
        assert_eq!(message(&[t, t], 1), "BSpline: one number (dimension 1) is needed, but the dimension is 3");
        assert_eq!(message(&[t, x], -1), "BSpline: the degree must not be negative, but it is -1");
    }
}
