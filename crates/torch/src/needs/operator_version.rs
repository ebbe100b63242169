//! The operator versions under which the calls of a model mean what they mean.

use unskew_core::Version;
use unskew_ops::typing::{Given as Value, Literal};
use unskew_ops::{Given as Argument, OperatorHistory, ResolvedCall, Schema};

use super::{Need, first};
use crate::model::Given;
use crate::verdict::Reading;
use crate::{Model, history};

/// A call with its schema, in words with its place.
struct Versioned {
    schema: Schema,
    given: Vec<Argument>,
    words: String,
}

/// The lowest and the highest operator version.
pub(super) fn bounds(
    model: &Model,
    reading: &Reading,
    operators: &OperatorHistory,
) -> (Need, Option<Need>) {
    let mut lowest = Need { version: Version::number(0), because: None };
    let mut highest: Option<Need> = None;
    let (Some(registry), Some(written)) = (history::registry(), version(model)) else {
        return (lowest, None);
    };
    for call in calls(model, reading, operators) {
        let resolved = ResolvedCall { schema: &call.schema, given: &call.given };
        let needs = Version::number(i64::from(registry.needs(resolved, written)));
        if needs > lowest.version {
            lowest = Need { version: needs, because: Some(call.words.clone()) };
        }
        // What it meant before a change, it means only below that change.
        let historic = registry.historic(&call.schema.full_name(), written);
        if let Some(change) = historic.and_then(|change| change.since.version())
            && change > written
        {
            let version = Version::number(i64::from(change) - 1);
            if highest.as_ref().is_none_or(|known| version < known.version) {
                highest = Some(Need { version, because: Some(call.words) });
            }
        }
    }
    (lowest, highest)
}

fn version(model: &Model) -> Option<u32> {
    model.operator_version().and_then(|version| u32::try_from(version).ok())
}

fn calls(model: &Model, reading: &Reading, operators: &OperatorHistory) -> Vec<Versioned> {
    let mut calls = Vec::new();
    for call in reading.calls.iter().filter(|call| !call.removable) {
        let (Some(meant), Some(binding)) = (&call.meant, &call.binding) else { continue };
        calls.push(Versioned {
            schema: meant.schema.clone(),
            given: binding.named(meant, &call.given),
            words: format!(
                "{}({}) in {}",
                call.full_name(),
                values(&call.given),
                first(&call.places)
            ),
        });
    }
    for (one, known) in &model.uses {
        let Given::Overload(overload, count) = &one.given else { continue };
        let definitions = operators.named(&one.name);
        let same = definitions.iter().filter(|definition| definition.schema.overload == *overload);
        let Some(definition) = same.last() else { continue };
        let schema = definition.schema.clone();
        let given = count.map_or(schema.arguments.len(), |count| count as usize);
        let argument = |argument: &unskew_ops::Argument| Argument {
            name: argument.name.clone(),
            by_name: argument.keyword_only,
            value: None,
            ty: None,
        };
        let given = schema.arguments.iter().take(given).map(argument).collect();
        let words = format!("{} in {}", one.full_name(), first(&known.places));
        calls.push(Versioned { schema, given, words });
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
