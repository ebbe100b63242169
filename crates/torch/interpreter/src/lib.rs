//! A reference interpreter for TorchScript: what a program calculates, with the operators of any age.
//!
//! An upgrader claims that new operators do what an old one did; a conversion claims that the new file
//! calculates what the old one did. Here such claims are executed. The interpreter runs functions of
//! [`unskew_script`], single operators, and whole archives ([`RunnableProgram`]), with the [`ReleaseSemantics`] of a
//! release: integer division that truncates (before 1.6), `floor_divide` that rounds towards
//! zero (before 1.13), and every other such fact of `data/semantics.toml`.
//!
//! * A [`ScriptValue`] is what TorchScript calculates with: numbers, texts, lists, tuples, dictionaries, objects,
//!   tensors. Lists, dictionaries, objects and tensors are shared, as in TorchScript.
//! * A [`Tensor`] has a [`Dtype`], a shape and strides over memory that its views share, so that what an
//!   operator writes in place is seen through every view.
//! * Types promote as in PyTorch: tensors with dimensions before those without before plain numbers.
//! * [`operators`] lists the operators by their schemas. What is not there, or is given wrong arguments, is a
//!   [`RunError`] with the place in the code.
//! * Quantized tensors and packed weights have the arithmetic of a [`QuantizedEngine`]. No operator that does not know them takes
//!   their integers for numbers.
//! * Programs are foreign: [`RunLimits`] bound their steps, elements, memory and depth.
//!
//! Floats are calculated with 64 bits and rounded to their type, which is within a unit or two in the last place
//! of what the kernels of PyTorch give. Products of matrices, convolutions and pooling of many `float32` are calculated with 32
//! bits, in as many threads as are asked for ([`Interpreter::with_threads`]); the number of threads changes no bit.
//!
//! ```
//! use unskew_interpreter::{Dtype, Interpreter, ScalarValue, ReleaseSemantics, Tensor, ScriptValue};
//!
//! let ints = |numbers: &[i64]| {
//!     let numbers: Vec<ScalarValue> = numbers.iter().copied().map(ScalarValue::Int).collect();
//!     ScriptValue::from(Tensor::new(Dtype::I64, &[numbers.len()], &numbers).unwrap())
//! };
//! let divide = |release: &str| {
//!     let interpreter = Interpreter::new(ReleaseSemantics::for_release(release.parse().unwrap()));
//!     let quotient = interpreter.operator("aten::div", vec![ints(&[7, -7]), ints(&[2, 2])], vec![]);
//!     quotient.unwrap().to_string()
//! };
//! assert_eq!(divide("1.4.0"), "[3, -3]");
//! assert_eq!(divide("2.15.0"), "[3.5, -3.5]");
//! ```
#![forbid(unsafe_code)]

mod container;
mod dtype;
mod engine;
mod interpreter;
mod kernels;
mod limits;
mod machine;
mod number;
mod operators;
mod problem;
mod profile;
mod program;
mod semantics;
mod tensor;
mod trace;
mod value;

pub use container::{ScriptDict, ScriptList, ScriptObject, ScriptTuple};
pub use dtype::{Dtype, DtypeCategory};
pub use engine::QuantizedEngine;
pub use interpreter::Interpreter;
pub use limits::RunLimits;
pub use machine::ProgramCode;
pub use number::ScalarValue;
pub use operators::operators;
pub use problem::{RunError, RunProblem};
pub use profile::{OperatorProfile, OperatorShare};
pub use program::RunnableProgram;
pub use semantics::{ReleaseSemantics, SemanticsFact};
pub use tensor::Tensor;
pub use trace::{Trace, TraceStep, digest_of};
pub use value::ScriptValue;
