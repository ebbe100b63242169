//! Many releases of one family in a few lines: with which of them a file works, and why not with the others.
//!
//! ```text
//! net.pt with torch, 27 releases
//!
//! works
//!   with   1.12.1 to 2.15.0
//! does not load
//!   with   1.3.1 to 1.11.0
//!   PT002  The file format version is above what the runtime reads.
//! ```

use std::fmt::{self, Write};

use unskew_core::{Role, Rule};

use crate::full::style_of;
use crate::sentence::{Sentence, cause};
use crate::style::{DIM, EMPHASIS};
use crate::{CheckedPair, Plain};

/// From how many releases of a family on they are shown as ranges.
const MANY: usize = 5;

/// The pairs in runs: neighbours are of one file and one family of releases.
pub(crate) fn families(pairs: &[CheckedPair]) -> impl Iterator<Item = &[CheckedPair]> {
    pairs.chunk_by(|one, next| {
        one.a == next.a && release(one).is_some() && family(one) == family(next)
    })
}

/// Whether a run is better read as ranges.
pub(crate) fn is_long(run: &[CheckedPair]) -> bool {
    run.len() >= MANY && run.iter().all(|pair| release(pair).is_some())
}

/// The family and the release of the second side: `torch`, `2.1.2`.
fn release(pair: &CheckedPair) -> Option<(&str, &str)> {
    let is_release = pair.b.path.is_none() && pair.b.side.role >= Role::Runtime;
    pair.b.side.name.rsplit_once(' ').filter(|_| is_release)
}

fn family(pair: &CheckedPair) -> Option<&str> {
    release(pair).map(|(family, _)| family)
}

/// Releases with the same answer for the same reason.
struct SameAnswer<'r> {
    sentence: Sentence,
    rule: Option<&'static Rule>,
    /// By their places in the run.
    members: Vec<usize>,
    example: &'r CheckedPair,
}

pub(crate) fn write(run: &[CheckedPair], out: &mut dyn Write) -> fmt::Result {
    let Some(first) = run.first() else { return Ok(()) };
    let (file, family) = (first.a.label(), family(first).unwrap_or_default());
    writeln!(
        out,
        "{EMPHASIS}{} with {}, {} releases{EMPHASIS:#}\n",
        Plain(file),
        Plain(family),
        run.len()
    )?;
    for answer in answers(run) {
        let style = style_of(&answer.example.verdict);
        writeln!(out, "{style}{}{style:#}", Plain(&answer.sentence.alone()))?;
        writeln!(out, "  {DIM}with{DIM:#}   {}", Plain(&spans(run, &answer.members)))?;
        if let Some(rule) = answer.rule {
            writeln!(out, "  {DIM}{}{DIM:#}  {}", rule.code, rule.summary)?;
        }
    }
    writeln!(
        out,
        "\n{DIM}`--with {}@VERSION` explains one release, `-v` each of them.{DIM:#}",
        Plain(&family.to_lowercase())
    )
}

/// The answers, that of the last release first.
fn answers(run: &[CheckedPair]) -> Vec<SameAnswer<'_>> {
    let mut found: Vec<SameAnswer<'_>> = Vec::new();
    for (index, pair) in run.iter().enumerate().rev() {
        let sentence = Sentence::new(&pair.verdict, &pair.a.side, &pair.b.side);
        let rule = cause(&pair.verdict).map(|finding| finding.rule);
        let code = |rule: Option<&Rule>| rule.map(|rule| rule.code);
        let same =
            |one: &&mut SameAnswer<'_>| one.sentence == sentence && code(one.rule) == code(rule);
        match found.iter_mut().find(same) {
            Some(one) => one.members.insert(0, index),
            None => found.push(SameAnswer { sentence, rule, members: vec![index], example: pair }),
        }
    }
    found
}

/// `1.3.1 to 1.11.0, 2.3.1`: runs of neighbours by their first and last.
fn spans(run: &[CheckedPair], members: &[usize]) -> String {
    let name = |index: usize| release(&run[index]).map_or("", |(_, version)| version);
    let spans = members.chunk_by(|one, next| one + 1 == *next).map(|span| match span {
        [first, .., last] => format!("{} to {}", name(*first), name(*last)),
        [only] => name(*only).to_owned(),
        [] => String::new(),
    });
    spans.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Subject;
    use unskew_core::{Finding, Party, Phase, Severity, Verdict, rules};

    fn pair(version: &str, fails: bool) -> CheckedPair {
        let file = Party::new("net.pt", Role::Artifact, "archive");
        let release = Party::new(format!("torch {version}"), Role::Runtime, "release");
        let mut finding = Finding::new(&rules::CO001, "m");
        (finding.severity, finding.phase) = (Severity::Error, Some(Phase::Load));
        let findings = if fails { vec![finding] } else { Vec::new() };
        CheckedPair {
            a: Subject::at("net.pt", &file),
            b: Subject::from_party(&release),
            verdict: Verdict::new(findings, Vec::new(), Vec::new()),
        }
    }

    #[test]
    fn neighbours_with_the_same_answer_are_a_range() {
        let releases =
            [("1.0", true), ("1.1", true), ("1.2", false), ("1.3", true), ("1.4", false)];
        let pairs: Vec<_> = releases.map(|(version, fails)| pair(version, fails)).into();
        assert!(is_long(&pairs) && !is_long(&pairs[..4]));
        let mut text = String::new();
        write(&pairs, &mut text).unwrap();
        assert!(text.contains("1.2, 1.4\n") && text.contains("1.0 to 1.1, 1.3\n"), "{text}");
        assert!(text.find("works") < text.find("does not load"), "{text}");
    }
}
