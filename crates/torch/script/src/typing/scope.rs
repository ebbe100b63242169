//! Scope of a function: what its names stand for, branch by branch.

use std::sync::Arc;

use foldhash::HashMap;
use unskew_torch_schemas::matching::{Literal, ScriptType};

use super::FunctionId;

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A value of a type, and what it is if that stands there.
    Value(ScriptType, Option<Literal>),
    Function(FunctionId),
    Class(Arc<str>),
}

impl Binding {
    pub(super) fn from_type(ty: ScriptType) -> Self {
        Self::Value(ty, None)
    }

    pub(super) fn ty(&self) -> ScriptType {
        match self {
            Self::Value(ty, _) => ty.clone(),
            Self::Function(_) | Self::Class(_) => ScriptType::Unknown,
        }
    }

    pub(super) fn literal(&self) -> Option<&Literal> {
        match self {
            Self::Value(_, literal) => literal.as_ref(),
            Self::Function(_) | Self::Class(_) => None,
        }
    }
}

/// The names that were assigned in one block.
pub(super) type Frame<'p> = HashMap<&'p str, Binding>;

/// The frames of all blocks around a statement.
#[derive(Default)]
pub(super) struct Scope<'p> {
    frames: Vec<Frame<'p>>,
}

impl<'p> Scope<'p> {
    pub(super) fn enter(&mut self) {
        self.frames.push(Frame::default());
    }

    pub(super) fn leave(&mut self) -> Frame<'p> {
        self.frames.pop().unwrap_or_default()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.frames.iter().rev().find_map(|frame| frame.get(name))
    }

    pub(super) fn set(&mut self, name: &'p str, thing: Binding) {
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(name, thing);
        }
    }

    /// Takes over what a block assigned that surely runs.
    pub(super) fn take(&mut self, frame: Frame<'p>) {
        for (name, thing) in frame {
            self.set(name, thing);
        }
    }

    /// Takes over what one of two blocks assigned. `surely` is the block that is known to run.
    pub(super) fn join(&mut self, then: Frame<'p>, otherwise: Frame<'p>, surely: Option<bool>) {
        let mut names: Vec<&'p str> = then.keys().copied().collect();
        names.extend(otherwise.keys().copied().filter(|name| !then.contains_key(name)));
        for name in names {
            let outer = self.get(name).cloned();
            let one = then.get(name).or(outer.as_ref());
            let other = otherwise.get(name).or(outer.as_ref());
            let joined = match (one, other) {
                (Some(one), Some(other)) => both(one, other, surely),
                // Assigned in one of them only: whoever uses it behind knows that this one ran.
                (Some(one), None) | (None, Some(one)) => one.clone(),
                (None, None) => continue,
            };
            self.set(name, joined);
        }
    }

    /// Forgets the values, not the types, of names that a loop assigns.
    pub(super) fn forget(&mut self, names: &[&'p str]) {
        for name in names {
            if let Some(Binding::Value(ty, Some(_))) = self.get(name) {
                let thing = Binding::from_type(ty.clone());
                self.set(name, thing);
            }
        }
    }
}

fn both(one: &Binding, other: &Binding, surely: Option<bool>) -> Binding {
    match (one, other) {
        (Binding::Value(a, x), Binding::Value(b, y)) => {
            let literal = match surely {
                Some(true) => x.clone(),
                Some(false) => y.clone(),
                None if x == y => x.clone(),
                None => None,
            };
            Binding::Value(a.join(b), literal)
        }
        (Binding::Function(a), Binding::Function(b)) if a == b => one.clone(),
        (Binding::Class(a), Binding::Class(b)) if a == b => one.clone(),
        _ => Binding::from_type(ScriptType::Unknown),
    }
}
