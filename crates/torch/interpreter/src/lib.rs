//! A reference interpreter for TorchScript: what a program calculates, with the operators of any age.
//!
//! An upgrader claims that new operators do what an old one did; a conversion claims that the new file
//! calculates what the old one did. Here such claims are executed. The interpreter runs functions of
//! [`unskew_script`], single operators, and whole archives ([`Program`]), with the [`Semantics`] of a
//! release: integer division that truncates (before 1.6), `floor_divide` that rounds towards
//! zero (before 1.13), and every other such fact of `data/semantics.toml`.
//!
//! * A [`Value`] is what TorchScript calculates with: numbers, texts, lists, tuples, dictionaries, objects,
//!   tensors. Lists, dictionaries, objects and tensors are shared, as in TorchScript.
//! * A [`Tensor`] has a [`Dtype`], a shape and strides over memory that its views share, so that what an
//!   operator writes in place is seen through every view.
//! * Types promote as in PyTorch: tensors with dimensions before those without before plain numbers.
//! * [`operators`] lists the operators by their schemas. What is not there, or is given wrong arguments, is a
//!   [`RunError`] with the place in the code.
//! * Quantized tensors and packed weights have the arithmetic of an [`Engine`]. No operator that does not know them takes
//!   their integers for numbers.
//! * Programs are foreign: [`Limits`] bound their steps, elements, memory and depth.
//!
//! Floats are calculated with 64 bits and rounded to their type, which is within a unit or two in the last place
//! of what the kernels of PyTorch give. Products of matrices, convolutions and pooling of many `float32` are calculated with 32
//! bits, in as many threads as are asked for ([`Interpreter::with_threads`]); the number of threads changes no bit.
//!
//! ```
//! use unskew_interpreter::{Dtype, Interpreter, Number, Semantics, Tensor, Value};
//!
//! let ints = |numbers: &[i64]| {
//!     let numbers: Vec<Number> = numbers.iter().copied().map(Number::Int).collect();
//!     Value::from(Tensor::new(Dtype::I64, &[numbers.len()], &numbers).unwrap())
//! };
//! let divide = |release: &str| {
//!     let interpreter = Interpreter::new(Semantics::of(release.parse().unwrap()));
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

pub use container::{Dict, List, Object, Tuple};
pub use dtype::{Category, Dtype};
pub use engine::Engine;
pub use interpreter::Interpreter;
pub use limits::Limits;
pub use machine::Code;
pub use number::Number;
pub use operators::operators;
pub use problem::{Problem, RunError};
pub use profile::{Profile, Share};
pub use program::Program;
pub use semantics::{Fact, Semantics};
pub use tensor::Tensor;
pub use trace::{Step, Trace, digest_of};
pub use value::Value;
