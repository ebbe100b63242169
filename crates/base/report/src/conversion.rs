//! For people: what a conversion does, or what stands in its way.
//!
//! ```text
//! gelu.pt to torch@1.4.0
//!
//!   drop-record  records that torch 1.4.0 does not read removed
//!     at  byteorder, .data/serialization_id
//!
//! written: old.pt, 12345 bytes
//! ```

use std::fmt::{self, Write};

use unskew_core::{Padded, Rewrite, column};

use crate::full::write_finding;
use crate::style::{BAD, DIM, EMPHASIS, GOOD, WARN};
use crate::{ConversionReport, Plain};

pub(crate) fn write(one: &ConversionReport, out: &mut dyn Write) -> fmt::Result {
    let (from, to) = (Plain(&one.from), Plain(&one.to));
    writeln!(out, "{EMPHASIS}{from} to {to}{EMPHASIS:#}")?;
    if !one.plan.rewrites.is_empty() {
        writeln!(out)?;
    }
    let width = column(one.plan.rewrites.iter().map(|rewrite| rewrite.adaptation.len()));
    for rewrite in &one.plan.rewrites {
        write_rewrite(rewrite, width, out)?;
    }
    for blocker in &one.plan.blockers {
        writeln!(out)?;
        write_finding(blocker, &[], out)?;
    }
    writeln!(out)?;
    match &one.written {
        Some(written) => {
            let path = Plain(&written.path);
            let unchanged = if one.plan.changes_nothing() { ", unchanged" } else { "" };
            writeln!(out, "{GOOD}written{GOOD:#}: {path}, {} bytes{unchanged}", written.size)?;
        }
        None if !one.plan.is_possible() => {
            writeln!(out, "{BAD}nothing written{BAD:#}: no exact form exists")?;
        }
        None if one.plan.changes_nothing() => writeln!(out, "nothing to rewrite; nothing written")?,
        None => writeln!(out, "nothing written")?,
    }
    writeln!(out)
}

fn write_rewrite(rewrite: &Rewrite, width: usize, out: &mut dyn Write) -> fmt::Result {
    write!(out, "  {}  ", Padded(rewrite.adaptation, width))?;
    if rewrite.lossy {
        write!(out, "{WARN}loses{WARN:#}: ")?;
    }
    writeln!(out, "{}", Plain(&rewrite.what))?;
    if !rewrite.places.is_empty() {
        let places = rewrite.places.to_string();
        writeln!(out, "  {}  {DIM}at{DIM:#} {}", Padded("", width), Plain(&places))?;
    }
    Ok(())
}
