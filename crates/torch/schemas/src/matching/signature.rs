//! A schema, made ready to be held against many calls.

use std::sync::Arc;

use super::unify::Unifier;
use super::{Literal, ScriptType};
use crate::{FunctionSchema, Misfit};

/// Overloads that the loader never takes, because a call cannot tell them from another: the element type of
/// `view` is an integer as its size is, and the outputs of `max` and `min` look like a second operand.
const NEVER: [(&str, &str); 3] =
    [("aten::view", "dtype"), ("aten::max", "unary_out"), ("aten::min", "unary_out")];

/// One value that a call gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenValue {
    /// The parameter, if it is given by name.
    pub keyword: Option<String>,
    /// Whether it is what a method is called on, which is the argument `self`.
    pub receiver: bool,
    /// The type that its values have.
    pub ty: ScriptType,
    /// Its value, if that stands there.
    pub literal: Option<Literal>,
}

impl GivenValue {
    /// A value by place, of which no more is known than its type.
    pub fn from_type(ty: ScriptType) -> Self {
        Self { keyword: None, receiver: false, ty, literal: None }
    }
}

/// What stands for an argument of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundArgument {
    /// The value at this place of [`GivenValue`]s.
    Given(usize),
    /// All values by place from this one on, as a list.
    Rest(usize),
    /// Nothing is given: the default counts.
    Default,
}

/// A call that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallBinding {
    /// For each argument of the schema what stands for it.
    pub arguments: Vec<BoundArgument>,
    /// The type that the call gives.
    pub returns: ScriptType,
    /// What the type variables of the schema stand for.
    types: Unifier,
}

impl CallBinding {
    /// The type of an argument of the signature that was bound, with variables replaced.
    pub(super) fn formal(&self, signature: &TypedSchema, at: usize) -> Option<ScriptType> {
        signature.arguments.get(at).map(|ty| self.types.replace(ty))
    }
}

/// Why a call does not fit a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The number or the names of the arguments do not fit.
    #[error("{0}")]
    Shape(Misfit),
    /// The type of an argument does not fit.
    #[error("{argument} is {has}, takes {wants}")]
    Type {
        /// The name of the argument in the schema.
        argument: String,
        /// The type that the call gives.
        has: ScriptType,
        /// The type that the schema takes.
        wants: ScriptType,
    },
    /// The loader never takes this overload.
    #[error("an overload that is never taken")]
    Never,
}

/// A schema with its types as values have them.
#[derive(Clone, Debug)]
pub struct TypedSchema {
    /// The schema that the call is held against.
    pub schema: Arc<FunctionSchema>,
    arguments: Vec<ScriptType>,
    returns: ScriptType,
    never: bool,
}

impl TypedSchema {
    /// A schema, made ready.
    pub fn new(schema: impl Into<Arc<FunctionSchema>>) -> Self {
        let schema = schema.into();
        let arguments = schema.arguments.iter().map(|one| ScriptType::from(&one.ty)).collect();
        let returns = match schema.returns.as_slice() {
            _ if schema.variadic_returns => ScriptType::Unknown,
            [] => ScriptType::None,
            [one] => ScriptType::from(&one.ty),
            many => ScriptType::tuple(many.iter().map(|one| ScriptType::from(&one.ty))),
        };
        let never = NEVER.contains(&(schema.name.as_str(), schema.overload.as_str()));
        Self { schema, arguments, returns, never }
    }

    /// Whether the values fit; with `conversions`, if need be by converting them: a tensor to a number, an
    /// integer to a float, a text to a device, values by place to a list.
    ///
    /// # Errors
    /// The first [`Mismatch`].
    pub fn matches(
        &self,
        given: &[GivenValue],
        conversions: bool,
    ) -> Result<CallBinding, Mismatch> {
        if self.never {
            return Err(Mismatch::Never);
        }
        let mut matching =
            SignatureMatch { signature: self, given, conversions, types: Unifier::default() };
        matching.run()
    }
}

struct SignatureMatch<'m> {
    signature: &'m TypedSchema,
    given: &'m [GivenValue],
    conversions: bool,
    types: Unifier,
}

