//! Op registries of TensorFlow as a kind of files: `OpList`s, as text or as bytes.
//!
//! Whether a major release lies between two registries, and from which version on graphs are refused, stands in
//! a header of TensorFlow (`TF_MAJOR_VERSION`, `TF_GRAPH_DEF_VERSION`) that is one of the files, or in the options.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::{Severity, Version};
use unskew_kinds::{
    CompareOptions, Direction, FileChange, FileComparison, InterfaceKind, Level, Raise,
};
use unskew_source::{BytesSource, Files, NotRead, Source};
use unskew_tensorflow::diff::{ReleaseRegistry, findings};

/// TensorFlow's op registries, as files of kind `tf-ops`.
pub struct TfOps;

impl InterfaceKind for TfOps {
    fn name(&self) -> &'static str {
        "tf-ops"
    }

    fn title(&self) -> &'static str {
        "op registries of TensorFlow"
    }

    fn recognizes(&self, _name: &str, _head: &[u8]) -> bool {
        // A registry is told by the whole of it; `unskew diff` asks for that last.
        false
    }

    fn options(&self) -> &'static [&'static str] {
        &["since", "version", "graph-def"]
    }

    fn compare(
        &self,
        old: &Files,
        new: &Files,
        terms: &CompareOptions<'_>,
    ) -> Result<FileComparison, NotRead> {
        let mut found = FileComparison::default();
        let (mut was, mut is) = (registries(old)?, registries(new)?);
        let (before, after) = (Numbers::from_files(old), Numbers::from_files(new));
        let since = option(terms, "since")?.or(before.release());
        let version = option(terms, "version")?.or(after.release());
        let graph_def = option(terms, "graph-def")?.map(Version::major).or(before.graph_def);
        let one = was.len() == 1 && is.len() == 1;
        if one && let (Some((name, _)), Some(mut other)) = (is.first_key_value(), was.pop_first()) {
            other.0.clone_from(name);
            was.insert(other.0, other.1);
        }
        for (name, registry) in &mut is {
            registry.release = version;
            let Some(before) = was.get_mut(name) else { continue };
            (before.release, before.graph_def) = (since, graph_def);
            for finding in findings(before, registry) {
                let Some(subject) = subject(&finding) else { continue };
                let places = [name.as_str()].into_iter().collect();
                let (level, way) = match finding.severity {
                    Severity::Error => (Level::Wire, Direction::Backward),
                    _ => (Level::Promise, Direction::Forward),
                };
                let change = FileChange::new(finding.at(places), name.as_str(), subject);
                found.changes.push(change.on(level).breaking(way));
            }
        }
        if let Some(name) = was.keys().find(|name| !is.contains_key(*name)) {
            return Err(NotRead::new(name.clone(), "the op registry is gone"));
        }
        if let (Some(before), Some(now)) = (since, version)
            && now.major() > before.major()
        {
            let file = after.file.unwrap_or_default();
            let place = after.major_line.map_or_else(|| file.clone(), |at| format!("{file}:{at}"));
            let (before, after) = (before.to_string(), now.to_string());
            let line = "TensorFlow".to_owned();
            found.majors.push(Raise { line, file, place, before, after });
        }
        Ok(found)
    }

    fn items(
        &self,
        files: &Files,
        _terms: &CompareOptions<'_>,
    ) -> Result<Option<BTreeMap<String, String>>, NotRead> {
        let mut items = BTreeMap::new();
        for (name, registry) in registries(files)? {
            for text in registry.ops.texts() {
                let op = text.split([' ', '(']).next().unwrap_or(text);
                items.entry(op.to_owned()).or_insert_with(|| name.clone());
            }
        }
        Ok(Some(items))
    }
}

/// The op that a finding is about; none for the summary, which says nothing of its own.
fn subject(finding: &unskew_core::Finding) -> Option<String> {
    if finding.rule.code == "TF620" {
        return None;
    }
    let named = finding.message.split('`').nth(1);
    Some(named.unwrap_or("ops").to_owned())
}

fn registries(files: &Files) -> Result<BTreeMap<String, ReleaseRegistry>, NotRead> {
    let mut found = BTreeMap::new();
    for (name, bytes) in files.iter().filter(|(name, _)| !name.ends_with(".h")) {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new(name, bytes.to_vec()));
        let read = ReleaseRegistry::read(&source)
            .map_err(|error| NotRead::new(name, error.to_string()))?;
        let read = read.ok_or_else(|| NotRead::new(name, "no OpList of TensorFlow"))?;
        found.insert(name.to_owned(), read);
    }
    Ok(found)
}

/// What the headers of TensorFlow say.
#[derive(Default)]
struct Numbers {
    file: Option<String>,
    major: Option<i64>,
    /// The line that defines it, in `file`.
    major_line: Option<usize>,
    minor: Option<i64>,
    patch: Option<i64>,
    graph_def: Option<i64>,
}

impl Numbers {
    fn from_files(files: &Files) -> Self {
        let mut numbers = Self::default();
        for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".h")) {
            for (at, line) in (1..).zip(String::from_utf8_lossy(bytes).lines()) {
                let mut words = line.split_whitespace();
                let defines = words.next() == Some("#define");
                let (Some(word), Some(Ok(value))) = (words.next(), words.next().map(str::parse))
                else {
                    continue;
                };
                let slot = match word {
                    "TF_MAJOR_VERSION" => &mut numbers.major,
                    "TF_MINOR_VERSION" => &mut numbers.minor,
                    "TF_PATCH_VERSION" => &mut numbers.patch,
                    "TF_GRAPH_DEF_VERSION" => &mut numbers.graph_def,
                    _ => continue,
                };
                if defines {
                    *slot = Some(value);
                    // The file is that of the major number, if one defines it.
                    if word == "TF_MAJOR_VERSION" || numbers.major_line.is_none() {
                        numbers.file = Some(name.to_owned());
                    }
                    if word == "TF_MAJOR_VERSION" {
                        numbers.major_line = Some(at);
                    }
                }
            }
        }
        numbers
    }

    fn release(&self) -> Option<Version> {
        Some(Version::triple(self.major?, self.minor.unwrap_or(0), self.patch.unwrap_or(0)))
    }
}

/// A version in the options: `"2.16.1"`, or a number.
fn option(terms: &CompareOptions<'_>, key: &str) -> Result<Option<Version>, NotRead> {
    let Some(value) = terms.options.and_then(|options| options.get(key)) else { return Ok(None) };
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let version = text.parse();
    version
        .map(Some)
        .map_err(|_| NotRead::new("", format!("the option `{key}` is a version: {text}")))
}
