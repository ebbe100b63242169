//! Loaders of `torch.export` by release: `data/exported_loaders.tsv`.
//!
//! `cargo lab torch-exports` measures the rows: which records each release writes, without which it does not load a file,
//! and what it does with a field that it does not know. What a program may hold stands in `data/exported.tsv`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use unskew_core::Version;

use super::elements::{Element, INPUT, OUTPUT, REGION, RESULT, ZERO_SIZE};
use super::schema::{ExportSchema, ShapeKind};
use crate::{ReleaseCalendar, TorchFormat, TorchModel, TorchRelease, history};

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoaderRow {
    pub(crate) kind: LoaderRowKind,
    /// A record, with `*` for the name of the model, or an alternative of an argument.
    pub(crate) name: &'static str,
    pub(crate) since: Version,
    pub(crate) until: Option<Version>,
    /// What such a release says where something is missing or too much; empty where it says nothing.
    pub(crate) said: &'static str,
}

/// What a row says of the releases that it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoaderRowKind {
    /// They write this record.
    Writes,
    /// They do not load an archive with a folder around its records without this one.
    NeedsInArchive,
    /// They do not load a zip with the graph at its top without this record.
    NeedsInZip,
    /// They pass over a field that they do not know.
    IgnoresFields,
    /// They load a program with such an output.
    LoadsOutput,
    /// They do not load such a result of an operator of higher order, of a writer that does not say which kind it is.
    RefusesResult,
    /// They load a program with such an input, which is a constant.
    LoadsInput,
    /// They load and run an operator of higher order of this name.
    TakesRegion,
}

static ROWS: LazyLock<Vec<LoaderRow>> = LazyLock::new(|| {
    include_str!("../../data/exported_loaders.tsv").lines().filter_map(row).collect()
});

fn row(line: &'static str) -> Option<LoaderRow> {
    let columns: Vec<&'static str> = line.split('\t').collect();
    let &[kind, name, since, until, said] = columns.as_slice() else { return None };
    let kind = match kind {
        "writes" => LoaderRowKind::Writes,
        "needs-in-archive" => LoaderRowKind::NeedsInArchive,
        "needs-in-zip" => LoaderRowKind::NeedsInZip,
        "ignores-fields" => LoaderRowKind::IgnoresFields,
        "loads-output" => LoaderRowKind::LoadsOutput,
        "loads-input" => LoaderRowKind::LoadsInput,
        "takes-region" => LoaderRowKind::TakesRegion,
        "refuses-result" => LoaderRowKind::RefusesResult,
        _ => return None,
    };
    let said = if said == "-" { "" } else { said };
    Some(LoaderRow { kind, name, since: since.parse().ok()?, until: until.parse().ok(), said })
}

impl LoaderRow {
    fn is_of(&self, minor: Version) -> bool {
        self.since <= minor && self.until.is_none_or(|until| minor <= until)
    }

    /// The folder of the record that it names; none if that lies in none.
    fn folder(&self) -> Option<&'static str> {
        self.name.rsplit_once('/').map(|(folder, _)| folder)
    }

    /// Whether a record is the one that the row names.
    pub(crate) fn names(&self, record: &str) -> bool {
        match self.name.split_once('*') {
            None => self.name == record,
            Some((head, tail)) => {
                record.len() > head.len() + tail.len()
                    && record.strip_prefix(head).is_some_and(|rest| rest.ends_with(tail))
            }
        }
    }
}

/// The rows of one kind for a release.
pub(crate) fn rows(
    kind: LoaderRowKind,
    minor: Version,
) -> impl Iterator<Item = &'static LoaderRow> {
    ROWS.iter().filter(move |row| row.kind == kind && row.is_of(minor))
}

/// Whether a release needs this record, which may have a `*` in its name, in an archive.
pub(crate) fn needs_in_archive(minor: Version, name: &str) -> bool {
    rows(LoaderRowKind::NeedsInArchive, minor).any(|row| row.name == name)
}

/// Whether a release loads archives with a folder around their records.
pub(crate) fn loads_archives(minor: Version) -> bool {
    rows(LoaderRowKind::NeedsInArchive, minor).next().is_some()
}

/// Whether a release passes over fields that it does not know.
pub(crate) fn ignores_fields(minor: Version) -> bool {
    rows(LoaderRowKind::IgnoresFields, minor).next().is_some()
}

/// Whether a release loads a program with such an output; one of which no row tells is loaded by all.
pub(crate) fn loads_output(minor: Version, alternative: &str) -> bool {
    // No release loads text, so there is no row of it.
    let untold = alternative != "as_string";
    is_told(LoaderRowKind::LoadsOutput, minor, alternative).unwrap_or(untold)
}

