//! Overload resolution: which overload a call means.

use std::sync::Arc;

use super::{
    BoundArgument, CallBinding, GivenValue, Mismatch, OverloadCandidate, ScriptType, TypedSchema,
};
use crate::{FunctionSchema, OperatorHistory};
use foldhash::{HashMap, HashMapExt as _};

/// Where the overloads of an operator are found: the table of a release or a device, or all releases together.
pub trait OverloadSource {
    /// Every overload of `name`, `aten::add`; none if there is no such operator.
    fn overloads(&self, name: &str) -> Vec<OverloadCandidate>;
}

/// All releases together: of each overload its newest schema first, then the older ones.
impl OverloadSource for OperatorHistory {
    fn overloads(&self, name: &str) -> Vec<OverloadCandidate> {
        let definitions = self.named(name);
        let age = |at: &usize| {
            let last = definitions[*at].runs.iter().last();
            std::cmp::Reverse(last.map(|run| (run.until.is_none(), run.until)))
        };
        let mut newest: Vec<usize> = (0..definitions.len()).collect();
        newest.sort_by_cached_key(age);
        newest.into_iter().map(|at| OverloadCandidate::row(&definitions, at)).collect()
    }
}

impl<T: OverloadSource + ?Sized> OverloadSource for &T {
    fn overloads(&self, name: &str) -> Vec<OverloadCandidate> {
        (**self).overloads(name)
    }
}

impl<T: OverloadSource + ?Sized> OverloadSource for Arc<T> {
    fn overloads(&self, name: &str) -> Vec<OverloadCandidate> {
        (**self).overloads(name)
    }
}

/// Schemas that stand alone.
impl OverloadSource for Vec<FunctionSchema> {
    fn overloads(&self, name: &str) -> Vec<OverloadCandidate> {
        let named = self.iter().filter(|schema| schema.name == name);
        named.map(|schema| Arc::new(TypedSchema::new(schema.clone())).into()).collect()
    }
}

/// What is found for a call.
#[derive(Clone, Debug)]
pub enum OverloadChoice {
    /// The overload that it means.
    One(Arc<TypedSchema>, CallBinding),
    /// Several fit equally well, because the type of a value cannot be told.
    Several(Vec<(Arc<TypedSchema>, CallBinding)>),
    /// None fits: each with the reason.
    Misfit(Vec<(Arc<TypedSchema>, Mismatch)>),
    /// No operator of this name.
    Missing,
}

/// The overloads of a table, each made ready once.
pub struct OverloadCache<'t> {
    operators: &'t dyn OverloadSource,
    known: HashMap<String, Arc<[OverloadCandidate]>>,
}

impl<'t> OverloadCache<'t> {
    /// Nothing is looked up before it is asked for.
    pub fn new(operators: &'t dyn OverloadSource) -> Self {
        Self { operators, known: HashMap::new() }
    }

    /// The overloads of one operator.
    pub fn candidates_of(&mut self, name: &str) -> Arc<[OverloadCandidate]> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let all: Arc<[OverloadCandidate]> = self.operators.overloads(name).into();
        self.known.insert(name.to_owned(), all.clone());
        all
    }

    /// The overload that a call means.
    pub fn choose(&mut self, name: &str, given: &[GivenValue]) -> OverloadChoice {
        choose(&self.candidates_of(name), given)
    }
}

/// Overloads that are registered before more special ones: bytecode of PyTorch has `Float.Scalar` for integers.
const FIRST: [(&str, &str); 1] = [("aten::Float", "Scalar")];

/// The overload that a call means, as PyTorch chooses it: the first that takes the values as they are; if
/// there is none, the first that takes them with conversions.
///
/// PyTorch asks overloads in the order in which its libraries register them, which no table shows; special
/// ones stand before general ones there. So here the most special one is taken: the one whose types are
/// subtypes of those of all others that fit.
pub fn choose(overloads: &[OverloadCandidate], given: &[GivenValue]) -> OverloadChoice {
    if overloads.is_empty() {
        return OverloadChoice::Missing;
    }
    let vague = given.iter().any(|one| one.ty.is_vague());
    for conversions in [false, true] {
        let fits = overloads.iter().filter_map(|one| one.fit(given, conversions));
        let mut fits: Vec<FittingOverload<'_>> = fits.collect();
        // The same overload of several releases counts once.
        let mut seen: Vec<&str> = Vec::new();
        fits.retain(|(signature, _)| {
            let overload = signature.schema.overload.as_str();
            let new = !seen.contains(&overload);
            seen.push(overload);
            new || overload.is_empty()
        });
        if fits.is_empty() {
            continue;
        }
        let undecided = vague && fits.len() > 1 && differ(&fits, given);
        if undecided {
            let all = fits.into_iter().map(|(signature, b)| (signature.clone(), b)).collect();
            return OverloadChoice::Several(all);
        }
        let best = most_special(&fits);
        let (signature, binding) = fits.swap_remove(best);
        return OverloadChoice::One(signature.clone(), binding);
    }
    let reason = |one: &OverloadCandidate| {
        let signature = one.signature()?;
        Some((signature.clone(), signature.matches(given, true).err()?))
    };
    OverloadChoice::Misfit(overloads.iter().filter_map(reason).collect())
}

/// An overload that fits, with what the values stand for.
type FittingOverload<'o> = (&'o Arc<TypedSchema>, CallBinding);

/// Whether a value that cannot be told stands where the overloads want different types.
fn differ(fits: &[FittingOverload<'_>], given: &[GivenValue]) -> bool {
    given.iter().enumerate().filter(|(_, one)| one.ty.is_vague()).any(|(place, _)| {
        let wants = wanted(&fits[0], place);
        fits.iter().any(|other| wanted(other, place) != wants)
    })
}

/// The type that an overload wants of the value at `place`.
fn wanted((signature, binding): &FittingOverload<'_>, place: usize) -> Option<ScriptType> {
    let at = binding.arguments.iter().position(|bound| *bound == BoundArgument::Given(place))?;
    binding.formal(signature, at)
}

fn most_special(fits: &[FittingOverload<'_>]) -> usize {
    let is_first = |fit: &FittingOverload<'_>| {
        FIRST.contains(&(fit.0.schema.name.as_str(), fit.0.schema.overload.as_str()))
    };
    if let Some(first) = fits.iter().position(is_first) {
        return first;
    }
    let mut best = 0;
    for at in 1..fits.len() {
        if is_more_special(&fits[at], &fits[best]) {
            best = at;
        }
    }
    best
}

/// Whether one binding wants subtypes of what the other wants, and something more special somewhere; of two
/// that want the same, the one that leaves fewer arguments to defaults.
fn is_more_special(one: &FittingOverload<'_>, other: &FittingOverload<'_>) -> bool {
    let defaults = |binding: &CallBinding| {
        binding.arguments.iter().filter(|bound| **bound == BoundArgument::Default).count()
    };
    let mut strictly = false;
    for (at, bound) in one.1.arguments.iter().enumerate() {
        let BoundArgument::Given(place) = bound else { continue };
        let (Some(a), Some(b)) = (one.1.formal(one.0, at), wanted(other, *place)) else { continue };
        if !a.is_subtype_of(&b) {
            return false;
        }
        strictly |= !b.is_subtype_of(&a);
    }
    // Of one overload in several releases the newest stands first.
    let same = one.0.schema.overload == other.0.schema.overload;
    strictly || !same && defaults(&one.1) < defaults(&other.1)
}
