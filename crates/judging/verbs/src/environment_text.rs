//! The answer about an environment for people: the verdict, the pairs with a finding, the reasons, the change that fixes them.
//!
//! ```text
//! .venv: 1 pair of packages fails
//!   Python 3.11, 12 packages, 9 pairs compared
//!
//!   torchvision 0.15.0  torch 2.4.0  fails EX101
//!   8 others work
//!
//! torchvision 0.15.0 does not load with torch 2.4.0. …
//!
//! fix  uv pip install 'torchvision==0.19.0'
//! ```

use std::fmt::{Result, Write};

use anstyle::Style;
use unskew_core::{Outcome, Padded, Party, Severity, Verdict, column};
use unskew_environments::PackagePair;
use unskew_report::{
    BAD, CheckedPair, DIM, EMPHASIS, GOOD, Plain, RenderFormat, Report, Subject, WARN,
    write_finding, write_unjudged,
};

use crate::{EnvironmentAnswer, Fetched};

impl EnvironmentAnswer {
    /// The answer as text: the verdict, the reasons and the change for people, the report for programs. `verbose` lists the
    /// pairs that work, too.
    pub fn render(&self, format: RenderFormat, verbose: bool) -> String {
        if format != RenderFormat::Full {
            return self.report.render(format);
        }
        let mut out = String::new();
        // Writing into a String cannot fail.
        let _ = self.write(&mut out, verbose);
        out
    }

    fn write(&self, out: &mut String, verbose: bool) -> Result {
        let (style, verdict) = self.verdict();
        writeln!(out, "{style}{}: {verdict}{style:#}", Plain(&self.environment.name))?;
        self.write_counts(out)?;
        self.write_pairs(verbose, out)?;
        let mut reasons = Report::new(self.report.context);
        reasons.verbose = verbose;
        reasons.pairs = self.reasons();
        if !reasons.pairs.is_empty() {
            writeln!(out)?;
            out.push_str(&reasons.render(RenderFormat::Full));
        }
        for finding in self.judged.alone.iter().flat_map(|party| &party.notes) {
            writeln!(out)?;
            write_finding(finding, &[], out)?;
        }
        for (index, unjudged) in self.unjudged.iter().enumerate() {
            if index == 0 {
                writeln!(out)?;
            }
            write_unjudged(unjudged, out)?;
        }
        self.write_fetched(out)?;
        self.write_changes(out)?;
        // The first line is far above by now.
        match self.has_failures() {
            true => writeln!(out, "\n{style}{}: {verdict}{style:#}", Plain(&self.environment.name)),
            false => Ok(()),
        }
    }

