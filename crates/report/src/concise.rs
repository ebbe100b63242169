//! For people and `grep`: `file: error PT204 message`, and one line for each pair's outcome.

use std::fmt::{self, Write};

use crate::style::{DIM, of_severity};
use crate::{Plain, Report};

pub(crate) fn write(report: &Report, out: &mut dyn Write) -> fmt::Result {
    for look in &report.looks {
        let party = &look.party;
        writeln!(out, "{}: {}", Plain(&look.path), Plain(&party.side().origin))?;
    }
    for (path, finding) in report.findings() {
        let style = of_severity(finding.severity);
        let (severity, code) = (finding.severity, finding.rule.code);
        let (path, message) = (Plain(path), Plain(&finding.message));
        writeln!(out, "{path}: {style}{severity} {code}{style:#} {message}")?;
    }
    for pair in &report.pairs {
        let (a, b) = (Plain(pair.a.label()), Plain(pair.b.label()));
        writeln!(out, "{a}: {DIM}with {b}:{DIM:#} {}", pair.outcome())?;
    }
    Ok(())
}
