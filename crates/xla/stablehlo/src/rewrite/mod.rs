//! Artifacts for older and newer readers.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_core::Version;
//! use unskew_source::{BytesSource, Source};
//!
//! // tanh of four numbers, with an accuracy that says nothing.
//! let bytes = include_bytes!("../../tests/data/tanh-1.10.0.stablehlo");
//! let source: Arc<dyn Source> = Arc::new(BytesSource::new("tanh.stablehlo", bytes.to_vec()));
//! let done = unskew_stablehlo::rewrite::rewrite(&source, Version::triple(1, 0, 0), &Default::default()).unwrap();
//! assert_eq!(done.changes, ["`tanh_v2` as `tanh_v1`"]);
//! assert!(done.kept.is_empty());
//! ```

mod batching;
mod elementwise;
mod foreign;
pub(crate) mod forms;
mod functions;
mod older;
mod places;
mod plan;
mod shardings;
pub(crate) mod values;

use std::collections::HashMap;
use std::sync::Arc;

use unskew_core::Version;
use unskew_source::{Assembly, ReadError, Source};

use crate::bytecode::entries::builtin;
use crate::bytecode::operations::Value;
use crate::history;
use crate::module::{Block, Module, Operation, VHLO};
use foreign::Foreign;
pub use plan::{convert, plan};
use shardings::Shardings;

/// The versions of the bytecode format that StableHLO writes, each with the first of its versions that did.
const FORMATS: [(Version, u64); 5] = [
    (Version::triple(0, 9, 0), 0),
    (Version::triple(0, 10, 0), 1),
    (Version::triple(0, 12, 0), 3),
    (Version::triple(0, 14, 0), 4),
    (Version::triple(0, 15, 0), 6),
];

/// What may be done.
#[derive(Default)]
pub struct RewriteOptions {
    /// Whether a tangent may become a sine by a cosine, which rounds otherwise: [`APPROXIMATE`].
    pub approximate: bool,
}

/// The lossy adaptation by which a tangent becomes a sine by a cosine.
pub const APPROXIMATE: &str = "divide-sine-by-cosine";

/// An artifact that was written anew, and what was done to it.
pub struct Rewritten {
    /// The artifact, not yet written to a file.
    pub output: Assembly,
    /// What became something else, each once.
    pub changes: Vec<String>,
    /// What became something else that rounds otherwise.
    pub approximated: Vec<String>,
    /// What has no older form, and stands as it was.
    pub kept: Vec<String>,
}

/// Writes an artifact for readers of this version.
///
/// # Errors
/// If it is no MLIR bytecode, is broken, or holds what cannot be written anew.
pub fn rewrite(
    source: &Arc<dyn Source>,
    target: Version,
    options: &RewriteOptions,
) -> Result<Rewritten, ReadError> {
    let mut module = Module::read(source)?;
    let mut top = std::mem::take(&mut module.top);
    let minor = history::minor(target);
    let shardings = Shardings::gather_meshes(&module, &top, minor);
    let (renamed, changes, kept) = (HashMap::new(), Vec::new(), Vec::new());
    let approximate = options.approximate;
    let mut work = Work {
        target: minor,
        approximate,
        shardings,
        foreign: Foreign::default(),
        renamed,
        changes,
        approximated: Vec::new(),
        kept,
        cast: false,
        stays_foreign: false,
    };
    if places::narrow(&mut module, minor) {
        work.changes.push("places in the source that were ranges by where they begin".to_owned());
    }
    work.changes.extend(elementwise::replace(&mut module, &mut top, minor));
    work.stays_foreign = has_foreign(&top);
    work.block(&mut module, &mut top);
    module.top = top;
    let format = FORMATS.iter().rev().find(|(since, _)| *since <= work.target);
    let format = format.map_or(0, |(_, format)| *format);
    let output = module.write(format, &format!("StableHLO_v{target}"))?;
    let Work { changes, approximated, mut kept, cast, .. } = work;
    if cast && kept.is_empty() && minor < foreign::SINCE {
        kept.push("a cast to the types of another dialect".to_owned());
    }
    Ok(Rewritten { output, changes, approximated, kept })
}

