//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod behaviour;
mod convert_checkpoint;
mod convert_devices;
mod convert_exported;
mod convert_layout;
mod convert_mobile;
mod convert_rebuilt;
mod convert_script;
mod corpus;
mod devices;
mod formats;
mod hostile;
mod loads;
mod mobile_types;
mod needs;
mod quantized;
mod readers;
mod stored;
mod typing;
mod verdicts;
