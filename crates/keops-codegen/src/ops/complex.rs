//! Complex vectors: real and imaginary parts alternate, so n complex numbers are a vector of dimension 2n.
//!
//! Everything is written in terms of the two parts, so derivatives are those of the real functions behind it.

use super::vector::{op, positive};
use super::{Dims, LiteralKind, Operation};
use crate::ir::{Dim, Ir, NodeId};

/// All arguments have the same number of complex numbers, or one; so has the result.
const BROADCAST: Dims = Dims::Custom(|dims, _| {
    let mut wide = 1;
    for d in dims {
        match complex(d)? {
            n if n == wide || n == 1 => {}
            n if wide == 1 => wide = n,
            n => return Err(format!("vectors of {wide} and {n} complex numbers do not fit")),
        }
    }
    Ok(Dim::Lit(2 * wide))
});
/// n complex numbers to n real numbers.
const TO_REAL: Dims = Dims::Custom(|d, _| complex(&d[0]).map(Dim::Lit));
/// n real numbers to n complex numbers.
const TO_COMPLEX: Dims = Dims::Custom(|d, _| Ok(Dim::Lit(2 * d[0].known("it becomes complex")?)));

pub(super) static OPERATIONS: &[Operation] = &[
    op("Real2Complex", "real2complex", &["f"], &[], TO_COMPLEX, "f + 0i", |ir, x, _| {
        let len = Dim::Lit(2 * ir.dim(x[0]).known("it becomes complex")?);
        Ok(ir.pad(x[0], 0, 2, len))
    }),
    op("Imag2Complex", "imag2complex", &["f"], &[], TO_COMPLEX, "0 + f i", |ir, x, _| {
        let len = Dim::Lit(2 * ir.dim(x[0]).known("it becomes complex")?);
        Ok(ir.pad(x[0], 1, 2, len))
    }),
    op("ComplexReal", "real", &["f"], &[], TO_REAL, "Re f", |ir, x, _| Ok(parts(ir, x[0])?.0)),
    op("ComplexImag", "imag", &["f"], &[], TO_REAL, "Im f", |ir, x, _| Ok(parts(ir, x[0])?.1)),
    op("Conj", "conj", &["f"], &[], BROADCAST, "Re f − i Im f", |ir, x, _| {
        let (re, im) = parts(ir, x[0])?;
        let minus = ir.neg(im);
        joined(ir, re, minus)
    }),
    op("ComplexAdd", "", &["f", "g"], &[], BROADCAST, "f + g", |ir, x, _| {
        let ((a, b), (c, d)) = (parts(ir, x[0])?, parts(ir, x[1])?);
        let (re, im) = (ir.add(a, c), ir.add(b, d));
        joined(ir, re, im)
    }),
    op("ComplexSubtract", "", &["f", "g"], &[], BROADCAST, "f − g", |ir, x, _| {
        let ((a, b), (c, d)) = (parts(ir, x[0])?, parts(ir, x[1])?);
        let (re, im) = (ir.sub(a, c), ir.sub(b, d));
        joined(ir, re, im)
    }),
    op("ComplexMult", "", &["f", "g"], &[], BROADCAST, "f g", |ir, x, _| {
        let (f, g) = (parts(ir, x[0])?, parts(ir, x[1])?);
        let (re, im) = product(ir, f, g);
        joined(ir, re, im)
    }),
    op("ComplexDivide", "", &["f", "g"], &[], BROADCAST, "f g* / |g|²", |ir, x, _| {
        let (f, (c, d)) = (parts(ir, x[0])?, parts(ir, x[1])?);
        let (minus, size) = (ir.neg(d), square_abs(ir, c, d));
        let (re, im) = product(ir, f, (c, minus));
        let (re, im) = (ir.div(re, size), ir.div(im, size));
        joined(ir, re, im)
    }),
    op(
        "ComplexRealScal",
        "",
        &["f", "g"],
        &[],
        Dims::Custom(|d, _| {
            let wide = if d[0].is_one() { &d[1] } else { &d[0] };
            if !d[0].is_one() && !d[1].is_one() {
                return Err(format!(
                    "one of the arguments must be a real number (dimension 1), but they have {} and {}",
                    d[0], d[1]
                ));
            }
            complex(wide).map(|n| Dim::Lit(2 * n))
        }),
        "f g for a real number f and complex g (or the other way round)",
        |ir, x, _| Ok(ir.mul(x[0], x[1])),
    ),
    op(
        "ComplexSum",
        "",
        &["f"],
        &[],
        Dims::Custom(|d, _| complex(&d[0]).map(|_| Dim::Lit(2))),
        "Σ_k f_k",
        |ir, x, _| {
            let (re, im) = parts(ir, x[0])?;
            let (re, im) = (ir.sum(re), ir.sum(im));
            joined(ir, re, im)
        },
    ),
    op(
        "ComplexSumT",
        "",
        &["f"],
        &[LiteralKind::Int],
        Dims::Custom(|d, lits| {
            let n = Dim::Lit(positive(lits, 0, "the dimension")?);
            match complex(&d[0])? {
                1 => complex(&n).map(|_| n),
                many => Err(format!("one complex number (dimension 2) is needed, but there are {many}")),
            }
        }),
        "f in each of n / 2 complex components",
        |ir, x, lits| {
            let n = positive(lits, 0, "the dimension")?;
            let (re, im) = parts(ir, x[0])?;
            let (re, im) = (ir.broadcast(re, Dim::Lit(n / 2)), ir.broadcast(im, Dim::Lit(n / 2)));
            joined(ir, re, im)
        },
    ),
    op("ComplexSquareAbs", "", &["f"], &[], TO_REAL, "|f|²", |ir, x, _| {
        let (re, im) = parts(ir, x[0])?;
        Ok(square_abs(ir, re, im))
    }),
    op("ComplexAbs", "", &["f"], &[], TO_REAL, "|f|; derivative 0 at 0", |ir, x, _| {
        let (re, im) = parts(ir, x[0])?;
        let size = square_abs(ir, re, im);
        Ok(ir.map("Sqrt", &[size]))
    }),
    op("ComplexAngle", "angle", &["f"], &[], TO_REAL, "angle of f", |ir, x, _| {
        let (re, im) = parts(ir, x[0])?;
        Ok(ir.map("Atan2", &[im, re]))
    }),
    op("ComplexExp", "", &["f"], &[], BROADCAST, "e^f", |ir, x, _| {
        let (re, im) = parts(ir, x[0])?;
        let (size, cos, sin) = (ir.map("Exp", &[re]), ir.map("Cos", &[im]), ir.map("Sin", &[im]));
        let (re, im) = (ir.mul(size, cos), ir.mul(size, sin));
        joined(ir, re, im)
    }),
    op("ComplexExp1j", "exp1j", &["f"], &[], TO_COMPLEX, "cos f + i sin f", |ir, x, _| {
        let (cos, sin) = (ir.map("Cos", &[x[0]]), ir.map("Sin", &[x[0]]));
        joined(ir, cos, sin)
    }),
    op("ComplexLog", "", &["f"], &[], BROADCAST, "ln |f| + i angle of f", |ir, x, _| {
        let f = parts(ir, x[0])?;
        let (re, im) = logarithm(ir, f);
        joined(ir, re, im)
    }),
    op(
        "ComplexSqrt",
        "",
        &["f"],
        &[],
        BROADCAST,
        "√|f| e^(i φ/2) where φ is the angle of f; the derivative at 0 is NaN",
        |ir, x, _| {
            let (re, im) = parts(ir, x[0])?;
            let size = square_abs(ir, re, im);
            let size = ir.map("Sqrt", &[size]);
            let (size, angle) = (ir.map("Sqrt", &[size]), ir.map("Atan2", &[im, re]));
            let angle = ir.scale(0.5, angle);
            polar(ir, size, angle)
        },
    ),
    op("ComplexPow", "", &["f", "g"], &[], BROADCAST, "e^(g ln f), 0 with derivative 0 at f = 0", |ir, x, _| {
        let (f, g) = (parts(ir, x[0])?, parts(ir, x[1])?);
        let (zero, size) = (ir.constant(0.0), square_abs(ir, f.0, f.1));
        let origin = ir.map("Equal", &[size, zero]);
        let log = logarithm(ir, f);
        let (re, im) = product(ir, g, log);
        let size = ir.map("Exp", &[re]);
        let (cos, sin) = (ir.map("Cos", &[im]), ir.map("Sin", &[im]));
        let (re, im) = (ir.mul(size, cos), ir.mul(size, sin));
        let (re, im) = (ir.choose(origin, zero, re), ir.choose(origin, zero, im));
        joined(ir, re, im)
    }),
];

