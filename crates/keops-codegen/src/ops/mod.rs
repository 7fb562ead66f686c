//! The table of operations: one entry per operation drives names, arity, dimensions, value, derivatives, emitted code and
//! documentation. To add an operation, add one entry to [`scalar`], [`choice`], [`function`], [`vector`], [`tensor`], [`complex`], [`alignment`],
//! [`calculus`], [`index`], [`linear`] or [`spline`]; nothing else.
//!
//! Use by the front end:
//! * `ops::find("SqDist")` / `ops::find_method("sqdist")` give the [`Operation`];
//! * [`Operation::args`] are the formula arguments by name, [`Operation::lits`] the literal arguments that follow them
//!   (`optional` of the literals may be left out at the end); [`Operation::method_order`] says which formula argument the
//!   k-th operand of the method style is (operand 0 is the receiver; empty = the same order);
//! * numbers written where a *formula* argument stands are nodes made by [`Ir::constant`], variables by [`Ir::var`];
//! * [`Operation::apply`] checks arity and dimensions and builds the node, or says what is wrong in one sentence that
//!   starts with the operation's name. Infix operators are `Add Subtract Mult Divide Minus Scalprod LessThan LessOrEqual`
//!   (`>` with swapped arguments), `f ** 3` is `Pow(f, 3)`, `f ** 2` is `Square(f)`, any other exponent is `Powf(f, h)`.
//!
//! `Grad(F, v, e)` and `Diff(F, v, u)` are entries like any other: their second argument must be a variable's node.

pub(crate) mod alignment;
mod calculus;
mod choice;
mod complex;
mod dims;
mod function;
mod index;
mod linear;
mod scalar;
mod spline;
mod tensor;
mod vector;

pub use dims::Dims;

use crate::diff::{At, Seed, Tape};
use crate::ir::{Dim, Ir, MapOp, NodeId};
use proc_macro2::TokenStream;

/// A literal argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `3`, `-1`
    Int(i64),
    /// `0.5`
    Float(f64),
    /// `[2, 3]`
    List(Vec<i64>),
}

/// What a literal argument must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiteralKind {
    /// An integer.
    Int,
    /// An integer or a decimal number.
    Number,
    /// A list of integers.
    List,
}

/// Value, derivative and code of an operation that acts on each component by itself. `int` is the integer literal of the
/// operation (exponent, digits), 0 if it has none.
pub struct Elementwise {
    /// The value in `f64`.
    pub eval: fn(x: &[f64], int: i64) -> f64,
    /// The value as an expression of `R: Real`; the arguments are names, constants or reads and need no parentheses.
    pub emit: fn(x: &[TokenStream], int: i64) -> TokenStream,
    /// For a comparison: the same as an expression of `R::Mask`.
    pub mask: Option<fn(x: &[TokenStream]) -> TokenStream>,
    /// Partial derivative by argument `k`, times a seed; `None` is zero. Serves both modes, being its own transpose.
    pub partial: fn(d: &mut Tape<'_>, at: &At<'_>, k: usize, seed: Seed) -> Option<Seed>,
    /// Several instructions: worth keeping rather than computing twice.
    pub dear: bool,
    /// The value jumps: arguments must be computed exactly as they are written.
    pub jumps: bool,
}

/// Builds the node of an operation from its arguments, or says what is wrong.
pub type Builder = fn(&mut Ir, &[NodeId], &[Literal]) -> Result<NodeId, String>;

/// How an operation becomes nodes.
pub enum Lower {
    /// An elementwise node.
    Map(Elementwise),
    /// Other nodes.
    Build(Builder),
}

/// One operation of the language.
pub struct Operation {
    /// Name in formulas.
    pub name: &'static str,
    /// Name as a method, empty if there is none.
    pub method: &'static str,
    /// Formula argument that each operand of the method is; empty: the same order.
    pub method_order: &'static [usize],
    /// Formula arguments, by the names that `doc` uses.
    pub args: &'static [&'static str],
    /// Literal arguments, which follow the formula arguments.
    pub lits: &'static [LiteralKind],
    /// How many of the literal arguments may be left out.
    pub optional: usize,
    /// Dimension rule.
    pub dims: Dims,
    /// How it becomes nodes.
    pub lower: Lower,
    /// Formula for the documentation; empty for operations that only the compiler uses.
    pub doc: &'static str,
}

impl Operation {
    /// Can formulas use it?
    pub fn is_public(&self) -> bool {
        !self.doc.is_empty()
    }

