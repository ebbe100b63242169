//! MLIR text as a program: what JAX's `lower(...).as_text()`, StableHLO's printer and [`crate::print`] write.
//!
//! Operations of StableHLO are read in their own form and in the generic one, with regions, constants, shardings, dynamic
//! dimensions and quantized types; functions, modules, names for attributes and types; operations of CHLO and Shardy, and
//! those of other dialects that readers of artifacts have. Places in the source are passed over. What is right and is not
//! read here (control flow between blocks, resources, dialects of other compilers) is said with its line, and
//! is another error than a text that is broken.
//!
//! An operation gets the oldest form that says all that it says: a text has no version, so what it needs is what it uses.
//!
//! ```
//! use unskew_source::BytesSource;
//!
//! let text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n\
//!             \x20 %0 = stablehlo.tanh %x : tensor<4xf32>\n\
//!             \x20 return %0 : tensor<4xf32>\n}";
//! let source = BytesSource::new("a.mlir", text.as_bytes().to_vec());
//! let bytecode = unskew_stablehlo::parse::bytecode(&source).unwrap();
//! let program = unskew_stablehlo::program::Program::read(&bytecode).unwrap();
//! assert_eq!(&*program.function("main").unwrap().body().unwrap().operations[0].name, "tanh");
//!
//! let broken = BytesSource::new("a.mlir", b"module {\n  func.func }".to_vec());
//! let error = unskew_stablehlo::parse::bytecode(&broken).err().unwrap().to_string();
//! assert_eq!(error, "a.mlir: not MLIR text, line 2, column 13: `@` is expected, not `}`");
//! ```

mod attributes;
mod dialects;
mod elements;
mod functions;
mod lower;
mod operations;
mod pretty;
mod regions;
mod scanner;
mod shardings;
mod signature;
mod types;

use unskew_source::{Assembly, ReadError, Source, SourceExt as _};

use operations::TextReader;
pub(crate) use shardings::FACTORS;

/// The format of the bytecode that is made.
const FORMAT: u64 = 6;

/// Who wrote the bytecode that is made: nobody who says a version.
const PRODUCER: &str = "MLIR text";

/// The program of a text as bytecode of VHLO, each operation in its oldest form. It says no version of StableHLO.
///
/// # Errors
/// If the text is broken, which is [`unskew_source::SourceProblem::Malformed`], or has what is not read, which is
/// [`unskew_source::SourceProblem::Unsupported`]; either with line and column.
pub fn bytecode(source: &dyn Source) -> Result<Assembly, ReadError> {
    let text = source.bytes(0, source.size())?;
    TextReader::new(source, &text).all()?.write(FORMAT, PRODUCER)
}
