//! The syntax tree of `keops!`: what the user wrote, with the place of every part.
//!
//! Functions, methods and infix operators all become [`Call`]s, so the rest of the compiler sees one notation.

use crate::ir::Category;
use proc_macro2::{Ident, Span};

/// A stretch of the user's source.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Its first token.
    pub start: Span,
    /// Its last token.
    pub end: Span,
}

impl Place {
    /// From the beginning of `self` to the end of `last`.
    pub fn to(self, last: Place) -> Place {
        Place { start: self.start, end: last.end }
    }
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Place { start: span, end: span }
    }
}

impl From<&Ident> for Place {
    fn from(ident: &Ident) -> Self {
        ident.span().into()
    }
}

/// A whole number that is known when the formula is compiled: a literal or a const parameter.
#[derive(Debug, Clone)]
pub enum Size {
    /// Written out.
    Literal(i64, Place),
    /// `D` of `fn f<const D: usize>`.
    Named(Ident),
}

/// `x_i: Vi<3>`
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name.
    pub name: Ident,
    /// Which index it follows, and how many numbers there are per row, if that is stated; none if unreadable.
    pub declared: Option<(Category, Option<Size>)>,
}

/// A variable of `#[grad(…)]`, and those by which its gradient is differentiated again: `x_i(y_j, e)`.
#[derive(Debug, Clone)]
pub struct Towards {
    /// Its name.
    pub name: Ident,
    /// What follows in brackets.
    pub then: Vec<Towards>,
}

/// How a formula is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `fn name(variables) = reduction`
    Function,
    /// `|variables| reduction`: a function without a name.
    Closure,
    /// `reduction`: a call with the variables of the scope.
    Bare,
}

/// One formula with its declaration.
#[derive(Debug, Clone)]
pub struct Item {
    /// Attributes that are passed on to the function, doc comments among them.
    pub attributes: Vec<syn::Attribute>,
    /// `pub` and the like.
    pub visibility: syn::Visibility,
    /// Name of the function.
    pub name: Ident,
    /// Const parameters, all of type `usize`.
    pub consts: Vec<Ident>,
    /// Arguments, in the order of the call.
    pub variables: Vec<Variable>,
    /// Variables named by `#[grad(…)]`.
    pub gradients: Vec<Towards>,
    /// Right side; none if it could not be read.
    pub reduction: Option<Reduction>,
    /// The right side as the user wrote it, for the documentation.
    pub text: String,
    /// Could all of it be read?
    pub complete: bool,
    /// How it is declared.
    pub form: Form,
}

/// A reduction, and possibly a derivative of it.
#[derive(Debug, Clone)]
pub struct Reduction {
    /// Which one.
    pub kind: ReductionKind,
    /// The tokens of its name.
    pub at: Place,
    /// What is reduced.
    pub formula: Expr,
    /// Number of smallest values, for the K family.
    pub k: Option<Size>,
    /// Which index is kept; none if unreadable.
    pub tag: Option<Tag>,
    /// Weight of the exponential reductions.
    pub weight: Option<Expr>,
    /// `Grad(reduction, v, e)` or `Diff(reduction, v, u)` around it, innermost first.
    pub derivatives: Vec<Derivative>,
}

/// A derivative taken of a whole reduction.
#[derive(Debug, Clone)]
pub struct Derivative {
    /// `Grad` rather than `Diff`?
    pub reverse: bool,
    /// The tokens of its name.
    pub at: Place,
    /// Towards what.
    pub variable: Expr,
    /// The covector of `Grad`, the direction of `Diff`.
    pub along: Expr,
}

/// Which index a reduction keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// Tag 0: one result per i, reduced over j.
    I,
    /// Tag 1: one result per j, reduced over i.
    J,
}

impl Tag {
    /// Category of the variables that are kept.
    pub fn kept(self) -> Category {
        match self {
            Tag::I => Category::Vi,
            Tag::J => Category::Vj,
        }
    }
    /// Category of the variables that are reduced over.
    pub fn reduced(self) -> Category {
        match self {
            Tag::I => Category::Vj,
            Tag::J => Category::Vi,
        }
    }
}

/// The reductions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReductionKind {
    /// Sum.
    Sum,
    /// Zeros, whatever there is to add up.
    Zero,
    /// Logarithm of the (weighted) sum of exponentials.
    LogSumExp,
    /// Mean of the weights under the soft-max of the formula.
    SumSoftMaxWeight,
    /// Running maximum and shifted sums, as stored.
    MaxSumShiftExp,
    /// Least value.
    Min,
    /// Greatest value.
    Max,
    /// Index of the least value.
    ArgMin,
    /// Index of the greatest value.
    ArgMax,
    /// Least value and its index.
    MinArgMin,
    /// Greatest value and its index.
    MaxArgMax,
    /// The K least values.
    KMin,
    /// Their indices.
    ArgKMin,
    /// Both.
    KMinArgKMin,
}

/// A formula.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// All of its tokens.
    pub at: Place,
    /// Longest path to a leaf; bounded by the parser, so that later passes may recurse.
    pub height: u32,
}

/// Kinds of formulas.
#[derive(Debug, Clone)]
pub enum Kind {
    /// A number.
    Number(Number),
    /// A variable or a const parameter.
    Name(Ident),
    /// `[2, 3]`
    List(Vec<Expr>),
    /// An operation.
    Call(Call),
    /// Unreadable; already reported.
    Unreadable,
}

/// A literal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// Its value.
    pub value: f64,
    /// The same as an integer, if it is written as one.
    pub integer: Option<i64>,
}

/// An operation and what it is applied to.
#[derive(Debug, Clone)]
pub struct Call {
    /// Name, as written for functions and methods, the function's name for operators.
    pub name: String,
    /// How it is written.
    pub style: Style,
    /// The tokens of the name or the operator.
    pub at: Place,
    /// Arguments; the receiver of a method is the first.
    pub arguments: Vec<Argument>,
}

/// `f(x)`, or `f(k = x)`
#[derive(Debug, Clone)]
pub struct Argument {
    /// The name before `=`.
    pub name: Option<Ident>,
    /// The argument.
    pub value: Expr,
}

/// How an operation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `Exp(x)`
    Function,
    /// `x.exp()`
    Method,
    /// `x[k]` or `x[a..b]`
    Subscript,
    /// `x + y` or `-x`
    Operator(&'static str),
}

impl Expr {
    /// The integer that is written here, a leading minus included.
    pub fn as_integer(&self) -> Option<i64> {
        match &self.kind {
            Kind::Number(n) => n.integer,
            Kind::Call(Call { style: Style::Operator("-"), arguments, .. }) if arguments.len() == 1 => {
                arguments.first()?.value.as_integer().map(|v| -v)
            }
            _ => None,
        }
    }

    /// The number that is written here, a leading minus included.
    pub fn as_number(&self) -> Option<f64> {
        match &self.kind {
            Kind::Number(n) => Some(n.value),
            Kind::Call(Call { style: Style::Operator("-"), arguments, .. }) if arguments.len() == 1 => {
                arguments.first()?.value.as_number().map(|v| -v)
            }
            _ => None,
        }
    }
}

impl Call {
    /// The operation as the user spelled it, for messages.
    pub fn spelled(&self) -> String {
        match self.style {
            Style::Function => self.name.clone(),
            Style::Method => format!(".{}", self.name),
            Style::Subscript => "[…]".to_string(),
            Style::Operator(symbol) => symbol.to_string(),
        }
    }
}
