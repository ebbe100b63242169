//! Type refinement: what a condition says about the types of names, `x is None`, `isinstance(x, int)`.

use unskew_torch_schemas::matching::ScriptType;

use super::fold::never_or_always_none;
use super::walker::Walker;
use crate::typing::annotation;
use crate::typing::scope::Binding;
use crate::{CallExpression, Expression, LiteralConstant};

impl<'p> Walker<'p, '_> {
    /// Narrows the types of names where `test` is `holds`.
    pub(super) fn refine(&mut self, test: &'p Expression, holds: bool) {
        match test {
            Expression::Unary { operator: "not", operand, .. } => self.refine(operand, !holds),
            Expression::Binary { operator, left, right, .. } => match (*operator, holds) {
                ("and", true) | ("or", false) => {
                    self.refine(left, holds);
                    self.refine(right, holds);
                }
                ("is", _) if is_none(right) => self.none(left, holds),
                ("is not", _) if is_none(right) => self.none(left, !holds),
                _ => {}
            },
            Expression::Call(call) => {
                if let Some((name, types)) = instance_test(call) {
                    self.instance(name, &types, holds);
                }
            }
            _ => {}
        }
    }

    fn none(&mut self, of: &'p Expression, is: bool) {
        let Expression::Name(name) = of else { return };
        let Some(Binding::Value(ty, literal)) = self.scope.get(&name.text).cloned() else { return };
        let ty = if is { ScriptType::None } else { ty.without_none() };
        self.scope.set(&name.text, Binding::Value(ty, literal));
    }

    fn instance(&mut self, name: &'p str, types: &[ScriptType], is: bool) {
        let Some(Binding::Value(ty, literal)) = self.scope.get(name).cloned() else { return };
        let ty = if is {
            ScriptType::union(types.iter().cloned())
        } else if let ScriptType::Union(members) = &ty {
            let left = |member: &&ScriptType| !types.iter().any(|t| member.is_subtype_of(t));
            ScriptType::union(members.iter().filter(left).cloned())
        } else {
            ty
        };
        self.scope.set(name, Binding::Value(ty, literal));
    }

    /// Whether the types alone decide a condition, so that the loader reads one branch only.
    pub(super) fn decided(&self, test: &Expression) -> Option<bool> {
        match test {
            Expression::Unary { operator: "not", operand, .. } => {
                self.decided(operand).map(|is| !is)
            }
            Expression::Binary { operator, left, right, .. } => match *operator {
                "is" if is_none(right) => self.is_none(left),
                "is not" if is_none(right) => self.is_none(left).map(|is| !is),
                "and" => match (self.decided(left), self.decided(right)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                },
                "or" => match (self.decided(left), self.decided(right)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                },
                _ => None,
            },
            Expression::Call(call) => {
                let (name, types) = instance_test(call)?;
                let ty = self.scope.get(name)?.ty();
                if ty.is_vague() || matches!(ty, ScriptType::Any) {
                    return None;
                }
                let is = |t: &ScriptType| ty.is_subtype_of(t) && ty != ScriptType::Number;
                if types.iter().any(is) {
                    return Some(true);
                }
                let may = types.iter().any(|t| t.is_subtype_of(&ty));
                (!may && !matches!(ty, ScriptType::Union(_) | ScriptType::Optional(_)))
                    .then_some(false)
            }
            _ => None,
        }
    }

    fn is_none(&self, of: &Expression) -> Option<bool> {
        let Expression::Name(name) = of else { return None };
        never_or_always_none(&self.scope.get(&name.text)?.ty())
    }
}

fn is_none(expression: &Expression) -> bool {
    matches!(expression, Expression::Constant { value: LiteralConstant::None, .. })
}

/// The name and the types of `isinstance(x, (int, float))`.
pub(super) fn instance_test(call: &CallExpression) -> Option<(&str, Vec<ScriptType>)> {
    let Expression::Name(callee) = &call.function else { return None };
    if callee.text != "isinstance" {
        return None;
    }
    let [tested, types] = call.arguments.as_slice() else { return None };
    let Expression::Name(name) = &tested.value else { return None };
    let all = match &types.value {
        Expression::Tuple { items, .. } | Expression::List { items, .. } => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    Some((&name.text, all.iter().map(annotation::type_of).collect::<Option<_>>()?))
}
