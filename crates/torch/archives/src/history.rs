//! History of changes in PyTorch that no number of a file shows: `data/history.toml`.

use std::sync::{Arc, LazyLock, OnceLock};

use serde::Deserialize;
use unskew_core::Version;
use unskew_tables::toml_table;
use unskew_torch_operators::{RegistryChange, registry};
use unskew_torch_schemas::FunctionSchema;

use crate::{TorchFormat, TorchModel, VersionStamp};

/// An operator that gives another answer from a release on, without a new version.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SilentChange {
    pub operators: Vec<String>,
    /// The first minor release with the new behaviour.
    changed_in: String,
    /// What it does before.
    pub was: String,
    /// What it does since.
    pub now: String,
    /// What mends a model.
    pub fix: String,
    /// Whether it concerns only calls with integers and without a `dtype`.
    #[serde(default)]
    pub integers_without_dtype: bool,
}

impl SilentChange {
    /// The first minor release with the new behaviour.
    pub fn changed_in(&self) -> Version {
        self.changed_in.parse().unwrap_or(Version::number(0))
    }
}

/// An upgrader of a runtime: what a file below `bumped_at` means by an operator.
#[derive(Debug)]
pub struct Upgrader {
    /// The schema that it means.
    pub schema: Arc<FunctionSchema>,
    /// The name of its function.
    pub function: String,
    /// The operator version from which on the name means something else.
    pub bumped_at: i64,
    /// Whether the mobile interpreter has it.
    pub mobile: bool,
    /// The first release without it.
    pub gone_in: Option<Version>,
}

/// Files that some releases do not load, although every number and name fits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRefusal {
    /// The first and the last minor release that refuse; the last is empty if all later ones do.
    releases: [String; 2],
    format: RefusedFormat,
    /// The lowest and the highest file format version; none for every one.
    file_format: Option<[i64; 2]>,
    /// The lowest and the highest bytecode version; none for every one.
    bytecode: Option<[i64; 2]>,
    /// What the pickle of its attributes imports; none for every one.
    imports: Option<String>,
    /// What its bytecode or its attributes hold, a key of `TorchModel::types`; none for every file.
    pub holds: Option<String>,
    pub what: String,
    /// What the release prints.
    pub symptom: String,
    /// Whether the file is loaded, and it fails when it is called.
    #[serde(default)]
    pub when_called: bool,
    /// What to do, if another release than this one is no help.
    pub fix: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RefusedFormat {
    Script,
    Mobile,
    Flatbuffer,
}

impl FileRefusal {
    /// Whether it concerns a release of this minor version.
    fn concerns(&self, minor: Version) -> bool {
        let bound = |text: &str| text.parse::<Version>().ok();
        let [first, last] = &self.releases;
        bound(first).is_some_and(|first| first <= minor)
            && (last.is_empty() || bound(last).is_some_and(|last| minor <= last))
    }

