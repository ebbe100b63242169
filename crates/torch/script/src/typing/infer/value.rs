//! Expressions.

use std::sync::Arc;

use unskew_torch_schemas::matching::{GivenValue, Literal, ScriptType};

use super::fold;
use super::walker::{LocatedValue, Walker};
use crate::typing::scope::Binding;
use crate::typing::{AttributeUse, Spelling, literal_of};
use crate::{Expression, LiteralConstant, TextSpan};

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
pub(super) fn known(thing: &Binding) -> GivenValue {
    let ty = thing.ty();
    let literal = match ty {
        ScriptType::None => Some(Literal::None),
        _ => thing.literal().cloned(),
    };
    GivenValue { keyword: None, receiver: false, ty, literal }
}

/// A value as a call gives it, and where it stands.
pub(super) fn given(thing: &Binding, span: TextSpan) -> LocatedValue {
    (known(thing), span)
}

impl<'p> Walker<'p, '_> {
    pub(super) fn value(&mut self, expression: &'p Expression) -> Binding {
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
                Binding::from_type(ScriptType::Unknown)
            }
            Expression::List { items, .. } => self.list(items, expression),
            Expression::Tuple { items, .. } => {
                let things: Vec<Binding> = items.iter().map(|item| self.value(item)).collect();
                let literals: Option<Vec<Literal>> =
                    things.iter().map(|thing| thing.literal().cloned()).collect();
                let literal = literals.and_then(Literal::tuple);
                Binding::Value(ScriptType::tuple(things.iter().map(Binding::ty)), literal)
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

    fn name(&mut self, name: &str, span: TextSpan) -> Binding {
        if let Some(thing) = self.scope.get(name) {
            return thing.clone();
        }
        match name {
            "inf" | "nan" => return Binding::from_type(ScriptType::Float),
            "infj" | "nanj" => return Binding::from_type(ScriptType::Complex),
            _ => {}
        }
        if let Some(function) = self.program.function(name) {
            self.mention(function, span);
            return Binding::Function(function);
        }
        if let Some((name, _)) = self.program.class_of(name) {
            return Binding::Class(name.clone());
        }
        self.fault(span, format!("no such name: {name}"));
        Binding::from_type(ScriptType::Unknown)
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
        span: TextSpan,
    ) -> Binding {
        if let Some(path) = self.global(whole) {
            return self.path(&path, span);
        }
        let receiver = self.value(of);
        self.attribute_of(&receiver, name, span)
    }

    fn path(&mut self, path: &str, span: TextSpan) -> Binding {
        if let Some(function) = self.program.function(path) {
            self.mention(function, span);
            return Binding::Function(function);
        }
        if let Some((name, _)) = self.program.class_of(path) {
            return Binding::Class(name.clone());
        }
        let (of, name) = path.rsplit_once('.').unwrap_or(("", path));
        match of {
            "CONSTANTS" => return Binding::from_type(self.program.constant(name)),
            "torch" if NUMBERS.contains(&name) => return Binding::from_type(ScriptType::Int),
            "math" if matches!(name, "pi" | "e" | "inf" | "nan") => {
                return Binding::from_type(ScriptType::Float);
            }
            _ => {}
        }
        // A value of an enumeration.
        if let Some((class, _)) = self.program.class_of(of) {
            return Binding::from_type(ScriptType::Class(class.clone()));
        }
        // A class that is registered in C++ is described by no code.
        if path.starts_with("__torch__.torch.classes.") {
            return Binding::Class(path.into());
        }
        self.fault(span, format!("no such name: {path}"));
        Binding::from_type(ScriptType::Unknown)
    }

    /// Notes that a declared attribute is read or set.
    pub(super) fn uses(&mut self, class: &Arc<str>, name: &str, span: TextSpan, is_set: bool) {
        if let Some(attributes) = &mut self.found.attributes {
            let (class, name) = (class.clone(), name.to_owned());
            attributes.insert(AttributeUse { record: self.record, span, class, name, is_set });
        }
    }

    /// The type of an attribute, `of.name`.
    pub(super) fn attribute_of(
        &mut self,
        receiver: &Binding,
        name: &str,
        span: TextSpan,
    ) -> Binding {
        match receiver.ty() {
            ScriptType::Tensor if TENSOR_ATTRIBUTES.contains(&name) => {
                let of = given(receiver, span);
                self.operator(&format!("prim::{name}"), vec![of], (span, None), Spelling::Language)
            }
            ScriptType::Class(class) => match self.program.class_of(&class) {
                Some((_, described)) => match described.attribute(name) {
                    Some((ty, literal)) => {
                        self.uses(&class, name, span, false);
                        Binding::Value(ty.clone(), literal.cloned())
                    }
                    None => {
                        // Attributes of modules of 1.1 and 1.2 stand in another record.
                        let partly = described.attributes.is_empty() && described.base.is_empty();
                        if !partly && !described.methods.contains_key(name) {
                            self.fault(span, format!("{class} has no attribute {name}"));
                        }
                        Binding::from_type(ScriptType::Unknown)
                    }
                },
                None => Binding::from_type(ScriptType::Unknown),
            },
            ScriptType::Named(_) => {
                let of = given(receiver, span);
                let known = !self.overloads.candidates_of(&format!("prim::{name}")).is_empty();
                if !known {
                    return Binding::from_type(ScriptType::Unknown);
                }
                self.operator(&format!("prim::{name}"), vec![of], (span, None), Spelling::Language)
            }
            ScriptType::Complex | ScriptType::Tensor => {
                let of = given(receiver, span);
                self.operator(&format!("aten::{name}"), vec![of], (span, None), Spelling::Language)
            }
            _ => Binding::from_type(ScriptType::Unknown),
        }
    }

    fn list(&mut self, items: &'p [Expression], whole: &Expression) -> Binding {
        let mut joined: Option<ScriptType> = None;
        for item in items {
            let ty = self.value(item).ty();
            joined = Some(joined.map_or_else(|| ty.clone(), |joined| joined.join(&ty)));
        }
        // What an empty list holds is said by whoever takes it.
        Binding::Value(ScriptType::list(joined.unwrap_or(ScriptType::Unknown)), literal_of(whole))
    }

    fn dict(&mut self, items: &'p [(Expression, Expression)]) -> Binding {
        let mut joined: Option<(ScriptType, ScriptType)> = None;
        for (key, value) in items {
            let (key, value) = (self.value(key).ty(), self.value(value).ty());
            joined = Some(match joined {
                None => (key, value),
                Some((k, v)) => (k.join(&key), v.join(&value)),
            });
        }
        let (key, value) = joined.unwrap_or((ScriptType::Unknown, ScriptType::Unknown));
        Binding::from_type(ScriptType::dict(key, value))
    }

    fn choice(
        &mut self,
        test: &'p Expression,
        then: &'p Expression,
        otherwise: &'p Expression,
        span: TextSpan,
    ) -> Binding {
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
                Binding::Value(one.ty().join(&other.ty()), literal)
            }
        }
    }

    fn unary(&mut self, operator: &str, operand: &'p Expression, span: TextSpan) -> Binding {
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
                return Binding::Value(of.ty(), negative);
            }
        }
        if matches!(operator, "not") && of.ty() == ScriptType::Bool {
            let literal = of.literal().and_then(Literal::truth).map(|value| Literal::Bool(!value));
            return Binding::Value(ScriptType::Bool, literal);
        }
        let given = vec![given(&of, operand.span())];
        self.operator(name, given, (span, None), Spelling::Language)
    }
}

fn constant(value: &LiteralConstant, whole: &Expression) -> Binding {
    let ty = match value {
        LiteralConstant::None => ScriptType::None,
        LiteralConstant::Bool(_) => ScriptType::Bool,
        LiteralConstant::Int(_) => ScriptType::Int,
        LiteralConstant::Float(_) => ScriptType::Float,
        LiteralConstant::Imaginary(_) => ScriptType::Complex,
        LiteralConstant::Text(_) => ScriptType::Str,
        LiteralConstant::Ellipsis => ScriptType::Unknown,
    };
    Binding::Value(ty, literal_of(whole))
}
