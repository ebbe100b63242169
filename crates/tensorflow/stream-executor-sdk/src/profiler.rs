//! Profiler trait, which an author implements to be measured.

use crate::Error;

/// A profiler. The host starts and stops it around what its user measures.
pub trait Profiler: Send + Sync + 'static {
    /// The device type that it measures: capital letters and underscores.
    fn device_type(&self) -> &str;

    /// Begins to measure.
    ///
    /// # Errors
    /// If it cannot.
    fn start(&self) -> Result<(), Error>;

    /// Ends.
    ///
    /// # Errors
    /// If it cannot.
    fn stop(&self) -> Result<(), Error>;

    /// What was measured since: a serialized `XSpace`. It is asked for twice, its size first.
    ///
    /// # Errors
    /// If there is none.
    fn collect(&self) -> Result<Vec<u8>, Error>;
}
