//! PyTorch operators as a kind of files: tables of operators, and the registry of their changes.
//!
//! A table is a text with one schema a line, as runtimes print their operators, or the JSON of a device that
//! `unskew ops table` writes. The registry is `operator_versions.yaml` with `operator_upgraders.py` and, if there is
//! one, `operator_downgraders.py`, in one folder; instead of either file of functions there may be a folder of them.
//! Where folders are compared, the table beside a registry is called `operators.txt`. Whatever changed in a table for
//! old programs must be bridged by the registry.

use std::borrow::Cow;
use std::collections::BTreeMap;

use unskew_core::{Finding, Severity};
use unskew_kinds::{CompareOptions, Direction, FileChange, FileComparison, InterfaceKind, Level};
use unskew_source::{Files, NotRead};
use unskew_torch::DeviceTable;
use unskew_torch_operators::{
    OperatorRegistry, RegistryCoverage, RegistryGap, RegistrySources, function_files, rules,
};
use unskew_torch_schemas::{OperatorTable, OperatorTableDiff, diff, diff_findings};

use super::tables;

/// Operator tables and the registry of operator changes.
pub struct Operators;

const VERSIONS: &str = "operator_versions.yaml";
const UPGRADERS: &str = "operator_upgraders";
const DOWNGRADERS: &str = "operator_downgraders";
/// How many lines that are no schemas are told of one table.
const UNREAD: usize = 100;

impl InterfaceKind for Operators {
    fn name(&self) -> &'static str {
        "operators"
    }

    fn title(&self) -> &'static str {
        "PyTorch operators"
    }

    fn recognizes(&self, name: &str, _head: &[u8]) -> bool {
        name.ends_with(VERSIONS)
    }

    fn accompanies(&self, name: &str) -> bool {
        let is =
            |stem: &str| name.contains(&format!("{stem}.py")) || name.contains(&format!("{stem}/"));
        name.ends_with("operators.txt")
            || name.ends_with(".py") && (is(UPGRADERS) || is(DOWNGRADERS))
    }

    fn compare(
        &self,
        old: &Files,
        new: &Files,
        _terms: &CompareOptions<'_>,
    ) -> Result<FileComparison, NotRead> {
        let mut found = FileComparison::default();
        old.check_sizes().and_then(|()| new.check_sizes())?;
        let (was, is) = (Side::read(old)?, Side::read(new)?);
        for (file, line, text) in &is.unread {
            let rule = rules::OperatorLineNotRead { line: text };
            let finding = rule.finding().at([format!("{file}:{line}")].into_iter().collect());
            found.changes.push(FileChange::new(finding, file.as_str(), text.as_str()));
        }
        let one = was.tables.len() == 1 && is.tables.len() == 1;
        let mut diffs: Vec<(&str, OperatorTableDiff)> = Vec::new();
        for (name, table) in &is.tables {
            let before =
                was.tables.get(name).or_else(|| was.tables.values().next().filter(|_| one));
            if let Some(before) = before {
                diffs.push((name, diff(before, table)));
            }
            let device =
                was.devices.get(name).or_else(|| was.devices.values().next().filter(|_| one));
            if let (Some(before), Some(device)) = (device, is.devices.get(name)) {
                for finding in tables::narrowed(before, device) {
                    let finding = finding.at([name.as_str()].into_iter().collect());
                    found.changes.push(change(finding, name, &device.name, Direction::Backward));
                }
            }
        }
        let gone = was.tables.keys().find(|name| !one && !is.tables.contains_key(*name));
        if let Some(name) = gone {
            return Err(NotRead::new(name.clone(), "the table of operators is gone"));
        }
        let account = is.account(&was, &diffs);
        for (file, diff) in &diffs {
            found.changes.extend(tabled(file, new, diff, account.as_ref()));
        }
        let registry = is.registry.as_ref();
        for owed in account.into_iter().flat_map(|account| account.owed) {
            found.changes.push(registered(owed, registry));
        }
        Ok(found)
    }

    fn items(
        &self,
        files: &Files,
        _terms: &CompareOptions<'_>,
    ) -> Result<Option<BTreeMap<String, String>>, NotRead> {
        let mut items = BTreeMap::new();
        for (name, table) in Side::read(files)?.tables {
            for text in table.texts() {
                let operator = text.split_once('(').map_or(text, |(operator, _)| operator);
                items.entry(operator.to_owned()).or_insert_with(|| name.clone());
            }
        }
        Ok(Some(items))
    }
}

/// What lies on one side.
#[derive(Default)]
struct Side<'f> {
    tables: BTreeMap<String, OperatorTable>,
    /// What tables of devices say besides their operators.
    devices: BTreeMap<String, DeviceTable>,
    /// Lines of tables that are no schemas: file, line, text.
    unread: Vec<(String, usize, String)>,
    /// The folder of the registry, and its texts.
    registry: Option<(String, Texts<'f>)>,
}

struct Texts<'f> {
    versions: &'f str,
    upgraders: Cow<'f, str>,
    downgraders: Cow<'f, str>,
}

impl<'f> Texts<'f> {
    fn read(files: &'f Files, folder: &str) -> Self {
        let text = |bytes: &'f [u8]| std::str::from_utf8(bytes).unwrap_or_default();
        let one = |name: &str| files.get(&format!("{folder}{name}")).map(text).unwrap_or_default();
        let functions = |stem: &str| {
            let inside = format!("{folder}{stem}/");
            let parts = files.iter().filter(|(name, _)| {
                name.strip_prefix(&inside).is_some_and(|rest| rest.ends_with(".py"))
            });
            let parts: Vec<_> =
                parts.map(|(name, bytes)| (&name[folder.len()..], text(bytes))).collect();
            let file = format!("{stem}.py");
            match (one(&file), parts.as_slice()) {
                (alone, []) => Cow::Borrowed(alone),
                ("", parts) => function_files::join(parts.iter().copied()).into(),
                (alone, parts) => {
                    function_files::join([(&*file, alone)].into_iter().chain(parts.iter().copied()))
                        .into()
                }
            }
        };
        let (upgraders, downgraders) = (functions(UPGRADERS), functions(DOWNGRADERS));
        Self { versions: one(VERSIONS), upgraders, downgraders }
    }

