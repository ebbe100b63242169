//! PyTorch archives in the table of boundaries.

use unskew_core::Party;
use unskew_source::Source;
use unskew_torch::TorchRuntime;

use std::sync::Arc;

use super::Planned;
use crate::convert::{ConvertOptions, one_file};
use crate::{Content, PlannedConversion};

/// The lowest operator version, file format and release that can run a program.
pub(super) fn infer(mut party: Party) -> Party {
    if let Some((operators, calendar)) = unskew_releases::torch::database() {
        let needs = unskew_torch::needs_facts(&party, operators, calendar);
        party.facts.extend(needs);
    }
    party
}

pub(super) fn convert(content: &Content, target: &Party, options: &ConvertOptions) -> Planned {
    let (Some(runtime), Some(source)) = (target.capability::<TorchRuntime>(), one_file(content))
    else {
        return Ok(None);
    };
    let writer = options.written_by.and_then(|one| unskew_releases::torch::runtime(one.row()));
    let written_by = writer.map(|writer| writer.release.version);
    let options = unskew_torch::TorchConvertOptions { written_by, verify: options.verify };
    let converted = unskew_torch::convert_with_origin(source, runtime, &options)?;
    Ok(converted.map(|(plan, output, origin)| PlannedConversion {
        plan,
        output,
        // What wrote the original decides what its calls mean, and the result does not show it.
        read_again: Some(Box::new(move |source: &Arc<dyn Source>| {
            unskew_torch::party_converted(source, &origin)
        })),
    }))
}
