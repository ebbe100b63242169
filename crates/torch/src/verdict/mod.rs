//! What a file and a release have to say to each other, beyond the numbers.

mod load;
mod operators;
mod promise;
mod silent;

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Places};

use crate::{Format, Model, Runtime};

/// Judges one file against a release.
pub(crate) struct Judge {
    model: Arc<Model>,
}

impl Judge {
    pub(crate) fn new(model: Arc<Model>) -> Self {
        Self { model }
    }
}

/// One file and one release, with the names that findings show.
struct Pair<'p> {
    file: &'p str,
    model: &'p Model,
    runtime: &'p Runtime,
    runtime_name: String,
}

impl Matcher for Judge {
    fn judge(&self, owner: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime: &Runtime = other.capability()?;
        let pair =
            Pair { file: &owner.name, model: &self.model, runtime, runtime_name: runtime.name() };
        let mut findings = load::findings(&pair);
        if self.model.format == Format::LegacyScript && runtime.release.legacy_refused {
            // Nothing else matters for a file that is refused by its form.
            return Some(Judgement { findings, promises: promise::promises(&pair) });
        }
        findings.extend(operators::findings(&pair));
        findings.extend(silent::findings(&pair));
        Some(Judgement { findings, promises: promise::promises(&pair) })
    }
}

/// Adds all of `more` to `places`, each with `remark`; those without a name are counted.
fn add_all(places: &mut Places, more: &Places, remark: &str) {
    for place in more.named() {
        places.add(format_args!("{place}{remark}"));
    }
    for _ in more.named().len()..more.count() {
        places.add("");
    }
}
