//! Protobuf files as a kind of files.

use std::collections::BTreeMap;

use crate::change::Changes;
use crate::descriptor::Descriptors;
use crate::rules;
use crate::schema::Schema;
use crate::scope::{MessageScope, ScopeOptions};
use crate::version::{self, Line};
use crate::{enumeration, message, service, weight};
use unskew_kinds::{CompareOptions, FileChange, FileComparison, InterfaceKind};
use unskew_source::{Files, NotRead};

/// Protobuf files and sets of descriptors; see [the crate](crate).
///
/// Options: `scope`, what is said of all messages; `persisted`, `rpc` and `scratch`, lists of messages by full
/// name or by its beginning and `*`; `history`, the path of the dated history whose newest version is that of
/// the format; `json`, the weight of a name that changed: error, warning or note.
#[derive(Clone, Copy, Debug, Default)]
pub struct Protobuf;

impl InterfaceKind for Protobuf {
    fn name(&self) -> &'static str {
        "protobuf"
    }

    fn title(&self) -> &'static str {
        "protobuf files"
    }

    fn recognizes(&self, name: &str, head: &[u8]) -> bool {
        name.ends_with(".proto") || Descriptors::recognizes(name, head)
    }

    fn options(&self) -> &'static [&'static str] {
        &["scope", "persisted", "rpc", "scratch", "history", "json"]
    }

    fn compare(
        &self,
        old: &Files,
        new: &Files,
        terms: &CompareOptions<'_>,
    ) -> Result<FileComparison, NotRead> {
        old.check_sizes().and_then(|()| new.check_sizes())?;
        let said = said(terms)?;
        let history = option(terms, "history")?;
        let json = option(terms, "json")?.map(weight::named).transpose()?;
        let (was, is) = (Schema::with(old, &said), Schema::with(new, &said));
        let mut found = FileComparison::default();
        found.changes.extend(unread(&is));
        // Without a baseline there is nothing that could have changed.
        if old.is_empty() {
            return Ok(found);
        }
        let mut changes = Changes::between(&was, &is);
        message::all(&mut changes);
        enumeration::all(&mut changes);
        service::all(&mut changes);
        let only = old.names().next().filter(|_| old.len() == 1 && new.len() == 1);
        syntaxes(&mut changes, only);
        let mut list = changes.list;
        let lines = match history {
            Some(path) => vec![(None, version::of_history(path, old, new)?)],
            None => comments(&was, &is, only),
        };
        for (file, line) in &lines {
            let covered =
                list.iter().filter(|found| file.as_ref().is_none_or(|file| *file == found.file));
            let (finding, promise) = version::judge(line, covered, terms);
            let carrier = file.as_deref().or(history).unwrap_or_default();
            if let Some(finding) = finding {
                found.changes.push(
                    FileChange::new(finding, carrier, "version").on(unskew_kinds::Level::Wire),
                );
            }
            found.promises.extend(promise.map(|promise| (carrier.to_owned(), promise)));
        }
        let raised = |file: &str| {
            lines
                .iter()
                .any(|(of, line)| of.as_deref().is_none_or(|of| of == file) && line.raised())
        };
        list.sort_by(|a, b| (&a.file, &a.subject).cmp(&(&b.file, &b.subject)));
        found.changes.extend(list.into_iter().map(|found| {
            let raised = raised(&found.file);
            let mapping = JSON.contains(&found.finding.rule.code);
            let mut change = weight::change(found, raised);
            if let Some(severity) = json.filter(|_| mapping) {
                change.finding.severity = severity;
            }
            change
        }));
        Ok(found)
    }

    fn items(
        &self,
        files: &Files,
        _terms: &CompareOptions<'_>,
    ) -> Result<Option<BTreeMap<String, String>>, NotRead> {
        let schema = Schema::read(files);
        let mut items = BTreeMap::new();
        for (name, message) in &schema.messages {
            for field in &message.is.fields {
                let place = format!("{}:{}", message.file, field.line);
                items.insert(format!("{name}.{}", field.name), place);
            }
        }
        for (name, found) in &schema.enums {
            for value in &found.is.values {
                items.insert(
                    format!("{name}.{}", value.name),
                    format!("{}:{}", found.file, value.line),
                );
            }
        }
        Ok(Some(items))
    }
}

/// Rules about names that only JSON and text have.
const JSON: [&str; 3] = ["PB107", "PB217", "PB306"];

/// What could not be read on the new side, and names that no file declares.
fn unread(schema: &Schema) -> Vec<FileChange> {
    let mut changes = Vec::new();
    for (file, problem) in &schema.problems {
        let finding = rules::ProtobufNotRead { what: &problem.what }.finding();
        let place = match problem.line {
            0 => file.clone(),
            line => format!("{file}:{line}"),
        };
        let finding = finding.at([place].into_iter().collect());
        changes.push(FileChange::new(finding, file.as_str(), problem.what.as_str()));
    }
    for (name, (file, line)) in &schema.unknown {
        let finding = rules::TypeNotFound { name }.finding();
        let finding = finding.at([format!("{file}:{line}")].into_iter().collect());
        changes.push(FileChange::new(finding, file.as_str(), name.as_str()));
    }
    changes
}

/// Files that have another syntax or edition.
fn syntaxes(changes: &mut Changes<'_>, only: Option<&str>) {
    let (old, new) = (changes.old, changes.new);
    for (file, after) in &new.syntaxes {
        let Some(before) = old.syntaxes.get(only.unwrap_or(file)) else { continue };
        if before != after {
            let finding = rules::SyntaxChanged { before, after }.finding();
            changes.add((file, MessageScope::Persisted), finding, Some((file, 1)), None);
        }
    }
}

/// The versions that comments name, by file.
fn comments(was: &Schema, is: &Schema, only: Option<&str>) -> Vec<(Option<String>, Line)> {
    let line = |file: &String| {
        let line = version::of_comment(file, only.unwrap_or(file), was, is)?;
        Some((Some(file.clone()), line))
    };
    is.versions.keys().filter_map(line).collect()
}

fn option<'a>(terms: &CompareOptions<'a>, key: &str) -> Result<Option<&'a str>, NotRead> {
    match terms.options.and_then(|options| options.get(key)) {
        None => Ok(None),
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(NotRead::new("", format!("the option `{key}` is a text: {value}"))),
        },
    }
}

fn said(terms: &CompareOptions<'_>) -> Result<ScopeOptions, NotRead> {
    let mut said = ScopeOptions::default();
    if let Some(word) = option(terms, "scope")? {
        let scope = MessageScope::named(word).ok_or_else(|| {
            NotRead::new("", format!("the option `scope` is persisted, rpc or scratch: {word}"))
        })?;
        said.all = Some(scope);
    }
    for scope in [MessageScope::Persisted, MessageScope::Rpc, MessageScope::Scratch] {
        let Some(value) = terms.options.and_then(|options| options.get(scope.as_str())) else {
            continue;
        };
        let names = value.as_array().into_iter().flatten().map(toml::Value::as_str);
        let names: Option<Vec<&str>> = names.collect();
        let names = names.filter(|_| value.is_array()).ok_or_else(|| {
            NotRead::new("", format!("the option `{}` is a list of names: {value}", scope.as_str()))
        })?;
        said.patterns.extend(names.into_iter().map(|name| (scope, name.to_owned())));
    }
    Ok(said)
}
