//! What a Python module binds and asks of other modules when it is imported, read from its source.
//!
//! A name that is gone is the most frequent reason why an import fails after an upgrade: `from transformers import AdamW`,
//! `np.bool`. Both sides stand in the source: one module binds names, the other asks for them.
//!
//! **The path of the data.** [`PythonModule::read`] parses a source (`ruff_python_parser` does; nothing is run) and keeps of it
//! what an import does, as [`Step`]s in the order in which Python takes them: imports, attributes of what may be a module,
//! names that are bound, conditions, `try` with its handlers. What functions do is kept apart, since it happens later.
//! Which keywords plain functions and classes take is kept, too ([`TakenKeywords`]), and what is called with keywords.
//! Whoever has many modules walks over their steps (the crate `unskew-environments` does), decides the conditions that
//! versions decide, and knows then which names a module provides and which are missing.
//!
//! **What is known of names that no statement binds.** The literals of lazy loaders (`_import_structure` of transformers,
//! `lazy_loader.attach`), and what a module's `__getattr__` compares its argument with ([`AttributeHook`]). A module that
//! writes into its own namespace is *open* ([`Openness`]): a name that is not found there is not missing.
//!
//! **What is refused.** A source of more than 2 MiB, one that nests deeper than CPython takes, one with a syntax error. Of
//! expressions, nothing is computed.
#![forbid(unsafe_code)]

mod attribute_hook;
mod condition;
mod encoding;
mod expression;
mod keywords;
mod lazy;
mod module;
mod nesting;
mod read;
mod reads_of_modules;
mod tables;

pub use encoding::PackedSteps;
pub use module::{
    AttributeHook, Bound, Comparison, Condition, Exports, Handler, Openness, PythonFunction,
    PythonModule, Step, TakenKeywords,
};

/// Which reader this is: what one makes of a source, another may make otherwise.
pub const READER: &str = env!("UNSKEW_PYTHON_SOURCE_READER");

/// The most bytes of a source.
/// A statement of two letters takes 200 bytes once it is parsed.
pub const LARGEST: usize = 2 << 20;

/// Why a source is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// It is too long.
    #[error("source of {0} bytes, more than {LARGEST}")]
    TooLarge(usize),
    /// It nests too deep.
    #[error("source nests deeper than Python takes")]
    TooDeep,
    /// It is no Python, or of a newer one than is known.
    #[error("line {line}: {cause}")]
    Syntax {
        /// Where, counted from 1.
        line: u32,
        /// What the parser says.
        cause: String,
    },
}
