//! What lies beside something.

use std::sync::Arc;

use unskew_source::Source;

/// Opens what lies beside a file, by a name relative to its folder, such as `variables/variables.index`; none if there is
/// no such file, or it cannot be read.
pub type Neighbours = Arc<dyn Fn(&str) -> Option<Arc<dyn Source>> + Send + Sync>;