/// How many complex numbers a vector holds.
fn complex(d: &Dim) -> Result<usize, String> {
    match d.known("real and imaginary parts alternate")? {
        n if n.is_multiple_of(2) => Ok(n / 2),
        n => Err(format!(
            "a complex vector has an even dimension (real and imaginary parts alternate), but this one has {n}"
        )),
    }
}

fn parts(ir: &mut Ir, f: NodeId) -> Result<(NodeId, NodeId), String> {
    let n = complex(ir.dim(f))?;
    Ok((ir.slice(f, 0, 2, n), ir.slice(f, 1, 2, n)))
}

fn joined(ir: &mut Ir, re: NodeId, im: NodeId) -> Result<NodeId, String> {
    let len = Dim::Lit(2 * ir.dim(re).known("real and imaginary parts alternate")?);
    let (re, im) = (ir.pad(re, 0, 2, len.clone()), ir.pad(im, 1, 2, len));
    Ok(ir.add(re, im))
}

type Parts = (NodeId, NodeId);

fn product(ir: &mut Ir, (a, b): Parts, (c, d): Parts) -> Parts {
    let (ac, bd, ad, bc) = (ir.mul(a, c), ir.mul(b, d), ir.mul(a, d), ir.mul(b, c));
    (ir.sub(ac, bd), ir.add(ad, bc))
}

