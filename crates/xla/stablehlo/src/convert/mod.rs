//! Native bytecode of 2023 and 2024, rewritten for readers of today.
//!
//! Before JAX sent portable artifacts it sent the `stablehlo` dialect itself as MLIR bytecode of format
//! 1, which carries no version and for which nobody promised anything. Readers of 2025 take it and
//! look for attributes in the form of *their* dialect. Two things changed since:
//!
//! * dimensions and sizes were `dense<[0, 1]> : tensor<2xi64>` and are `array<i64: 0, 1>` now. A reader
//!   does not convert: it finds no attribute that it knows. Where the attribute is required it says so
//!   ("'stablehlo.broadcast_in_dim' op requires attribute 'broadcast_dimensions'"), and where it is
//!   optional it goes on *without*. A convolution with strides of 2 and its input dilated by 2, sent by
//!   JAX 0.4.20 or 0.4.28, gives other numbers on the CPU plug-ins 0.81 and 0.115, and no error;
//! * the dimension numbers of `gather` and `scatter` have two lists more, in the middle of their encoding
//!   ("attempting to parse a byte at the end of the bytecode").
//!
//! Which attributes of which operations are concerned is data: `data/native.tsv`.
//!
//! [`upgrade_native`] adds the attributes in their new form behind those that are there, and a
//! dictionary of attributes for each operation that needs one; only the references of those operations
//! change. Everything else, known or not, stays byte for byte.
//!
//! ```
//! use unskew_stablehlo::convert::upgrade_native;
//!
//! // `x.at[i].set(5)`, as JAX 0.4.20 sends it.
//! let old = include_bytes!("../../tests/data/jax-0.4.20-scatter.mlirbc");
//! let new = upgrade_native(old).unwrap();
//! assert!(new.len() > old.len());
//! // What needs nothing comes back as it was.
//! assert_eq!(upgrade_native(&new).unwrap(), new);
//! ```
//!
//! # What each JAX sends
//!
//! Programs as they were handed to a plug-in, captured between the two. What the plug-in presents makes
//! no difference to the form: with JAX 0.4.25 to 0.4.28 minors from 38 to 54 were tried, with 0.4.28 also
//! a StableHLO version of 0.17.0, 1.0.0, 1.20.0 and none. So an adapter presents the host's own minor.
//!
//! | JAX | its PJRT | its StableHLO | what it sends | dense elements instead of arrays |
//! | --- | --- | --- | --- | --- |
//! | 0.4.20 | 0.38 | 0.14.27 | native, format 1 | all of the table |
//! | 0.4.23 | 0.40 | 0.16.1 | native, format 1 | the rows since 0.18.2 |
//! | 0.4.25 | 0.42 | 0.18.2 | native, format 1 | all: it writes its arrays back to elements |
//! | 0.4.26 | 0.47 | 0.19.4 | native, format 1 | the rows since 0.18.2, written back |
//! | 0.4.27 | 0.51 | 0.19.9 | native, format 1 | the same |
//! | 0.4.28 | 0.51 | 0.19.10 | native, format 1 | the same |
//! | 0.4.29 | 0.54 | 1.1.2 | native, format 1 | the same |
//! | 0.4.30 | 0.54 | 1.1.3 | a portable artifact for 0.17.0 | none |
//!
//! `gather` and `scatter` have their old dimension numbers in all of them up to 0.4.29.
//!
//! # What it brings
//!
//! Steps of a probe of 21 (jit, gradients, sorting, random numbers, donation, shardings, cost and memory
//! analysis, serialized executables) that pass over a forwarder, on the CPU plug-ins 0.81, 0.106 and
//! 0.115:
//!
//! | JAX | as sent | rewritten |
//! | --- | --- | --- |
//! | 0.4.20, 0.4.23, 0.4.25, 0.4.26, 0.4.27, 0.4.28, 0.4.29 | 11, 11, 11 | 19, 18, 18 |
//!
//! What is left has other causes. A linear solve and a Python callback need functions of jaxlib. In the
//! cost analysis a JAX of that age reads a program of 0.106 or 0.115, with ids that it cannot hold
//! ("Instruction with id > INT_MAX"); with those narrowed, as `unskew-pjrt` does, it is 19 on all three.
//!
//! Of 101 other programs, one per operation, each compared with JAX's own CPU backend on 0.115, these
//! ran:
//!
//! | JAX | as sent | rewritten |
//! | --- | --- | --- |
//! | 0.4.20 | 21 | 98; three Fourier transforms call a function of jaxlib |
//! | 0.4.23 | 36 | 101 |
//! | 0.4.25 | 22 | 101, of which one in bfloat16 rounds differently, as JAX 0.4.30 does on that plug-in |
//! | 0.4.26, 0.4.27, 0.4.28 | 36 | the same |
//! | 0.4.29 | 33 | the same |