    /// The elementwise definition, if it has one.
    pub fn elementwise(&self) -> Option<&Elementwise> {
        match &self.lower {
            Lower::Map(e) => Some(e),
            Lower::Build(_) => None,
        }
    }

    /// `Name(f, g, integer)`.
    pub fn signature(&self) -> String {
        let lits = self.lits.iter().map(|l| match l {
            LiteralKind::Int => "integer",
            LiteralKind::Number => "number",
            LiteralKind::List => "[integers]",
        });
        let all: Vec<&str> = self.args.iter().copied().chain(lits).collect();
        format!("{}({})", self.name, all.join(", "))
    }

    /// Checks arity and dimensions and builds the node. The message of a mistake starts with the operation's name.
    pub fn apply(&'static self, ir: &mut Ir, args: &[NodeId], lits: &[Literal]) -> Result<NodeId, String> {
        self.checked(ir, args, lits).map_err(|m| format!("{}: {m}", self.name))
    }

    fn checked(&'static self, ir: &mut Ir, args: &[NodeId], lits: &[Literal]) -> Result<NodeId, String> {
        let (least, most) = (self.lits.len() - self.optional, self.lits.len());
        if args.len() != self.args.len() || !(least..=most).contains(&lits.len()) {
            return Err(format!(
                "expected {} formula and {least}{} literal arguments as in `{}`, got {} and {}",
                self.args.len(),
                if least == most { String::new() } else { format!(" to {most}") },
                self.signature(),
                args.len(),
                lits.len()
            ));
        }
        for (lit, kind) in lits.iter().zip(self.lits) {
            match (kind, lit) {
                (LiteralKind::Int, Literal::Int(_))
                | (LiteralKind::Number, Literal::Int(_) | Literal::Float(_))
                | (LiteralKind::List, Literal::List(_)) => {}
                (LiteralKind::Int, _) => return Err("an integer is needed here".into()),
                (LiteralKind::Number, _) => return Err("a number is needed here".into()),
                (LiteralKind::List, _) => return Err("a list of integers such as `[2, 3]` is needed here".into()),
            }
        }
        let dims: Vec<Dim> = args.iter().map(|&a| ir.dim(a).clone()).collect();
        let dim = self.dims.check(self.args, &dims, lits)?;
        let id = match &self.lower {
            Lower::Map(_) => {
                let int = match lits.first() {
                    Some(Literal::Int(n)) if n.unsigned_abs() <= 1 << 30 => *n,
                    Some(_) => return Err("the integer is too large".into()),
                    None => 0,
                };
                ir.map_op(MapOp(self), args, int)
            }
            Lower::Build(build) => build(ir, args, lits)?,
        };
        debug_assert!(dim.is_none_or(|d| d == *ir.dim(id)), "dimension rule of {} disagrees with its nodes", self.name);
        Ok(id)
    }
}

/// All operations, those of the compiler included.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    [
        scalar::OPERATIONS,
        choice::OPERATIONS,
        function::OPERATIONS,
        vector::OPERATIONS,
        tensor::OPERATIONS,
        complex::OPERATIONS,
        alignment::OPERATIONS,
        calculus::OPERATIONS,
        index::OPERATIONS,
        linear::OPERATIONS,
        spline::OPERATIONS,
    ]
    .into_iter()
    .flatten()
}

/// The operation that formulas call `name`.
pub fn find(name: &str) -> Option<&'static Operation> {
    all().find(|op| op.is_public() && op.name == name)
}

/// The operation of the method called `name`.
pub fn find_method(name: &str) -> Option<&'static Operation> {
    all().find(|op| op.is_public() && !op.method.is_empty() && op.method == name)
}

