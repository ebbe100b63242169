//! Expressions.

use std::sync::Arc;

use unskew_torch_schemas::matching::{Given, Literal, ScriptType};

use super::fold;
use super::walker::{Placed, Walker};
use crate::typing::scope::Thing;
use crate::typing::{AttributeUse, Spelling, literal_of};
use crate::{Constant, Expression, Span};

/// Names that stand for numbers: element types, layouts, memory formats.
const NUMBERS: [&str; 34] = [
    "uint8",
    "int8",
    "int16",
    "short",
    "int32",
    "int",
    "int64",
    "long",
    "float16",
    "half",
    "float32",
    "float",
    "float64",
    "double",
    "complex32",
    "complex64",
    "complex128",
    "cfloat",
    "cdouble",
    "bool",
    "bfloat16",
    "qint8",
    "quint8",
    "qint32",
    "strided",
    "sparse_coo",
    "contiguous_format",
    "preserve_format",
    "channels_last",
    "channels_last_3d",
    "per_tensor_affine",
    "per_channel_affine",
    "per_tensor_symmetric",
    "per_channel_symmetric",
];

/// What a tensor has without being called, which are operators of `prim`.
const TENSOR_ATTRIBUTES: [&str; 26] = [
    "dtype",
    "device",
    "grad",
    "data",
    "shape",
    "is_cuda",
    "is_xpu",
    "is_sparse",
    "is_sparse_csr",
    "is_mkldnn",
    "is_mps",
    "is_vulkan",
    "is_ipu",
    "is_quantized",
    "is_meta",
    "is_leaf",
    "is_nested",
    "requires_grad",
    "layout",
    "T",
    "H",
    "mT",
    "mH",
    "ndim",
    "name",
    "itemsize",
];

/// A value as a call gives it. What has the type of `None` is `None`, wherever it comes from.
pub(super) fn known(thing: &Thing) -> Given {
    let ty = thing.ty();
    let literal = match ty {
        ScriptType::None => Some(Literal::None),
        _ => thing.literal().cloned(),
    };
    Given { keyword: None, receiver: false, ty, literal }
}

/// A value as a call gives it, and where it stands.
pub(super) fn given(thing: &Thing, span: Span) -> Placed {
    (known(thing), span)
}

