//! The ABI as data: how large each struct was at each minor, what the function table held, what the
//! extensions are called.
//!
//! The minor version does not identify a layout: minors 56, 61, 70 and 75 had two each, and some
//! headers announced sizes that were not the true ones. So sizes are looked up by minor *and*, where
//! it is known, by the day of the build.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::Date;

/// The first minor whose function table was only ever appended to afterwards.
pub const FLOOR: i32 = 29;

/// The minor from which extensions announce their size, and are laid out as today.
pub const SIZED_EXTENSIONS: i32 = 45;

/// Where the function table begins in `PJRT_Api`.
pub const FIRST_SLOT: usize = 40;

/// When a host fills in a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// Always, while the client is made.
    Create,
    /// At every execution.
    Execute,
    /// When a program asks for the memory use of a compiled program.
    MemoryAnalysis,
    /// When a serialized executable is loaded.
    Deserialize,
    /// When memory of another library becomes a buffer (DLPack).
    ImportBuffer,
    /// When the memory use of a device is asked for.
    MemoryStats,
    /// When an error is put in place of a result.
    ErrorBuffer,
    /// In jobs of several processes.
    MultiProcess,
}

impl Use {
    /// The words that users see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "client creation",
            Self::Execute => "execution",
            Self::MemoryAnalysis => "memory analysis",
            Self::Deserialize => "loading of serialized executables",
            Self::ImportBuffer => "import of foreign buffers",
            Self::MemoryStats => "memory statistics",
            Self::ErrorBuffer => "error buffers",
            Self::MultiProcess => "jobs of several processes",
        }
    }
}

/// One size of a struct: in which minors, from which day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The first minor with it.
    pub since: i32,
    /// The last minor with it; none if it is the size of today.
    pub until: Option<i32>,
    /// The day on which it landed.
    pub landed: Date,
    /// Where the last field ends, in bytes.
    pub end: usize,
    /// What the header tells its users to announce, in bytes: usually the same.
    pub declared: usize,
}

impl Size {
    fn holds_at(&self, minor: i32) -> bool {
        self.since <= minor && self.until.is_none_or(|until| minor <= until)
    }
}

/// A smaller size that plug-ins accept from older hosts by hand-written exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepts {
    /// The first minor of plug-ins that do.
    pub since: i32,
    /// The last minor of plug-ins that do; none if they still do.
    pub until: Option<i32>,
    /// The smallest size that they accept, in bytes.
    pub end: usize,
}

/// A field of a struct as it is laid out today.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Its name in the header.
    pub name: String,
    /// Its offset, in bytes.
    pub at: usize,
    /// Its size, in bytes.
    pub bytes: usize,
    /// The first minor from which it has always been there.
    pub since: i32,
}

/// The history of one struct that changed its size since the [`FLOOR`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructHistory {
    /// Its name in the header.
    pub name: String,
    /// What it is for.
    pub doc: String,
    /// The function that takes it, and when hosts call that; none for what is passed inside others.
    pub call: Option<(String, Use)>,
    /// Its sizes, in the order in which they landed.
    pub sizes: Vec<Size>,
    /// The exceptions that plug-ins make.
    pub accepts: Vec<Accepts>,
    /// Its fields as of today.
    pub fields: Vec<Field>,
}

impl StructHistory {
    /// The size of the struct in a build at `minor`, made on or before `built`. A minor that had
    /// several sizes has, without a day, the one that landed last. None if the struct is younger.
    pub fn size(&self, minor: i32, built: Option<Date>) -> Option<&Size> {
        let holding = || self.sizes.iter().filter(|size| size.holds_at(minor));
        let by_then = |day: Date| holding().rfind(|size| size.landed <= day);
        built.and_then(by_then).or_else(|| match built {
            Some(_) => holding().next(),
            None => holding().next_back(),
        })
    }

