//! How to open.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Makes the command that loads the shared object at a path in a process of its own and prints what
/// it says about itself.
type Prober = Arc<dyn Fn(&Path) -> Command + Send + Sync>;

/// How to open a path.
#[derive(Clone, Default)]
pub struct Options {
    /// Asks a plug-in; without it, plug-ins are read and not run.
    pub probe: Option<Prober>,
    /// Adds facts that have to be inferred from the database and that no check needs: which releases
    /// may have written a graph that does not say so.
    pub infer: bool,
}

impl Options {
    /// Options by which plug-ins are asked in a child process.
    pub fn probing(command: impl Fn(&Path) -> Command + Send + Sync + 'static) -> Self {
        Self { probe: Some(Arc::new(command)), infer: false }
    }

    /// The same, with facts that have to be inferred.
    #[must_use]
    pub fn inferring(mut self) -> Self {
        self.infer = true;
        self
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("probe", &self.probe.is_some())
            .field("infer", &self.infer)
            .finish()
    }
}
