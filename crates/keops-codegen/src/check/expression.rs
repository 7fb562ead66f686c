//! Formula → nodes: what each name means, how many arguments it takes, which dimensions fit.
//!
//! A part that is wrong is reported on its tokens and yields no node; what contains it yields none either, without further
//! words, and everything beside it is still checked.

use super::scope::Scope;
use crate::ast::{Argument, Call, Expr, Kind, Style};
use crate::ir::{Dim, NodeId};
use crate::mistakes::Mistakes;
use crate::ops::{self, Dims, Literal, LiteralKind, Operation};
use crate::parse::reduction;
use crate::spelling::nearest;

/// Methods of a `LazyTensor` that reduce a vector unless they are told another axis than its own.
const OWN_AXIS: &[&str] = &["sum", "min", "max", "argmin", "argmax"];

impl Scope<'_> {
    /// The node of a formula; none if something in it is wrong.
    pub(super) fn lower(&mut self, expr: &Expr, mistakes: &mut Mistakes) -> Option<NodeId> {
        match &expr.kind {
            Kind::Unreadable => None,
            Kind::Number(number) => Some(self.ir.constant(number.value)),
            Kind::List(_) => {
                mistakes.add(expr.at, "a list of numbers is only an argument of operations such as `TensorDot`; join vectors with `Concat(f, g)`");
                None
            }
            Kind::Name(name) => match self.find(name) {
                Some(position) => self.node(position),
                None if self.is_const(name) => {
                    mistakes.add(
                        name,
                        format!("the const parameter `{name}` is a dimension and cannot be used as a number; pass the number as a `Pm<1>`"),
                    );
                    None
                }
                None => {
                    self.complain_about_unknown(name, mistakes);
                    None
                }
            },
            Kind::Call(call) => self.call(call, mistakes),
        }
    }

    fn call(&mut self, call: &Call, mistakes: &mut Mistakes) -> Option<NodeId> {
        if reduction::of_call(call).is_some() {
            mistakes.add(
                call.at,
                format!(
                    "`{}` is a reduction inside a formula; only the outermost operation can be one: reduce in a call of its own and \
                     pass its result as a variable",
                    call.spelled()
                ),
            );
            return None;
        }
        let lower = call.name.to_lowercase();
        if call.style != Style::Method || !OWN_AXIS.contains(&lower.as_str()) {
            complain_about_names(call, mistakes);
        }
        let operands: Vec<&Expr> = call
            .arguments
            .iter()
            .filter(|a| !matches!(&a.name, Some(name) if name == "axis" || name == "dim"))
            .map(|a| &a.value)
            .collect();
        let Some(operation) = find(call, &operands) else {
            complain_about_operation(call, mistakes);
            for operand in operands.iter().filter(|o| !matches!(o.kind, Kind::List(_))) {
                self.lower(operand, mistakes);
            }
            return None;
        };
        // A square is an operation of its own, with one argument.
        if operation.name == "Pow"
            && operands.get(1).is_some_and(|e| e.as_integer() == Some(2))
            && let Some(square) = ops::find("Square")
        {
            return self.apply(square, call, &operands[..1], mistakes);
        }
        self.apply(operation, call, &operands, mistakes)
    }

    fn apply(
        &mut self,
        operation: &'static Operation,
        call: &Call,
        operands: &[&Expr],
        mistakes: &mut Mistakes,
    ) -> Option<NodeId> {
        let (formulas, literals) = operands.split_at(operation.args.len().min(operands.len()));
        let nodes: Vec<Option<NodeId>> = formulas.iter().map(|f| self.lower(f, mistakes)).collect();
        literals.iter().for_each(|l| self.mark_used(l));
        let least = operation.args.len() + operation.lits.len() - operation.optional;
        let most = operation.args.len() + operation.lits.len();
        if !(least..=most).contains(&operands.len()) {
            let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
            mistakes.add(
                call.at,
                format!(
                    "`{}` takes {expected} argument{}, and got {}: write `{}`",
                    call.spelled(),
                    if most == 1 { "" } else { "s" },
                    operands.len(),
                    usage(operation, call)
                ),
            );
            return None;
        }
        // Derivatives are taken towards variables.
        if let Some(at) = operation.args.iter().position(|a| *a == "v")
            && !matches!(formulas[at].kind, Kind::Name(_))
        {
            mistakes.add(
                formulas[at].at,
                format!(
                    "`{}` differentiates towards a variable, and `{}` is a formula; write the name of a variable",
                    call.spelled(),
                    formulas[at]
                ),
            );
            return None;
        }
        let read: Vec<Option<Literal>> =
            literals.iter().zip(operation.lits).map(|(l, kind)| literal(l, *kind, operation, call, mistakes)).collect();
        let given = nodes.into_iter().collect::<Option<Vec<_>>>()?;
        let read = read.into_iter().collect::<Option<Vec<_>>>()?;
        // Operands of a method may stand in another order than the arguments of the function.
        let mut arguments = given.clone();
        let mut written: Vec<&Expr> = formulas.to_vec();
        if call.style == Style::Method {
            for (operand, &argument) in operation.method_order.iter().enumerate() {
                arguments[argument] = given[operand];
                written[argument] = formulas[operand];
            }
        }
        if matches!(operation.dims, Dims::Broadcast | Dims::Pairing) && !self.fit(&arguments, &written, call, mistakes)
        {
            return None;
        }
        match operation.apply(&mut self.ir, &arguments, &read) {
            Ok(node) => Some(node),
            Err(message) => {
                let message = self.explained(&message, call, &arguments, &written);
                mistakes.add(call.at, message);
                None
            }
        }
    }

    /// The message of an operation with what came, and what to write instead.
    fn explained(&self, message: &str, call: &Call, arguments: &[NodeId], written: &[&Expr]) -> String {
        let dimension = |node: NodeId| match self.told_by(self.ir.dim(node)) {
            Some(_) => "has an open dimension".to_string(),
            None => format!("has dimension {}", self.ir.dim(node)),
        };
        let dims: Vec<String> =
            arguments.iter().zip(written).map(|(&node, expr)| format!("`{expr}` {}", dimension(node))).collect();
        let dims = if dims.is_empty() { String::new() } else { format!(" ({})", dims.join(", ")) };
        let mut message = message.to_string();
        if let (Style::Subscript, Some((_, rule)), Some(of)) = (call.style, message.split_once(": "), written.first()) {
            message = format!("a part of `{of}`: {rule}");
        }
        let mut advice = String::new();
        if message.contains("must be a number") {
            let dims = || arguments.iter().map(|&node| self.ir.dim(node));
            advice = dims().find_map(|dim| self.advice_on_dimension(dim)).unwrap_or_default();
            if let Some((rule, _)) =
                message.split_once(", but it is the parameter").filter(|_| dims().any(|d| self.told_by(d).is_some()))
            {
                message = rule.to_string();
            }
        } else if message.contains("(dimension 1)") && call.name != "Laplacian" {
            advice = "; take a component, `f[k]`, or a sum, `Sum(f)`".to_string();
        } else if message.contains("even dimension") {
            advice = "; `Real2Complex(f)` makes a complex vector of a real one".to_string();
        }
        format!("{message}{dims}{advice}")
    }

    /// Are all dimensions equal, or 1?
    fn fit(&self, nodes: &[NodeId], written: &[&Expr], call: &Call, mistakes: &mut Mistakes) -> bool {
        let mut wide: Option<(&Expr, &Dim)> = None;
        for (&node, expr) in nodes.iter().zip(written) {
            let dim = self.ir.dim(node);
            match wide {
                Some((first, d)) if !dim.is_one() && d != dim => {
                    mistakes.add(
                        call.at,
                        format!(
                            "`{}` takes vectors of the same dimension, or of dimension 1: `{first}` has dimension {d}, and `{expr}` has dimension {dim}{}",
                            call.spelled(),
                            part_of_the_longer((first, d), (expr, dim))
                        ),
                    );
                    return false;
                }
                None if !dim.is_one() => wide = Some((expr, dim)),
                _ => {}
            }
        }
        true
    }
}

