//! The overload that a call means, by the types of the values that it gives.
//!
//! A call names an operator without its overload: `torch.div(a, b)` is `aten::div.Tensor`, `div.Scalar` or `div.int`,
//! and means another thing in each case. The loader finds out from the types of the values, and so does [`choose`]: it
//! takes [`GivenValue`] values from anywhere, a program, a graph or an interpreter, and the overloads of a table of
//! [`OverloadSource`], each an [`OverloadCandidate`] that is parsed if the call may mean it.
//!
//! ```
//! use unskew_torch_schemas::FunctionSchema;
//! use unskew_torch_schemas::matching::{OverloadChoice, GivenValue, OverloadSource, ScriptType, choose};
//!
//! let operators: Vec<FunctionSchema> = [
//!     "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
//!     "aten::div.int(int a, int b) -> float",
//! ].map(|text| text.parse().unwrap()).into();
//!
//! let seven = GivenValue::from_type(ScriptType::Int);
//! let OverloadChoice::One(found, binding) = choose(&operators.overloads("aten::div"), &[seven.clone(), seven]) else {
//!     unreachable!()
//! };
//! assert_eq!((found.schema.full_name().as_str(), binding.returns), ("aten::div.int", ScriptType::Float));
//! ```

mod candidate;
mod literal;
mod named;
mod outline;
mod overload;
mod signature;
mod unify;
mod value_type;

pub use candidate::OverloadCandidate;
pub use literal::{FloatBits, Literal};
pub use named::GivenArgument;
pub(crate) use outline::SchemaOutline;
pub use overload::{OverloadCache, OverloadChoice, OverloadSource, choose};
pub use signature::{BoundArgument, CallBinding, GivenValue, Mismatch, TypedSchema};
pub use unify::converts;
pub use value_type::ScriptType;
