//! Pair of one file and one release.

use crate::code::TypedUse;
use crate::{ProducerReleases, TorchModel, TorchRuntime};

/// One file and one release, with the names that findings show.
pub(super) struct FileAndRelease<'p> {
    pub(super) file: &'p str,
    pub(super) model: &'p TorchModel,
    pub(super) producer: &'p ProducerReleases,
    /// The calls of its code; none if a loader reads something else.
    pub(super) calls: &'p [TypedUse],
    /// The calls of the code beside its bytecode.
    pub(super) beside: &'p [TypedUse],
    pub(super) runtime: &'p TorchRuntime,
    pub(super) runtime_name: String,
}

impl FileAndRelease<'_> {
    /// The calls by which the file is held against what was measured of operators.
    pub(super) fn behaviour_calls(&self) -> &[TypedUse] {
        if self.calls.is_empty() { self.beside } else { self.calls }
    }

    /// Who means what the calls of the file say: its writer, or that of the file from which it was converted, unless it
    /// was converted for a release whose meaning the calls then have.
    pub(super) fn speaker(&self) -> &ProducerReleases {
        if self.producer.exact.is_some() { self.producer } else { self.writer() }
    }

    /// Who wrote the file, or that from which it was converted.
    pub(super) fn writer(&self) -> &ProducerReleases {
        self.model.before.as_ref().unwrap_or(self.producer)
    }
}
