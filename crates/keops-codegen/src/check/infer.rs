//! Dimensions that are not stated, from the formula.
//!
//! Every part of the formula has a dimension that is known or open; operations relate them. `|`, `SqDist`, covectors and the
//! like make dimensions equal at once. Elementwise operations take equal dimensions or 1, so they wait until something is
//! known about their operands; what stays open in the end is taken for equal. A parameter that nothing fixes is one number.
//! Nothing is reported here: a formula that does not fit is reported where it is lowered, with the dimensions found.

use super::expression::find;
use super::scope::dimension;
use crate::ast::{Call, Expr, Item, Kind, Reduction, ReductionKind, Style};
use crate::ir::{Category, Dim, Ir, NodeId};
use crate::mistakes::Mistakes;
use crate::ops::{Dims, Literal, Operation};
use proc_macro2::{Ident, Span};

/// What became of the dimensions.
pub(super) struct Inferred {
    /// By variable; none for those that are stated.
    pub(super) dims: Vec<Option<Dim>>,
    /// Const parameters that stand for dimensions that the data have to tell, each with the variable that tells it.
    pub(super) open: Vec<(Ident, usize)>,
}

/// Infers what is not stated.
pub(super) fn dimensions(item: &Item) -> Inferred {
    let unstated = |k: usize| matches!(&item.variables[k].declared, Some((_, None)));
    let mut inferred = Inferred { dims: vec![None; item.variables.len()], open: Vec::new() };
    if !(0..item.variables.len()).any(unstated) {
        return inferred;
    }
    let mut system = System::new(item);
    if let Some(reduction) = &item.reduction {
        system.reduction(reduction);
    }
    system.solve();
    for k in (0..item.variables.len()).filter(|&k| unstated(k)) {
        let root = system.root(k);
        let dim = match &system.known[root] {
            Some(dim) => dim.clone(),
            None => {
                let name = name_of(item, k, &inferred.open);
                let dim = Dim::param(&name.to_string());
                inferred.open.push((name, k));
                system.known[root] = Some(dim.clone());
                dim
            }
        };
        inferred.dims[k] = Some(dim);
    }
    inferred
}

/// A const parameter for the dimension of a variable; compilers show it in their messages.
fn name_of(item: &Item, variable: usize, taken: &[(Ident, usize)]) -> Ident {
    let name = item.variables[variable].name.to_string().to_uppercase();
    let mut name = format!("DIMENSION_OF_{}", name.trim_start_matches("R#"));
    let taken = |name: &str| {
        let mut all =
            item.consts.iter().chain(item.variables.iter().map(|v| &v.name)).chain(taken.iter().map(|(n, _)| n));
        all.any(|n| *n == *name)
    };
    while taken(&name) {
        name.push('_');
    }
    Ident::new(&name, Span::call_site())
}

/// A dimension: slot of a union-find forest. Slot k < number of variables is that of variable k.
type Slot = usize;

/// How an operation relates dimensions that are not known yet.
enum Rule {
    /// All arguments and the result are equal, or 1.
    Broadcast { arguments: Vec<Slot>, out: Slot },
    /// Arguments are equal, or one of them is 1.
    Pairing { arguments: Vec<Slot> },
    /// The operation's own rule gives the result, once the arguments are known.
    Own { operation: &'static Operation, arguments: Vec<Slot>, literals: Vec<Literal>, out: Slot },
}

struct System<'a> {
    item: &'a Item,
    parent: Vec<Slot>,
    known: Vec<Option<Dim>>,
    rules: Vec<Rule>,
}

impl<'a> System<'a> {
    fn new(item: &'a Item) -> Self {
        let count = item.variables.len();
        let mut system = System { item, parent: (0..count).collect(), known: vec![None; count], rules: Vec::new() };
        for (k, variable) in item.variables.iter().enumerate() {
            if let Some((_, Some(size))) = &variable.declared {
                system.known[k] = dimension(&variable.name, size, &item.consts, &mut Mistakes::new());
            }
        }
        system
    }

    fn slot(&mut self, known: Option<Dim>) -> Slot {
        self.parent.push(self.parent.len());
        self.known.push(known);
        self.parent.len() - 1
    }

