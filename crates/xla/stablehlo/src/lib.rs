//! StableHLO portable artifacts: who reads them.
//!
//! A portable artifact is MLIR bytecode of one dialect, `vhlo`, whose operations, types and
//! attributes carry versions of their own: `tanh_v2` replaced `tanh_v1` with StableHLO 1.10.0. Its
//! header names the StableHLO version that it was written for:
//!
//! | bytes | meaning |
//! | --- | --- |
//! | 4 | `4d 4c ef 52` |
//! | a varint | version of the bytecode format, 0 to 6; the zeros at the low end of the first byte of a varint say how many bytes follow |
//! | a text and a zero byte | the producer: `StableHLO_v1.10.0` |
//! | to the end | sections: a byte (its highest bit: an alignment follows), the length as a varint, the contents |
//!
//! Readers do not compare that number. Measured on six releases of jaxlib, an artifact for 1.22.0
//! that adds two tensors is read by StableHLO 1.7.8, while one for 1.10.0 with a `tanh` is refused,
//! for the sake of one attribute, and a header that says 9.17.0 disturbs nobody. So a verdict looks at what is really used: the names of operations
//! (section 1) and the kinds of types and attributes (sections 2 and 3) are enough, and neither the
//! program nor its constants are read.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_core::{Context, Date, Party, Phase, Role, Version, check};
//! use unskew_source::{BytesSource, Source};
//!
//! // tanh of four numbers, written for StableHLO 1.10.0.
//! let bytes = include_bytes!("../tests/data/tanh-1.10.0.stablehlo");
//! let source: Arc<dyn Source> = Arc::new(BytesSource::new("tanh.stablehlo", bytes.to_vec()));
//! let artifact = unskew_stablehlo::party(&source).unwrap().unwrap();
//! assert_eq!(artifact.origin, "written for StableHLO 1.10.0");
//!
//! let reader = |name, version| {
//!     unskew_stablehlo::reader(Party::new(name, Role::Host, "JAX release"), version)
//! };
//! let today = Context::on(Date::constant(2026, 11, 1));
//! let jax_0_4_35 = reader("jax 0.4.35", Version::triple(1, 7, 8));
//! let verdict = check(&artifact, &jax_0_4_35, &today);
//! assert_eq!(verdict.findings[0].rule.code, "SH001");
//! assert_eq!(verdict.first_failure(), Some(Phase::Load));
//!
//! let jax_0_6_2 = reader("jax 0.6.2", Version::triple(1, 11, 0));
//! assert!(check(&artifact, &jax_0_6_2, &today).works());
//! ```
//!
//! Other bytecode has no version; it is a party that says so. MLIR as text ([`parse`]) has none either, and is judged by
//! whether its program has a form that a reader takes. What JAX 0.4.20 to 0.4.29
//! sent is such bytecode, and [`convert`] rewrites it for readers of today.
//!
//! # For another version
//!
//! [`rewrite`] writes an artifact anew for an older or a newer reader. A file becomes a module: attributes and
//! types with what they name (`data/encodings.tsv`), operations whose attributes have names
//! (`data/attributes.tsv`). Each operation is brought into the form of the version (`data/forms.tsv`): an
//! attribute that the older form has not is left out where it has its default. What StableHLO's own serializer
//! refuses, and what has other operations that do the same, becomes those: a composite is a call of its
//! decomposition, a tangent a sine by a cosine if that is allowed (it rounds otherwise), a reduction to wider
//! elements one of converted operands, batching dimensions are indices that count, operations of `chlo`
//! are those of VHLO that they are made of (`data/chlo.txt`) or calls that XLA takes for its own (`erf`, `top_k`),
//! shardings of `sdy` are the texts of XLA. Then the module is written in the format of that version; elements of
//! constants are copied from the file. What has no older form is said ([`rules::NoOlderForm`]), and the result is
//! judged as any artifact is.
//!
//! It refuses what cannot be numbered anew because nothing tells what in it are numbers: resources, and attributes of
//! dialects beside `vhlo`, `builtin`, `sdy` and `chlo`.
#![forbid(unsafe_code)]

mod artifact;
mod beside;
mod bytecode;
mod constraints;
pub mod convert;
mod features;
mod history;
mod module;
pub mod parse;
mod party;
pub mod print;
pub mod program;
pub mod requirements;
pub mod rewrite;
pub mod rules;
mod text;
mod text_verdict;
mod verdict;

pub use artifact::{Mlir, PortableArtifact};
pub use bytecode::{Bytecode, Dialect, EncodingKind};
pub use features::{Feature, FeatureKind, KNOWN, used};
pub use history::{history, landed, policy};
pub use party::{party, party_of_exported, reader, reader_only};
pub use text::TextProgram;

/// The axis of StableHLO versions.
pub const AXIS: &str = "stablehlo";

/// The axis of who reads MLIR as text, in the syntax that Unskew writes.
pub const TEXT_AXIS: &str = "mlir.text";

/// The axis of versions of the MLIR bytecode format.
pub const BYTECODE_AXIS: &str = "mlir.bytecode";
