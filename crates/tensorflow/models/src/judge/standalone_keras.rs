//! Files of TensorFlow against a Keras that was named without a TensorFlow.

use unskew_core::{Judgement, Unjudged, Version, aspect};

use crate::read::TensorFlowFileKind;
use crate::{GraphFile, rules};

/// The first Keras that reads no SavedModels.
const READS_NONE: Version = Version::pair(3, 0);

/// A release of Keras by itself. A capability of its party.
#[derive(Clone, Debug)]
pub struct StandaloneKeras {
    /// How messages name it: `Keras 3.15.1`.
    pub name: String,
    /// Its version.
    pub version: Version,
}

/// What `keras.models.load_model` makes of a file with graphs; none if it is no SavedModel.
pub(super) fn judge(file: &GraphFile, keras: &StandaloneKeras) -> Option<Judgement> {
    if file.kind != TensorFlowFileKind::SavedModel {
        return None;
    }
    let mut judgement = Judgement::default();
    if keras.version >= READS_NONE {
        let finding = rules::KerasReadsNoSavedModel { consumer: &keras.name }.finding();
        judgement.findings.push(finding.with_symptom("File format not supported"));
        return Some(judgement);
    }
    let reason = format!(
        "{} reads SavedModels with the TensorFlow that is installed beside it: name that release",
        keras.name
    );
    judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, reason));
    Some(judgement)
}

/// A checkpoint, of which no Keras makes a model.
pub(super) fn checkpoint(keras: &StandaloneKeras) -> Judgement {
    let reason = format!("a checkpoint is read by TensorFlow, and not by {} alone", keras.name);
    let unjudged = vec![Unjudged::new(aspect::CONTENTS, reason)];
    Judgement { unjudged, ..Judgement::default() }
}
