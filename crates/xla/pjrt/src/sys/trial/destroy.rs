//! Freeing a client, for the sake of what the plug-in says to it.

use super::client_of;
use crate::host::{Device, Error};
use crate::sys::bindings::*;

/// Frees the client of a device. The host API frees one when nothing uses it any more, and has nobody
/// to tell of an error. So the client of the host API is left where it is afterwards, and must not be
/// used: this is the last call of a trial.
pub(crate) fn destroy_client(device: Device) -> Result<(), Error> {
    let client = client_of(&device).ok_or(Error::Null { function: "PJRT_Client_Create" })?;
    let api = client.api();
    let mut arguments = api.record::<PJRT_Client_Destroy_Args>();
    arguments.client = client.raw();
    // SAFETY: nothing of the client is used afterwards, and the handle below is never dropped, so that
    // it is not freed again.
    let done = unsafe { api.call(&mut arguments) };
    std::mem::forget((client, device));
    done.map_err(Into::into)
}