    fn sources(&self) -> RegistrySources<'_> {
        let Self { versions, upgraders, downgraders } = self;
        RegistrySources { versions, upgraders, downgraders }
    }
}

impl<'f> Side<'f> {
    fn read(files: &'f Files) -> Result<Self, NotRead> {
        let mut side = Self::default();
        for (name, bytes) in files.iter() {
            if let Some(folder) = name.strip_suffix(VERSIONS) {
                side.registry = Some((folder.to_owned(), Texts::read(files, folder)));
            } else if !name.ends_with(".py") && !name.ends_with(".tsv") {
                match tables::read(name, bytes)? {
                    Some((device, table)) => {
                        side.tables.insert(name.to_owned(), table);
                        side.devices.insert(name.to_owned(), device);
                    }
                    None => side.table(name, &String::from_utf8_lossy(bytes))?,
                }
            }
        }
        Ok(side)
    }

    /// Reads a table; lines that are no schemas are told and left out.
    fn table(&mut self, name: &str, text: &str) -> Result<(), NotRead> {
        let says = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let mut lines: Vec<&str> = text.lines().collect();
        let told = self.unread.len();
        while self.unread.len() - told < UNREAD {
            let wrong = match OperatorTable::read(name, &lines.join("\n")) {
                Ok(Some(table)) => {
                    self.tables.insert(name.to_owned(), table);
                    return Ok(());
                }
                // The first line that says something is no schema.
                Ok(None) => lines.iter().position(|line| says(line)),
                Err(error) => Some(error.line - 1),
            };
            let Some((at, line)) = wrong.and_then(|at| Some((at, lines.get_mut(at)?))) else {
                break;
            };
            let shown = line.chars().take(120).collect();
            self.unread.push((name.to_owned(), at + 1, shown));
            *line = "";
        }
        match self.unread.len() - told {
            // A table without operators.
            0 => Ok(()),
            count => Err(NotRead::new(
                name,
                format!("no table of operators: {count} lines are no schemas"),
            )),
        }
    }

    /// What the registry owes to what changed in all tables.
    fn account(&self, old: &Self, diffs: &[(&str, OperatorTableDiff)]) -> Option<RegistryCoverage> {
        let (_, new) = self.registry.as_ref()?;
        let before = old.registry.as_ref().map(|(_, texts)| texts.sources());
        let mut all = OperatorTableDiff::default();
        for (_, diff) in diffs {
            all.removed.extend(diff.removed.iter().cloned());
            all.changed.extend(diff.changed.iter().cloned());
        }
        Some(OperatorRegistry::account(Some(&all), before, new.sources()))
    }
}

/// What changed in a table. What the registry bridges, or asks for itself, is a note.
fn tabled(
    file: &str,
    files: &Files,
    diff: &OperatorTableDiff,
    account: Option<&RegistryCoverage>,
) -> Vec<FileChange> {
    let text = String::from_utf8_lossy(files.get(file).unwrap_or_default()).into_owned();
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        lines.entry(tables::operator_of(line)).or_insert(at + 1);
    }
    let place = |operator: &str| match lines.get(operator) {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    };
    let settled = |operator: &str| {
        account.is_some_and(|account| {
            account.served.contains(operator)
                || account.owed.iter().any(|owed| owed.subject == operator)
        })
    };
    let mut changes = Vec::new();
    let mut add = |operator: String, part: OperatorTableDiff| {
        for finding in diff_findings(&part).into_iter().filter(|found| found.rule.code != "OP230") {
            let finding = finding.at([place(&operator)].into_iter().collect());
            let error = finding.severity == Severity::Error;
            let finding = match error && settled(&operator) {
                true => finding.with_severity(Severity::Note),
                false => finding,
            };
            let way = if error { Direction::Backward } else { Direction::Forward };
            changes.push(change(finding, file, &operator, way));
        }
    };
    for schema in &diff.removed {
        let part =
            OperatorTableDiff { removed: vec![schema.clone()], ..OperatorTableDiff::default() };
        add(schema.full_name(), part);
    }
    for changed in &diff.changed {
        let part =
            OperatorTableDiff { changed: vec![changed.clone()], ..OperatorTableDiff::default() };
        add(changed.old.full_name(), part);
    }
    if !diff.added.is_empty() {
        let part = OperatorTableDiff { added: diff.added.clone(), ..OperatorTableDiff::default() };
        add("operators".to_owned(), part);
    }
    changes
}

fn change(finding: Finding, file: &str, operator: &str, way: Direction) -> FileChange {
    let level = match finding.severity {
        Severity::Error => Level::Wire,
        _ => Level::Promise,
    };
    FileChange::new(finding, file, operator).on(level).breaking(way)
}

fn registered(owed: RegistryGap, registry: Option<&(String, Texts<'_>)>) -> FileChange {
    let folder = registry.map_or("", |(folder, _)| folder.as_str());
    let mut finding = owed.finding;
    // The places name the file of the registry; here it lies in a folder.
    finding.places =
        finding.places.named().iter().map(|place| format!("{folder}{place}")).collect();
    let file = format!("{folder}{}", owed.file);
    FileChange::new(finding, file, owed.subject).on(Level::Wire).breaking(Direction::Backward)
}