/// The name of an operator of higher order: `torch.ops.higher_order.cond`, or `torch._higher_order_ops.wrap.…` up to 2.5.
pub(crate) fn region(target: &str) -> Option<&str> {
    let (path, name) = target.rsplit_once('.')?;
    path.contains("higher_order").then_some(name)
}

/// Whether a release loads and runs an operator of higher order of this name; one of which no row tells is not refused.
pub(crate) fn takes_region(minor: Version, name: &str) -> bool {
    is_told(LoaderRowKind::TakesRegion, minor, name) != Some(false)
}

/// Whether a release is among those that a table of all that do has for this name; none if the table does not have it.
fn is_told(kind: LoaderRowKind, minor: Version, name: &str) -> Option<bool> {
    let mut told = ROWS.iter().filter(|row| row.kind == kind && row.name == name).peekable();
    told.peek()?;
    Some(told.any(|row| row.is_of(minor)))
}

/// The records that some release needs and that these are.
pub(crate) fn known_records<'r>(records: impl Iterator<Item = &'r str>) -> BTreeSet<&'static str> {
    let needs = [LoaderRowKind::NeedsInArchive, LoaderRowKind::NeedsInZip];
    let needed = ROWS.iter().filter(|row| needs.contains(&row.kind));
    let mut known = BTreeSet::new();
    for record in records {
        known.extend(needed.clone().filter(|row| row.names(record)).map(|row| row.name));
    }
    known
}

/// Why a release does not load a file, by its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LoadRefusal {
    /// It looks for this record, which the file does not have.
    Record(&'static LoaderRow),
    /// It knows no archive with a folder around its records.
    Archive,
    /// Its schema has no such thing, which stands in this place.
    Element { element: Element, place: String, said: String },
    /// It does not load such an output of the program, which stands in this place.
    Output { alternative: String, place: String },
    /// It does not load such an input of the program, which stands in this place.
    Input { alternative: String, place: String },
    /// It does not take such an operator of higher order, which stands in this place.
    Region { name: String, place: String },
    /// It does not load a size whose range holds 0, which stands in this place.
    Size { name: String, place: String },
    /// It does not load such a result of a node, which stands in this place.
    Result { row: &'static LoaderRow, place: String },
}

impl LoadRefusal {
    /// Where it stands in the graph, if it does.
    pub(crate) fn place(&self) -> Option<&str> {
        match self {
            Self::Element { place, .. }
            | Self::Output { place, .. }
            | Self::Input { place, .. }
            | Self::Region { place, .. }
            | Self::Size { place, .. }
            | Self::Result { place, .. } => Some(place),
            Self::Record(_) | Self::Archive => None,
        }
    }

    /// What the release says; empty where that is not known.
    pub(crate) fn said(&self) -> &str {
        match self {
            Self::Element { said, .. } => said,
            Self::Result { row, .. } | Self::Record(row) => row.said,
            Self::Input { .. } => "'NoneType' object has no attribute 'name'",
            Self::Region { .. } => "Failed deserializing node Node",
            Self::Size { .. } => "KeyError",
            Self::Output { .. } => "Unable to deserialize output node",
            Self::Archive => "",
        }
    }
}

impl fmt::Display for LoadRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element { element: Element { ty, name }, .. } => write!(f, "{ty}.{name}"),
            Self::Output { alternative, .. } => write!(f, "an output {alternative}"),
            Self::Input { alternative, .. } => write!(f, "an input {alternative}"),
            Self::Size { name, .. } => write!(f, "the size {name}, whose range begins at 0"),
            Self::Region { name, .. } => write!(f, "the operator of higher order {name}"),
            Self::Result { row, .. } => {
                write!(f, "a result {} of an operator of higher order", row.name)
            }
            Self::Record(row) => write!(f, "a file without {}", row.name),
            Self::Archive => f.write_str("an archive with its graph in models/"),
        }
    }
}

/// The records that a release needs of a file of this container.
fn needs(model: &TorchModel) -> LoaderRowKind {
    match model.format {
        TorchFormat::ExportedArchive => LoaderRowKind::NeedsInArchive,
        _ => LoaderRowKind::NeedsInZip,
    }
}

/// Whether a file has a record that a release needs, or another form of what lies in the same folder, which it reads too.
fn has(model: &TorchModel, minor: Version, row: &LoaderRow) -> bool {
    let is_there = |row: &LoaderRow| model.export_records.contains(row.name);
    let mut others = rows(needs(model), minor);
    is_there(row)
        || row.folder().is_some_and(|folder| {
            others.any(|other| other.folder() == Some(folder) && is_there(other))
        })
}

