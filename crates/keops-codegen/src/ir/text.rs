//! The canonical text of an expression: the same for equal expressions, whatever was built around them.

use super::{Category, Ir, NodeId, Op, Space};
use std::collections::HashMap;
use std::fmt::Write;

impl Ir {
    /// One assignment per node in topological order, the roots last: `%0 = Vi(0, 3); %1 = Vj(1, 3); …; return %5`.
    pub fn text(&self, roots: &[NodeId]) -> String {
        let mut order = Vec::new();
        let mut number = HashMap::new();
        for &root in roots {
            self.visit(root, &mut number, &mut order);
        }
        let mut out = String::new();
        for (k, &id) in order.iter().enumerate() {
            let args: Vec<String> = self.args(id).iter().map(|a| format!("%{}", number[a])).collect();
            // Writing to a string cannot fail.
            let _ = write!(out, "%{k} = {}; ", self.head(id, &args.join(", ")));
        }
        let roots: Vec<String> = roots.iter().map(|r| format!("%{}", number[r])).collect();
        let _ = write!(out, "return {}", roots.join(", "));
        out
    }

    /// Depth first, arguments in order: the numbering depends on the expression only.
    fn visit(&self, id: NodeId, number: &mut HashMap<NodeId, usize>, order: &mut Vec<NodeId>) {
        if number.contains_key(&id) {
            return;
        }
        for &a in self.args(id) {
            self.visit(a, number, order);
        }
        number.insert(id, order.len());
        order.push(id);
    }

    fn head(&self, id: NodeId, args: &str) -> String {
        let dim = self.dim(id);
        match self.op(id) {
            Op::Var { position, category } => {
                let name = match category {
                    Category::Vi => "Vi",
                    Category::Vj => "Vj",
                    Category::Pm => "Pm",
                };
                format!("{name}({position}, {dim})")
            }
            Op::Const(b) => format!("Const({:?}, {dim})", b.value()),
            Op::Index { category, high } => {
                format!("Index({category:?}, {})", if *high { "high" } else { "low" })
            }
            Op::Iota => format!("Iota({dim})"),
            Op::Staged { space, slot } => {
                let name = match space {
                    Space::Param => "param",
                    Space::Row => "row",
                    Space::Col => "col",
                    Space::Acc => "acc",
                };
                format!("{name}[{slot}]({dim})")
            }
            Op::Map(m, 0) => format!("{}({args})", m.0.name),
            Op::Map(m, int) => format!("{}({args}, {int})", m.0.name),
            Op::Sum => format!("Sum({args})"),
            Op::Broadcast => format!("Broadcast({args}, {dim})"),
            Op::Slice { start, step } => format!("Slice({args}, {start}, {step}, {dim})"),
            Op::Pad { start, step } => format!("Pad({args}, {start}, {step}, {dim})"),
            Op::Concat => format!("Concat({args})"),
            Op::Contract(axes) => {
                format!("Contract({args}, {:?}, {:?}, {:?}, {:?})", axes.sizes, axes.left, axes.right, axes.out)
            }
            Op::Recurrence { lags, reverse } => {
                format!("{}Recurrence({args}, {lags:?})", if *reverse { "Reverse" } else { "" })
            }
            Op::Alignment { width } => format!("Alignment({args}, {width})"),
            Op::Extreme { max, arg } => {
                format!("{}{}({args})", if *arg { "Arg" } else { "" }, if *max { "Max" } else { "Min" })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Category, Dim, Ir};

    #[test]
    fn text_depends_on_the_expression_only() {
        let text = |unrelated: bool| {
            let mut ir = Ir::new();
            if unrelated {
                let p = ir.var(7, Category::Pm, Dim::ONE);
                ir.map("Exp", &[p]);
            }
            let (x, y) = (ir.var(0, Category::Vi, Dim::Lit(3)), ir.var(1, Category::Vj, Dim::Lit(3)));
            let t = ir.sub(x, y);
            let s = ir.square(t);
            let s = ir.sum(s);
            ir.text(&[s])
        };
        assert_eq!(
            text(false),
            "%0 = Vi(0, 3); %1 = Vj(1, 3); %2 = Subtract(%0, %1); %3 = Square(%2); %4 = Sum(%3); return %4"
        );
        assert_eq!(text(true), text(false));
    }

    #[test]
    fn equal_expressions_are_one_node() {
        let mut ir = Ir::new();
        let (x, y) = (ir.var(0, Category::Vi, Dim::ONE), ir.var(1, Category::Vj, Dim::ONE));
        let (a, b) = (ir.mul(x, y), ir.mul(y, x));
        assert_eq!(a, b);
    }
}