/// How to make the longer of two vectors as long as the other.
fn part_of_the_longer(a: (&Expr, &Dim), b: (&Expr, &Dim)) -> String {
    let (Some(n), Some(m)) = (a.1.lit(), b.1.lit()) else { return String::new() };
    let (longer, length) = if n > m { (a.0, m) } else { (b.0, n) };
    let simple = matches!(longer.kind, Kind::Name(_));
    let longer = if simple { longer.to_string() } else { format!("({longer})") };
    format!("; change a declaration, or take a part of the longer one, as in `{longer}[0..{length}]`")
}

/// The operation that a call means.
pub(super) fn find(call: &Call, operands: &[&Expr]) -> Option<&'static Operation> {
    match call.style {
        Style::Function | Style::Subscript | Style::Operator(_) => ops::find(&call.name),
        Style::Method => match call.name.as_str() {
            // As `**`: an integer is multiplied out.
            "power" if operands.get(1).is_some_and(|e| e.as_integer().is_some()) => ops::find("Pow"),
            name => ops::find_method(name),
        },
    }
}

fn complain_about_names(call: &Call, mistakes: &mut Mistakes) {
    for Argument { name, .. } in &call.arguments {
        if let Some(name) = name {
            mistakes.add(name, format!("`{}` takes its arguments without names: remove `{name} =`", call.spelled()));
        }
    }
}