    /// What the first line says of the environment.
    fn verdict(&self) -> (Style, String) {
        let (judged, alone) = (&self.judged, self.packages_that_fail_alone());
        let failing: Vec<String> = [
            counted(self.broken_pairs(), "pair of packages fails", "pairs of packages fail"),
            counted(alone, "package fails by itself", "packages fail by themselves"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !failing.is_empty() {
            return (BAD, failing.join(", "));
        }
        // Silence is no promise.
        if self.environment.is_lock && judged.pairs.is_empty() && judged.compared == 0 {
            return (WARN, "nothing was judged: no facts are known about its packages".to_owned());
        }
        (GOOD, "no failure found".to_owned())
    }

    fn has_failures(&self) -> bool {
        self.broken_pairs() + self.packages_that_fail_alone() > 0
    }

    fn broken_pairs(&self) -> usize {
        self.judged.pairs.iter().filter(|pair| pair.is_broken()).count()
    }

    fn packages_that_fail_alone(&self) -> usize {
        let fails = |party: &&Party| party.notes.iter().any(|one| one.severity == Severity::Error);
        self.judged.alone.iter().filter(fails).count()
    }

    /// How much was compared.
    fn write_counts(&self, out: &mut String) -> Result {
        let (environment, judged) = (&self.environment, &self.judged);
        let python = environment.python.map(|python| format!("Python {python}"));
        let counts = [
            counted(environment.packages.len(), "package", "packages"),
            counted(judged.pairs.len(), "pair compared", "pairs compared"),
            counted(
                judged.compared,
                "declared requirement compared",
                "declared requirements compared",
            ),
        ];
        let all: Vec<String> = python.into_iter().chain(counts.into_iter().flatten()).collect();
        writeln!(out, "  {}", all.join(", "))
    }

    /// A line for each pair with a finding, and how many others there are.
    fn write_pairs(&self, verbose: bool, out: &mut String) -> Result {
        let is_shown = |pair: &&PackagePair| verbose || !pair.verdict.findings.is_empty();
        let shown: Vec<&PackagePair> = self.judged.pairs.iter().filter(is_shown).collect();
        if shown.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let width =
            |of: fn(&PackagePair) -> &Party| column(shown.iter().map(|pair| of(pair).name.len()));
        let (one, other) = (width(|pair| &pair.one), width(|pair| &pair.other));
        for pair in &shown {
            let a = Padded(Plain(&pair.one.name), one);
            let b = Padded(Plain(&pair.other.name), other);
            let (style, word) = word(&pair.verdict);
            let mut rules: Vec<&str> =
                pair.verdict.findings.iter().map(|finding| finding.rule.code).collect();
            rules.dedup();
            let space = if rules.is_empty() { "" } else { " " };
            writeln!(out, "  {a}  {b}  {style}{word}{style:#}{space}{}", rules.join(", "))?;
        }
        match counted(self.judged.pairs.len() - shown.len(), "other works", "others work") {
            Some(others) => writeln!(out, "  {DIM}{others}; -v lists them{DIM:#}"),
            None => Ok(()),
        }
    }

    /// The pairs with a reason to be shown. What is not judged and a command can tell is one, too.
    fn reasons(&self) -> Vec<CheckedPair> {
        let is_shown = |verdict: &Verdict| {
            let remedies = verdict.unjudged.iter().any(|one| one.remedy.is_some());
            !verdict.findings.is_empty() || remedies
        };
        let pairs = self.judged.pairs.iter().zip(&self.report.pairs);
        let shown = pairs.filter(|(_, checked)| is_shown(&checked.verdict));
        // Of a lock, the report names the file.
        shown
            .map(|(pair, checked)| CheckedPair {
                a: Subject::from_party(&pair.one),
                ..checked.clone()
            })
            .collect()
    }

    fn write_fetched(&self, out: &mut String) -> Result {
        if !self.fetched.is_empty() {
            writeln!(out)?;
        }
        for Fetched { location, bytes, size } in &self.fetched {
            let (location, kib) = (Plain(location), bytes.div_ceil(1024));
            let size = size.div_ceil(1024);
            writeln!(out, "{DIM}fetched{DIM:#}  {kib} KiB of {size} KiB: {location}")?;
        }
        Ok(())
    }

    /// The change that fixes it, the other one, and those that something forbids.
    fn write_changes(&self, out: &mut String) -> Result {
        let changes = [("fix", &self.judged.change), ("or ", &self.judged.other_change)];
        for (word, change) in changes {
            let Some(change) = change else { continue };
            writeln!(out, "\n{EMPHASIS}{word}{EMPHASIS:#}  {}", Plain(&change.command()))?;
            for pin in &change.pins {
                let text = format!("{} instead of {}: {}", pin.requirement, pin.from, pin.reason);
                writeln!(out, "       {}", Plain(&text))?;
            }
            for open in &change.open {
                writeln!(out, "       no release is known that fits: {}", Plain(open))?;
            }
        }
        for refused in &self.judged.refused {
            writeln!(out, "\n{EMPHASIS}no fix{EMPHASIS:#}  {}", Plain(refused))?;
        }
        Ok(())
    }
}

/// What a line says of a pair.
fn word(verdict: &Verdict) -> (Style, &'static str) {
    match &verdict.outcome {
        Outcome::Incompatible => (BAD, "fails"),
        Outcome::Adaptable(_) => (BAD, "fails as it is"),
        _ if !verdict.findings.is_empty() => (WARN, "works, with a warning"),
        Outcome::Compatible => (GOOD, "works"),
        _ => (GOOD, "works as far as judged"),
    }
}

/// `3 packages`; none of none.
fn counted(count: usize, one: &str, many: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    }
}
