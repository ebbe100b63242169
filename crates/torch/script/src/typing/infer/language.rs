//! Operators of the language itself: `a + b`, `a[0]`, `for a in b`, `int(a)`.

use unskew_torch_schemas::matching::{Literal, ScriptType};

use super::fold;
use super::value::{given, known};
use super::walker::Walker;
use crate::typing::scope::Binding;
use crate::typing::{Spelling, literal_of};
use crate::{Expression, TextSpan};

/// Operators between two values, and what they are called.
const BINARY: [(&str, &str); 20] = [
    ("+", "aten::add"),
    ("-", "aten::sub"),
    ("*", "aten::mul"),
    ("/", "aten::div"),
    ("//", "aten::floordiv"),
    ("%", "aten::remainder"),
    ("**", "aten::pow"),
    ("@", "aten::matmul"),
    ("&", "aten::__and__"),
    ("|", "aten::__or__"),
    ("^", "aten::__xor__"),
    ("<<", "aten::__lshift__"),
    (">>", "aten::__rshift__"),
    ("==", "aten::eq"),
    ("!=", "aten::ne"),
    ("<", "aten::lt"),
    ("<=", "aten::le"),
    (">", "aten::gt"),
    (">=", "aten::ge"),
    ("in", "aten::__contains__"),
];

