//! Writing a change into the files of a registry.

use std::fmt::Write as _;

use unskew_torch_schemas::FunctionSchema;

use crate::error::{DOWNGRADERS, OperatorRegistryError, UPGRADERS, VERSIONS, fault};
use crate::files::functions::{join, locate};
use crate::registry::{OperatorRegistry, RegistrySources};
use crate::registry_change::{ChangeStart, RegistryChange, ReleaseSpan};
use crate::signature;

/// A change that is not in a registry yet.
#[derive(Clone, Debug)]
pub struct NewChange {
    /// The full name of the operator.
    pub operator: String,
    /// From where on it holds.
    pub since: ChangeStart,
    /// What calls meant before: an upgrader is written for it. None for a change that needs none, with a note,
    /// and for a new operator.
    pub schema: Option<FunctionSchema>,
    /// What calls mean since, and the older releases that a downgrader is written for.
    pub downgrade: Option<(FunctionSchema, ReleaseSpan)>,
    /// What there is to say.
    pub note: Option<String>,
}

/// The files of a registry with a change in them.
#[derive(Clone, Debug)]
pub struct UpdatedRegistryFiles {
    /// The text of `operator_versions.yaml` afterwards.
    pub versions: String,
    /// The text of `operator_upgraders.py` afterwards.
    pub upgraders: String,
    /// The text of `operator_downgraders.py` afterwards.
    pub downgraders: String,
    /// The functions whose bodies are to be written.
    pub functions: Vec<String>,
    /// A case for each of them: its name, and arguments that fit.
    pub cases: Vec<(String, String)>,
}

impl OperatorRegistry {
    /// The files with a change in them: its entry, and for each function a stub that passes its arguments on to
    /// the operator of the same name.
    ///
    /// # Errors
    /// If the files are broken, the change is in them already, a schema is of another operator or has an
    /// argument that no function can have, or a version is lower than the newest.
    pub fn add(
        sources: RegistrySources<'_>,
        change: &NewChange,
    ) -> Result<UpdatedRegistryFiles, OperatorRegistryError> {
        let registry = Self::load(sources)?;
        refuse(&registry, change)?;
        let mut written = UpdatedRegistryFiles {
            versions: String::new(),
            upgraders: sources.upgraders.to_owned(),
            downgraders: sources.downgraders.to_owned(),
            functions: Vec::new(),
            cases: Vec::new(),
        };
        let mut entry = format!("  {}\n", begin(change.since));
        if let Some(schema) = &change.schema {
            let name = upgrader_name(&registry, change);
            let _ = write!(entry, "  upgrader: {name}\n  schema: {}\n", quoted(schema));
            written.function(&registry, true, &name, schema)?;
        }
        if let Some((schema, on)) = &change.downgrade {
            let last = on.until.unwrap_or(on.since).to_string().replace('.', "_");
            let name = format!("{}_to_{last}", stem(&change.operator));
            let releases = match on.until {
                Some(until) if until == on.since => until.to_string(),
                Some(until) => format!("{}-{until}", on.since),
                None => format!("{}-", on.since),
            };
            let _ = write!(
                entry,
                "  downgrader: {name}\n  on: {releases}\n  new_schema: {}\n",
                quoted(schema)
            );
            written.function(&registry, false, &name, schema)?;
        }
        if let Some(note) = &change.note {
            let _ = writeln!(entry, "  note: {}", text(note));
        }
        written.versions = insert(sources.versions, &change.operator, &entry)?;
        let (versions, upgraders) = (&*written.versions, &*written.upgraders);
        Self::load(RegistrySources { versions, upgraders, downgraders: &written.downgraders })?;
        Ok(written)
    }
}

impl UpdatedRegistryFiles {
    fn function(
        &mut self,
        registry: &OperatorRegistry,
        up: bool,
        name: &str,
        schema: &FunctionSchema,
    ) -> Result<(), OperatorRegistryError> {
        let wrong = |what: String| fault(VERSIONS, 0, what);
        if registry.function(name).is_some() {
            return Err(wrong(format!("there is a function {name} already")));
        }
        let stub = signature::stub(name, schema).map_err(wrong)?;
        let file = if up { &mut self.upgraders } else { &mut self.downgraders };
        if locate(file, 1).is_some() {
            // Among files of one subject each, that of the operator, which may be new.
            let folder = if up { UPGRADERS } else { DOWNGRADERS }.trim_end_matches(".py");
            let own = format!("{folder}/{}.py", base(schema));
            file.push_str(&join([(own.as_str(), stub.as_str())]));
        } else {
            let _ = write!(file, "{}{stub}", if file.is_empty() { "" } else { "\n" });
        }
        self.functions.push(name.to_owned());
        self.cases.push((name.to_owned(), signature::sample(schema)));
        Ok(())
    }
}

