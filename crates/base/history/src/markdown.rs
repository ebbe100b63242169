//! Changelogs: a heading for every version, with its day.

use unskew_core::Version;

use crate::{Chronicle, ChronicleFormat, ChronicleProblem, ChronicleVersion, constants, day};

/// Reads a changelog; none if no heading names a version.
pub(crate) fn read(file: &str, text: &str) -> Option<Chronicle> {
    let mut chronicle = Chronicle {
        file: file.to_owned(),
        form: ChronicleFormat::Markdown,
        axis: String::new(),
        title: String::new(),
        steps: Vec::new(),
        floors: Vec::new(),
        stated: Vec::new(),
        releases: Vec::new(),
        window: None,
        problems: Vec::new(),
    };
    let (mut fenced, mut open) = (false, false);
    for (at, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        let level = line.bytes().take_while(|b| *b == b'#').count();
        if fenced || level == 0 {
            if let Some(step) = chronicle.steps.last_mut().filter(|_| open) {
                body(line, at + 1, step, &mut chronicle.problems);
            }
            continue;
        }
        let heading = line.trim_matches(['#', ' ', '\t', '\r']);
        match (number(heading), level) {
            (Some((version, rest)), 1..=3) if level > 1 || !chronicle.title.is_empty() => {
                let header = day::find(rest);
                if header.is_none() && day::meant(rest) {
                    let what = format!("no day: {rest}");
                    chronicle.problems.push(ChronicleProblem { line: at + 1, what, day: true });
                }
                let (change, parts) = (String::new(), Vec::new());
                let line = at + 1;
                chronicle.steps.push(ChronicleVersion {
                    version,
                    line,
                    header,
                    landed: None,
                    change,
                    parts,
                });
                open = true;
            }
            // A heading below a version belongs to it.
            (None, 3..) if open => {}
            (_, 1) if chronicle.title.is_empty() => heading.clone_into(&mut chronicle.title),
            _ => open = false,
        }
    }
    if chronicle.steps.is_empty() {
        return None;
    }
    constants::oldest_first(&mut chronicle.steps);
    Some(chronicle)
}

/// The number at the beginning of a heading, and what follows: `0.56 (Nov 11, 2024)`, `[1.2.0] - 2026-01-05`,
/// `Version 7`, `v2.1`.
fn number(heading: &str) -> Option<(Version, &str)> {
    let text = heading.trim_start_matches(['[', '`', '*']);
    let lower = text.to_ascii_lowercase();
    let skip = ["version ", "release ", "v"].into_iter().find(|word| lower.starts_with(word));
    let text = text.get(skip.map_or(0, str::len)..)?.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let dots = number.len() - number.trim_end_matches('.').len();
    let number = number.get(..number.len() - dots)?;
    // A heading that begins with a day or a word of which the number is part is no version.
    if rest.starts_with(['-', '/', '_']) || rest.starts_with(|c: char| c.is_alphabetic()) {
        return None;
    }
    Some((number.parse().ok()?, rest.trim_start_matches([']', '`', '*', ':', ' ', '-', '.'])))
}

/// A line below a heading: a day that stands on a line of its own, or what changed.
fn body(line: &str, at: usize, step: &mut ChronicleVersion, problems: &mut Vec<ChronicleProblem>) {
    let line = line.trim().trim_start_matches(['*', '-', '+']).trim();
    let lower = line.to_ascii_lowercase();
    let labelled =
        ["added date", "date", "landed", "released", "added on"].into_iter().find(|label| {
            lower.strip_prefix(label).is_some_and(|rest| rest.trim_start().starts_with(':'))
        });
    if labelled.is_some() && step.header.is_none() {
        step.header = day::find(line);
        if step.header.is_none() {
            problems.push(ChronicleProblem {
                line: at,
                what: format!("no day: {line}"),
                day: true,
            });
        }
    } else if step.change.is_empty() && !line.is_empty() {
        line.replace('`', "").clone_into(&mut step.change);
    }
}