impl<'p> Walker<'p, '_> {
    pub(super) fn value(&mut self, expression: &'p Expression) -> Thing {
        match expression {
            Expression::Constant { value, .. } => constant(value, expression),
            Expression::Name(name) => self.name(&name.text, name.span),
            Expression::Attribute { of, name, span } => {
                self.attribute(expression, of, &name.text, *span)
            }
            Expression::Call(call) => self.call(call),
            Expression::Subscript { of, index, span } => self.subscript(of, index, *span),
            Expression::Slice { parts, .. } => {
                for part in parts.iter().flatten() {
                    self.value(part);
                }
                Thing::of(ScriptType::Unknown)
            }
            Expression::List { items, .. } => self.list(items, expression),
            Expression::Tuple { items, .. } => {
                let things: Vec<Thing> = items.iter().map(|item| self.value(item)).collect();
                let literals: Option<Vec<Literal>> =
                    things.iter().map(|thing| thing.literal().cloned()).collect();
                let literal = literals.and_then(Literal::tuple);
                Thing::Value(ScriptType::tuple(things.iter().map(Thing::ty)), literal)
            }
            Expression::Dict { items, .. } => self.dict(items),
            Expression::Unary { operator, operand, span } => self.unary(operator, operand, *span),
            Expression::Binary { operator, left, right, span } => {
                self.binary(operator, left, right, *span)
            }
            Expression::Choice { test, then, otherwise, span } => {
                self.choice(test, then, otherwise, *span)
            }
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Thing {
        if let Some(thing) = self.scope.get(name) {
            return thing.clone();
        }
        match name {
            "inf" | "nan" => return Thing::of(ScriptType::Float),
            "infj" | "nanj" => return Thing::of(ScriptType::Complex),
            _ => {}
        }
        if let Some(function) = self.program.function(name) {
            self.mention(function, span);
            return Thing::Function(function);
        }
        if let Some((name, _)) = self.program.class_of(name) {
            return Thing::Class(name.clone());
        }
        self.fault(span, format!("no such name: {name}"));
        Thing::of(ScriptType::Unknown)
    }

    /// Whether an expression is a path of names of which the first is none of the function's own.
    pub(super) fn global(&self, expression: &Expression) -> Option<String> {
        let mut root = expression;
        while let Expression::Attribute { of, .. } = root {
            root = of;
        }
        match root {
            Expression::Name(name) if self.scope.get(&name.text).is_none() => expression.path(),
            _ => None,
        }
    }

    fn attribute(
        &mut self,
        whole: &'p Expression,
        of: &'p Expression,
        name: &str,
        span: Span,
    ) -> Thing {
        if let Some(path) = self.global(whole) {
            return self.path(&path, span);
        }
        let receiver = self.value(of);
        self.attribute_of(&receiver, name, span)
    }

    fn path(&mut self, path: &str, span: Span) -> Thing {
        if let Some(function) = self.program.function(path) {
            self.mention(function, span);
            return Thing::Function(function);
        }
        if let Some((name, _)) = self.program.class_of(path) {
            return Thing::Class(name.clone());
        }
        let (of, name) = path.rsplit_once('.').unwrap_or(("", path));
        match of {
            "CONSTANTS" => return Thing::of(self.program.constant(name)),
            "torch" if NUMBERS.contains(&name) => return Thing::of(ScriptType::Int),
            "math" if matches!(name, "pi" | "e" | "inf" | "nan") => {
                return Thing::of(ScriptType::Float);
            }
            _ => {}
        }
        // A value of an enumeration.
        if let Some((class, _)) = self.program.class_of(of) {
            return Thing::of(ScriptType::Class(class.clone()));
        }
        // A class that is registered in C++ is described by no code.
        if path.starts_with("__torch__.torch.classes.") {
            return Thing::Class(path.into());
        }
        self.fault(span, format!("no such name: {path}"));
        Thing::of(ScriptType::Unknown)
    }

    /// Notes that a declared attribute is read or set.
    pub(super) fn uses(&mut self, class: &Arc<str>, name: &str, span: Span, is_set: bool) {
        if let Some(attributes) = &mut self.found.attributes {
            let (class, name) = (class.clone(), name.to_owned());
            attributes.insert(AttributeUse { record: self.record, span, class, name, is_set });
        }
    }

    /// The type of an attribute, `of.name`.
    pub(super) fn attribute_of(&mut self, receiver: &Thing, name: &str, span: Span) -> Thing {
        match receiver.ty() {
            ScriptType::Tensor if TENSOR_ATTRIBUTES.contains(&name) => {
                let of = given(receiver, span);
                self.operator(&format!("prim::{name}"), vec![of], (span, None), Spelling::Language)
            }
            ScriptType::Class(class) => match self.program.class_of(&class) {
                Some((_, described)) => match described.attribute(name) {
                    Some((ty, literal)) => {
                        self.uses(&class, name, span, false);
                        Thing::Value(ty.clone(), literal.cloned())
                    }
                    None => {
                        // Attributes of modules of 1.1 and 1.2 stand in another record.
                        let partly = described.attributes.is_empty() && described.base.is_empty();
                        if !partly && !described.methods.contains_key(name) {
                            self.fault(span, format!("{class} has no attribute {name}"));
                        }
                        Thing::of(ScriptType::Unknown)
                    }
                },
                None => Thing::of(ScriptType::Unknown),
            },
            ScriptType::Named(_) => {
                let of = given(receiver, span);
                let known = !self.overloads.of(&format!("prim::{name}")).is_empty();
                if !known {
                    return Thing::of(ScriptType::Unknown);
                }
                self.operator(&format!("prim::{name}"), vec![of], (span, None), Spelling::Language)
            }
            ScriptType::Complex | ScriptType::Tensor => {
                let of = given(receiver, span);
                self.operator(&format!("aten::{name}"), vec![of], (span, None), Spelling::Language)
            }
            _ => Thing::of(ScriptType::Unknown),
        }
    }

    fn list(&mut self, items: &'p [Expression], whole: &Expression) -> Thing {
        let mut joined: Option<ScriptType> = None;
        for item in items {
            let ty = self.value(item).ty();
            joined = Some(joined.map_or_else(|| ty.clone(), |joined| joined.join(&ty)));
        }
        // What an empty list holds is said by whoever takes it.
        Thing::Value(ScriptType::list(joined.unwrap_or(ScriptType::Unknown)), literal_of(whole))
    }

    fn dict(&mut self, items: &'p [(Expression, Expression)]) -> Thing {
        let mut joined: Option<(ScriptType, ScriptType)> = None;
        for (key, value) in items {
            let (key, value) = (self.value(key).ty(), self.value(value).ty());
            joined = Some(match joined {
                None => (key, value),
                Some((k, v)) => (k.join(&key), v.join(&value)),
            });
        }
        let (key, value) = joined.unwrap_or((ScriptType::Unknown, ScriptType::Unknown));
        Thing::of(ScriptType::dict(key, value))
    }

    fn choice(
        &mut self,
        test: &'p Expression,
        then: &'p Expression,
        otherwise: &'p Expression,
        span: Span,
    ) -> Thing {
        let decided = self.decided(test);
        let holds = self.value(test).literal().and_then(Literal::truth);
        let live = self.live;
        if decided.is_none() {
            self.condition(span, holds);
        }
        let mut branch = |of: &'p Expression, taken: bool| {
            self.live = live && holds != Some(!taken);
            self.branches += 1;
            self.scope.enter();
            self.refine(test, taken);
            let thing = self.value(of);
            self.scope.leave();
            self.branches -= 1;
            self.live = live;
            thing
        };
        match decided {
            Some(true) => branch(then, true),
            Some(false) => branch(otherwise, false),
            None => {
                let (one, other) = (branch(then, true), branch(otherwise, false));
                let literal = match holds {
                    Some(true) => one.literal().cloned(),
                    Some(false) => other.literal().cloned(),
                    None => one.literal().filter(|one| other.literal() == Some(one)).cloned(),
                };
                Thing::Value(one.ty().join(&other.ty()), literal)
            }
        }
    }

    fn unary(&mut self, operator: &str, operand: &'p Expression, span: Span) -> Thing {
        let of = self.value(operand);
        let name = match operator {
            "-" => "aten::neg",
            "not" => "aten::__not__",
            "~" => "aten::bitwise_not",
            _ => return of,
        };
        if let (Some(literal), "-") = (of.literal(), operator) {
            // A number with a sign is a number.
            let negative = fold::operator(name, &[known(&of)]);
            let is_number = matches!(literal, Literal::Int(_) | Literal::Float(_));
            if is_number && negative.is_some() {
                return Thing::Value(of.ty(), negative);
            }
        }
        if matches!(operator, "not") && of.ty() == ScriptType::Bool {
            let literal = of.literal().and_then(Literal::truth).map(|value| Literal::Bool(!value));
            return Thing::Value(ScriptType::Bool, literal);
        }
        let given = vec![given(&of, operand.span())];
        self.operator(name, given, (span, None), Spelling::Language)
    }
}

fn constant(value: &Constant, whole: &Expression) -> Thing {
    let ty = match value {
        Constant::None => ScriptType::None,
        Constant::Bool(_) => ScriptType::Bool,
        Constant::Int(_) => ScriptType::Int,
        Constant::Float(_) => ScriptType::Float,
        Constant::Imaginary(_) => ScriptType::Complex,
        Constant::Text(_) => ScriptType::Str,
        Constant::Ellipsis => ScriptType::Unknown,
    };
    Thing::Value(ty, literal_of(whole))
}
