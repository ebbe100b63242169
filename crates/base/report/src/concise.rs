//! For people and `grep`: `file: error PT204 message`, and one line for each pair's outcome. A finding in a text file has
//! its line and column: `file:12:5: error …`.

use std::fmt::{self, Write};

use unskew_core::Unjudged;

use crate::style::{DIM, WARN, of_severity};
use crate::{Plain, Report};

pub(crate) fn write(report: &Report, out: &mut dyn Write) -> fmt::Result {
    for look in &report.looks {
        let party = &look.party;
        writeln!(out, "{}: {}", Plain(&look.path), Plain(&party.side().origin))?;
    }
    for one in &report.conversions {
        for rewrite in &one.plan.rewrites {
            let (from, what) = (Plain(&one.from), Plain(&rewrite.what));
            writeln!(out, "{from}: {DIM}{}:{DIM:#} {what}", rewrite.adaptation)?;
        }
    }
    for (path, finding) in report.findings() {
        let style = of_severity(finding.severity);
        let (severity, code) = (finding.severity, finding.rule.code);
        let (shown, message) = (Plain(path), Plain(&finding.message));
        write!(out, "{shown}:")?;
        if let Some(location) = report.location(path, finding) {
            write!(out, "{}:", location.line)?;
            location.column.map_or(Ok(()), |column| write!(out, "{column}:"))?;
        }
        write!(out, " {style}{severity} {code}{style:#} {message}")?;
        match &finding.accepted {
            Some(accepted) => writeln!(out, " {DIM}(accepted until {}){DIM:#}", accepted.until)?,
            None => writeln!(out)?,
        }
    }
    for (path, unjudged) in report.unjudged() {
        let Unjudged { aspect, reason, .. } = unjudged;
        writeln!(out, "{}: {WARN}not judged{WARN:#} {aspect}: {}", Plain(path), Plain(reason))?;
    }
    for pair in &report.pairs {
        let (a, b) = (Plain(pair.a.label()), Plain(pair.b.label()));
        writeln!(out, "{a}: {DIM}with {b}:{DIM:#} {}", Plain(&pair.outcome()))?;
    }
    for one in &report.conversions {
        let (from, to) = (Plain(&one.from), Plain(&one.to));
        match &one.written {
            Some(written) => writeln!(out, "{from}: to {to}: written {}", Plain(&written.path))?,
            None => writeln!(out, "{from}: to {to}: nothing written")?,
        }
    }
    Ok(())
}