/// An elementwise operation that the compiler itself relies on.
pub(crate) fn elementwise(name: &str) -> &'static Operation {
    match all().find(|op| op.name == name && matches!(op.lower, Lower::Map(_))) {
        Some(op) => op,
        // Names are literals of this crate; the test `names_in_use_exist` walks over them.
        None => unreachable!("the table has no elementwise operation {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Category;
    use std::collections::HashSet;

    #[test]
    fn names_and_methods_are_unique() {
        let (mut names, mut methods) = (HashSet::new(), HashSet::new());
        for op in all() {
            assert!(names.insert(op.name), "{} twice", op.name);
            assert!(op.method.is_empty() || methods.insert(op.method), "method {} twice", op.method);
            assert!(op.method_order.is_empty() || op.method_order.len() == op.args.len(), "{}", op.name);
            assert!(op.optional <= op.lits.len(), "{}", op.name);
        }
    }

    /// Every elementwise name that the compiler's sources mention is in the table.
    #[test]
    fn names_in_use_exist() {
        let sources = [
            include_str!("../ir/build.rs"),
            include_str!("../diff/tape.rs"),
            include_str!("../diff/reverse.rs"),
            include_str!("../simplify/arithmetic.rs"),
            include_str!("../schedule/pair.rs"),
            include_str!("../schedule/product.rs"),
            include_str!("../emit/scalars.rs"),
            include_str!("../emit/loops.rs"),
            include_str!("function.rs"),
            include_str!("scalar.rs"),
            include_str!("choice.rs"),
            include_str!("vector.rs"),
            include_str!("alignment.rs"),
            include_str!("complex.rs"),
            include_str!("spline.rs"),
        ];
        let mut found = 0;
        for source in sources {
            for start in ["map(\"", "map_with(\"", "named(\""] {
                for (at, _) in source.match_indices(start) {
                    let name = source[at + start.len()..].split('"').next().unwrap();
                    // Entries of the table itself and calls look alike; both must be found.
                    assert_eq!(elementwise(name).name, name);
                    found += 1;
                }
            }
        }
        assert!(found > 30, "only {found}");
    }

    fn message(name: &str, dims: &[usize], lits: &[Literal]) -> String {
        let mut ir = Ir::new();
        let args: Vec<NodeId> = dims.iter().enumerate().map(|(k, &d)| ir.var(k, Category::Vi, Dim::Lit(d))).collect();
        find(name).unwrap().apply(&mut ir, &args, lits).unwrap_err()
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(
            message("Add", &[3, 2], &[]),
            "Add: dimensions must be equal, or 1 to broadcast, but `f` has dimension 3 and `g` has dimension 2"
        );
        assert_eq!(
            message("Exp", &[3, 2], &[]),
            "Exp: expected 1 formula and 0 literal arguments as in `Exp(f)`, got 2 and 0"
        );
        assert_eq!(message("Pow", &[3], &[Literal::Float(0.5)]), "Pow: an integer is needed here");
        assert_eq!(
            message("Elem", &[3], &[Literal::Int(3)]),
            "Elem: there is no component 3 in a vector of dimension 3, whose components are numbered from 0 to 2"
        );
        assert_eq!(message("Elem", &[3], &[Literal::Int(-1)]), "Elem: the position must not be negative, but it is -1");
        assert_eq!(
            message("MatVecMult", &[7, 3], &[]),
            "MatVecMult: the dimension of the matrix must be a multiple of the vector's, but they are 7 and 3"
        );
        assert_eq!(
            message("WeightedSqNorm", &[5, 3], &[]),
            "WeightedSqNorm: for a vector of dimension 3 the weights must have dimension 1, 3 or 3 · 3, but they have 5"
        );
        assert_eq!(
            message("Laplacian", &[3, 3], &[]),
            "Laplacian: `F` must be one number (dimension 1), but its dimension is 3"
        );
    }

    #[test]
    fn derivatives_need_a_variable() {
        let mut ir = Ir::new();
        let x = ir.var(0, Category::Vi, Dim::ONE);
        let y = ir.map("Exp", &[x]);
        let message = find("Grad").unwrap().apply(&mut ir, &[y, y, x], &[]).unwrap_err();
        assert_eq!(message, "Grad: derivatives are taken by a variable, but the second argument is an expression");
    }

    #[test]
    fn unknown_dimensions_are_kept_apart() {
        let mut ir = Ir::new();
        let d = Dim::param("D");
        let (x, y) = (ir.var(0, Category::Vi, d.clone()), ir.var(1, Category::Vj, Dim::param("E")));
        assert_eq!(
            find("Add").unwrap().apply(&mut ir, &[x, y], &[]).unwrap_err(),
            "Add: dimensions must be equal, or 1 to broadcast, but `f` has dimension D and `g` has dimension E"
        );
        let exp = find("Exp").unwrap().apply(&mut ir, &[x], &[]).unwrap();
        assert_eq!(*ir.dim(exp), d);
        assert_eq!(
            find("Concat").unwrap().apply(&mut ir, &[x, x], &[]).unwrap_err(),
            "Concat: the dimension must be a number here (vectors are joined), but it is the parameter D"
        );
    }
}
