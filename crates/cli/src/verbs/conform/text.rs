//! The report for people.

use std::fmt::Write as _;

use unskew_pjrt::Probe;
use unskew_pjrt::conform::{CheckOutcome, CheckResult, Conformance, HostRange, HostUsage};
use unskew_report::{BAD, DIM, EMPHASIS, GOOD, Plain, WARN};

const WORDS: [&str; 7] =
    ["pass", "unsupported", "fail", "crashed", "no end", "no device", "not run"];

/// The checks by group: counts, and in full what did not pass; everything if `verbose`.
pub fn rows(label: &str, probe: &Probe, found: &Conformance, verbose: bool) -> String {
    let mut text = String::new();
    let label = Plain(label);
    let _ = writeln!(text, "{EMPHASIS}{label}{EMPHASIS:#}, PJRT {}", probe.version());
    let mut groups: Vec<&str> = Vec::new();
    for row in &found.rows {
        if !groups.contains(&row.group) {
            groups.push(row.group);
        }
    }
    for group in groups {
        let rows: Vec<&CheckResult> = found.rows.iter().filter(|row| row.group == group).collect();
        let _ = writeln!(text, "  {EMPHASIS}{group:14}{EMPHASIS:#}  {}", counts(&rows));
        for row in rows.iter().filter(|row| verbose || row.outcome.is_fault()) {
            line(&mut text, row);
        }
        if !verbose {
            remainder(&mut text, &rows);
        }
    }
    let all: Vec<&CheckResult> = found.rows.iter().collect();
    let _ = writeln!(text, "  {EMPHASIS}{:14}{EMPHASIS:#}  {}", "all", counts(&all));
    text
}

fn counts(rows: &[&CheckResult]) -> String {
    let count = |word: &&str| rows.iter().filter(|row| row.outcome.word() == *word).count();
    let some = WORDS.iter().filter(|word| count(word) > 0);
    some.map(|word| format!("{} {word}", count(word))).collect::<Vec<_>>().join(", ")
}

fn line(text: &mut String, row: &CheckResult) {
    let style = match &row.outcome {
        CheckOutcome::Pass(_) => GOOD,
        CheckOutcome::Unsupported { .. } | CheckOutcome::NotRun(_) | CheckOutcome::NoDevice(_) => {
            WARN
        }
        _ => BAD,
    };
    let (word, said) = (row.outcome.word(), row.outcome.to_string());
    let _ = write!(text, "    {style}{word:11}{style:#}  {}", Plain(&row.name));
    if !said.is_empty() {
        let _ = write!(text, "{DIM}: {}{DIM:#}", Plain(&said));
    }
    text.push('\n');
}

/// What is no fault, by name: unsupported, not run.
fn remainder(text: &mut String, rows: &[&CheckResult]) {
    for word in ["unsupported", "no device", "not run"] {
        let names: Vec<&str> = rows
            .iter()
            .filter(|row| row.outcome.word() == word)
            .map(|row| row.name.as_str())
            .collect();
        match &*names {
            [] => {}
            names if names.len() <= 4 => {
                let _ = writeln!(text, "    {WARN}{word:11}{WARN:#}  {}", Plain(&names.join(", ")));
            }
            [first, second, third, rest @ ..] => {
                let (some, more) = ([*first, *second, *third].join(", "), rest.len());
                let _ =
                    writeln!(text, "    {WARN}{word:11}{WARN:#}  {} and {more} more", Plain(&some));
            }
            _ => {}
        }
    }
}

/// Which releases can use it.
pub fn hosts(spans: &[HostRange]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{EMPHASIS}JAX releases{EMPHASIS:#}");
    for span in spans {
        let style = match &span.usage {
            HostUsage::Works => GOOD,
            HostUsage::NotTried | HostUsage::Adapted(_) => WARN,
            HostUsage::Fails(_) => BAD,
            HostUsage::Unknown => DIM,
        };
        let words = span.usage.to_string();
        // The verdict stands out, and the reason does not.
        let at = words.find([';', ':']).unwrap_or(words.len());
        let (verdict, reason) = words.split_at(at);
        let (range, reason) = (span.range(), Plain(reason));
        let _ = writeln!(text, "  {range:22}  {style}{verdict}{style:#}{reason}");
    }
    text
}

/// What the second plug-in lost or gained against the first, and whether it lost anything.
pub fn difference(
    old: (&str, &Option<Conformance>),
    new: (&str, &Option<Conformance>),
) -> (String, bool) {
    let mut text = String::new();
    let _ = writeln!(text, "{EMPHASIS}{}{EMPHASIS:#} against {}", Plain(new.0), Plain(old.0));
    let (Some(before), Some(after)) = (old.1, new.1) else {
        let _ = writeln!(text, "  one of them could not be looked at");
        return (text, true);
    };
    let (mut lost, mut gained) = (0, 0);
    for row in &after.rows {
        let same = |other: &&CheckResult| other.group == row.group && other.name == row.name;
        let Some(other) = before.rows.iter().find(same) else { continue };
        let (was, is) = (other.outcome.word(), row.outcome.word());
        if was == is {
            continue;
        }
        let (style, verb) = match (was, is) {
            ("pass", _) => (BAD, "lost"),
            (_, "pass") => (GOOD, "gained"),
            _ => (WARN, "changed"),
        };
        lost += usize::from(verb == "lost");
        gained += usize::from(verb == "gained");
        let said = row.outcome.to_string();
        let _ = write!(text, "  {style}{verb:7}{style:#}  {}: {}", row.group, Plain(&row.name));
        let _ = writeln!(text, "{DIM}: {was}, now {is}: {}{DIM:#}", Plain(&said));
    }
    let _ = writeln!(text, "  {lost} lost, {gained} gained");
    (text, lost > 0)
}