impl<'p> Walker<'p, '_> {
    pub(super) fn binary(
        &mut self,
        operator: &str,
        left: &'p Expression,
        right: &'p Expression,
        span: TextSpan,
    ) -> Binding {
        match operator {
            "and" | "or" => return self.both(operator == "and", left, right),
            "is" | "is not" => return self.identity(operator, left, right),
            _ => {}
        }
        let (a, b) = (self.value(left), self.value(right));
        let mut given = vec![given(&a, left.span()), given(&b, right.span())];
        let name = BINARY.iter().find(|(sign, _)| *sign == operator).map(|(_, name)| *name);
        match (operator, name) {
            ("in", Some(name)) => {
                given.reverse();
                self.operator(name, given, (span, None), Spelling::Language)
            }
            ("not in", _) => {
                given.reverse();
                self.operator("aten::__contains__", given, (span, None), Spelling::Language);
                Binding::from_type(ScriptType::Bool)
            }
            (_, Some(name)) => self.operator(name, given, (span, None), Spelling::Language),
            (other, None) => {
                self.fault(span, format!("no operator {other}"));
                Binding::from_type(ScriptType::Unknown)
            }
        }
    }

    /// `a and b`: the second is looked at with what the first says.
    fn both(&mut self, and: bool, left: &'p Expression, right: &'p Expression) -> Binding {
        let a = self.value(left).literal().and_then(Literal::truth);
        if self.decided(left) == Some(!and) {
            return Binding::Value(ScriptType::Bool, Some(Literal::Bool(!and)));
        }
        self.scope.enter();
        self.refine(left, and);
        let b = self.value(right).literal().and_then(Literal::truth);
        self.scope.leave();
        let value = match (a, b, and) {
            (Some(false), _, true) | (_, Some(false), true) => Some(false),
            (Some(true), _, false) | (_, Some(true), false) => Some(true),
            (Some(true), Some(true), true) => Some(true),
            (Some(false), Some(false), false) => Some(false),
            _ => None,
        };
        Binding::Value(ScriptType::Bool, value.map(Literal::Bool))
    }

    fn identity(&mut self, operator: &str, left: &'p Expression, right: &'p Expression) -> Binding {
        let (a, b) = (self.value(left), self.value(right));
        let given = [known(&a), known(&b)];
        let name = if operator == "is" { "aten::__is__" } else { "aten::__isnot__" };
        Binding::Value(ScriptType::Bool, fold::operator(name, &given))
    }

    /// An operator that the language needs and does not name, if the table has it: a program that is held
    /// against a table from before it was an operator does not need it there.
    pub(super) fn implied(&mut self, name: &str, thing: &Binding, span: TextSpan) {
        if !self.overloads.candidates_of(name).is_empty() {
            let given = vec![given(thing, span)];
            self.operator(name, given, (span, None), Spelling::Language);
        }
    }

    /// The type of what a loop takes from `of`.
    pub(super) fn items(&mut self, of: &'p Expression) -> ScriptType {
        match self.value(of).ty() {
            ScriptType::List(item) => (*item).clone(),
            ScriptType::Dict(pair) => pair.0.clone(),
            ScriptType::Tuple(items) => {
                let mut items = items.iter();
                let first = items.next().cloned().unwrap_or(ScriptType::Unknown);
                items.fold(first, |joined, item| joined.join(item))
            }
            ScriptType::Tensor => ScriptType::Tensor,
            ScriptType::Str => ScriptType::Str,
            _ => ScriptType::Unknown,
        }
    }

    pub(super) fn subscript(
        &mut self,
        of: &'p Expression,
        index: &'p Expression,
        span: TextSpan,
    ) -> Binding {
        let receiver = self.value(of);
        let at = self.value(index);
        match (receiver.ty(), index) {
            (ScriptType::Tuple(items), Expression::Slice { parts, .. }) => {
                let bound = |part: &Option<Expression>, default: i64| match part {
                    None => Some(default),
                    Some(part) => match literal_of(part)? {
                        Literal::Int(at) => Some(at),
                        _ => None,
                    },
                };
                let len = items.len() as i64;
                let place = |at: i64| if at < 0 { at + len } else { at }.clamp(0, len) as usize;
                match (bound(&parts[0], 0), bound(&parts[1], len)) {
                    (Some(from), Some(to)) => {
                        let slice = items.get(place(from)..place(to)).unwrap_or(&[]);
                        Binding::from_type(ScriptType::tuple(slice.iter().cloned()))
                    }
                    _ => Binding::from_type(ScriptType::Unknown),
                }
            }
            (ScriptType::Tuple(items), _) => {
                let place = match at.literal() {
                    Some(Literal::Int(at)) => {
                        let at = if *at < 0 { *at + items.len() as i64 } else { *at };
                        usize::try_from(at).ok()
                    }
                    _ => None,
                };
                let mut all = items.iter();
                let ty = match place {
                    Some(place) => items.get(place).cloned(),
                    // At a place that is not known: what all of them are.
                    None => all.next().cloned().map(|first| all.fold(first, |a, b| a.join(b))),
                };
                if ty.is_none() {
                    self.fault(span, format!("{} has no such place", receiver.ty()));
                }
                Binding::from_type(ty.unwrap_or(ScriptType::Unknown))
            }
            (ScriptType::Tensor, _) => Binding::from_type(ScriptType::Tensor),
            (ty @ (ScriptType::List(_) | ScriptType::Str), Expression::Slice { .. }) => {
                Binding::from_type(ty)
            }
            (ScriptType::List(_) | ScriptType::Dict(_) | ScriptType::Str, _) => {
                let given = vec![given(&receiver, of.span()), given(&at, index.span())];
                self.operator("aten::__getitem__", given, (span, None), Spelling::Language)
            }
            // A list of modules or a named tuple.
            _ => Binding::from_type(ScriptType::Unknown),
        }
    }

    pub(super) fn assign_item(
        &mut self,
        of: &'p Expression,
        index: &'p Expression,
        thing: Binding,
        span: TextSpan,
    ) {
        let receiver = self.value(of);
        let at = self.value(index);
        if let ScriptType::List(_) | ScriptType::Dict(_) = receiver.ty() {
            let given =
                vec![given(&receiver, of.span()), given(&at, index.span()), given(&thing, span)];
            self.operator("aten::_set_item", given, (span, None), Spelling::Language);
        }
    }

    /// `int(a)`, `float(a)`, `bool(a)`: nothing if it is one already.
    pub(super) fn cast(&mut self, to: ScriptType, of: &'p Expression, span: TextSpan) -> Binding {
        let value = self.value(of);
        if value.ty() == to {
            return value;
        }
        let name = match to {
            ScriptType::Int => "aten::Int",
            ScriptType::Float => "aten::Float",
            ScriptType::Complex => "aten::Complex",
            ScriptType::Bool => "aten::Bool",
            _ => "aten::str",
        };
        let given = vec![given(&value, of.span())];
        let thing = self.operator(name, given, (span, None), Spelling::Language);
        Binding::Value(to, thing.literal().cloned())
    }
}
