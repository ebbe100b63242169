//! Unification: whether a value of one type may stand where another is wanted, type variables included.

use std::sync::Arc;

use super::ScriptType;
use super::ScriptType::{
    Bool, Complex, Dict, Float, Int, List, None as NoneType, Number, Optional, Str, Tensor, Tuple,
    Unknown, Variable,
};

/// What the type variables of one schema stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unifier {
    variables: Vec<(Arc<str>, ScriptType)>,
}

impl Unifier {
    /// Whether a value of type `has` fits an argument of type `wants`; `size` is the length of a list of
    /// fixed length, for which one number may stand.
    pub(super) fn fits(
        &mut self,
        has: &ScriptType,
        wants: &ScriptType,
        size: Option<u64>,
        conversions: bool,
    ) -> bool {
        let inner = unwrapped(wants);
        if let (List(item), Some(_)) = (inner, size)
            && matches!(has, Int | Float)
            && **item == *has
        {
            return true;
        }
        if !wants.is_generic() {
            return converts(has, wants, conversions);
        }
        self.bind(wants, has) && converts(has, &self.replace(wants), conversions)
    }

    /// Finds types for the variables of `wants` so that `has` is of it.
    fn bind(&mut self, wants: &ScriptType, has: &ScriptType) -> bool {
        match (wants, has) {
            (_, Unknown) => true,
            (Variable(name), _) => {
                match self.variables.iter_mut().find(|(known, _)| known == name) {
                    None => self.variables.push((name.clone(), has.clone())),
                    Some((_, known)) => {
                        let joined = known.join(has);
                        if matches!(joined, ScriptType::Union(_)) {
                            return false;
                        }
                        *known = joined;
                    }
                }
                true
            }
            (List(wants), List(has)) => self.bind(wants, has),
            (List(wants), Tuple(items)) => items.iter().all(|has| self.bind(wants, has)),
            (Optional(wants), Optional(has)) => self.bind(wants, has),
            (Optional(_), NoneType) => true,
            (Optional(wants), has) => self.bind(wants, has),
            (Dict(wants), Dict(has)) => self.bind(&wants.0, &has.0) && self.bind(&wants.1, &has.1),
            (Tuple(wants), Tuple(has)) => {
                wants.len() == has.len()
                    && wants.iter().zip(has.iter()).all(|(wants, has)| self.bind(wants, has))
            }
            (ScriptType::Applied(a, wants), ScriptType::Applied(b, has)) => {
                a == b
                    && wants.len() == has.len()
                    && wants.iter().zip(has.iter()).all(|(wants, has)| self.bind(wants, has))
            }
            // Without a variable: whether it fits is seen later.
            (wants, _) => !wants.is_generic(),
        }
    }

    /// The type with its variables replaced; one that stands for nothing cannot be told.
    pub(super) fn replace(&self, ty: &ScriptType) -> ScriptType {
        if !ty.is_generic() {
            return ty.clone();
        }
        match ty {
            Variable(name) => {
                let known = self.variables.iter().find(|(known, _)| known == name);
                known.map_or(Unknown, |(_, ty)| ty.clone())
            }
            List(item) => ScriptType::list(self.replace(item)),
            Optional(inner) => ScriptType::optional(self.replace(inner)),
            Dict(pair) => ScriptType::dict(self.replace(&pair.0), self.replace(&pair.1)),
            Tuple(items) => ScriptType::tuple(items.iter().map(|item| self.replace(item))),
            ScriptType::Union(all) => ScriptType::union(all.iter().map(|one| self.replace(one))),
            ScriptType::Applied(name, all) => {
                ScriptType::applied(name, all.iter().map(|one| self.replace(one)))
            }
            other => other.clone(),
        }
    }
}

fn unwrapped(ty: &ScriptType) -> &ScriptType {
    match ty {
        Optional(inner) => inner,
        other => other,
    }
}

/// Whether a value of type `has` is of type `wants`, or becomes it: tuples become lists, and with
/// `conversions` tensors become numbers, numbers other numbers, texts devices.
pub fn converts(has: &ScriptType, wants: &ScriptType, conversions: bool) -> bool {
    if has.is_subtype_of(wants) {
        return true;
    }
    let inner = unwrapped(wants);
    match (has, inner) {
        (Tuple(items), List(item)) => items.iter().all(|has| has.is_subtype_of(item)),
        (Tuple(has), Tuple(wants)) => {
            has.len() == wants.len()
                && has.iter().zip(wants.iter()).all(|(a, b)| converts(a, b, conversions))
        }
        _ if !conversions => false,
        // Lists of tensors were taken for lists of optional ones before these had a type of their own.
        (List(has), List(item)) => {
            **has == Tensor && matches!(&**item, Optional(t) if **t == Tensor)
        }
        (Tensor, Int | Float | Complex | Number) => true,
        (Number, Int | Float | Complex) | (Int, Float | Complex) | (Float, Complex) => true,
        (Bool, Int | Float | Number) => true,
        (Str, ScriptType::Named(name)) => &**name == "Device",
        _ => false,
    }
}
