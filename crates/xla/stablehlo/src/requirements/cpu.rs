//! What the CPU backend of a JAX release makes of a program: the handlers of custom calls that its jaxlib registers, and the
//! numbers of few bits that its XLA computes with.
//!
//! `data/cpu-handlers.tsv` was read from every jaxlib, `data/cpu-operations.tsv` measured in some: of a release between two of
//! them it says what both do, and is silent where they differ.

use std::sync::LazyLock;

use unskew_core::{Finding, Judgement, Unjudged, Version, VersionRange, aspect};

use super::call_uses::CallRetention;
use super::gather::{Call, CallForm, CompilerDemands};
use crate::rules;
use crate::verdict::is_of_the_compiler;

const HANDLERS: &str = include_str!("../../data/cpu-handlers.tsv");
const OPERATIONS: &str = include_str!("../../data/cpu-operations.tsv");

/// How the lines begin that name the releases of a table.
const RELEASES: &str = "# Releases: ";

/// The CPU backend of a release of JAX. Whoever makes the party of a release gives it this capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuBackend {
    jax: Version,
}

impl CpuBackend {
    /// The jaxlib that a JAX is used with: the newest that is not newer.
    fn jaxlib(self) -> Version {
        releases(HANDLERS).filter(|one| *one <= self.jax).last().unwrap_or(self.jax)
    }

    /// Whether a row of measured releases holds; none if the measured ones around this release differ.
    fn is_in(self, ranges: &[VersionRange]) -> Option<bool> {
        let before = releases(OPERATIONS).filter(|one| *one <= self.jax).last();
        let after = releases(OPERATIONS).find(|one| *one >= self.jax);
        let mut all = before.into_iter().chain(after).map(|one| has(ranges, one));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    /// That of a release; none of one that was not measured.
    pub fn of_jax(jax: Version) -> Option<Self> {
        let oldest = releases(HANDLERS).next()?;
        (jax >= oldest).then_some(Self { jax })
    }
}

/// A handler in some releases.
struct HandlerRow {
    /// With `?` for one letter: that of the numbers.
    target: &'static str,
    /// How many operands it takes and the names of its attributes; none if it takes what it is given.
    form: Option<CallForm>,
    /// Whether it refuses that form; a `!` in the table.
    is_refused: bool,
    releases: Vec<VersionRange>,
    /// The same as the table has them.
    written: &'static str,
}

/// Operations that some releases do not compute.
struct OperationRow {
    elements: Vec<&'static str>,
    /// `*` is every one; `?` those of which nothing is known.
    operations: Vec<&'static str>,
    releases: Vec<VersionRange>,
    says: &'static str,
}

/// What the backend of the reader of this name makes of a program.
pub(super) fn judge(asks: &CompilerDemands, backend: CpuBackend, reader: &str) -> Judgement {
    let mut judgement = Judgement::default();
    let mut open: Vec<&str> = asks.more_calls.iter().map(String::as_str).collect();
    for call in asks.calls.iter().filter(|call| call.kept != CallRetention::Unused) {
        if is_of_the_compiler(&call.target) {
            continue;
        }
        match handler(call, backend, reader) {
            Some(finding) => judgement.findings.extend(finding),
            None => open.push(&call.target),
        }
    }
    if !open.is_empty() {
        let why =
            "nothing tells whether the backend of this JAX has a handler for these custom calls";
        let places = open.into_iter().collect();
        judgement.unjudged.push(Unjudged::new(aspect::CUSTOM_CALLS, why).at(places));
    }
    let mut unknown = Vec::new();
    for (operation, element) in &asks.narrow {
        let is_meant = |row: &&OperationRow, wanted: &str| {
            row.operations.iter().any(|one| *one == wanted || (*one == "*" && wanted != "?"))
        };
        let rows = || operation_rows().iter().filter(|row| row.elements.contains(element));
        let own = rows().filter(|row| is_meant(row, operation));
        let holds: Vec<_> = own.map(|row| (row, backend.is_in(&row.releases))).collect();
        if let Some((row, _)) = holds.iter().find(|(_, holds)| *holds == Some(true)) {
            let operation = operation.trim_end_matches(WIDE);
            let with = match *element {
                ALGORITHM => "a stated algorithm".to_owned(),
                element => format!("numbers of {element}"),
            };
            let rule = rules::NotComputed { reader: &reader, operation: &operation, with: &with };
            judgement.findings.push(rule.finding().with_symptom(row.says));
            continue;
        }
        let is_tried = tried().any(|one| one == operation);
        let untried = rows().filter(|row| !is_tried && is_meant(row, "?"));
        let untried = untried.map(|row| backend.is_in(&row.releases));
        if holds.iter().any(|(_, holds)| holds.is_none())
            || untried.into_iter().any(|holds| holds != Some(false))
        {
            unknown.push(format!("{} of {element}", operation.trim_end_matches(WIDE)));
        }
    }
    if !unknown.is_empty() {
        let why =
            "whether the XLA of this JAX computes with numbers of so few bits was not measured";
        let places = unknown.iter().collect();
        judgement.unjudged.push(Unjudged::new(aspect::KERNELS, why).at(places));
    }
    judgement
}

/// What stands in the place of numbers for an operation that says how it is to be computed.
pub(super) const ALGORITHM: &str = "algorithm";

/// How the name of an operation ends whose results have other elements than its operands.
pub(super) const WIDE: char = '>';

/// What is to be said of a call; none if nothing is known of its target.
fn handler(call: &Call, backend: CpuBackend, reader: &str) -> Option<Option<Finding>> {
    let (target, jaxlib) = (&*call.target, backend.jaxlib());
    let rows: Vec<&HandlerRow> =
        handler_rows().iter().filter(|row| fits(row.target, target)).collect();
    let first = rows.first()?;
    let here: Vec<&&HandlerRow> = rows.iter().filter(|row| has(&row.releases, jaxlib)).collect();
    let at = |finding: Finding| Some(Some(finding.at([target].into_iter().collect())));
    if here.is_empty() {
        let releases = first.written.trim_end_matches("..");
        let releases = match first.written.ends_with("..") {
            true => format!("{releases} and later"),
            false => releases.replace("..", " to "),
        };
        let rule = rules::HandlerNotThere { reader: &reader, target: &target, releases: &releases };
        let symptom = match first.target.ends_with("_ffi") {
            true => format!("No FFI handler registered for {target} on a platform Host"),
            false => format!("No registered implementation for custom call to \"{target}\""),
        };
        return at(rule.finding().with_symptom(symptom));
    }
    let mut forms =
        here.iter().filter(|row| !row.is_refused).filter_map(|row| row.form.as_ref()).peekable();
    let wanted = forms.peek().map(|form| form.to_string()).unwrap_or_default();
    if wanted.is_empty() || forms.any(|form| *form == call.form) {
        return Some(None);
    }
    // Handlers may go on to take what older releases called them with; what came later they do not.
    let is_later = |row: &HandlerRow| {
        let later = |range: &VersionRange| range.min.is_some_and(|min| min > jaxlib);
        let is_same = !row.is_refused && row.form.as_ref() == Some(&call.form);
        is_same && row.releases.iter().all(later)
    };
    let is_refused = |row: &HandlerRow| row.is_refused && row.form.as_ref() == Some(&call.form);
    if !here.iter().any(|row| is_refused(row)) && !rows.iter().any(|row| is_later(row)) {
        return None;
    }
    let given = call.form.to_string();
    let rule = rules::HandlerTakesOthers {
        reader: &reader,
        target: &target,
        wanted: &wanted,
        given: &given,
    };
    at(rule.finding())
}

/// Whether one of the ranges has a version.
fn has(releases: &[VersionRange], jax: Version) -> bool {
    releases.iter().any(|range| {
        range.min.is_none_or(|min| min <= jax) && range.max.is_none_or(|max| jax <= max)
    })
}

/// Whether a target is what a row means.
fn fits(pattern: &str, target: &str) -> bool {
    match pattern.split_once('?') {
        Some((begin, end)) => {
            let rest = target.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
            rest.is_some_and(|letter| ["s", "d", "c", "z"].contains(&letter))
        }
        None => pattern == target,
    }
}

/// The releases that a table is of, the oldest first.
fn releases(table: &'static str) -> impl Iterator<Item = Version> {
    let line = table.lines().find_map(|line| line.strip_prefix(RELEASES)).unwrap_or_default();
    line.split(' ').filter_map(|version| version.parse().ok())
}

/// The operations that were tried with every kind of numbers.
fn tried() -> impl Iterator<Item = &'static str> {
    let line = OPERATIONS.lines().find_map(|line| line.strip_prefix("# Tried: "));
    line.unwrap_or_default().split(' ')
}

