//! Errors of an inspection: nobody could look into an artifact.

/// Why an artifact could not be inspected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InspectionError {
    /// There is no child. That says nothing about the artifact.
    #[error("no process to read artifacts in: {0}")]
    NotStarted(String),
    /// The child ended over the artifact.
    #[error("{name} cannot be inspected: {why}")]
    Ended {
        /// The name of the artifact.
        name: String,
        /// What happened to the child.
        why: String,
    },
}
