//! TensorFlow, its Keras and TensorFlow.js in the table of boundaries: checkpoints, shards and conversion.

use std::sync::Arc;

use unskew_core::Party;
use unskew_keras::KerasRelease;
use unskew_source::{ReadError, Source};
use unskew_tensorflow::TensorFlowRuntime;

use super::Planned;
use crate::convert::{ConvertOptions, one_file};
use crate::neighbourhood::Neighbourhood;
use crate::{Content, PlannedConversion};

/// The checkpoint of a graph, the data files of a checkpoint.
pub(super) fn beside(party: Party, around: &Neighbourhood<'_>) -> Result<Party, ReadError> {
    if !around.is_known() {
        return Ok(party);
    }
    let name = around.source.name();
    unskew_tensorflow::with_what_lies_beside(party, name, &|name| around.open(name))
}

/// The tensors of a checkpoint and their checksums.
pub(super) fn verify(
    party: Party,
    around: &Neighbourhood<'_>,
    asked: bool,
) -> Result<Party, ReadError> {
    if !around.is_known() {
        return Ok(party);
    }
    unskew_tensorflow::with_data(party, around.source, &|name| around.open(name), asked)
}

/// Which releases may have written a graph that does not say so.
pub(super) fn infer(mut party: Party) -> Party {
    let history = unskew_releases::tensorflow::history();
    let facts = history.map(|history| unskew_tensorflow::producer_facts(&party, history));
    party.facts.extend(facts.into_iter().flatten());
    party
}

pub(super) fn convert(content: &Content, target: &Party, options: &ConvertOptions) -> Planned {
    let Some(runtime) = target.capability::<TensorFlowRuntime>() else { return Ok(None) };
    let lossy =
        unskew_tensorflow::GraphConvertOptions::LOSSY.iter().any(|name| options.allows(name));
    let options =
        unskew_tensorflow::GraphConvertOptions { lossy, versions: options.versions.clone() };
    let converted = match content {
        Content::File(part) => unskew_tensorflow::convert(&part.source, runtime, &options)?,
        Content::Folder { parts, .. } => {
            let files: Vec<(String, Arc<dyn Source>)> =
                parts.iter().map(|part| (part.name.clone(), part.source.clone())).collect();
            unskew_tensorflow::convert_saved_model(&files, runtime, &options)?
        }
    };
    Ok(converted.map(PlannedConversion::from))
}

/// A release of TensorFlow has a Keras too, and what it reads is converted for that.
pub(super) fn convert_keras(
    content: &Content,
    target: &Party,
    options: &ConvertOptions,
) -> Planned {
    let (Some(keras), Some(source)) = (target.capability::<KerasRelease>(), one_file(content))
    else {
        return Ok(None);
    };
    let options =
        unskew_keras::KerasConvertOptions { uncompiled: options.allows(unskew_keras::UNCOMPILED) };
    Ok(unskew_keras::convert(source, keras, options)?.map(PlannedConversion::from))
}

/// The shards of the weights of a TensorFlow.js model.
pub(super) fn shards(party: Party, around: &Neighbourhood<'_>) -> Result<Party, ReadError> {
    if !around.is_known() {
        return Ok(party);
    }
    Ok(unskew_tfjs::with_shards(party, &|name| around.open(name)))
}