    /// Whether it concerns such a file.
    fn covers(&self, model: &TorchModel) -> bool {
        let kind = match model.format {
            TorchFormat::Script => RefusedFormat::Script,
            TorchFormat::Mobile => RefusedFormat::Mobile,
            TorchFormat::MobileFlatbuffer => RefusedFormat::Flatbuffer,
            _ => return false,
        };
        let within = |range: Option<[i64; 2]>, version: Option<&VersionStamp>| {
            range.is_none_or(|[low, high]| {
                version.is_some_and(|stamp| (low..=high).contains(&stamp.version.major()))
            })
        };
        self.format == kind
            && within(self.file_format, model.file_format.as_ref())
            && within(self.bytecode, model.bytecode.as_ref())
            && self.imports.as_ref().is_none_or(|import| model.imports.contains(import))
            && self.holds.as_ref().is_none_or(|what| model.types.contains_key(&**what))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    silent: Vec<SilentChange>,
    refused: Vec<FileRefusal>,
    class: Vec<ClassRow>,
    refusing: Vec<RefusingRow>,
    type_name: Vec<TypeRow>,
    exported: Vec<ExportedRow>,
    sizes: SizeRanges,
    builtin: Builtin,
    bytecode: Bytecode,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassRow {
    prefix: String,
    gone_in: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypeRow {
    name: String,
    since: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefusingRow {
    operators: Vec<String>,
    since: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportedRow {
    schema: String,
    releases: [String; 2],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SizeRanges {
    zero_since: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Builtin {
    schemas: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bytecode {
    promoted: Vec<String>,
    upgraders_since: String,
    named_tuples_since: String,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml_table!("data/history.toml"));

/// The upgraders of an operator, by its full name; read when they are asked for. They stand in the order of the names.
type UpgradersByOperator = (&'static str, OnceLock<Vec<Upgrader>>);

static UPGRADERS: LazyLock<Vec<UpgradersByOperator>> =
    LazyLock::new(|| registry().versioned_names().map(|name| (name, OnceLock::new())).collect());

fn read_upgraders((operator, read): &'static UpgradersByOperator) -> &'static [Upgrader] {
    let upgrader = |change: &RegistryChange| {
        let bridge = change.upgrader.as_ref()?;
        Some(Upgrader {
            schema: Arc::new(bridge.schema.clone()),
            function: bridge.function.clone(),
            bumped_at: i64::from(change.since.version()?),
            mobile: change.mobile,
            gone_in: change.gone_in,
        })
    };
    read.get_or_init(|| registry().changes_of(operator).iter().filter_map(upgrader).collect())
}

static BUILTINS: LazyLock<Vec<FunctionSchema>> = LazyLock::new(|| {
    FILE.builtin.schemas.iter().filter_map(|schema| schema.parse().ok()).collect()
});

/// The silent changes of `operator`.
pub fn silent_changes(operator: &str) -> impl Iterator<Item = &'static SilentChange> {
    FILE.silent.iter().filter(move |change| change.operators.iter().any(|name| name == operator))
}

/// Why a release of this minor version does not load such a file, if it was found not to.
pub fn refusal(minor: Version, model: &TorchModel) -> Option<&'static FileRefusal> {
    let mut rows = FILE.refused.iter();
    rows.find(|row| row.concerns(minor) && row.covers(model))
}

pub fn upgraders() -> impl Iterator<Item = &'static Upgrader> {
    UPGRADERS.iter().flat_map(read_upgraders)
}

/// The upgraders of all overloads of an operator.
pub fn upgraders_of(operator: &str) -> impl Iterator<Item = &'static Upgrader> {
    let is = move |full: &str| {
        full.strip_prefix(operator).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    // No byte of a name stands before the dot, so its overloads are behind it.
    let first = UPGRADERS.partition_point(|(full, _)| *full < operator);
    let same = UPGRADERS.iter().skip(first).take_while(move |(full, _)| is(full));
    same.flat_map(read_upgraders)
}

/// The first release without this class, if one removed it.
pub fn class_gone_in(class: &str) -> Option<Version> {
    let mut rows = FILE.class.iter();
    let row = rows.find(|row| class.starts_with(&row.prefix))?;
    row.gone_in.parse().ok()
}

/// The names of types that some release does not know.
pub fn dated_types() -> impl Iterator<Item = &'static str> {
    FILE.type_name.iter().map(|row| &*row.name)
}

/// What stands for the types in bytecode that are classes of the file's own, such as named tuples.
pub const OWN_TYPES: &str = "named tuple";

/// What stands for values of `Enum` classes in bytecode and attributes.
pub const ENUM_VALUES: &str = "enum value";

/// What stands for types in what the model's own methods return that are classes of the file.
pub const NAMED_RESULT: &str = "named tuple as a result";

/// What stands for the types in bytecode that modules of PyTorch itself define, such as `PackedSequence`.
pub const TORCH_TYPES: &str = "type of torch";

/// The first release whose code may name this type, if older ones may not.
pub fn type_since(name: &str) -> Option<Version> {
    if name == OWN_TYPES {
        return Some(mobile_named_tuples_since());
    }
    let mut rows = FILE.type_name.iter();
    rows.find(|row| row.name == name)?.since.parse().ok()
}

/// The first release in which this operator refuses every call, if one does.
pub fn refusing_since(operator: &str) -> Option<Version> {
    let mut rows = FILE.refusing.iter();
    rows.find(|row| row.operators.iter().any(|name| name == operator))?.since.parse().ok()
}

/// The first release that loads a program of `torch.export` with a size whose range holds 0.
pub fn zero_sizes_since() -> Version {
    FILE.sizes.zero_since.parse().unwrap_or(Version::pair(2, 4))
}

/// The first and the last release that write this schema of `torch.export`.
pub fn exported_by(schema: Version) -> (Option<Version>, Option<Version>) {
    let mut rows = FILE.exported.iter();
    let row = rows.find(|row| row.schema.parse() == Ok(schema));
    row.map_or((None, None), |row| {
        let [since, until] = &row.releases;
        (since.parse().ok(), until.parse().ok())
    })
}

/// The first release whose mobile interpreter has upgraders. Older ones do by an old name what they do today.
pub fn mobile_upgraders_since() -> Version {
    bytecode_since(|bytecode| &bytecode.upgraders_since)
}

/// The first release whose mobile interpreter reads the types of named tuples.
pub fn mobile_named_tuples_since() -> Version {
    bytecode_since(|bytecode| &bytecode.named_tuples_since)
}

fn bytecode_since(of: impl Fn(&Bytecode) -> &str) -> Version {
    of(&FILE.bytecode).parse().unwrap_or(Version::number(0))
}

/// Whether bytecode has an operator as this instruction since version 8.
pub fn is_promoted(instruction: &str) -> bool {
    FILE.bytecode.promoted.iter().any(|name| name == instruction)
}

/// The schemas of the functions that the loader compiles itself; no table has them.
pub fn builtins() -> &'static [FunctionSchema] {
    &BUILTINS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_read_whole() {
        let file = &*FILE;
        assert_eq!(upgraders().count(), 19);
        let refused = |minor| {
            refusal(Version::pair(1, minor), &TorchModel::new(TorchFormat::MobileFlatbuffer))
        };
        assert!(refused(12).is_some() && refused(13).is_none());
        assert_eq!(silent_changes("aten::floor_divide").count(), 1);
        assert_eq!(class_gone_in("xnnpack.LinearOpContext"), Some(Version::pair(2, 13)));
        assert_eq!(exported_by(Version::pair(5, 3)).0, Some(Version::pair(2, 4)));
        assert_eq!(BUILTINS.len(), file.builtin.schemas.len());
        let builtins = |name: &str| builtins().iter().filter(|one| one.name == name).count();
        assert_eq!((builtins("aten::_pair"), builtins("aten::add")), (1, 0));
    }
}