impl SignatureMatch<'_> {
    fn run(&mut self) -> Result<CallBinding, Mismatch> {
        let schema = &self.signature.schema;
        let mut places = (0..self.given.len())
            .filter(|at| self.given[*at].keyword.is_none() && !self.given[*at].receiver)
            .peekable();
        let mut receiver = self.given.iter().position(|one| one.receiver);
        let has_keywords = self.given.iter().any(|one| one.keyword.is_some());
        let mut arguments = Vec::with_capacity(schema.arguments.len());
        let mut used = 0;
        for (at, argument) in schema.arguments.iter().enumerate() {
            let named = || {
                let mut given = self.given.iter().filter(|_| has_keywords);
                given.position(|one| one.keyword.as_ref() == Some(&argument.name))
            };
            let bound = if argument.name == "self" && receiver.is_some() {
                receiver.take().map_or(BoundArgument::Default, BoundArgument::Given)
            } else if let Some(place) = places.peek().copied().filter(|_| !argument.keyword_only) {
                if named().is_some() {
                    return Err(Mismatch::Shape(Misfit::GivenTwice(argument.name.clone())));
                }
                if self.takes_the_rest(at, place) {
                    places.by_ref().for_each(drop);
                    BoundArgument::Rest(place)
                } else {
                    places.next();
                    BoundArgument::Given(place)
                }
            } else if let Some(place) = named() {
                used += 1;
                BoundArgument::Given(place)
            } else if argument.default.is_some() {
                BoundArgument::Default
            } else {
                return Err(Mismatch::Shape(Misfit::Missing(argument.name.clone())));
            };
            self.hold(at, bound)?;
            arguments.push(bound);
        }
        self.leftovers(places.count(), receiver, used)?;
        let returns = self.types.replace(&self.signature.returns);
        Ok(CallBinding { arguments, returns, types: std::mem::take(&mut self.types) })
    }

    /// What the call gives and the schema has no argument for.
    fn leftovers(
        &self,
        places: usize,
        receiver: Option<usize>,
        used: usize,
    ) -> Result<(), Mismatch> {
        let schema = &self.signature.schema;
        if schema.variadic {
            return Ok(());
        }
        if places > 0 || receiver.is_some() {
            let given = self.given.iter().filter(|one| one.keyword.is_none()).count();
            let taken = schema.arguments.iter().filter(|one| !one.keyword_only).count();
            return Err(Mismatch::Shape(Misfit::TooMany { given, taken }));
        }
        let keywords = || self.given.iter().filter_map(|one| one.keyword.as_ref());
        if keywords().count() > used {
            let knows = |name: &&String| schema.arguments.iter().any(|one| one.name == **name);
            let unknown = keywords().find(|name| !knows(name)).cloned().unwrap_or_default();
            return Err(Mismatch::Shape(Misfit::UnknownKeyword(unknown)));
        }
        Ok(())
    }

    /// Whether the values from `place` on are the items of a list: `torch.zeros(2, 3)`.
    fn takes_the_rest(&self, at: usize, place: usize) -> bool {
        let schema = &self.signature.schema;
        let last = schema.arguments.get(at + 1).is_none_or(|next| next.keyword_only);
        let open = schema.arguments[at].ty.is_open_list();
        let ScriptType::List(item) = &self.signature.arguments[at] else { return false };
        let is_list = match &self.given[place].ty {
            ScriptType::List(_) | ScriptType::Unknown => true,
            ScriptType::Tuple(items) => items.iter().all(|one| one.is_subtype_of(item)),
            _ => false,
        };
        self.conversions && last && open && !item.is_generic() && !is_list
    }

    fn hold(&mut self, at: usize, bound: BoundArgument) -> Result<(), Mismatch> {
        let wants = &self.signature.arguments[at];
        match bound {
            BoundArgument::Default => Ok(()),
            BoundArgument::Given(place) => {
                let size = self.signature.schema.arguments[at].ty.list_size();
                self.hold_one(at, place, wants, size)
            }
            BoundArgument::Rest(place) => {
                let ScriptType::List(item) = wants else { return Ok(()) };
                let rest = place..self.given.len();
                let mut places = rest.filter(|at| self.given[*at].keyword.is_none());
                places.try_for_each(|place| self.hold_one(at, place, item, None))
            }
        }
    }

    fn hold_one(
        &mut self,
        at: usize,
        place: usize,
        wants: &ScriptType,
        size: Option<u64>,
    ) -> Result<(), Mismatch> {
        let has = &self.given[place].ty;
        if self.types.fits(has, wants, size, self.conversions) {
            return Ok(());
        }
        let argument = self.signature.schema.arguments[at].name.clone();
        let wants = self.types.replace(wants);
        Err(Mismatch::Type { argument, has: has.clone(), wants })
    }
}
