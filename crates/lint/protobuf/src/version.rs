//! The version of a format: whether it was raised with what changed.

use std::collections::BTreeSet;

use unskew_core::{Finding, Promise, PromiseState};

use crate::change::FoundChange;
use crate::rules;
use crate::schema::Schema;
use crate::scope::MessageScope;
use crate::weight::versioned;
use unskew_history::Chronicle;
use unskew_kinds::CompareOptions;
use unskew_source::{Files, NotRead};

/// A version of a format on both sides.
pub(crate) struct Line {
    /// What carries the number: a history, or the file with the comment.
    name: String,
    line: usize,
    /// None: the format had no version yet.
    before: Option<String>,
    after: String,
    kind: Carrier,
    lowered: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Carrier {
    History,
    Comment,
}

impl Line {
    /// Whether readers can tell the two formats apart.
    pub(crate) fn raised(&self) -> bool {
        self.before.as_ref().is_some_and(|before| *before != self.after) && !self.lowered
    }
}

/// The version that the dated history at `path` ends with, on both sides.
///
/// # Errors
/// If the new side has no such history.
pub(crate) fn of_history(path: &str, old: &Files, new: &Files) -> Result<Line, NotRead> {
    let read = |files: &Files| files.get(path).and_then(|bytes| Chronicle::read(path, bytes));
    let newest = |chronicle: &Chronicle| chronicle.steps.iter().map(|step| step.version).max();
    let now = read(new).ok_or_else(|| {
        NotRead::new(
            path,
            "no dated history; the option `history` names one of the files of the boundary",
        )
    })?;
    let after = newest(&now).ok_or_else(|| NotRead::new(path, "a history without versions"))?;
    let before = read(old).as_ref().and_then(newest);
    let step = now.steps.iter().rev().find(|step| step.version == after);
    Ok(Line {
        name: path.to_owned(),
        line: step.map_or(1, |step| step.line),
        lowered: before.is_some_and(|before| after < before),
        before: before.map(|version| version.to_string()),
        after: after.to_string(),
        kind: Carrier::History,
    })
}

pub(crate) fn of_comment(file: &str, old_file: &str, old: &Schema, new: &Schema) -> Option<Line> {
    let (after, line) = *new.versions.get(file)?;
    let before = old.versions.get(old_file).map(|(version, _)| *version);
    Some(Line {
        name: file.to_owned(),
        line,
        lowered: before.is_some_and(|before| after < before),
        before: before.map(|version| version.to_string()),
        after: after.to_string(),
        kind: Carrier::Comment,
    })
}

/// What is to be said about a version and the changes that it covers.
pub(crate) fn judge<'f>(
    line: &Line,
    found: impl Iterator<Item = &'f FoundChange>,
    terms: &CompareOptions<'_>,
) -> (Option<Finding>, Option<Promise>) {
    let changes =
        found.filter(|found| found.scope > MessageScope::Scratch && versioned(found.finding.rule));
    let names: BTreeSet<&str> = changes.map(|found| message(&found.subject)).collect();
    let place = [format!("{}:{}", line.name, line.line)].into_iter().collect();
    let Some(before) = &line.before else { return (None, None) };
    if line.lowered {
        let next = next(before);
        let rule = rules::FormatVersionLowered {
            line: &line.name,
            before,
            after: &line.after,
            next: &next,
        };
        return (Some(rule.finding().at(place)), None);
    }
    if names.is_empty() {
        return (None, None);
    }
    let changed =
        names.iter().take(4).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(4);
    let changed = if more > 0 {
        format!("{changed} and {more} more changed")
    } else {
        format!("{changed} changed")
    };
    let kept = line.raised();
    let promise = Promise {
        policy: "versions of the format".to_owned(),
        state: if kept { PromiseState::Promised } else { PromiseState::NotPromised },
        window: None,
        from: None,
        until: None,
        statement: match kept {
            true => format!("{} went from {before} to {}: {changed}", line.name, line.after),
            false => format!("{} stays at {}: {changed}", line.name, line.after),
        },
        reference: "documents: ifrt-serdes-version-management".to_owned(),
    };
    if kept {
        return (None, Some(promise));
    }
    let edit = edit(line, &names, terms);
    let rule = rules::FormatVersionNotRaised {
        version: &line.after,
        line: &line.name,
        changed: &changed,
        edit: &edit,
    };
    // The lines of an edit are to be copied; in a message a value has none.
    (Some(rule.finding().with_fix(&*edit).at(place)), Some(promise))
}

/// The message of a subject: `a.Thing` of `a.Thing.size`.
fn message(subject: &str) -> &str {
    let is_small = |part: &str| part.starts_with(|c: char| c.is_lowercase() || c == '_');
    match subject.rsplit_once('.') {
        Some((outer, last)) if is_small(last) || last.is_empty() => outer,
        Some((outer, _)) if outer.rsplit('.').next().is_some_and(|part| !is_small(part)) => outer,
        _ => subject,
    }
}

fn next(version: &str) -> String {
    let (head, last) = version.rsplit_once('.').map_or(("", version), |(head, last)| (head, last));
    let last = last.parse::<u64>().map_or(0, |n| n.saturating_add(1));
    if head.is_empty() { last.to_string() } else { format!("{head}.{last}") }
}

fn edit(line: &Line, names: &BTreeSet<&str>, terms: &CompareOptions<'_>) -> String {
    let next = next(&line.after);
    if line.kind == Carrier::Comment {
        return format!("write `// unskew: version {next}` into {}", line.name);
    }
    let number = if next.contains('.') { format!("\"{next}\"") } else { next };
    let day = terms.as_of.map_or_else(|| "YYYY-MM-DD".to_owned(), |day| day.to_string());
    let types: Vec<String> = names
        .iter()
        .map(|name| format!("\"{}\"", name.rsplit('.').next().unwrap_or(name)))
        .collect();
    format!(
        "add to {}:\n[[version]]\nnumber = {number}\nlanded = {day}\nchange = \"\"\ntypes = [{}]",
        line.name,
        types.join(", ")
    )
}
