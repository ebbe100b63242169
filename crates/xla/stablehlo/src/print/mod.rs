//! Programs as MLIR text: StableHLO's operations in the generic form that every tool of MLIR parses.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_source::{BytesSource, Source};
//!
//! let bytes = include_bytes!("../../tests/data/tanh-1.10.0.stablehlo");
//! let source: Arc<dyn Source> = Arc::new(BytesSource::new("tanh.stablehlo", bytes.to_vec()));
//! let mut text = Vec::new();
//! unskew_stablehlo::print::text(&source, &Default::default(), &mut text).unwrap();
//! let text = String::from_utf8(text).unwrap();
//! assert!(text.contains("%0 = \"stablehlo.tanh\"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>"), "{text}");
//! ```

mod alone;
mod attributes;
mod constants;
mod meshes;
mod operations;
mod own;
mod shardings;
mod types;

use std::cell::Cell;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

use unskew_core::{Conversion, Rewrite};
use unskew_source::{Assembly, BytesSource, ConvertedArtifact, ReadError, Source, SourceProblem};

use crate::artifact::Mlir;
use crate::module::Module;
use crate::parse;
use crate::text::TextProgram;
pub(crate) use alone::{alone, attribute, kind, taking};
pub(crate) use attributes::{CHOICES, COMPARED, DIRECTIONS, MODES, PRECISIONS};
use operations::Printer;
pub(crate) use own::{ALGORITHM, ARRAYS, GROUPS};
pub(crate) use types::PLAIN;

/// What is left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrintOptions {
    /// Constants with more elements than this are left out, for people who read; none are by default.
    pub elide: Option<usize>,
}

/// Why no text was written.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// The bytes are no MLIR bytecode, or broken.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The text could not be written to its place.
    #[error("the text cannot be written")]
    Write(#[from] io::Error),
}

/// What the adaptation is called that makes a text of bytecode.
const ADAPTATION: &str = "print-as-text";

/// Plans the text of a program: of an artifact, or of a text in whatever form. None if `source` is neither.
///
/// The text is read again before it is given to anybody, so it says all that the program says.
///
/// # Errors
/// If the program is broken, or holds something that has no words here.
pub fn convert(
    source: &Arc<dyn Source>,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    let mut text = Vec::new();
    let program = match Mlir::read(&**source)? {
        Some(Mlir::Text(_)) => TextProgram::read(&**source)?.bytecode,
        Some(Mlir::Artifact(_) | Mlir::Bytecode(_)) => Arc::clone(source),
        None => return Ok(None),
    };
    match self::text(&program, &PrintOptions::default(), &mut text) {
        Ok(()) => {}
        Err(PrintError::Read(error)) => return Err(error),
        // Memory takes whatever is written.
        Err(PrintError::Write(error)) => return Err(ReadError::new(source.name(), error.into())),
    }
    let written = BytesSource::new(source.name(), text.clone());
    if let Err(error) = parse::bytecode(&written) {
        let what = format!("no text says all that is in this program: {}", error.problem);
        return Err(ReadError::new(source.name(), SourceProblem::Unsupported(what)));
    }
    let mut plan = Conversion::default();
    plan.add(Rewrite::new(ADAPTATION, "the program as MLIR text, without places in the source"));
    let mut output = Assembly::new(source.name());
    output.push_bytes(text);
    Ok(Some((plan, ConvertedArtifact::File(Arc::new(output)))))
}

/// A module, and how much of it may still be put into words: a small file can name one attribute in another in another, each
/// many times.
struct Words<'m> {
    module: &'m Module,
    left: Cell<u64>,
}

impl Words<'_> {
    fn takes(&self, much: u64) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(much));
        left >= much
    }
}

impl Deref for Words<'_> {
    type Target = Module;

    fn deref(&self) -> &Module {
        self.module
    }
}

/// How many attributes, types and bytes of constants are said for each byte of a file, and how many for any file.
const FOR_EACH: u64 = 64;
const FOR_ANY: u64 = 1 << 20;

/// Writes the program of an artifact as text.
///
/// What has no words here, an attribute of a dialect beside those that artifacts have, stands as a comment that no
/// parser takes for something else.
///
/// # Errors
/// If it is no MLIR bytecode or is broken, or the text cannot be written.
pub fn text(
    source: &Arc<dyn Source>,
    options: &PrintOptions,
    out: &mut dyn io::Write,
) -> Result<(), PrintError> {
    let mut module = Module::read(source)?;
    let top = std::mem::take(&mut module.top);
    let left = source.size().saturating_mul(FOR_EACH).saturating_add(FOR_ANY);
    let words = Words { module: &module, left: Cell::new(left) };
    let mut printer = Printer::new(&words, *options, out);
    for operation in &top.operations {
        printer.operation(operation, 0)?;
    }
    if words.left.get() == 0 {
        let what = "attributes that name each other so often that their text has no end".to_owned();
        return Err(ReadError::new(source.name(), SourceProblem::Unsupported(what)).into());
    }
    Ok(())
}
