//! Dated histories as a kind of files.

use std::collections::BTreeMap;

use unskew_core::{Promise, PromiseState, Window};

use unskew_history::{
    Chronicle, ChronicleFormat, HistoryCheckOptions as HistoryTerms, HistoryFault, Landings,
    changes, findings, landed_findings, rules,
};
use unskew_kinds::{
    CompareOptions, Direction, FileChange, FileComparison, InterfaceKind, Level, Raise,
};
use unskew_source::{Files, NotRead};

/// Dated histories; see [`unskew_history`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Histories;

/// The option that says where files of each version are kept: `tests/golden/spec.{version}.bin`.
const KEPT: &str = "kept";
/// The option that says where days of landing come from: `git`, or `off`.
const LANDED: &str = "landed";
/// The option that says how much earlier than its landing a version may be dated: `1 day`.
const DRIFT: &str = "drift";

impl InterfaceKind for Histories {
    fn name(&self) -> &'static str {
        "history"
    }

    fn title(&self) -> &'static str {
        "dated histories"
    }

    fn recognizes(&self, name: &str, head: &[u8]) -> bool {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        match ending {
            "toml" => Chronicle::read(name, head).is_some(),
            "md" | "markdown" => {
                Chronicle::read(name, head).is_some_and(|read| read.steps.len() > 1)
            }
            _ => false,
        }
    }

    fn options(&self) -> &'static [&'static str] {
        &[KEPT, LANDED, DRIFT]
    }

    fn compare(
        &self,
        old: &Files,
        new: &Files,
        terms: &CompareOptions<'_>,
    ) -> Result<FileComparison, NotRead> {
        old.check_sizes().and_then(|()| new.check_sizes())?;
        let kept = kept(terms)?;
        let mut found = FileComparison::default();
        let one = old.len() == 1 && new.len() == 1;
        for (name, bytes) in new.iter() {
            if kept.is_some_and(|pattern| matches(pattern, name)) {
                continue;
            }
            let Some(mut now) = Chronicle::read(name, bytes) else {
                let what = "no dated history: no version with a day";
                let finding = rules::HistoryNotRead { what: &what }.finding();
                let finding = finding.at([name].into_iter().collect());
                found.changes.push(FileChange::new(finding, name, "history"));
                continue;
            };
            if now.releases.is_empty() {
                now.releases = terms.releases.to_vec();
            }
            let before =
                old.get(name).or_else(|| old.iter().next().filter(|_| one).map(|(_, b)| b));
            let before = before.and_then(|bytes| Chronicle::read(name, bytes));
            let said = HistoryTerms { today: terms.as_of, window: window(terms) };
            let landings = landings(&now, name, terms, &mut found)?;
            let mut faults = match &landings {
                Some(landings) => landed_findings(&now, landings, said, &drift(terms)?),
                None => findings(&now, said),
            };
            if let Some(before) = &before {
                faults.extend(changes(before, &now, said, landings.as_ref()));
                found.majors.extend(raised(before, &now));
            }
            faults.extend(kept.and_then(|pattern| missing(&now, pattern, new)));
            found.changes.extend(faults.into_iter().map(|fault| change(fault, name)));
            let origin = |chronicle: Option<&Chronicle>| match chronicle {
                Some(read) => format!("{}, {} versions", read.form.as_str(), read.steps.len()),
                None => "no dated history".to_owned(),
            };
            found.origins.insert(name.to_owned(), [origin(before.as_ref()), origin(Some(&now))]);
        }
        // A history that is gone takes its windows with it.
        for (name, bytes) in old.iter().filter(|(name, _)| !one && new.get(name).is_none()) {
            let gone = Chronicle::read(name, bytes).and_then(|chronicle| chronicle.newest());
            if let Some(version) = gone {
                let finding = rules::EntryRemoved { version: &version }.finding();
                let finding = finding.at([format!("{name} (before)")].into_iter().collect());
                found.changes.push(FileChange::new(finding, name, "history").on(Level::Wire));
            }
        }
        Ok(found)
    }

    fn items(
        &self,
        files: &Files,
        _terms: &CompareOptions<'_>,
    ) -> Result<Option<BTreeMap<String, String>>, NotRead> {
        let mut items = BTreeMap::new();
        for (name, bytes) in files.iter() {
            for step in Chronicle::read(name, bytes).into_iter().flat_map(|read| read.steps) {
                let place = format!("{name}:{}", step.line);
                items.entry(step.version.to_string()).or_insert(place);
            }
        }
        Ok(Some(items))
    }
}

/// The window under which histories are judged: what the boundary says of writers that are newer than their
/// readers, or else of those that are older.
fn window<'a>(terms: &CompareOptions<'a>) -> Option<&'a Window> {
    terms.forward.or(terms.backward)
}

