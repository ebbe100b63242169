//! For CI servers: JUnit XML, as most of them read it.
//!
//! A pair is a test suite, a finding a test case that fails if it is an error or a warning; a note passes, and
//! what is accepted or was not judged is skipped. A pair without findings, of which all was judged, has one case, which passes. What could not be read is
//! an error of a suite of its own, so that nothing reads it as a pass.

use std::fmt::{self, Write};

use unskew_core::{Finding, Severity, Unjudged, is_hidden};

use crate::model::line;
use crate::{CheckedPair, Report};

pub(crate) fn write(report: &Report, out: &mut dyn Write) -> fmt::Result {
    let tally = report.tally();
    let failures = tally.errors + tally.warnings;
    let errors = report.failures.len();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"unskew\" failures=\"{failures}\" errors=\"{errors}\">")?;
    for pair in &report.pairs {
        suite(pair, out)?;
    }
    if errors > 0 {
        writeln!(
            out,
            "  <testsuite name=\"not checked\" tests=\"{errors}\" failures=\"0\" errors=\"{errors}\">"
        )?;
        for failure in &report.failures {
            let (path, message) = (Text(&failure.path), Text(&failure.message));
            writeln!(out, "    <testcase name=\"{path}\" classname=\"not checked\">")?;
            writeln!(out, "      <error message=\"{message}\"/>")?;
            writeln!(out, "    </testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn suite(pair: &CheckedPair, out: &mut dyn Write) -> fmt::Result {
    let findings = &pair.verdict.findings;
    let fails = |f: &&Finding| f.accepted.is_none() && f.severity > Severity::Note;
    let unjudged = &pair.verdict.unjudged;
    let tests = (findings.len() + unjudged.len()).max(1);
    let failures = findings.iter().filter(fails).count();
    let name = format!("{} with {}", pair.a.label(), pair.b.label());
    let name = Text(&name);
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    )?;
    for finding in findings {
        case(pair, finding, out)?;
    }
    for Unjudged { aspect, reason, .. } in unjudged {
        let (path, aspect, reason) = (Text(pair.place()), Text(aspect), Text(reason));
        writeln!(out, "    <testcase name=\"not judged: {aspect}\" classname=\"{path}\">")?;
        writeln!(out, "      <skipped message=\"{reason}\"/>\n    </testcase>")?;
    }
    if findings.is_empty() && unjudged.is_empty() {
        let path = Text(pair.a.label());
        writeln!(out, "    <testcase name=\"no findings\" classname=\"{path}\"/>")?;
    }
    writeln!(out, "  </testsuite>")
}

fn case(pair: &CheckedPair, finding: &Finding, out: &mut dyn Write) -> fmt::Result {
    let path = pair.place_of(finding);
    let name = format!("{} {}", finding.rule.code, finding.rule.name);
    write!(out, "    <testcase name=\"{}\" classname=\"{}\"", Text(&name), Text(path))?;
    write!(out, " file=\"{}\"", Text(path))?;
    if let Some(line) = line(path, finding) {
        write!(out, " line=\"{line}\"")?;
    }
    let message = Text(&finding.message);
    if let Some(accepted) = &finding.accepted {
        let until = format!("accepted until {}: {}", accepted.until, accepted.reason);
        writeln!(out, ">\n      <skipped message=\"{}\"/>\n    </testcase>", Text(&until))
    } else if finding.severity == Severity::Note {
        writeln!(out, ">\n      <system-out>{message}</system-out>\n    </testcase>")
    } else {
        let fix = finding.fix.as_deref().unwrap_or_default();
        let kind = finding.severity;
        writeln!(
            out,
            ">\n      <failure type=\"{kind}\" message=\"{message}\">{}</failure>\n    </testcase>",
            Text(fix)
        )
    }
}

/// A text in XML: what would be markup is escaped, and what no XML may hold is shown as it is written in Rust.
struct Text<'a>(&'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\n' => f.write_str("&#10;")?,
                '\t' => f.write_str("&#9;")?,
                letter if is_hidden(letter) || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                    write!(f, "{}", letter.escape_default())?;
                }
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_can_break_the_markup() {
        assert_eq!(Text("a<b>&\"\u{1b}\n").to_string(), "a&lt;b&gt;&amp;&quot;\\u{1b}&#10;");
    }
}
