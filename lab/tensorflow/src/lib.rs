//! Real TensorFlow releases on pluggable devices, and what worked.
//!
//! A *host* is a TensorFlow release in an environment of the corpus (`cargo xtask corpus`). Running it on a
//! plug-in starts the environment's Python on `lab/tensorflow/probes/tf_steps.py`, in a process of its own with a time
//! limit: what TensorFlow does with a plug-in that it does not like is to end the process. The probe prints one
//! line of JSON per step, which is all that is read of it.
//!
//! Graphs and SavedModels are loaded in the same way ([`TensorFlowHost::load`], `lab/tensorflow/probes/tf_load.py`), on releases from
//! 0.12 on, and models for older releases are written ([`TensorFlowHost::write_models`]).
//!
//! The commands of `cargo lab` in this crate, and its tests, stand on it.
//!
//! ```
//! use unskew_lab_tensorflow::{ReleaseTally, table};
//! use unskew_peers::{ProcessEnd, ProbeOutcome};
//!
//! let line = r#"{"step": "device_listed", "ok": true, "detail": "['SOROBAN:0']", "seconds": 0.1}"#;
//! let row = ReleaseTally { version: "2.15.1".parse().unwrap(), outcome: ProbeOutcome::new(line, "", ProcessEnd::Finished) };
//! assert!(table(&[row]).contains("| 2.15.1 |"));
//! ```
#![forbid(unsafe_code)]

pub mod battery;
pub mod behaviour;
mod host;
pub mod kernels;
mod load;
pub mod random;
mod table;
mod trial;

pub use host::TensorFlowHost;
pub use load::{ComputedValue, GraphLoader, LoadJob, LoadOutcome, LoadStage};
pub use table::{ReleaseTally, STEPS, table};
pub use trial::{FOR_A_SESSION, LoadTrial, MODELS, TrialModel, battery_trials, models, trials};
