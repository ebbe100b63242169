//! The payloads that travel through the interface, converted for the other side: bytes in, bytes out.
//!
//! The structs of the interface are one half of a skew, what their pointers lead to is the other. A
//! plug-in is given a serialized `CompileOptionsProto` and gives away serialized executables, and
//! neither carries a version.
//!
//! * [`compile_options`] reads, writes and updates the options of a compilation;
//! * [`hlo_program`] gives optimized programs ids that older hosts can hold;
//! * [`program_shape`] says what a compiled program takes;
//! * [`stamp`] puts the identity of a plug-in around an executable, so that another build refuses it.
//!
//! Nothing here calls a plug-in.

pub mod compile_options;
#[cfg(feature = "host")]
pub mod hlo_program;
#[cfg(feature = "host")]
pub mod program_shape;
#[cfg(feature = "host")]
pub mod stamp;
mod wire;