    /// The least size that a plug-in built from XLA at `minor` accepts from its host.
    pub fn required(&self, minor: i32) -> Option<usize> {
        let declared = self.size(minor, None)?.declared;
        let exception = self
            .accepts
            .iter()
            .filter(|a| a.since <= minor && a.until.is_none_or(|until| minor <= until))
            .map(|a| a.end)
            .min();
        Some(exception.map_or(declared, |end| end.min(declared)))
    }
}

/// A slot of the function table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its offset in `PJRT_Api`, in bytes.
    pub offset: usize,
    /// The first minor that had the function.
    pub since: i32,
    /// The function's name.
    pub name: &'static str,
}

/// The size of `PJRT_Api` from one minor on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSize {
    /// The first minor.
    pub since: i32,
    /// The true size, in bytes.
    pub end: usize,
    /// What plug-ins of this age announce, in bytes.
    pub declared: usize,
}

/// Every struct that changed its size since the [`FLOOR`].
pub fn structs() -> &'static [StructHistory] {
    static STRUCTS: LazyLock<Vec<StructHistory>> =
        LazyLock::new(|| STRUCT_FILES.iter().flat_map(|text| read_structs(text)).collect());
    &STRUCTS
}

/// The struct of this name.
pub fn find_struct(name: &str) -> Option<&'static StructHistory> {
    structs().iter().find(|s| s.name == name)
}

/// The function table as of today, by offset.
pub fn slots() -> &'static [Slot] {
    static SLOTS: LazyLock<Vec<Slot>> = LazyLock::new(|| {
        rows(include_str!("../data/abi/functions.tsv"))
            .filter_map(|row| {
                let [offset, since, _, name] = row.as_slice() else { return None };
                Some(Slot { offset: offset.parse().ok()?, since: since.parse().ok()?, name })
            })
            .collect()
    });
    &SLOTS
}

/// The slot of the function of this name.
pub fn slot(name: &str) -> Option<&'static Slot> {
    slots().iter().find(|slot| slot.name == name)
}

/// The name of the function at `offset` of the table.
pub fn function_at(offset: usize) -> Option<&'static str> {
    slots().binary_search_by_key(&offset, |slot| slot.offset).ok().map(|i| slots()[i].name)
}

/// The size of `PJRT_Api` at `minor`; none below the [`FLOOR`].
pub fn table_size(minor: i32) -> Option<TableSize> {
    static SIZES: LazyLock<Vec<TableSize>> = LazyLock::new(|| {
        rows(include_str!("../data/abi/table.tsv"))
            .filter_map(|row| {
                let [since, end, declared] = row.as_slice() else { return None };
                Some(TableSize {
                    since: since.parse().ok()?,
                    end: end.parse().ok()?,
                    declared: declared.parse().ok()?,
                })
            })
            .collect()
    });
    SIZES.iter().rfind(|size| size.since <= minor).copied()
}

/// The name of an extension type.
pub fn extension_name(kind: i32) -> Option<&'static str> {
    static NAMES: LazyLock<Vec<(i32, &'static str)>> = LazyLock::new(|| {
        rows(include_str!("../data/abi/extensions.tsv"))
            .filter_map(|row| {
                let [kind, _, name] = row.as_slice() else { return None };
                Some((kind.parse().ok()?, *name))
            })
            .collect()
    });
    NAMES.iter().find(|(number, _)| *number == kind).map(|(_, name)| *name)
}

/// The rows of a tab-separated table, without its remarks.
pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let rows = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|line| line.split('\t').collect())
}

