//! For GitHub Actions: workflow commands, which annotate a run.
//!
//! In a command's message `%`, carriage return and line feed are escaped, in its properties also
//! `:` and `,`, as the documentation of workflow commands says. The last line is none: it says in the log that all is well,
//! or how much is not.

use std::fmt::{self, Write};

use unskew_core::{Finding, Severity};

use crate::{Location, Report};

pub(crate) fn write(report: &Report, out: &mut dyn Write) -> fmt::Result {
    let counted = report.findings().filter(|(_, finding)| finding.accepted.is_none());
    for (path, finding) in counted {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let title = format!("{} {}", finding.rule.code, finding.rule.name);
        writeln!(
            out,
            "::{command} file={}{},title={}::{}",
            property(path),
            report.location(path, finding).map(numbers).unwrap_or_default(),
            property(&title),
            message(&text(finding))
        )?;
    }
    for (path, unjudged) in report.unjudged() {
        let title = format!("not judged {}", unjudged.aspect);
        let (path, title) = (property(path), property(&title));
        writeln!(out, "::notice file={path},title={title}::{}", message(&unjudged.reason))?;
    }
    writeln!(out, "unskew: {}", report.tally().with_unjudged(report.unjudged().count()))
}

fn numbers(Location { line, column }: Location) -> String {
    match column {
        Some(column) => format!(",line={line},col={column}"),
        None => format!(",line={line}"),
    }
}

fn text(finding: &Finding) -> String {
    match &finding.fix {
        Some(fix) => format!("{}\nfix: {fix}", finding.message),
        None => finding.message.clone(),
    }
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_early_is_escaped() {
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
        assert_eq!(message("100%: a, b\nc"), "100%25: a, b%0Ac");
    }
}
