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
        let mut findings = load::findings(&pair);
        if self.model.format == TorchFormat::LegacyScript && runtime.release.legacy_refused {
            // Nothing else matters for a file that is refused by its form.
            return Some(Judgement {
                findings,
                promises: promise::promises(&pair),
                ..Judgement::default()
            });
        }
        findings.extend(calls::findings(&pair));
        findings.extend(operators::findings(&pair));
        findings.extend(silent_changes::findings(&pair));
        let behaviours = behaviour::judge(&pair);
        findings.extend(behaviours.findings);
        let mut unjudged = behaviours.unjudged;
        let (measured, open) = measured_changes::judge(&pair);
        findings.extend(measured);
        unjudged.extend(open);
        unjudged.extend(replaced::unjudged(&pair));
        unjudged.extend(unjudged::from_pair(&pair));
        let (refused, open) = prepacked_weights::judge(&pair);
        findings.extend(refused);
        unjudged.extend(open);
        findings.extend(device::findings(&pair));
        let promises = promise::promises(&pair);
        let mut judgement = Judgement { findings, promises, unjudged };
        tensor_files::judge(&pair, &mut judgement);
        Some(judgement)
    }
}
