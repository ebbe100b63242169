//! A plug-in on trial: what the checks of [`conform`](crate::conform) ask that the host API has no use
//! for, each behind a safe function.
//!
//! A check goes through [`host`](crate::host) wherever it can. What is left are calls that a program does
//! not make: with sizes that are wrong on purpose, of extensions one slot at a time, with a callback
//! that is counted, of a client that is freed for the sake of what the plug-in says to it.
//!
//! This runs in a child process that ends with the trial.

mod accepted;
mod callback;
mod destroy;
mod layouts;
mod payloads;
mod questions;
mod size;
mod transfer;

pub(crate) use accepted::accepted_sizes;
pub(crate) use callback::count_callbacks;
pub(crate) use destroy::destroy_client;
pub(crate) use layouts::{
    buffer_layout, default_layout, output_layouts, parameter_layouts, topology_layout,
};
pub(crate) use payloads::payloads_of_an_error;
#[cfg(unix)]
pub(crate) use questions::answers;
pub(crate) use questions::{Questions, in_copies};
pub(crate) use size::{Answer, ROOM, ask_size, expected_size, is_the_same_refusal};
pub(crate) use transfer::Transfer;

use crate::host::Device;
use crate::sys::bindings::PJRT_Client;
use crate::sys::calls::{Handle, Keep};

/// The client of a device.
fn client_of(device: &Device) -> Option<Handle<PJRT_Client>> {
    match device.raw.keep() {
        Keep::Client(root) => Some(root.handle()),
        _ => None,
    }
}
