//! The number that changes ask for, and the number that was raised.

use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{Finding, Places, Severity};

use super::header_change::HeaderChange;
use super::pair::ContractPair;
use super::policy::{Class, HeaderPolicy};
use super::words::list;
use crate::contract::{VersionLine, VersionNumber};
use crate::rules;

/// One version: what was to be raised, and what was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bump {
    /// What the names of its numbers begin with: `PJRT_API`.
    pub line: String,
    /// The header in which it stands.
    pub file: String,
    /// Where its first number stands.
    pub place: String,
    /// The version before; empty if there was none.
    pub before: String,
    /// The version in the new headers.
    pub after: String,
    /// What its changes ask for.
    pub required: Class,
    /// What was raised: patch stands for nothing or the last number.
    pub made: Class,
    /// Whether it is one number for everything: any raise will do.
    pub single: bool,
}

/// What is said of a break that a raised major number allows.
pub const ALLOWED: &str = "as the raised major allows";
/// What is said of a break that only a compiler meets.
pub const AT_BUILD: &str = "fails at build";

/// Rules about names that no built program has any more.
const BUILD: [&str; 7] = ["HD011", "HD110", "HD116", "HD211", "HD212", "HD304", "HD602"];

type Key = (String, String);

/// Gives every change its class, weighs it by the numbers, and adds what is to be said about these.
pub fn judge(
    pair: &ContractPair<'_>,
    policy: &HeaderPolicy,
    mut changes: Vec<HeaderChange>,
) -> (Vec<HeaderChange>, Vec<Bump>) {
    let before = Before::from_pair(pair);
    let mut bumps: BTreeMap<Key, Bump> = BTreeMap::new();
    for line in pair.new.lines.iter().filter(|_| policy.allows()) {
        let (key, bump) = bump(&before, line);
        bumps.insert(key, bump);
    }
    let mut reasons: BTreeMap<Key, Vec<(Class, String)>> = BTreeMap::new();
    let mut numberless: BTreeMap<String, Vec<(Class, String)>> = BTreeMap::new();
    let mut known: BTreeMap<(String, bool, String), Option<Key>> = BTreeMap::new();
    for change in &mut changes {
        change.class = policy.class(change.finding.rule);
        let asked = (change.file.clone(), change.extension, change.subject.clone());
        let found = known.entry(asked).or_insert_with(|| {
            let (file, extension, name) = (&change.file, change.extension, &change.subject);
            let line = pair.new.line_of(file, extension, name);
            // A header that is gone went by a number that may stay, in a header of another name.
            let kept = |line: Option<&VersionLine>| line.map(|line| staying(&bumps, key(line)));
            let before = kept(pair.old.line_of(file, extension, name));
            let known = |key: &Key| bumps.contains_key(key);
            let shared = || kept(pair.old.shared_line(file)).filter(known);
            line.map(key).or_else(|| before.clone().filter(known)).or_else(shared).or(before)
        });
        change.line.clone_from(found);
        if !policy.wants(change.finding.rule) || change.class == Class::Fault {
            continue;
        }
        let reason = (change.class, change.subject.clone());
        match change.line.as_ref().filter(|key| bumps.contains_key(*key)) {
            Some(key) => reasons.entry(key.clone()).or_default().push(reason),
            None if change.class > Class::Patch && change.line.is_none() => {
                numberless.entry(change.file.clone()).or_default().push(reason);
            }
            None => {}
        }
    }
    for (key, reasons) in &reasons {
        if let Some(bump) = bumps.get_mut(key) {
            bump.required = reasons.iter().map(|(class, _)| *class).max().unwrap_or(Class::Patch);
        }
    }
    let mut not_only_at_build: BTreeSet<Key> = BTreeSet::new();
    for change in &mut changes {
        let bump = change.line.as_ref().and_then(|key| bumps.get(key));
        let allowed = bump.is_some_and(|bump| bump.made == Class::Major && !bump.single);
        let breaks = change.class == Class::Major && change.finding.severity > Severity::Note;
        change.finding.severity = weigh(policy, change, bump);
        let at_build = BUILD.contains(&change.finding.rule.code);
        if breaks && allowed {
            change.finding.consequence = Some(ALLOWED);
        } else if at_build && change.finding.severity == Severity::Error {
            change.finding.consequence = Some(AT_BUILD);
        }
        if change.class == Class::Major && !at_build {
            not_only_at_build.extend(change.line.clone());
        }
    }
    for line in &pair.new.lines {
        let key = key(line);
        let Some(bump) = bumps.get(&key) else { continue };
        let reasons = reasons.get(&key).map(Vec::as_slice).unwrap_or_default();
        if let Some(mut finding) = missing(line, bump, reasons) {
            if bump.required == Class::Major && !not_only_at_build.contains(&key) {
                finding.consequence = Some(AT_BUILD);
            }
            changes.push(fault(finding, &key));
        }
    }
    changes.extend(lines_that_fell(pair, policy, &before));
    changes.extend(numberless.iter().map(|(file, reasons)| no_version(file, reasons)));
    (changes, bumps.into_values().collect())
}

