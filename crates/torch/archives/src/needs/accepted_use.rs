//! Accepted uses: which releases take which uses of operators.

use std::sync::Arc;

use unskew_core::{Places, Version};
use unskew_definitions::Runs;
use unskew_torch_schemas::matching::TypedSchema;
use unskew_torch_schemas::{OperatorHistory, SchemaDefinition};

use super::{VersionNeed, first};
use crate::code::{TypedUse, builtins};
use crate::model::GivenArguments;
use crate::verdict::WriterAnalysis;
use crate::{OperatorUse, ReleaseCalendar, TorchModel, TorchRelease, VersionStamp, history};

/// One use, and the releases that take it.
pub(super) struct AcceptedUse {
    name: String,
    places: Places,
    /// Whether it may run.
    pub runs: bool,
    /// Nothing if every release takes it.
    by: Option<Vec<Runs>>,
}

impl AcceptedUse {
    fn is_by(&self, release: Version) -> bool {
        self.by.as_ref().is_none_or(|all| all.iter().any(|runs| runs.contains(release)))
    }
}

pub(super) fn uses(
    model: &TorchModel,
    reading: &WriterAnalysis,
    operators: &Arc<OperatorHistory>,
) -> Vec<AcceptedUse> {
    if !reading.calls.is_empty() {
        return reading.calls.iter().map(|call| of_call(model, call, operators)).collect();
    }
    let of_use = |(one, known): (&OperatorUse, &crate::UseLocations)| {
        let definitions = operators.named(&one.name);
        let fits = |definition: &&SchemaDefinition| {
            let schema = || definition.schema();
            let accepts = |shape| schema().is_some_and(|schema| schema.accepts(shape).is_ok());
            match &one.given {
                GivenArguments::Shape(shape) => accepts(shape),
                GivenArguments::Overload(overload, given) => {
                    definition.overload() == overload
                        && schema().is_some_and(|schema| {
                            given.is_none_or(|given| given <= schema.arguments.len() as u64)
                        })
                }
                GivenArguments::Named(overload, shape) => {
                    definition.overload() == overload && accepts(shape)
                }
            }
        };
        // The mobile interpreters of 1.4 to 1.6 have some operators in a registry of their own.
        let early = operators.named(&format!("_{}", one.name));
        let early = early.iter().filter(|_| model.bytecode.as_ref().is_some_and(is_early));
        let fitting = definitions.iter().chain(early).filter(fits);
        AcceptedUse {
            name: one.full_name(),
            places: known.places.clone(),
            runs: true,
            by: Some(fitting.map(|definition| definition.runs.clone()).collect()),
        }
    };
    model.uses.iter().map(of_use).collect()
}

fn is_early(bytecode: &VersionStamp) -> bool {
    bytecode.version.major() == 3
}

fn of_call(model: &TorchModel, call: &TypedUse, operators: &Arc<OperatorHistory>) -> AcceptedUse {
    let takes = |signature: &Arc<TypedSchema>| signature.matches(&call.given, true).is_ok();
    let definitions = operators.named(&call.operator);
    let fitting = definitions.iter().filter(|one| one.fit(&call.given, true).is_some());
    let mut by: Vec<Runs> = fitting.map(|definition| definition.runs.clone()).collect();
    // A release with an upgrader takes what the old schema took.
    let version = model.operator_version().unwrap_or(0);
    let upgraders = history::upgraders_of(&call.operator);
    for upgrader in upgraders.filter(|one| version < one.bumped_at) {
        if TypedSchema::new(upgrader.schema.clone()).matches(&call.given, true).is_ok() {
            by.extend("1.12.1-".parse::<Runs>().ok());
        }
    }
    let everywhere = builtins(&call.operator).any(takes);
    AcceptedUse {
        name: call.full_name(),
        places: call.places.clone(),
        runs: !call.removable,
        by: (!everywhere).then_some(by),
    }
}

/// The lowest release that takes all `uses` and fits by its numbers, and what the one before lacks.
pub(super) fn lowest<'u>(
    operators: &OperatorHistory,
    calendar: &ReleaseCalendar,
    refusal: &dyn Fn(&TorchRelease) -> Option<String>,
    uses: impl Iterator<Item = &'u AcceptedUse> + Clone,
) -> Option<VersionNeed> {
    let row = |version: Version| calendar.releases().iter().find(|row| row.version == version);
    let lacks = |release: Version| uses.clone().find(|one| !one.is_by(release));
    let numbers = |release: Version| match row(release) {
        Some(row) => refusal(row),
        None => Some("is not in the database".to_owned()),
    };
    let mut before: Option<Version> = None;
    for release in operators.releases().iter().copied() {
        if lacks(release).is_none() && numbers(release).is_none() {
            let because = before.map(|before| match lacks(before) {
                Some(one) => {
                    format!("{before} does not take {} in {}", one.name, first(&one.places))
                }
                None => format!("{before} {}", numbers(before).unwrap_or_default()),
            });
            return Some(VersionNeed { version: release, because });
        }
        before = Some(release);
    }
    None
}
