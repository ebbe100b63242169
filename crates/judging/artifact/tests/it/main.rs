//! The integration tests of this crate as one program, so that its dependencies are linked once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod call_module;
mod containers;
mod hostile;
mod long_pickles;
mod onnx;
mod onnx_conversions;
mod words;
