//! Types of TorchScript programs, and the overload that each call of an operator means.
//!
//! A program names operators without their overloads. [`infer`] walks every function of a [`ScriptProgram`] with the types
//! that its signature declares, through assignments, branches and loops, into attributes of classes, calls of the
//! program's own functions and what the schemas of operators return, and ends with a [`Typing`]:
//!
//! * a [`ResolvedCall`] for each call: where it stands, what it gives (types, and values that stand in the
//!   code), and the [`Choice`](unskew_torch_schemas::matching::OverloadChoice) of one overload;
//! * what the loader would refuse, as [`LoaderFault`]s with their places;
//! * the [`KnownBranch`]es that are always or never taken. A function that is no method can be called by the
//!   program only, so what all its calls give is known: a call of `F.interpolate` with
//!   `mode="bilinear"` leaves one branch of a dozen. [`Typing::prunings`] are the edits that remove the others.
//!
//! [`check`] is all of it for a text that stands alone, such as an upgrader.
//!
//! ```
//! use unskew_torch_schemas::FunctionSchema;
//! use unskew_script::typing::{ScriptProgram, check, infer};
//!
//! let operators: Vec<FunctionSchema> = [
//!     "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
//!     "aten::div.int(int a, int b) -> float",
//!     "aten::size.int(Tensor self, int dim) -> int",
//! ].map(|text| text.parse().unwrap()).into();
//!
//! let text = "def half(x: Tensor) -> float:\n  return torch.div(torch.size(x, 0), 2)\n";
//! let mut program = ScriptProgram::new();
//! program.add("code/__torch__/m.py", "__torch__.m", text).unwrap();
//! let typing = infer(&program, &operators);
//! let called: Vec<String> =
//!     typing.calls.iter().filter_map(|call| Some(call.schema()?.full_name())).collect();
//! assert_eq!(called, ["aten::div.int", "aten::size.int"]);
//!
//! let wrong = check("upgraders.py", "def f(x: str) -> Tensor:\n  return torch.div(x, 2)\n", &operators);
//! assert!(wrong.unwrap_err()[0].to_string().starts_with("upgraders.py, line 2: aten::div"));
//! ```
//!
//! Source: *PyTorch RFC 0017, Operator Versioning*, "Torchscript changes", which has the loader match the
//! schemas of the file's own version. The rules of matching are those that the loader shows.

mod analysis;
mod annotation;
mod infer;
mod literal;
mod problem;
mod program;
mod prune;
mod scope;

pub use analysis::{AttributeUse, KnownBranch, LoaderFault, ResolvedCall, Spelling, Typing};
pub use annotation::type_of_annotation;
pub use infer::{attribute_uses, fold, infer};
pub use literal::{literal_of, literal_of_default};
pub use problem::{LoaderProblem, check};
pub use program::{
    ClassType, FunctionId, ParameterType, ProgramError, Routine, ScriptProgram, SourceRecord,
};
pub use prune::Pruning;
