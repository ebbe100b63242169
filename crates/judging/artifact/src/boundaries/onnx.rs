//! ONNX models in the table of boundaries: their external data and Triton's configuration beside them, and conversion.

use std::sync::Arc;

use unskew_core::Party;
use unskew_onnx::{NeighbourFile, OnnxRelease, OnnxTarget};
use unskew_source::{ReadError, Source};

use super::Planned;
use crate::convert::ConvertOptions;
use crate::neighbourhood::Neighbourhood;
use crate::neighbours::Links;
use crate::{Content, PlannedConversion};

pub(super) fn beside(party: Party, around: &Neighbourhood<'_>) -> Result<Party, ReadError> {
    if !around.is_known() {
        return Ok(unskew_onnx::with_external_data(party, None));
    }
    let neighbour = |name: &str| {
        let size = around.open(name)?.size();
        let Links { link, outside } = around.links(name);
        Some(NeighbourFile { size, link, outside })
    };
    let party = unskew_onnx::with_external_data(party, Some(&neighbour));
    unskew_onnx::with_triton(party, &around.path(), &|name| around.open(name))
}

/// A number (`onnx-opset@11`) is a goal of its own; a release is one by what it accepts.
pub(super) fn convert(content: &Content, target: &Party, _: &ConvertOptions) -> Planned {
    let release = target.capability::<OnnxRelease>().map(OnnxTarget::for_release);
    let goal = target.capability::<OnnxTarget>().cloned().or(release);
    let (Some(goal), Content::File(part)) = (goal, content) else { return Ok(None) };
    let neighbours = part.neighbours();
    let beside = |name: &str| {
        let files = neighbours.as_ref()?;
        if files.links(name).outside { None } else { files.open(name) }
    };
    Ok(unskew_onnx::convert_beside(&part.source, &goal, &beside)?.map(PlannedConversion::from))
}

/// The reduced build of ONNX Runtime that a configuration asks for; none if it is no configuration.
///
/// # Errors
/// If it is one, and is broken.
pub(super) fn reduced_build(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(schemas) = unskew_releases::onnx::schemas() else { return Ok(None) };
    let build = unskew_onnx::reduced_build(&**source, &schemas)?;
    Ok(build.map(|build| build.party()))
}
