//! Findings of a history.

use std::collections::BTreeSet;

use unskew_core::{Date, Finding, Places, Severity, Version, Window};

use crate::rules;
use crate::{Chronicle, ChronicleFormat, ChronicleVersion, declared_constants};

/// One fault: what it is about, in a word that stays the same over time, and the finding.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryFault {
    /// What the fault is about, without numbers that change: `version 4`, `week_4_old`.
    pub subject: String,
    /// The finding; its places are `file:line`.
    pub finding: Finding,
}

/// The terms under which a history is judged.
#[derive(Clone, Copy, Debug, Default)]
pub struct HistoryCheckOptions<'a> {
    /// The day of the question; what depends on the day is not judged without one.
    pub today: Option<Date>,
    /// The window that its makers promise; that of the file if there is none.
    pub window: Option<&'a Window>,
}

pub(crate) struct Faults<'c> {
    chronicle: &'c Chronicle,
    pub(crate) list: Vec<HistoryFault>,
}

impl Faults<'_> {
    pub(crate) fn new(chronicle: &Chronicle) -> Faults<'_> {
        Faults { chronicle, list: Vec::new() }
    }

    pub(crate) fn add(&mut self, subject: impl Into<String>, finding: Finding, line: usize) {
        self.at(subject, finding, [line]);
    }

    pub(crate) fn at(
        &mut self,
        subject: impl Into<String>,
        finding: Finding,
        lines: impl IntoIterator<Item = usize>,
    ) {
        let file = &self.chronicle.file;
        let place = |line| match line {
            0 => file.clone(),
            line => format!("{file}:{line}"),
        };
        let places: Places = lines.into_iter().map(place).collect();
        self.list.push(HistoryFault { subject: subject.into(), finding: finding.at(places) });
    }
}

/// Everything that is wrong with a history as it stands, in the order of its lines.
pub fn findings(chronicle: &Chronicle, terms: HistoryCheckOptions<'_>) -> Vec<HistoryFault> {
    let mut faults = Faults::new(chronicle);
    for problem in &chronicle.problems {
        let what = &problem.what;
        let finding = match problem.day {
            true => rules::DayNotRead { what }.finding(),
            false => rules::HistoryNotRead { what }.finding(),
        };
        faults.add(what.as_str(), finding, problem.line);
    }
    undated(chronicle, &mut faults);
    if chronicle.form != ChronicleFormat::Releases {
        order(chronicle, &mut faults);
    }
    twice(chronicle, &mut faults);
    days(chronicle, terms.today, &mut faults);
    declared_constants::all(chronicle, terms, &mut faults);
    faults.list
}

/// The subject of what is said about a version.
pub(crate) fn named(version: Version) -> String {
    format!("version {version}")
}

fn undated(chronicle: &Chronicle, faults: &mut Faults<'_>) {
    let steps: Vec<&ChronicleVersion> = chronicle.undated().collect();
    let Some(first) = steps.first() else { return };
    let versions: Vec<String> = steps.iter().take(8).map(|step| step.version.to_string()).collect();
    let more = steps.len().saturating_sub(versions.len());
    let versions = match more {
        0 => versions.join(", "),
        more => format!("{} and {more} more", versions.join(", ")),
    };
    let rule = rules::VersionWithoutDay { versions: &versions, file: &chronicle.file };
    faults.at(named(first.version), rule.finding(), steps.iter().map(|step| step.line));
}

/// The order of numbers: they rise by one, or return to one that was in force.
fn order(chronicle: &Chronicle, faults: &mut Faults<'_>) {
    for (at, pair) in chronicle.steps.windows(2).enumerate() {
        let [before, step] = pair else { continue };
        let earlier = chronicle.steps.get(..=at).unwrap_or_default();
        let returns = earlier.iter().any(|other| other.version == step.version);
        let (version, before) = (&step.version, &before.version);
        // A return to what was in force is the rolling back of what came after it.
        let taken_back = chronicle.form == ChronicleFormat::Toml && returns;
        if version < before && taken_back {
            let highest = chronicle.steps.iter().map(|step| step.version).max().unwrap_or(*before);
            let next = following(highest);
            let rule = rules::RolledBack { version, before, next: &next };
            faults.add(named(*version), rule.finding(), step.line);
        } else if version < before {
            let rule = rules::VersionsDoNotRise { version, before };
            faults.add(named(*version), rule.finding(), step.line);
        } else if let Some(missing) = skipped(*before, *version, earlier) {
            let rule = rules::NumberSkipped { version, before, missing: &missing };
            faults.add(named(*version), rule.finding(), step.line);
        }
    }
}

