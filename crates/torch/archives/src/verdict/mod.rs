//! Matcher of a file and a release, beyond the numbers.

mod behaviour;
mod calls;
mod device;
mod load;
mod measured_changes;
pub(crate) mod numpy_modules;
mod operators;
mod pair;
mod pickled;
mod prepacked_weights;
mod promise;
mod replaced;
mod silent_changes;
pub(crate) mod strict_loader;
mod tensor_files;
mod unjudged;
mod writer;

use std::sync::{Arc, OnceLock};

use unskew_core::{Context, Judgement, Matcher, Party};
use unskew_torch_schemas::OperatorHistory;

use crate::{TorchFormat, TorchModel, TorchRuntime};
pub(crate) use calls::is_packed_by_loader;
use pair::FileAndRelease;
pub(crate) use writer::WriterAnalysis;

/// Judges one aspect of a file and a release.
type JudgeAspect = fn(&FileAndRelease<'_>) -> Judgement;

/// Everything that is judged of a file and a release.
const ASPECTS: [JudgeAspect; 12] = [
    load::judge,
    calls::judge,
    operators::judge,
    silent_changes::judge,
    behaviour::judge,
    measured_changes::judge,
    replaced::judge,
    unjudged::judge,
    prepacked_weights::judge,
    device::judge,
    promise::judge,
    tensor_files::judge,
];

/// What is judged of a file that the release refuses by its form.
const REFUSED_ASPECTS: [JudgeAspect; 2] = [load::judge, promise::judge];

/// Judges one file against a release.
pub(crate) struct ArchiveMatcher {
    model: Arc<TorchModel>,
    /// The file by the tables of this history: the same for every release of it.
    reading: OnceLock<(Arc<OperatorHistory>, Arc<WriterAnalysis>)>,
}

impl ArchiveMatcher {
    pub(crate) fn new(model: Arc<TorchModel>) -> Self {
        Self { model, reading: OnceLock::new() }
    }

    fn reading(&self, history: &Arc<OperatorHistory>) -> Arc<WriterAnalysis> {
        let read = || (history.clone(), Arc::new(WriterAnalysis::new(&self.model, history)));
        let (known, reading) = self.reading.get_or_init(read);
        if Arc::ptr_eq(known, history) { reading.clone() } else { read().1 }
    }
}

impl Matcher for ArchiveMatcher {
    fn judge(&self, owner: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime: &TorchRuntime = other.capability()?;
        let reading = self.reading(runtime.operators.history());
        let pair = FileAndRelease {
            file: &owner.name,
            model: &self.model,
            producer: &reading.producer,
            calls: &reading.calls,
            beside: &reading.beside,
            runtime,
            runtime_name: runtime.name(),
        };
        let is_refused =
            self.model.format == TorchFormat::LegacyScript && runtime.release.legacy_refused;
        let aspects = match is_refused {
            // Nothing else matters for a file that is refused by its form.
            true => &REFUSED_ASPECTS[..],
            false => &ASPECTS[..],
        };
        Some(aspects.iter().map(|judge| judge(&pair)).collect())
    }
}
