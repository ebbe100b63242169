//! A checkpoint against a release.

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Places};

use super::versions;
use crate::TensorFlowRuntime;
use crate::read::Checkpoint;

/// Judges the header of a checkpoint against a release.
pub struct CheckpointMatcher(pub Arc<Checkpoint>);

impl Matcher for CheckpointMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if let Some(keras) = other.capability::<super::StandaloneKeras>() {
            return Some(super::standalone_keras::checkpoint(keras));
        }
        let runtime = other.capability::<TensorFlowRuntime>()?;
        let found = &self.0.versions;
        let finding = found.accepted_by(runtime.checkpoint).err().map(|refusal| {
            versions::refused("Checkpoint", found, runtime.checkpoint, refusal, runtime.version)
                .at(Places::from_iter(["checkpoint header"]))
        });
        Some(Judgement { findings: finding.into_iter().collect(), ..Judgement::default() })
    }
}