/// What is done, and for which version.
struct Work {
    target: Version,
    approximate: bool,
    shardings: Shardings,
    foreign: Foreign,
    /// The values that stand for others, whose operations are gone.
    renamed: HashMap<Value, Value>,
    changes: Vec<String>,
    approximated: Vec<String>,
    kept: Vec<String>,
    /// Whether values are cast to types of other dialects.
    cast: bool,
    /// Whether operations of other dialects stay: the casts around them do, too.
    stays_foreign: bool,
}

/// Whether there is an operation that no version of VHLO has a form for.
fn has_foreign(block: &Block) -> bool {
    block.operations.iter().any(|operation| {
        ![VHLO, builtin::NAME, "sdy"].contains(&&*operation.dialect)
            || operation.regions.iter().flatten().any(has_foreign)
    })
}

impl Work {
    fn block(&mut self, module: &mut Module, block: &mut Block) {
        let operations = std::mem::take(&mut block.operations);
        for mut operation in operations {
            for inner in operation.regions.iter_mut().flatten() {
                self.block(module, inner);
            }
            self.operation(module, operation, &mut block.operations);
        }
    }

    /// Brings an operation into the form of the version, or puts others in its place.
    fn operation(
        &mut self,
        module: &mut Module,
        mut operation: Operation,
        out: &mut Vec<Operation>,
    ) {
        for operand in &mut operation.operands {
            *operand = self.renamed.get(operand).copied().unwrap_or(*operand);
        }
        let name = format!("{}.{}", operation.dialect, operation.name);
        match self.shardings.replace(module, &mut operation) {
            Err(what) => note(&mut self.kept, format!("{what} of `{name}`")),
            Ok(true) => {
                self.renamed.extend(operation.results.iter().copied().zip(operation.operands));
                note(&mut self.changes, format!("`{name}` left out"));
                return;
            }
            Ok(false) if *operation.dialect == *VHLO && !name.starts_with(VHLO) => {
                note(&mut self.changes, format!("`{name}` as a custom call"));
            }
            Ok(false) => {}
        }
        if operation.is(builtin::NAME, "unrealized_conversion_cast") {
            if self.target < foreign::SINCE
                && !self.stays_foreign
                && let Some((result, operand)) = foreign::passed_on(module, &operation)
            {
                self.renamed.insert(result, operand);
                return;
            }
            self.cast = true;
        }
        if self.target < foreign::SINCE
            && ![VHLO, builtin::NAME, "sdy"].contains(&&*operation.dialect)
        {
            note(&mut self.kept, format!("`{name}`"));
        }
        if *operation.dialect == *VHLO {
            if self.approximate
                && let Some(what) = older::approximate(module, &mut operation, out, self.target)
            {
                note(&mut self.approximated, what);
            }
            let other = older::replace(module, &mut operation, out, self.target);
            let expanded = batching::expand(module, &mut operation, out, self.target);
            other.into_iter().chain(expanded).for_each(|what| note(&mut self.changes, what));
            let before = Arc::clone(&operation.name);
            if let Err(what) = forms::bring(module, &mut operation, self.target) {
                note(&mut self.kept, format!("{what} of `{before}`"));
            }
            if before != operation.name {
                note(&mut self.changes, format!("`{before}` as `{}`", operation.name));
            }
        }
        if let Err(what) = self.foreign.translate(module, &mut operation, self.target) {
            note(&mut self.kept, format!("{what}, on `{}`,", operation.name));
        }
        out.push(operation);
    }
}

fn note(notes: &mut Vec<String>, what: String) {
    if !notes.contains(&what) {
        notes.push(what);
    }
}