    fn root(&self, mut slot: Slot) -> Slot {
        while self.parent[slot] != slot {
            slot = self.parent[slot];
        }
        slot
    }

    fn dim(&self, slot: Slot) -> Option<&Dim> {
        self.known[self.root(slot)].as_ref()
    }

    /// Makes two dimensions equal, unless they are known to differ. Was that news?
    fn unify(&mut self, a: Slot, b: Slot) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a == b || self.known[a].is_some() && self.known[b].is_some() {
            return false;
        }
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high] = low;
        if self.known[low].is_none() {
            self.known[low] = self.known[high].take();
        }
        true
    }

    fn set(&mut self, slot: Slot, dim: Dim) -> bool {
        let root = self.root(slot);
        let news = self.known[root].is_none();
        if news {
            self.known[root] = Some(dim);
        }
        news
    }

    fn reduction(&mut self, reduction: &Reduction) {
        let mut out = self.formula(&reduction.formula);
        if matches!(
            reduction.kind,
            ReductionKind::LogSumExp | ReductionKind::SumSoftMaxWeight | ReductionKind::MaxSumShiftExp
        ) {
            self.set(out, Dim::ONE);
        }
        if let Some(weight) = &reduction.weight {
            out = self.formula(weight);
        }
        for derivative in &reduction.derivatives {
            let (variable, along) = (self.formula(&derivative.variable), self.formula(&derivative.along));
            if derivative.reverse {
                self.unify(along, out);
                out = variable;
            } else {
                self.unify(along, variable);
            }
        }
    }

    fn formula(&mut self, expr: &Expr) -> Slot {
        match &expr.kind {
            Kind::Number(_) => self.slot(Some(Dim::ONE)),
            Kind::Name(name) => match self.item.variables.iter().position(|v| v.name == *name) {
                Some(position) => position,
                None => self.slot(None),
            },
            Kind::Call(call) => self.call(call),
            Kind::List(_) | Kind::Unreadable => self.slot(None),
        }
    }

    fn call(&mut self, call: &Call) -> Slot {
        let named_axis = |name: &Option<Ident>| matches!(name, Some(name) if name == "axis" || name == "dim");
        let operands: Vec<&Expr> = call.arguments.iter().filter(|a| !named_axis(&a.name)).map(|a| &a.value).collect();
        let Some(operation) = find(call, &operands).filter(|o| o.args.len() <= operands.len()) else {
            operands.iter().for_each(|e| {
                self.formula(e);
            });
            return self.slot(None);
        };
        let (formulas, literals) = operands.split_at(operation.args.len());
        let given: Vec<Slot> = formulas.iter().map(|e| self.formula(e)).collect();
        let mut arguments = given.clone();
        if call.style == Style::Method {
            for (operand, &argument) in operation.method_order.iter().enumerate() {
                arguments[argument] = given[operand];
            }
        }
        let literals = literals.iter().filter_map(|e| literal(e)).collect();
        self.apply(operation, arguments, literals)
    }

    fn apply(&mut self, operation: &'static Operation, arguments: Vec<Slot>, literals: Vec<Literal>) -> Slot {
        match (operation.name, &operation.dims) {
            ("Grad", _) => {
                self.unify(arguments[0], arguments[2]);
                return arguments[1];
            }
            ("Diff", _) => {
                self.unify(arguments[1], arguments[2]);
                return arguments[0];
            }
            ("Divergence", _) => {
                self.unify(arguments[0], arguments[1]);
                return self.slot(Some(Dim::ONE));
            }
            ("Laplacian" | "SumT" | "OneHot" | "ElemT" | "SqNormIso", _) => {
                self.set(arguments[0], Dim::ONE);
            }
            (_, Dims::ToScalar) => return self.slot(Some(Dim::ONE)),
            (_, Dims::Same) => return arguments[0],
            (_, Dims::Broadcast) => {
                let out = self.slot(None);
                self.rules.push(Rule::Broadcast { arguments, out });
                return out;
            }
            (_, Dims::Pairing) => {
                self.rules.push(Rule::Pairing { arguments });
                return self.slot(Some(Dim::ONE));
            }
            (_, Dims::Custom(_) | Dims::Free) => {}
        }
        let out = self.slot(None);
        self.rules.push(Rule::Own { operation, arguments, literals, out });
        out
    }

    fn solve(&mut self) {
        let mut rules = std::mem::take(&mut self.rules);
        let mut parameters_are_open = true;
        loop {
            let mut news = false;
            rules.retain(|rule| {
                let (done, learnt) = self.step(rule);
                news |= learnt;
                !done
            });
            if news {
                continue;
            }
            if std::mem::take(&mut parameters_are_open) {
                for (k, variable) in self.item.variables.iter().enumerate() {
                    if matches!(variable.declared, Some((Category::Pm, None))) {
                        self.set(k, Dim::ONE);
                    }
                }
                continue;
            }
            // Nothing more follows by itself: the first operation whose operands are open makes them equal.
            let forced = rules.iter().position(|rule| match rule {
                Rule::Broadcast { arguments, .. } | Rule::Pairing { arguments } => self.make_equal(arguments),
                Rule::Own { .. } => false,
            });
            if forced.is_none() {
                break;
            }
        }
    }

    /// Applies a rule as far as it goes: is it done with, and has it told anything?
    fn step(&mut self, rule: &Rule) -> (bool, bool) {
        match rule {
            Rule::Pairing { arguments } => {
                if arguments.iter().any(|&a| self.dim(a).is_some_and(Dim::is_one)) {
                    return (true, false);
                }
                let settled = self.make_equal(arguments);
                (settled, settled)
            }
            Rule::Broadcast { arguments, out } => {
                let mut wide: Vec<Slot> = Vec::new();
                for &a in arguments {
                    let root = self.root(a);
                    if !self.dim(root).is_some_and(Dim::is_one) && !wide.contains(&root) {
                        wide.push(root);
                    }
                }
                match wide.as_slice() {
                    [] => (true, self.set(*out, Dim::ONE)),
                    [one] => (true, self.unify(*out, *one)),
                    _ if self.dim(*out).is_some_and(Dim::is_one) => {
                        wide.iter().for_each(|&a| {
                            self.set(a, Dim::ONE);
                        });
                        (true, true)
                    }
                    _ => match wide.iter().find_map(|&a| self.dim(a).cloned()) {
                        Some(dim) => (false, self.set(*out, dim)),
                        None => (false, false),
                    },
                }
            }
            Rule::Own { operation, arguments, literals, out } => match self.own(operation, arguments, literals) {
                Some(dim) => (true, self.set(*out, dim)),
                None => (false, false),
            },
        }
    }

    /// Makes all dimensions equal that are not 1. Was that news?
    fn make_equal(&mut self, slots: &[Slot]) -> bool {
        let wide: Vec<Slot> = slots.iter().copied().filter(|&a| !self.dim(a).is_some_and(Dim::is_one)).collect();
        let mut news = false;
        for pair in wide.windows(2) {
            news |= self.unify(pair[0], pair[1]);
        }
        news
    }

    /// What the operation itself says; none as long as it depends on something open.
    fn own(&self, operation: &'static Operation, arguments: &[Slot], literals: &[Literal]) -> Option<Dim> {
        // No const parameter has such a name, so that a result with it is as open as what it comes from.
        let open = |slot: Slot| Dim::param(&format!("?{slot}"));
        let dims: Vec<Dim> =
            arguments.iter().map(|&a| self.dim(a).cloned().unwrap_or_else(|| open(self.root(a)))).collect();
        let dim = match operation.dims {
            Dims::Free => {
                let mut ir = Ir::new();
                let nodes: Vec<NodeId> =
                    dims.iter().enumerate().map(|(k, dim)| ir.var(k, Category::Pm, dim.clone())).collect();
                let node = operation.apply(&mut ir, &nodes, literals).ok()?;
                ir.dim(node).clone()
            }
            _ => operation.dims.check(operation.args, &dims, literals).ok()??,
        };
        let is_open = matches!(&dim, Dim::Param(name) if name.starts_with('?'));
        (!is_open).then_some(dim)
    }
}

/// A literal argument, if it is one.
fn literal(expr: &Expr) -> Option<Literal> {
    match &expr.kind {
        Kind::List(items) => items.iter().map(Expr::as_integer).collect::<Option<Vec<_>>>().map(Literal::List),
        _ => expr.as_integer().map(Literal::Int).or_else(|| expr.as_number().map(Literal::Float)),
    }
}