fn refuse(registry: &OperatorRegistry, change: &NewChange) -> Result<(), OperatorRegistryError> {
    let NewChange { operator, since, schema, downgrade, note } = change;
    let wrong = |what: String| Err(fault(VERSIONS, 0, what));
    for schema in schema.iter().chain(downgrade.iter().map(|(schema, _)| schema)) {
        if schema.full_name() != *operator {
            return wrong(format!("the schema is of {}, not of {operator}", schema.full_name()));
        }
    }
    let known = registry.changes_of(operator);
    let same = |old: &&RegistryChange| {
        let told = old.upgrader.as_ref().map(|bridge| &bridge.schema) == schema.as_ref();
        old.since == *since && (told || since.version().is_some())
    };
    if let Some(old) = known.iter().find(same) {
        return Err(fault(
            VERSIONS,
            old.line,
            format!("{operator} has this change already: {since}"),
        ));
    }
    if let Some(version) = since.version() {
        let newest = registry.current();
        if version < newest {
            return wrong(format!(
                "operator versions are one line for all operators, and the newest is {newest}: {version} is over"
            ));
        }
    }
    if schema.is_none() && downgrade.is_none() && note.is_none() {
        return wrong(format!(
            "{operator}: give the old schema for an upgrader, or a note that says why there is none"
        ));
    }
    Ok(())
}

/// The name without namespace and overload: `div` of `aten::div.Tensor`.
fn base(schema: &FunctionSchema) -> &str {
    schema.name.rsplit("::").next().unwrap_or(&schema.name)
}

/// What functions are named after: `div_Tensor` of `aten::div.Tensor`.
fn stem(operator: &str) -> String {
    operator.rsplit("::").next().unwrap_or(operator).replace('.', "_")
}

fn upgrader_name(registry: &OperatorRegistry, change: &NewChange) -> String {
    let stem = stem(&change.operator);
    match change.since {
        ChangeStart::Version(version) => {
            let changes = registry.changes_of(&change.operator).iter();
            let from = changes.filter_map(|old| old.since.version()).max().unwrap_or(0);
            format!("{stem}_{from}_{}", version.saturating_sub(1))
        }
        other => {
            let release = other.release().map_or_else(String::new, |release| release.to_string());
            format!("{stem}_before_{}", release.replace('.', "_"))
        }
    }
}

fn begin(since: ChangeStart) -> String {
    match since {
        ChangeStart::Version(version) => format!("version: {version}"),
        ChangeStart::Removed(release) => format!("removed_in: {release}"),
        ChangeStart::Broken(release) => format!("broken_in: {release}"),
        ChangeStart::Meaning(release) => format!("meaning_changed_in: {release}"),
        ChangeStart::Added(release) => format!("added_in: {release}"),
    }
}

/// A schema as a text of YAML, its own texts in single quotes.
fn quoted(schema: &FunctionSchema) -> String {
    format!("\"{}\"", schema.to_string().replace('"', "'"))
}

/// A note as a text of YAML, in quotes if it must have them.
fn text(note: &str) -> String {
    let plain = !note.contains([':', '#', '"', '\\', '\n'])
        && note.starts_with(|c: char| c.is_alphanumeric());
    if plain { note.to_owned() } else { format!("\"{}\"", note.replace(['"', '\\', '\n'], "'")) }
}

/// The text with the lines of a change at the end of the operator's entry, or with a new entry at its end.
fn insert(versions: &str, operator: &str, change: &str) -> Result<String, OperatorRegistryError> {
    let lines: Vec<&str> = versions.lines().collect();
    let head = format!("- func: {operator}");
    let item = format!("  - {operator}");
    if let Some(at) = lines.iter().position(|line| *line == item) {
        let what = format!("{operator} stands in a list; give it an entry of its own first");
        return Err(fault(VERSIONS, at + 1, what));
    }
    let Some(at) = lines.iter().position(|line| *line == head) else {
        return Ok(format!("{}\n\n{head}\n{change}", versions.trim_end()));
    };
    let rest = lines.iter().skip(at + 1);
    let end = at + 1 + rest.take_while(|line| line.starts_with("  ")).count();
    let (before, after) = (&lines[..end], &lines[end..]);
    let after: String = after.iter().map(|line| format!("{line}\n")).collect();
    Ok(format!("{}\n{change}{after}", before.join("\n")))
}