fn complain_about_operation(call: &Call, mistakes: &mut Mistakes) {
    let public = || ops::all().filter(|op| op.is_public());
    let advice = match call.style {
        Style::Method => {
            let methods = public().map(|op| op.method).filter(|m| !m.is_empty());
            match (nearest(&call.name, methods), public().find(|op| op.name.eq_ignore_ascii_case(&call.name))) {
                (_, Some(op)) => format!("; write it as a function: `{}`", op.signature()),
                (Some(near), None) => format!("; did you mean `.{near}`?"),
                (None, None) => String::new(),
            }
        }
        _ => match call.name.as_str() {
            "Var" | "Vi" | "Vj" | "Pm" => "; declare the variable before the formula and use its name here".to_string(),
            name => nearest(name, public().map(|op| op.name))
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?")),
        },
    };
    mistakes.add(call.at, format!("there is no operation `{}`{advice}", call.spelled()));
}

/// How to write an operation in the style of this call.
fn usage(operation: &Operation, call: &Call) -> String {
    if call.style != Style::Method {
        return operation.signature();
    }
    let mut order: Vec<&str> = operation.args.to_vec();
    for (operand, &argument) in operation.method_order.iter().enumerate() {
        order[operand] = operation.args[argument];
    }
    let literals = operation.lits.iter().map(|l| match l {
        LiteralKind::Int => "integer",
        LiteralKind::Number => "number",
        LiteralKind::List => "[integers]",
    });
    let mut all = order.into_iter().chain(literals);
    let receiver = all.next().unwrap_or("f");
    format!("{receiver}.{}({})", call.name, all.collect::<Vec<_>>().join(", "))
}

/// Reads a literal argument.
fn literal(
    expr: &Expr,
    kind: LiteralKind,
    operation: &Operation,
    call: &Call,
    mistakes: &mut Mistakes,
) -> Option<Literal> {
    let read = match (kind, &expr.kind) {
        (_, Kind::Unreadable) => return None,
        (LiteralKind::Int, _) => expr.as_integer().map(Literal::Int),
        (LiteralKind::Number, _) => {
            expr.as_integer().map(Literal::Int).or_else(|| expr.as_number().map(Literal::Float))
        }
        (LiteralKind::List, Kind::List(items)) => {
            items.iter().map(Expr::as_integer).collect::<Option<Vec<_>>>().map(Literal::List)
        }
        (LiteralKind::List, _) => None,
    };
    if read.is_none() {
        let what = match kind {
            LiteralKind::Int => "an integer",
            LiteralKind::Number => "a number",
            LiteralKind::List => "a list of integers such as `[2, 3]`",
        };
        mistakes.add(
            expr.at,
            format!(
                "`{}` needs {what} here, written out, and `{expr}` is not: `{}`",
                call.spelled(),
                usage(operation, call)
            ),
        );
    }
    read
}