fn key(line: &VersionLine) -> Key {
    (line.name.clone(), line.file().to_owned())
}

/// The key of a version of the old headers among the new ones.
fn staying(bumps: &BTreeMap<Key, Bump>, old: Key) -> Key {
    let mut same = bumps.keys().filter(|(name, _)| *name == old.0);
    match (bumps.contains_key(&old), same.next(), same.next()) {
        (false, Some(only), None) => only.clone(),
        _ => old,
    }
}

/// The versions of the old headers, by name.
struct Before<'p>(BTreeMap<&'p str, Vec<&'p VersionLine>>);

impl<'p> Before<'p> {
    fn from_pair(pair: &ContractPair<'p>) -> Self {
        let mut lines: BTreeMap<&str, Vec<&VersionLine>> = BTreeMap::new();
        for line in &pair.old.lines {
            lines.entry(&line.name).or_default().push(line);
        }
        Self(lines)
    }

    /// The same version: that of the header of the same name if several have it.
    fn line(&self, line: &VersionLine) -> Option<&'p VersionLine> {
        let same = self.0.get(line.name.as_str())?;
        same.iter().find(|old| old.file() == line.file()).or_else(|| same.first()).copied()
    }
}

fn bump(before: &Before<'_>, line: &VersionLine) -> (Key, Bump) {
    let old = before.line(line);
    let made = match old {
        None => Class::Minor,
        Some(old) => {
            let ([a, b, _, x], [c, d, _, y]) = (old.key(), line.key());
            match (c > a, (a, d > b), y > x) {
                (true, ..) => Class::Major,
                (_, (major, true), _) if major == c => Class::Minor,
                (.., true) => Class::Major,
                // On the way to a release, the fourth number is raised by whatever is added.
                _ if a == c && b == d && line.step() > old.step() => Class::Minor,
                _ => Class::Patch,
            }
        }
    };
    let bump = Bump {
        line: line.name.clone(),
        file: line.file().to_owned(),
        place: line.numbers().next().map_or_else(String::new, |number| number.spot.to_string()),
        before: old.map(ToString::to_string).unwrap_or_default(),
        after: line.to_string(),
        required: Class::Patch,
        made,
        single: line.is_single(),
    };
    (key(line), bump)
}

/// What a finding weighs, now that it is known which numbers were raised.
fn weigh(policy: &HeaderPolicy, change: &HeaderChange, bump: Option<&Bump>) -> Severity {
    let rule = change.finding.rule;
    let own = policy.severity(rule);
    if change.class != Class::Major {
        return own.unwrap_or(change.finding.severity);
    }
    match bump {
        Some(bump) if bump.made == Class::Major && bump.single => Severity::Warning,
        Some(bump) if bump.made == Class::Major => Severity::Note,
        // What was said to be less grave in this case stays so.
        _ if change.finding.severity < rule.severity => change.finding.severity,
        _ => own.unwrap_or(Severity::Error),
    }
}

