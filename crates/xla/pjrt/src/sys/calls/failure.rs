//! Failures that the host tells a plug-in.

use super::named;
use crate::host::{Error, HostFailure};
use crate::sys::bindings::PJRT_NamedValue;
use crate::sys::{Api, Record};

/// What a failure carries besides its text, as the interface wants it. A plug-in whose struct `T` has
/// no place for it would not see it, so that is an error.
pub(crate) fn payloads<T: Record>(
    api: &Api,
    failure: &HostFailure<'_>,
) -> Result<Vec<PJRT_NamedValue>, Error> {
    if failure.payloads.is_empty() {
        return Ok(Vec::new());
    }
    Error::known::<T>(api, "payload")?;
    Ok(named::to_c(api, failure.payloads))
}