/// Ranges as the tables have them: `0.4.36`, `0.4.36..0.5.3`, `0.6.0..`.
fn ranges(text: &str) -> Option<Vec<VersionRange>> {
    let range = |one: &str| {
        let (min, max) = one.split_once("..").unwrap_or((one, one));
        let max = if max.is_empty() { None } else { Some(max.parse().ok()?) };
        Some(VersionRange { min: Some(min.parse().ok()?), max })
    };
    text.split(' ').map(range).collect()
}

fn handler_rows() -> &'static [HandlerRow] {
    static ROWS: LazyLock<Vec<HandlerRow>> = LazyLock::new(|| {
        let row = |line: &'static str| {
            let [target, form, releases] = *line.split('\t').collect::<Vec<_>>() else {
                return None;
            };
            let refused = form.strip_prefix('!');
            let form = match refused.unwrap_or(form) {
                "-" => None,
                form => Some(CallForm::read(form)?),
            };
            let is_refused = refused.is_some();
            Some(HandlerRow {
                target,
                form,
                is_refused,
                releases: ranges(releases)?,
                written: releases,
            })
        };
        HANDLERS.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
    });
    &ROWS
}

fn operation_rows() -> &'static [OperationRow] {
    static ROWS: LazyLock<Vec<OperationRow>> = LazyLock::new(|| {
        let row = |line: &'static str| {
            let [elements, operations, releases, says] = *line.split('\t').collect::<Vec<_>>()
            else {
                return None;
            };
            Some(OperationRow {
                elements: elements.split(' ').collect(),
                operations: operations.split(' ').collect(),
                releases: ranges(releases)?,
                says,
            })
        };
        OPERATIONS.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
    });
    &ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> usize {
        text.lines().filter(|line| !line.starts_with('#')).count()
    }

    #[test]
    fn every_row_of_the_tables_is_read() {
        assert_eq!(handler_rows().len(), lines(HANDLERS));
        assert_eq!(operation_rows().len(), lines(OPERATIONS));
    }

    #[test]
    fn a_letter_stands_for_the_numbers_of_a_handler() {
        assert!(fits("lapack_?getrf_ffi", "lapack_zgetrf_ffi"));
        assert!(!fits("lapack_?getrf_ffi", "lapack_xgetrf_ffi"));
        assert!(!fits("lapack_?getrf", "lapack_zgetrf_ffi"));
    }
}
