//! Op registry of one release of a history.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_core::Version;

use crate::{OpDef, OpDefinition, OpHistory};

/// The op registry of one release, or of a build of it that lacks some ops.
#[derive(Clone, Debug)]
pub struct OpRegistry {
    history: Arc<OpHistory>,
    release: Version,
    public_only: bool,
    /// Ops of the release that the build was made without.
    lacking: Arc<BTreeSet<String>>,
}

/// What a registry says about a name.
pub struct OpLookup {
    definitions: Arc<[OpDefinition]>,
    /// The place among them of that of the release, if that has the op.
    here: Option<usize>,
    /// Whether the registry may have the op without listing it.
    pub maybe_unlisted: bool,
}

impl OpLookup {
    /// The definition of this release, if it has the op.
    pub fn op(&self) -> Option<&OpDef> {
        self.definitions.get(self.here?)?.get()
    }

    /// Every definition of any release, oldest first.
    pub fn all(&self) -> &[OpDefinition] {
        &self.definitions
    }

    /// The releases that have the op, in words: `1.15.0 to 2.12.1`, `2.4.4 and later`.
    pub fn releases(&self) -> String {
        let runs = || self.definitions.iter().flat_map(|definition| definition.runs.iter());
        let since = runs().map(|run| run.since).min();
        let open = runs().any(|run| run.until.is_none());
        let until = runs().filter_map(|run| run.until).max();
        match (since, until) {
            (None, _) => "no release".to_owned(),
            (Some(since), Some(until)) if !open && since == until => since.to_string(),
            (Some(since), Some(until)) if !open => format!("{since} to {until}"),
            (Some(since), _) => format!("{since} and later"),
        }
    }
}

impl OpRegistry {
    /// The registry that `release` has in `history`. `public_only`: the registry was taken from the
    /// Python package, which does not list internal ops.
    pub fn new(history: Arc<OpHistory>, release: Version, public_only: bool) -> Self {
        Self { history, release, public_only, lacking: Arc::default() }
    }

    /// The registry of a build that was made without these ops.
    #[must_use]
    pub fn without(mut self, ops: impl IntoIterator<Item = String>) -> Self {
        let mut lacking = BTreeSet::clone(&self.lacking);
        lacking.extend(ops);
        self.lacking = Arc::new(lacking);
        self
    }

    /// What the registry says about `name`. What other releases define is not parsed.
    pub fn look_up(&self, name: &str) -> OpLookup {
        let definitions = self.history.named(name);
        let lacking = self.lacking.contains(name);
        let mut each = definitions.iter();
        let here = each.position(|one| one.runs.contains(self.release)).filter(|_| !lacking);
        let maybe_unlisted = self.public_only && name.starts_with('_') && !lacking;
        OpLookup { definitions, here, maybe_unlisted }
    }

    /// Every op of the release, as it is written.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let name = |text: &str| text.split('(').next().unwrap_or(text).trim().to_owned();
        self.history
            .rows()
            .definitions_of(self.release)
            .filter(move |text| !self.lacking.contains(&name(text)))
    }

    /// The TensorFlow release that the registry is of.
    pub fn release(&self) -> Version {
        self.release
    }

    /// The history that it is a part of.
    pub fn history(&self) -> &Arc<OpHistory> {
        &self.history
    }

    /// Whether internal ops are not listed.
    pub fn public_only(&self) -> bool {
        self.public_only
    }
}