/// The number after `version`: its last part raised by one.
pub(crate) fn following(version: Version) -> Version {
    let mut parts = version.parts().to_vec();
    if let Some(last) = parts.last_mut() {
        *last = last.saturating_add(1);
    }
    let text = parts.iter().map(i64::to_string).collect::<Vec<_>>().join(".");
    text.parse().unwrap_or(version)
}

/// The numbers between two that follow each other in the list. Numbers of three parts follow no such rule: patch
/// numbers and minors are skipped as they come.
fn skipped(before: Version, version: Version, earlier: &[ChronicleVersion]) -> Option<String> {
    let (a, b) = (before.parts(), version.parts());
    let ([a @ .., from], [b @ .., to]) = (a, b) else { return None };
    if a != b || a.len() > 1 || to.saturating_sub(*from) < 2 {
        return None;
    }
    let first = following(before);
    // What was there and was taken back is not missing.
    if earlier.iter().any(|step| step.version >= first) {
        return None;
    }
    Some(match to.saturating_sub(*from) {
        2 => first.to_string(),
        _ => {
            let prefix: String = b.iter().map(|part| format!("{part}.")).collect();
            format!("{first} to {prefix}{}", to - 1)
        }
    })
}

/// Numbers that stand in the list more than once, for different changes. A number that comes back after it was
/// taken back is told as such where the days of both are known.
fn twice(chronicle: &Chronicle, faults: &mut Faults<'_>) {
    let steps = &chronicle.steps;
    let mut told = BTreeSet::new();
    let highest = steps.iter().map(|step| step.version).max();
    for (at, step) in steps.iter().enumerate() {
        let same: Vec<(usize, &ChronicleVersion)> =
            steps.iter().enumerate().filter(|(_, other)| other.version == step.version).collect();
        // Between two entries of one number stands another: the number was taken back and came again.
        let apart = same.windows(2).all(|pair| pair[1].0 - pair[0].0 > 1);
        let returned = chronicle.form == ChronicleFormat::Toml && apart;
        let first = same.first().is_some_and(|(first, _)| *first == at);
        if same.len() < 2 || returned || !first || !told.insert(step.version) {
            continue;
        }
        let next = following(highest.unwrap_or(step.version));
        let rule = rules::NumberTwice { version: &step.version, count: &same.len(), next: &next };
        faults.at(named(step.version), rule.finding(), same.iter().map(|(_, step)| step.line));
    }
}

fn days(chronicle: &Chronicle, today: Option<Date>, faults: &mut Faults<'_>) {
    let mut before: Option<&ChronicleVersion> = None;
    for step in &chronicle.steps {
        let (version, Some(day)) = (&step.version, step.day()) else { continue };
        let earlier = before.and_then(|before| Some((before.version, before.day()?)));
        let ordered = chronicle.form != ChronicleFormat::Releases;
        if let Some((other, other_day)) = earlier.filter(|(_, other)| ordered && *other > day) {
            let rule = rules::DaysGoBackwards {
                version,
                day: &day,
                before: &other,
                before_day: &other_day,
            };
            faults.add(named(*version), rule.finding(), step.line);
        }
        if let Some(today) = today.filter(|today| day > *today) {
            let rule = rules::DayAhead { version, day: &day, today: &today };
            faults.add(named(*version), rule.finding(), step.line);
        }
        drifted(chronicle.form, step, faults);
        before = Some(step);
    }
}

/// The day that was written down, and the day on which the version was there.
fn drifted(form: ChronicleFormat, step: &ChronicleVersion, faults: &mut Faults<'_>) {
    let (Some(header), Some(landed)) = (step.header, step.landed) else { return };
    if header >= landed {
        return;
    }
    // A history that writes the landing down counts from it already.
    let severity = match form {
        ChronicleFormat::Toml => Severity::Note,
        _ => Severity::Warning,
    };
    let (version, days) = (&step.version, &in_days(header, landed));
    let rule = rules::DatedBeforeLanding { version, header: &header, landed: &landed, days };
    faults.add(named(*version), rule.finding().with_severity(severity), step.line);
}

/// `1 day`, `17 days`.
pub(crate) fn in_days(from: Date, to: Date) -> String {
    match (to - from).get_days() {
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}
