//! The operator versions under which the calls of a model mean what they mean.

use std::sync::Arc;

use unskew_core::{Places, Version};
use unskew_torch_operators::OperatorCall;
use unskew_torch_schemas::matching::GivenArgument;
use unskew_torch_schemas::matching::{GivenValue as Value, Literal};
use unskew_torch_schemas::{FunctionSchema, OperatorHistory, SchemaDefinition};

use super::{VersionNeed, first};
use crate::TorchModel;
use crate::code::TypedUse;
use crate::model::GivenArguments;
use crate::verdict::WriterAnalysis;

/// A call with its schema.
pub(crate) struct VersionedCall {
    /// The schema that its writer meant.
    pub schema: Arc<FunctionSchema>,
    pub given: Vec<GivenArgument>,
    /// The call in words.
    words: String,
    pub places: Places,
}

impl VersionedCall {
    fn because(&self) -> String {
        format!("{} in {}", self.words, first(&self.places))
    }
}

/// The lowest and the highest operator version.
pub(super) fn bounds(
    model: &TorchModel,
    reading: &WriterAnalysis,
    operators: &OperatorHistory,
) -> (VersionNeed, Option<VersionNeed>) {
    let mut lowest = VersionNeed { version: Version::number(0), because: None };
    let mut highest: Option<VersionNeed> = None;
    let registry = unskew_torch_operators::registry();
    let Some(written) = version(model) else { return (lowest, None) };
    for call in versioned(model, &reading.calls, operators) {
        let resolved = OperatorCall { schema: &call.schema, given: &call.given };
        let needs = Version::number(i64::from(registry.needs(resolved, written)));
        if needs > lowest.version {
            lowest = VersionNeed { version: needs, because: Some(call.because()) };
        }
        // What it meant before a change, it means only below that change.
        let historic = registry.historic(&call.schema.full_name(), written);
        if let Some(change) = historic.and_then(|change| change.since.version())
            && change > written
        {
            let version = Version::number(i64::from(change) - 1);
            if highest.as_ref().is_none_or(|known| version < known.version) {
                highest = Some(VersionNeed { version, because: Some(call.because()) });
            }
        }
    }
    (lowest, highest)
}

fn version(model: &TorchModel) -> Option<u32> {
    model.operator_version().and_then(|version| u32::try_from(version).ok())
}

/// Every call whose overload is known and that may run.
pub(crate) fn versioned(
    model: &TorchModel,
    typed: &[TypedUse],
    operators: &OperatorHistory,
) -> Vec<VersionedCall> {
    let mut calls = Vec::new();
    for call in typed.iter().filter(|call| !call.removable) {
        let (Some(meant), Some(binding)) = (&call.meant, &call.binding) else { continue };
        calls.push(VersionedCall {
            schema: meant.schema.clone(),
            given: binding.named(meant, &call.given),
            words: format!("{}({})", call.full_name(), values(&call.given)),
            places: call.places.clone(),
        });
    }
    for (one, known) in &model.uses {
        let GivenArguments::Overload(overload, count) = &one.given else { continue };
        let definitions = operators.named(&one.name);
        let same = definitions.iter().filter(|definition| definition.overload() == overload);
        let Some(schema) = same.last().and_then(SchemaDefinition::schema).cloned() else {
            continue;
        };
        let given = count.map_or(schema.arguments.len(), |count| count as usize);
        let argument = |argument: &unskew_torch_schemas::SchemaArgument| GivenArgument {
            name: argument.name.clone(),
            by_name: argument.keyword_only,
            value: None,
            ty: None,
        };
        let given = schema.arguments.iter().take(given).map(argument).collect();
        let (words, places) = (one.full_name(), known.places.clone());
        calls.push(VersionedCall { schema, given, words, places });
    }
    calls
}

/// The values of a call as a reader knows them: literals as they are, others by their type.
fn values(given: &[Value]) -> String {
    let shown = |one: &Value| {
        let value = match &one.literal {
            Some(Literal::Text(text)) => format!("'{text}'"),
            Some(literal) => literal.to_string(),
            None => one.ty.to_string(),
        };
        one.keyword.as_ref().map_or(value.clone(), |name| format!("{name}={value}"))
    };
    given.iter().map(shown).collect::<Vec<_>>().join(", ")
}
