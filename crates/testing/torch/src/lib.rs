//! Real PyTorch releases on files that were converted for them, and what those gave.
//!
//! A *host* is a PyTorch release in an environment of the corpus (`cargo xtask corpus`). Wheels of PyTorch ask for
//! gigabytes of libraries for GPUs, of which nothing is called on a machine without one: [`TorchHost::named`] makes empty
//! ones in their place. A *trial* is one of the recorded files ([`recorded::all`]): files that 24 releases wrote, with what
//! they gave then. It runs on the host as it is and, where a conversion rewrites it, converted, and what comes out
//! is held against what was recorded. `lab/torch/probes/torch_run.py` does the running: what it prints is all that is
//! read of it.
//!
//! Only tests and `cargo lab torch` use this crate.
//!
//! ```
//! use unskew_interpreter::{Dtype, ScalarValue, Tensor, ScriptValue};
//! use unskew_torch_matrix::recorded::difference;
//!
//! let floats = |number: f64| -> ScriptValue {
//!     Tensor::new(Dtype::F32, &[1], &[ScalarValue::Float(number)]).unwrap().into()
//! };
//! assert!(difference(&floats(1.0), &floats(1.000_000_1), 2e-6).is_none());
//! assert!(difference(&floats(1.0), &floats(1.1), 2e-6).is_some());
//! ```
#![forbid(unsafe_code)]

mod answers;
pub mod attributes;
pub mod behaviour;
pub mod differential;
pub mod exports;
mod host;
pub mod interpreted;
pub mod models;
pub mod pickles;
pub mod quantized;
pub mod recorded;
mod run;
pub mod samples;
mod table;
mod thresholds;
mod trial;

pub use host::TorchHost;
pub use run::{JobOutcome, ModuleLoader, RunJob, RunPhase};
pub use table::{bars_table, reasons, table};
pub use thresholds::{BARS, Threshold};
pub use trial::{ConversionPrediction, FileSelection, ReleaseTrial, TrialOutcome, trials};