/// Whether a file has all records that a release needs of its container.
fn finds_records(model: &TorchModel, minor: Version) -> bool {
    let mut all = rows(needs(model), minor).peekable();
    all.peek().is_some() && all.all(|row| has(model, minor, row))
}

/// Why a release does not load a program of its own major version.
///
/// A file that no release of that major finds its records in is broken, which is no question of versions.
pub(crate) fn refusals(
    model: &TorchModel,
    release: &TorchRelease,
    calendar: &ReleaseCalendar,
) -> Vec<LoadRefusal> {
    let minor = release.minor();
    let (Some(stamp), Some(own)) = (&model.exported, release.exported) else { return Vec::new() };
    if !model.format.is_exported() || stamp.version.major() != own.major() {
        return Vec::new();
    }
    let is_archive = model.format == TorchFormat::ExportedArchive;
    if is_archive && !loads_archives(minor) {
        return vec![LoadRefusal::Archive];
    }
    let missing = rows(needs(model), minor).find(|row| !has(model, minor, row));
    let is_found = |other: &&TorchRelease| {
        let same = other.exported.is_some_and(|other| other.major() == own.major());
        same && finds_records(model, other.minor())
    };
    // Whoever does not find its records does not come to the graph.
    if let Some(row) = missing.filter(|_| calendar.releases().iter().any(|it| is_found(&it))) {
        return vec![LoadRefusal::Record(row)];
    }
    let (schema, written) = (ExportSchema::nearest(own), ExportSchema::nearest(stamp.version));
    let mut found = Vec::new();
    for (element, places) in &model.elements {
        let place = || places.named().first().cloned().unwrap_or_default();
        if element.ty == OUTPUT {
            if !loads_output(minor, &element.name) {
                let alternative = element.name.to_string();
                found.push(LoadRefusal::Output { alternative, place: place() });
            }
            continue;
        }
        if element.ty == INPUT {
            if is_told(LoaderRowKind::LoadsInput, minor, &element.name) == Some(false) {
                let alternative = element.name.to_string();
                found.push(LoadRefusal::Input { alternative, place: place() });
            }
            continue;
        }
        if element.ty == ZERO_SIZE {
            if minor < history::zero_sizes_since() {
                found.push(LoadRefusal::Size { name: element.name.to_string(), place: place() });
            }
            continue;
        }
        if element.ty == REGION {
            if !takes_region(minor, &element.name) {
                let name = element.name.to_string();
                found.push(LoadRefusal::Region { name, place: place() });
            }
            continue;
        }
        if element.ty == RESULT {
            let row =
                rows(LoaderRowKind::RefusesResult, minor).find(|row| row.name == element.name);
            found.extend(row.map(|row| LoadRefusal::Result { row, place: place() }));
            continue;
        }
        // What is in a type that is not known stands in a field or an alternative that is not known either.
        let Some(shape) = schema.shape(element.ty) else { continue };
        let passes = shape.kind == ShapeKind::Struct && ignores_fields(minor);
        let form = |schema: &ExportSchema| {
            let field = schema.shape(element.ty)?.field(&element.name)?;
            Some(field.ty.clone())
        };
        let is_same = form(&schema).is_some_and(|own| form(&written) == Some(own));
        if !is_same && !passes {
            let said = unknown_element(shape.kind, element);
            found.push(LoadRefusal::Element { element: element.clone(), place: place(), said });
        }
    }
    found
}

/// What Python says of a field or a value that a class does not have.
fn unknown_element(kind: ShapeKind, Element { ty, name }: &Element) -> String {
    match kind {
        ShapeKind::Struct | ShapeKind::Union => {
            format!("{ty}.__init__() got an unexpected keyword argument '{name}'")
        }
        ShapeKind::Enum => format!("is not a valid {ty}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_is_a_row() {
        let lines = include_str!("../../data/exported_loaders.tsv").lines();
        let lines = lines.filter(|line| !line.starts_with('#') && !line.starts_with("what\t"));
        assert_eq!(lines.count(), ROWS.len());
        assert!(ROWS.iter().all(|row| row.until.is_none_or(|until| row.since <= until)));
    }

    #[test]
    fn the_containers_that_changed_are_told_apart() {
        let minor = |minor| Version::pair(2, minor);
        assert!(!loads_archives(minor(7)) && loads_archives(minor(8)) && loads_archives(minor(15)));
        let tables = "data/weights/*_weights_config.json";
        assert!(!needs_in_archive(minor(8), tables) && needs_in_archive(minor(9), tables));
        assert!(!ignores_fields(minor(8)) && ignores_fields(minor(9)));
        let known = known_records(["data/weights/net_weights_config.json", "data/x"].into_iter());
        assert_eq!(known.into_iter().collect::<Vec<_>>(), [tables]);
    }
}