const STRUCT_FILES: [&str; 12] = [
    include_str!("../data/abi/addressable_memories_args.toml"),
    include_str!("../data/abi/client_create_args.toml"),
    include_str!("../data/abi/create_error_buffer_args.toml"),
    include_str!("../data/abi/create_view_of_device_buffer_args.toml"),
    include_str!("../data/abi/deserialize_and_load_args.toml"),
    include_str!("../data/abi/device_memory_stats_args.toml"),
    include_str!("../data/abi/execute_options.toml"),
    include_str!("../data/abi/extension_base.toml"),
    include_str!("../data/abi/get_compiled_memory_stats_args.toml"),
    include_str!("../data/abi/plugin_attributes_args.toml"),
    include_str!("../data/abi/poison_execution_args.toml"),
    include_str!("../data/abi/process_info.toml"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StructFile {
    r#struct: std::collections::BTreeMap<String, StructRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StructRow {
    doc: String,
    call: Option<String>,
    r#use: Option<Use>,
    sizes: Vec<SizeRow>,
    #[serde(default)]
    accepts: Vec<Accepts>,
    fields: Vec<Field>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SizeRow {
    since: i32,
    until: Option<i32>,
    landed: toml::value::Datetime,
    end: usize,
    declared: Option<usize>,
}

/// The structs of one file. The files are part of this crate and a test reads each, so one that is
/// not well-formed yields nothing here.
fn read_structs(text: &str) -> Vec<StructHistory> {
    let Ok(file) = toml::from_str::<StructFile>(text) else { return Vec::new() };
    let size = |row: SizeRow| {
        let declared = row.declared.unwrap_or(row.end);
        let landed = row.landed.to_string().parse().ok()?;
        Some(Size { since: row.since, until: row.until, landed, end: row.end, declared })
    };
    let history = |(name, row): (String, StructRow)| StructHistory {
        name,
        doc: row.doc,
        call: row.call.zip(row.r#use),
        sizes: row.sizes.into_iter().filter_map(size).collect(),
        accepts: row.accepts,
        fields: row.fields,
    };
    file.r#struct.into_iter().map(history).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_every_struct_begins_with_its_size() {
        assert_eq!(structs().len(), STRUCT_FILES.len());
        for history in structs() {
            let field = &history.fields[0];
            assert_eq!((field.name.as_str(), field.at), ("struct_size", 0), "{}", history.name);
            let last = history.fields.iter().map(|f| f.at + f.bytes).max();
            assert_eq!(last, history.sizes.last().map(|size| size.end), "{}", history.name);
        }
    }

    #[test]
    fn a_minor_with_two_layouts_is_told_apart_by_the_day() {
        let info = find_struct("PJRT_ProcessInfo").unwrap();
        let end = |day| info.size(75, Some(day)).unwrap().end;
        assert_eq!(end(Date::constant(2025, 8, 19)), 40);
        assert_eq!(end(Date::constant(2025, 9, 1)), 48);
        assert_eq!(info.size(75, None).unwrap().end, 48);
        assert_eq!(info.size(72, None), None);
    }

    #[test]
    fn headers_that_announce_too_little_are_known() {
        let attributes = find_struct("PJRT_Plugin_Attributes_Args").unwrap();
        let size = attributes.size(70, None).unwrap();
        assert_eq!((size.end, size.declared), (32, 24));
        assert_eq!(attributes.required(81), Some(32));
        assert_eq!(table_size(54).map(|t| (t.end, t.declared)), Some((840, 808)));
    }

    #[test]
    fn what_plug_ins_accept_by_exception_is_smaller_than_what_they_declare() {
        let options = find_struct("PJRT_ExecuteOptions").unwrap();
        for (minor, required) in [(81, 112), (106, 112), (115, 112), (70, 80)] {
            assert_eq!(options.required(minor), Some(required), "0.{minor}");
        }
        let error = find_struct("PJRT_Client_CreateErrorBuffer_Args").unwrap();
        assert_eq!((error.required(106), error.required(115)), (Some(96), Some(112)));
    }

    #[test]
    fn the_table_is_without_gaps_and_ends_where_it_says() {
        for pair in slots().windows(2) {
            assert_eq!(pair[0].offset + 8, pair[1].offset, "{}", pair[1].name);
        }
        for minor in FLOOR..=114 {
            if minor == 56 {
                continue;
            }
            let last =
                slots().iter().filter(|slot| slot.since <= minor).map(|s| s.offset + 8).max();
            assert_eq!(last, table_size(minor).map(|table| table.end), "0.{minor}");
        }
        assert_eq!(function_at(72), Some("PJRT_Plugin_Attributes"));
        assert_eq!(extension_name(5), Some("FFI"));
    }
}
