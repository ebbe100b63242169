//! What a file and a release have to say to each other, beyond the numbers.

mod behaviour;
mod calls;
mod device;
mod load;
mod measured;
mod operators;
mod packed;
mod pair;
mod promise;
mod replaced;
mod silent;
mod stored;
mod unjudged;
mod writer;

use std::sync::{Arc, OnceLock};

use unskew_core::{Context, Judgement, Matcher, Party};
use unskew_torch_schemas::OperatorHistory;

use crate::{Format, Model, Runtime};
pub(crate) use calls::is_packed_by_loader;
use pair::Pair;
pub(crate) use writer::Reading;

/// Judges one file against a release.
pub(crate) struct Judge {
    model: Arc<Model>,
    /// The file by the tables of this history: the same for every release of it.
    reading: OnceLock<(Arc<OperatorHistory>, Arc<Reading>)>,
}

impl Judge {
    pub(crate) fn new(model: Arc<Model>) -> Self {
        Self { model, reading: OnceLock::new() }
    }

    fn reading(&self, history: &Arc<OperatorHistory>) -> Arc<Reading> {
        let read = || (history.clone(), Arc::new(Reading::of(&self.model, history)));
        let (known, reading) = self.reading.get_or_init(read);
        if Arc::ptr_eq(known, history) { reading.clone() } else { read().1 }
    }
}

impl Matcher for Judge {
    fn judge(&self, owner: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime: &Runtime = other.capability()?;
        let reading = self.reading(runtime.operators.history());
        let pair = Pair {
            file: &owner.name,
            model: &self.model,
            producer: &reading.producer,
            calls: &reading.calls,
            beside: &reading.beside,
            runtime,
            runtime_name: runtime.name(),
        };
        let mut findings = load::findings(&pair);
        if self.model.format == Format::LegacyScript && runtime.release.legacy_refused {
            // Nothing else matters for a file that is refused by its form.
            return Some(Judgement {
                findings,
                promises: promise::promises(&pair),
                ..Judgement::default()
            });
        }
        findings.extend(calls::findings(&pair));
        findings.extend(operators::findings(&pair));
        findings.extend(silent::findings(&pair));
        let behaviours = behaviour::judge(&pair);
        findings.extend(behaviours.findings);
        let mut unjudged = behaviours.unjudged;
        let (measured, open) = measured::judge(&pair);
        findings.extend(measured);
        unjudged.extend(open);
        unjudged.extend(replaced::unjudged(&pair));
        unjudged.extend(unjudged::of(&pair));
        let (refused, open) = packed::judge(&pair);
        findings.extend(refused);
        unjudged.extend(open);
        findings.extend(device::findings(&pair));
        let promises = promise::promises(&pair);
        let mut judgement = Judgement { findings, promises, unjudged };
        stored::judge(&pair, &mut judgement);
        Some(judgement)
    }
}
