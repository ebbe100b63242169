//! IFRT values. A program among them is a StableHLO artifact in an envelope, so two boundaries have
//! something to say about it.

use std::sync::Arc;

use unskew_core::Party;
use unskew_ifrt::SerializedValue;
use unskew_source::{BytesSource, ReadError, Source};

/// The party in `source`; none if it is no IFRT value with the name of its type.
///
/// # Errors
/// If it is one that is broken, or a program in it is.
pub(crate) fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(mut party) = unskew_ifrt::party(source)? else { return Ok(None) };
    let program = party.capability::<SerializedValue>().and_then(SerializedValue::program);
    let Some(artifact) = program.map(|program| program.artifact().to_vec()) else {
        return Ok(Some(party));
    };
    let inside: Arc<dyn Source> = Arc::new(BytesSource::new(source.name(), artifact));
    let inside = unskew_stablehlo::party(&inside).map_err(|error| error.in_record("artifact"))?;
    if let Some(inside) = inside {
        party.provides.extend(inside.provides);
        party.requires.extend(inside.requires);
        party.facts.extend(inside.facts);
        party.notes.extend(inside.notes);
    }
    Ok(Some(party))
}
