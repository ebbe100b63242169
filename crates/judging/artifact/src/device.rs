//! Operator tables of devices, which are held against the database.

use std::sync::Arc;

use unskew_core::Party;
use unskew_source::{ReadError, Source, SourceExt};
use unskew_torch::DeviceTable;

/// The largest table, in bytes; that of a whole release has half a megabyte.
const LARGEST: u64 = 64 << 20;

/// The device whose operator table this is; none if it is no such table.
///
/// # Errors
/// If it says that it is one, and is broken.
pub(crate) fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    if !DeviceTable::recognizes(&source.head(512)?) {
        return Ok(None);
    }
    let wrong = |what: String| ReadError::malformed(source.name(), what);
    if source.size() > LARGEST {
        return Err(wrong(format!("an operator table of more than {LARGEST} bytes")));
    }
    let bytes = source.all()?;
    let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
    let table = DeviceTable::read(&text).map_err(|error| wrong(error.to_string()))?;
    let Some((operators, calendar)) = unskew_releases::torch::database() else { return Ok(None) };
    let runtime = table.runtime(operators, calendar).map_err(|error| wrong(error.to_string()))?;
    Ok(Some(runtime.party()))
}