/// The finding about a number that was not raised far enough.
fn missing(line: &VersionLine, bump: &Bump, reasons: &[(Class, String)]) -> Option<Finding> {
    if bump.required <= bump.made || bump.required == Class::Patch {
        return None;
    }
    let what = subjects(reasons, bump.required);
    let edit = edit(line, bump.required);
    let places: Places = line.numbers().map(|number| &number.spot).collect();
    let finding = if bump.single {
        rules::ExtensionVersionNotRaised {
            line: &bump.line,
            after: &bump.after,
            what: &what,
            edit: &edit,
        }
        .finding()
    } else {
        let moved = match bump.before == bump.after {
            true => format!("stays at {}", bump.after),
            false if bump.before.is_empty() => format!("begins with {}", bump.after),
            false => format!("went from {} to {}", bump.before, bump.after),
        };
        rules::VersionNotRaised {
            line: &bump.line,
            moved: &moved,
            what: &what,
            required: &bump.required,
            edit: &edit,
        }
        .finding()
    };
    Some(finding.at(places))
}

fn subjects(reasons: &[(Class, String)], class: Class) -> String {
    let mut seen = BTreeSet::new();
    let names = reasons.iter().filter(|(of, _)| *of == class).map(|(_, name)| name.as_str());
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    // What was added comes as a list already.
    match names.as_slice() {
        [one] if one.starts_with('`') => (*one).to_owned(),
        _ => list(names.iter().map(|name| name.replace('`', ""))),
    }
}

fn edit(line: &VersionLine, required: Class) -> String {
    let next = |number: &VersionNumber| {
        format!("`#define {} {}`", number.name, number.value.saturating_add(1))
    };
    let number = match required {
        Class::Major => line.major.as_ref(),
        _ => line.minor.as_ref(),
    };
    match (number.or(line.single.as_ref()), required) {
        (Some(number), Class::Major) if line.single.is_none() => {
            format!("Write {}, or take the change back.", next(number))
        }
        (Some(number), _) => format!("Write {}.", next(number)),
        (None, _) => format!("Define a {required} number for `{}`, and raise it.", line.name),
    }
}

fn fault(finding: Finding, key: &Key) -> HeaderChange {
    HeaderChange {
        finding,
        class: Class::Fault,
        line: Some(key.clone()),
        subject: key.0.clone(),
        file: key.1.clone(),
        extension: false,
    }
}

/// Versions that went down or away. That one is gone breaks who speaks about it, as the documents of some interfaces
/// want; elsewhere it is no more than worth a look.
fn lines_that_fell(
    pair: &ContractPair<'_>,
    policy: &HeaderPolicy,
    before: &Before<'_>,
) -> Vec<HeaderChange> {
    let mut found = Vec::new();
    for line in pair.new.lines.iter().filter(|_| policy.allows()) {
        let Some(old) = before.line(line).filter(|old| old.key() > line.key()) else { continue };
        let (name, was, after) = (&line.name, old.to_string(), line.to_string());
        let finding = rules::VersionLowered { line: name, before: &was, after: &after }.finding();
        let places: Places = line.numbers().map(|number| &number.spot).collect();
        found.push(fault(finding.at(places), &key(line)));
    }
    let names: BTreeSet<&str> = pair.new.lines.iter().map(|line| line.name.as_str()).collect();
    for old in &pair.old.lines {
        if names.contains(old.name.as_str()) {
            continue;
        }
        // A header that is gone takes its version along; what it declared makes its own findings.
        let two_headers = pair.old.files.len() == 1 && pair.new.files.len() == 1;
        let stays = pair.new.files.contains(old.file()) || two_headers;
        if stays {
            let finding =
                rules::VersionGone { line: &old.name, before: &old.to_string() }.finding();
            let finding = match HeaderPolicy::is_named(&old.name) {
                true => finding,
                false => finding.with_severity(Severity::Warning),
            };
            let places: Places =
                old.numbers().map(|number| format!("{} (before)", number.spot)).collect();
            found.push(fault(finding.at(places), &key(old)));
        }
    }
    found
}

fn no_version(file: &str, reasons: &[(Class, String)]) -> HeaderChange {
    let required = reasons.iter().map(|(class, _)| *class).max().unwrap_or(Class::Patch);
    let what = subjects(reasons, required);
    let finding = rules::NoVersion { file: &file, what: &what, required: &required }.finding();
    fault(finding.at(Places::from_iter([file])), &(String::new(), file.to_owned()))
}
