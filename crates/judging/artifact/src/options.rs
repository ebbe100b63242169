//! Options of opening.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use unskew_pjrt::DEFAULT_LIMIT;
use unskew_stream_executor::preflight;

/// Makes the command that loads the shared object at a path in a process of its own and prints what
/// it says about itself.
pub(crate) type Prober = Arc<dyn Fn(&Path) -> Command + Send + Sync>;

/// Which shared objects are run, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunPolicy {
    /// None: everything is only read.
    #[default]
    Never,
    /// One that is named itself, and only in the sandbox. What lies in a folder, a wheel or a store is only read.
    Named,
    /// All, wherever they lie, with the user's rights.
    All,
}

/// How to open a path.
#[derive(Clone)]
pub struct OpenOptions {
    /// Asks a plug-in; without it, plug-ins are read and not run.
    pub probe: Option<Prober>,
    /// Which plug-ins are asked.
    pub running: RunPolicy,
    /// Adds facts that have to be inferred from the database and that no check needs: which releases
    /// may have written a graph that does not say so.
    pub infer: bool,
    /// Reads all data that has checksums (tensors of checkpoints, members of archives) and compares them. The members of an
    /// archive of up to a mebibyte are read without it.
    pub verify: bool,
    /// How models are used on a release of TensorFlow.
    pub usage: unskew_tensorflow::RuntimeUsage,
    /// How long a plug-in gets to be loaded and asked.
    pub limit: Duration,
    /// How long a pluggable device gets to be loaded, and with each host that is played on it.
    pub trial: Duration,
}

impl OpenOptions {
    /// Options by which plug-ins are asked in a child process.
    pub fn probing(
        running: RunPolicy,
        command: impl Fn(&Path) -> Command + Send + Sync + 'static,
    ) -> Self {
        Self { probe: Some(Arc::new(command)), running, ..Self::default() }
    }

    /// The same, with facts that have to be inferred.
    #[must_use]
    pub fn inferring(mut self) -> Self {
        self.infer = true;
        self
    }

    /// The same, for models that are used so.
    #[must_use]
    pub fn used(mut self, usage: unskew_tensorflow::RuntimeUsage) -> Self {
        self.usage = usage;
        self
    }

    /// The same, and all data that has checksums is read and compared with them if `verify` says so.
    #[must_use]
    pub fn verifying(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        let running = RunPolicy::Never;
        Self {
            probe: None,
            running,
            infer: false,
            verify: false,
            usage: unskew_tensorflow::RuntimeUsage::default(),
            limit: DEFAULT_LIMIT,
            trial: preflight::DEFAULT_LIMIT,
        }
    }
}

impl std::fmt::Debug for OpenOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("probe", &self.probe.is_some())
            .field("running", &self.running)
            .field("infer", &self.infer)
            .field("limit", &self.limit)
            .field("trial", &self.trial)
            .finish()
    }
}
