//! An explanation as text for people.

use std::fmt::{self, Write as _};

use unskew_report::{DIM, EMPHASIS, GOOD, Plain, of_severity};

use super::{ErrorCause, ErrorMatch, Explanation};

/// How many findings of an environment are printed.
const SHOWN: usize = 10;

impl Explanation {
    /// The answer as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        // Writing into a String cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        for (index, one) in self.matches.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            write_match(out, one)?;
        }
        if let Some((name, findings)) = &self.here {
            let name = Plain(name);
            if findings.is_empty() {
                writeln!(out, "\n{GOOD}not here{GOOD:#}: no finding of these rules in {name}")?;
            } else {
                writeln!(out, "\n{EMPHASIS}in {name}{EMPHASIS:#}")?;
            }
            for finding in findings.iter().take(SHOWN) {
                let style = of_severity(finding.severity);
                writeln!(out, "{style}{}{style:#} {}", finding.code, Plain(&finding.message))?;
                if let Some(fix) = &finding.fix {
                    writeln!(out, "  {DIM}fix{DIM:#}   {}", Plain(fix))?;
                }
            }
            if findings.len() > SHOWN {
                let more = findings.len() - SHOWN;
                writeln!(out, "{more} more; `unskew env` shows all")?;
            }
        }
        for trouble in &self.elsewhere {
            if !out.is_empty() {
                writeln!(out)?;
            }
            let about = Plain(&trouble.about);
            writeln!(out, "{EMPHASIS}not a version problem{EMPHASIS:#}: {about}")?;
            writeln!(out, "  {DIM}fix{DIM:#}   {}", Plain(&trouble.fix))?;
            if let Some(code) = trouble.code {
                writeln!(out, "  {DIM}next{DIM:#}  unskew explain {code}")?;
            }
        }
        Ok(())
    }
}

fn write_match(out: &mut String, one: &ErrorMatch) -> fmt::Result {
    let several = one.causes.len() > 1;
    if several {
        let count = one.causes.len();
        writeln!(out, "{EMPHASIS}{count} causes{EMPHASIS:#} print these words:")?;
    }
    for cause in &one.causes {
        match cause {
            ErrorCause::Rule(rule) => {
                let style = of_severity(rule.severity);
                let (code, name) = (rule.code, rule.name);
                writeln!(
                    out,
                    "{style}{code}{style:#} {EMPHASIS}{name}{EMPHASIS:#}: {}",
                    rule.summary
                )?;
            }
            ErrorCause::Known(error) => writeln!(out, "{EMPHASIS}{}{EMPHASIS:#}", error.about)?,
        }
        if several {
            writeln!(out, "  {DIM}fix{DIM:#}   {}", Plain(&one.fix(cause)))?;
        }
    }
    writeln!(out, "  {DIM}said{DIM:#}  {}", Plain(&one.said))?;
    if !one.values.is_empty() {
        let values =
            one.values.iter().map(|(name, value)| format!("{} {value}", name.replace('_', " ")));
        let values: Vec<String> = values.collect();
        writeln!(out, "  {DIM}with{DIM:#}  {}", Plain(&values.join(", ")))?;
    }
    for fact in &one.facts {
        writeln!(out, "        {}", Plain(fact))?;
    }
    if let [cause] = one.causes.as_slice() {
        writeln!(out, "  {DIM}fix{DIM:#}   {}", Plain(&one.fix(cause)))?;
    }
    let tells = if several { ", which tells the causes apart" } else { "" };
    writeln!(out, "  {DIM}next{DIM:#}  {}{tells}", Plain(&one.next.command))?;
    let mut codes = one.codes();
    match (codes.next(), codes.next()) {
        (Some(code), None) => writeln!(out, "        unskew explain {code}"),
        _ => Ok(()),
    }
}