mod elements;
mod error;
mod ledger;
pub(crate) mod numbers;
mod operations;
mod table;
mod write;

use std::borrow::Cow;

use unskew_source::{BytesSource, Source};

use crate::bytecode::aligned_section;
use crate::bytecode::entries::Entries;
use crate::bytecode::{Bytecode, Cursor, MAGIC, PRODUCER, Span, Strings, dialects, section};
pub use error::UpgradeError;
use ledger::Ledger;
use write::{Part, Sections};

/// The newest format that is rewritten. From format 2 on operations lie in sections of their own, from 5
/// on they have properties, and no writer of the old attributes wrote either.
const NEWEST: u64 = 1;

/// Rewrites a program for readers of 2025 and later. What needs nothing is given back as it came: MLIR
/// as text, portable artifacts, bytecode of a format above 1, programs without such attributes.
///
/// # Errors
/// If the program is broken MLIR bytecode, or an attribute cannot be expressed in its new form.
pub fn upgrade_native(bytes: &[u8]) -> Result<Cow<'_, [u8]>, UpgradeError> {
    let source = BytesSource::new("program", bytes);
    if !Bytecode::recognizes(&source) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut cursor = Cursor::new(&source, Span { start: 0, end: source.size() });
    cursor.skip(MAGIC.len() as u64)?;
    let version = cursor.varint()?;
    if version > NEWEST {
        return Ok(Cow::Borrowed(bytes));
    }
    cursor.terminated(PRODUCER)?;
    let head = cursor.position();
    let mut sections = Vec::new();
    while cursor.left() > 0 {
        let start = cursor.position();
        let (id, alignment, contents) = aligned_section(&mut cursor)?;
        let whole = Span { start, end: cursor.position() };
        if sections.iter().any(|part: &Part| part.id == id) {
            return Err(cursor.malformed(start, &format!("a second section {id}")).into());
        }
        sections.push(Part { id, alignment, contents, whole });
    }
    let sections = Sections { head, parts: sections };
    let part = |id| {
        let found = sections.parts.iter().find(|part| part.id == id);
        found
            .map(|part| part.contents)
            .ok_or_else(|| cursor.malformed(head, &format!("it has no section {id}")))
    };
    let strings = Strings::read(&source, part(section::STRINGS)?)?;
    let mut names = Cursor::new(&source, part(section::DIALECTS)?);
    let (dialects, order, _) = dialects::read(&mut names, version, &strings)?;
    if !dialects.iter().any(|dialect| table::concerns(&dialect.name)) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut sizes = Cursor::new(&source, part(section::KIND_SIZES)?);
    let entries = Entries::read(&mut sizes, &source, part(section::KINDS)?, &dialects, &strings)?;
    let mut ledger = Ledger::new(&entries);
    ledger.widen_dimension_numbers()?;
    let rules: Vec<_> = order
        .iter()
        .map(|(dialect, operation)| {
            let dialect = dialects.get(*dialect)?;
            table::rule(&dialect.name, dialect.operations.get(*operation)?)
        })
        .collect();
    let mut program = Cursor::new(&source, part(section::PROGRAM)?);
    operations::walk(&mut program, &mut |operation, dictionary, place| {
        let rule = usize::try_from(operation).ok().and_then(|number| *rules.get(number)?);
        rule.map_or(Ok(()), |rule| ledger.operation(rule, dictionary, place))
    })?;
    if ledger.is_empty() {
        return Ok(Cow::Borrowed(bytes));
    }
    Ok(Cow::Owned(sections.write(bytes, &ledger)))
}

#[cfg(test)]
mod tests;