fn square_abs(ir: &mut Ir, re: NodeId, im: NodeId) -> NodeId {
    let (a, b) = (ir.square(re), ir.square(im));
    ir.add(a, b)
}

fn logarithm(ir: &mut Ir, (re, im): Parts) -> Parts {
    let size = square_abs(ir, re, im);
    let log = ir.map("Log", &[size]);
    (ir.scale(0.5, log), ir.map("Atan2", &[im, re]))
}

/// size · e^(i angle)
fn polar(ir: &mut Ir, size: NodeId, angle: NodeId) -> Result<NodeId, String> {
    let (cos, sin) = (ir.map("Cos", &[angle]), ir.map("Sin", &[angle]));
    let (re, im) = (ir.mul(size, cos), ir.mul(size, sin));
    joined(ir, re, im)
}

#[cfg(test)]
mod tests {
    use crate::eval::{Inputs, eval};
    use crate::ir::{Category, Dim, Ir};
    use crate::ops::find;

    /// The value of an operation on complex numbers.
    fn value(name: &str, args: &[[f64; 2]]) -> [f64; 2] {
        let mut ir = Ir::new();
        let nodes: Vec<_> = (0..args.len()).map(|k| ir.var(k, Category::Vi, Dim::Lit(2))).collect();
        let root = find(name).unwrap().apply(&mut ir, &nodes, &[]).unwrap();
        let inputs = Inputs { variables: args.iter().map(|a| a.to_vec()).collect(), ..Inputs::default() };
        let out = eval(&ir, &[root], &inputs);
        [out[0][0], out[0][1]]
    }

    fn near(a: [f64; 2], b: [f64; 2]) -> bool {
        (a[0] - b[0]).abs() < 1e-15 && (a[1] - b[1]).abs() < 1e-15
    }

    /// Exact values: √(3 + 4i) = 2 + i, ln i = iπ/2, i^i = e^(−π/2).
    #[test]
    fn roots_logarithms_and_powers() {
        let half_pi = std::f64::consts::FRAC_PI_2;
        assert!(near(value("ComplexSqrt", &[[3.0, 4.0]]), [2.0, 1.0]));
        assert!(near(value("ComplexSqrt", &[[-4.0, 0.0]]), [0.0, 2.0]));
        assert!(near(value("ComplexSqrt", &[[-4.0, -0.0]]), [0.0, -2.0]));
        assert_eq!(value("ComplexSqrt", &[[0.0, 0.0]]), [0.0, 0.0]);
        assert!(near(value("ComplexLog", &[[0.0, 1.0]]), [0.0, half_pi]));
        assert!(near(value("ComplexPow", &[[0.0, 1.0], [0.0, 1.0]]), [(-half_pi).exp(), 0.0]));
        assert!(near(value("ComplexPow", &[[3.0, 4.0], [2.0, 0.0]]).map(|v| v / 25.0), [-7.0 / 25.0, 24.0 / 25.0]));
        assert_eq!(value("ComplexPow", &[[0.0, 0.0], [2.0, 1.0]]), [0.0, 0.0]);
    }
}