/// When the versions landed, if that is asked and known. Lists that tell landings apart from the days in their
/// entries, as ours do, are believed unless the option says `git`: they may be about somebody else's code.
fn landings(
    now: &Chronicle,
    name: &str,
    terms: &CompareOptions<'_>,
    found: &mut FileComparison,
) -> Result<Option<Landings>, NotRead> {
    let value = terms.options.and_then(|options| options.get(LANDED));
    let asked = match value.map(|value| value.as_str()) {
        None => now.steps.iter().any(|step| step.header.is_some() && step.landed.is_none()),
        Some(Some("git")) => true,
        Some(Some("off")) => false,
        Some(_) => {
            let why = "the option `landed` is \"git\" or \"off\"";
            return Err(NotRead::new("", why));
        }
    };
    let Some(past) = terms.past.filter(|_| asked) else { return Ok(None) };
    let landings = Landings::find(now, name, past)?;
    let unknown = match &landings {
        None if value.is_some() => {
            return Err(NotRead::new(
                name,
                "landed = \"git\", and this is no repository with commits",
            ));
        }
        None => "no repository knows when versions landed: the days in the list are believed",
        Some(landings) if landings.is_cut() => {
            "this clone has not all commits, and older versions may have landed in those: the days in \
             the list are believed (actions/checkout: fetch-depth: 0)"
        }
        Some(_) => return Ok(landings),
    };
    let promise = Promise {
        policy: "days of landing".to_owned(),
        state: PromiseState::Unknown,
        window: None,
        from: None,
        until: None,
        statement: unknown.to_owned(),
        reference: "documents: ifrt-serdes-version-management".to_owned(),
    };
    found.promises.push((name.to_owned(), promise));
    Ok(landings)
}

/// How much earlier than its landing a version may be dated.
fn drift(terms: &CompareOptions<'_>) -> Result<Window, NotRead> {
    match terms.options.and_then(|options| options.get(DRIFT)) {
        None => Ok(Window::days(1)),
        Some(value) => {
            let window = value.as_str().and_then(|text| text.parse().ok());
            let why = format!("the option `drift` is a window, such as \"7 days\": {value}");
            window.ok_or_else(|| NotRead::new("", why))
        }
    }
}

fn kept<'a>(terms: &CompareOptions<'a>) -> Result<Option<&'a str>, NotRead> {
    let Some(value) = terms.options.and_then(|options| options.get(KEPT)) else { return Ok(None) };
    match value.as_str() {
        Some(pattern) if pattern.matches("{version}").count() == 1 => Ok(Some(pattern)),
        _ => {
            let why = "the option `kept` is a path with {version} in it, such as tests/golden/spec.{version}.bin";
            Err(NotRead::new("", format!("{why}: {value}")))
        }
    }
}

/// Whether a path is that of a file kept for some version.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once("{version}") else { return false };
    let middle = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    middle.is_some_and(|version| version.replace('_', ".").parse::<unskew_core::Version>().is_ok())
}

/// The file of the oldest version that is still read, if it is not there.
fn missing(chronicle: &Chronicle, pattern: &str, files: &Files) -> Option<HistoryFault> {
    let lowest = chronicle.steps.iter().map(|step| step.version).min()?;
    let version = chronicle.minimum().unwrap_or(lowest);
    let path = |shown: &str| pattern.replace("{version}", shown);
    let shown = version.to_string();
    let there = [path(&shown), path(&shown.replace('.', "_"))];
    if there.iter().any(|path| files.get(path).is_some_and(|bytes| !bytes.is_empty())) {
        return None;
    }
    let line =
        chronicle.steps.iter().find(|step| step.version == version).map_or(1, |step| step.line);
    let [path, _] = there;
    let finding = rules::OldFileMissing { version: &version, path: &path }.finding();
    let finding = finding.at([format!("{}:{line}", chronicle.file)].into_iter().collect());
    Some(HistoryFault { subject: format!("version {version}"), finding })
}

/// A first number that was raised.
fn raised(old: &Chronicle, new: &Chronicle) -> Option<Raise> {
    let (before, after) = (old.newest()?, new.newest()?);
    let numbered = after.parts().len() > 1 && new.form != ChronicleFormat::Releases;
    (numbered && after.major() > before.major()).then(|| Raise {
        line: if new.axis.is_empty() { new.title.clone() } else { new.axis.clone() },
        file: new.file.clone(),
        place: new
            .steps
            .last()
            .map_or_else(|| new.file.clone(), |step| format!("{}:{}", new.file, step.line)),
        before: before.to_string(),
        after: after.to_string(),
    })
}

/// From which level on a fault is reported, and whom it breaks.
fn change(fault: HistoryFault, file: &str) -> FileChange {
    let code = fault.finding.rule.code;
    let change = FileChange::new(fault.finding, file, fault.subject);
    match code {
        "HI011" | "HI021" => change.on(Level::Wire).breaking(Direction::Backward),
        "HI014" => change.on(Level::Wire).breaking(Direction::Forward),
        "HI005" | "HI010" | "HI016" | "HI017" => change.on(Level::Wire),
        _ => change,
    }
}
