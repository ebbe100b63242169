//! Long work says how far it is, and can be stopped.

/// Called after every step of long work, from many threads; an error ends the work at its next step.
pub type Progress<'a> = dyn Fn() -> Result<(), Interrupted> + Sync + 'a;

/// The caller wanted no more of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before it was done")]
pub struct Interrupted;

/// Progress of which nobody wants to know.
///
/// # Errors
/// For callers that show no progress and never stop.
pub fn silent() -> Result<(), Interrupted> {
    Ok(())
}
