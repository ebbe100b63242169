//! Optimizer trait, which an author implements to rewrite graphs before they run.

use crate::Error;

/// A graph optimizer. The host runs it on every graph that has nodes for the device.
pub trait Optimizer: Send + Sync + 'static {
    /// The device type whose graphs are rewritten.
    fn device_type(&self) -> &str;

    /// Which of the host's own optimizers do not run beside this one, by their names, such as `remapping`
    /// or `auto_mixed_precision_mkl`; `disable_model_pruning` stops pruning. Names that the host's release
    /// does not have are passed over.
    fn switched_off(&self) -> Vec<String> {
        Vec::new()
    }

    /// Rewrites a serialized `GraphDef`.
    ///
    /// # Errors
    /// If it cannot; the host goes on with the graph as it was.
    fn optimize(&self, graph: &[u8]) -> Result<Vec<u8>, Error>;
}
