//! The ABI as data: how large each struct was at each minor, what the function table held, what the
//! extensions are called.
//!
//! The minor version does not identify a layout: minors 56, 61, 70 and 75 had two each, and some
//! headers announced sizes that were not the true ones. So sizes are looked up by minor *and*, where
//! it is known, by the day of the build.
//!
//! Everything here is made from `data/abi/` when the crate is built, as the [bindings](crate::sys)
//! are.

use serde::Deserialize;
use unskew_core::Date;

pub use crate::sys::bindings::Function;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// The first minor whose function table was only ever appended to afterwards.
pub const FLOOR: i32 = 29;

/// The minor from which extensions announce their size, and are laid out as today.
pub const SIZED_EXTENSIONS: i32 = 45;

/// Where the function table begins in `PJRT_Api`.
pub const FIRST_SLOT: usize = 40;

/// The day of the first commit with the minor of the [`FLOOR`]: what is older has no better day.
const FLOOR_LANDED: Date = Date::constant(2023, 9, 6);

/// When a host fills in a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructUse {
    /// Always, while the client is made.
    Create,
    /// Whenever a program is executed.
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

impl StructUse {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepts {
    /// The first minor of plug-ins that do.
    pub since: i32,
    /// The last minor of plug-ins that do; none if they still do.
    pub until: Option<i32>,
    /// The smallest size that they accept, in bytes.
    pub end: usize,
}

/// What a field is for the callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldDirection {
    /// The caller fills it in.
    In,
    /// The callee fills it in.
    Out,
    /// The caller fills it in, and the callee may change it.
    InOut,
}

/// A field of a struct as it is laid out today.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldHistory {
    /// Its name in the header.
    pub name: &'static str,
    /// Its type, in the notation of `data/abi/`: Rust's, with C's `bool`, `c_char` and `fn(...)`.
    pub kind: &'static str,
    /// Its offset, in bytes.
    pub at: usize,
    /// Its size, in bytes.
    pub bytes: usize,
    /// The first minor from which it has always been there.
    pub since: i32,
    /// Who fills it in.
    pub direction: FieldDirection,
}

/// The history of one struct since the [`FLOOR`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructHistory {
    /// Its name in the header.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// The function that takes it, itself or inside its arguments.
    pub call: Option<Function>,
    /// When hosts fill it in; known only for structs that changed their size.
    pub used: Option<StructUse>,
    /// What it is about: `buffer`, `client`, ...
    pub subject: &'static str,
    /// The extension that it belongs to; none if it is of the function table.
    pub extension: Option<&'static str>,
    /// The first minor that has it, or the [`FLOOR`].
    pub since: i32,
    /// Its sizes, in the order in which they landed; never empty.
    pub sizes: &'static [Size],
    /// The exceptions that plug-ins make.
    pub accepts: &'static [Accepts],
    /// Its fields as of today.
    pub fields: &'static [FieldHistory],
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
    /// The function that the slot points to.
    pub function: Function,
    /// The name of the function in C.
    pub name: &'static str,
    /// Its offset in `PJRT_Api`, in bytes.
    pub offset: usize,
    /// The first minor that had the function.
    pub since: i32,
    /// The day on which it landed.
    pub landed: Date,
    /// One sentence for the reference.
    pub doc: &'static str,
}

impl Slot {
    /// Where the function lies in a table of `minor` that announces `announced` bytes.
    ///
    /// The 0.56 of 2024-11-14, alive for one day, had a function inserted at 592, which the day after
    /// moved to the end. It announced 816 bytes; the 0.56 of October announced 808.
    pub fn offset_in(&self, minor: i32, announced: usize) -> usize {
        const INSERTED: usize = 592;
        match self.function {
            _ if minor != 56 || announced != 816 => self.offset,
            Function::PJRT_Buffer_CopyRawToHost => INSERTED,
            _ if self.offset >= INSERTED => self.offset + 8,
            _ => self.offset,
        }
    }
}

/// The size of `PJRT_Api` from one minor on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSize {
    /// The first minor version with this size.
    pub since: i32,
    /// The true size, in bytes.
    pub end: usize,
    /// What plug-ins of this age announce, in bytes.
    pub declared: usize,
}

/// A type of extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionType {
    /// Its number in the chain.
    pub kind: i32,
    /// The first minor that had it.
    pub since: i32,
    /// The name of the struct in C.
    pub name: &'static str,
    /// What it is for; empty where this crate does not know its functions.
    pub doc: &'static str,
    /// What follows its head, eight bytes each.
    pub slots: &'static [ExtensionSlot],
}

/// A slot of an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionSlot {
    /// Its name in the header.
    pub name: &'static str,
    /// The first minor from which the slot has meant this.
    pub since: i32,
    /// Whether it is a function, rather than data.
    pub function: bool,
    /// The struct that the function takes, where that is known.
    pub args: Option<&'static str>,
}

/// An enumeration of the C API, with values by minor version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumHistory {
    /// Its name in the header.
    pub name: &'static str,
    /// What stands before the names of its values in the header.
    pub prefix: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// Its values as of today.
    pub values: &'static [EnumValue],
}

/// A value of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// Its name without the prefix.
    pub name: &'static str,
    /// The number on the C side.
    pub value: i32,
    /// The first minor that has it, or the [`FLOOR`].
    pub since: i32,
}

/// All structs of the C API, sorted by name.
pub fn structs() -> &'static [StructHistory] {
    &STRUCTS
}

/// The struct of this name.
pub fn find_struct(name: &str) -> Option<&'static StructHistory> {
    STRUCTS.binary_search_by_key(&name, |s| s.name).ok().map(|i| &STRUCTS[i])
}

/// The function table as of today, by offset.
pub fn slots() -> &'static [Slot] {
    &SLOTS
}

/// The slot of the function of this name.
pub fn slot(name: &str) -> Option<&'static Slot> {
    SLOTS.iter().find(|slot| slot.name == name)
}

/// The name of the function at `offset` of the table.
#[cfg(feature = "host")]
pub(crate) fn function_at(offset: usize) -> Option<&'static str> {
    SLOTS.binary_search_by_key(&offset, |slot| slot.offset).ok().map(|i| SLOTS[i].name)
}

/// The size of `PJRT_Api` at `minor`; none below the [`FLOOR`].
pub fn table_size(minor: i32) -> Option<TableSize> {
    TABLE_SIZES.iter().rfind(|size| size.since <= minor).copied()
}

/// The true size of a table that says it is of `minor` and announces `announced` bytes. Plug-ins of
/// 0.40 to 0.56 announce less than they have, so the announced size alone does not tell.
pub fn true_table_size(minor: i32, announced: usize) -> usize {
    match (minor, announced) {
        // See `Slot::offset_in`: two tables had this minor.
        (56, 816) => 848,
        (56, 808) => 840,
        _ => match table_size(minor) {
            Some(table) if announced == table.declared => table.end,
            _ => announced,
        },
    }
}

/// What headers declare and this crate does not bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbound {
    /// How its names begin.
    pub prefix: &'static str,
    /// Why it is not bound.
    pub why: &'static str,
}

/// What headers declare and this crate does not bind, by the beginning of its names.
pub fn unbound() -> &'static [Unbound] {
    &UNBOUND
}

/// Every enumeration but that of extension types.
pub fn enums() -> &'static [EnumHistory] {
    &ENUMS
}

/// Every type of extension, by number.
pub fn extensions() -> &'static [ExtensionType] {
    &EXTENSIONS
}

/// The type of extension of this name.
pub fn extension(name: &str) -> Option<&'static ExtensionType> {
    EXTENSIONS.iter().find(|extension| extension.name == name)
}

pub(crate) fn extension_name(kind: i32) -> Option<&'static str> {
    EXTENSIONS.iter().find(|extension| extension.kind == kind).map(|extension| extension.name)
}

impl Function {
    /// Where it lies, and since when.
    pub fn slot(self) -> &'static Slot {
        &SLOTS[self as usize]
    }

    /// Its name in the header.
    pub fn name(self) -> &'static str {
        self.slot().name
    }

    /// The first minor that had it.
    pub fn since(self) -> i32 {
        self.slot().since
    }
}

impl std::fmt::Display for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_are_found_by_name_and_end_where_their_last_field_does() {
        for history in structs() {
            assert_eq!(find_struct(history.name), Some(history));
            let last = history.fields.iter().map(|f| f.at + f.bytes).max();
            assert_eq!(last, history.sizes.last().map(|size| size.end), "{}", history.name);
        }
    }

    #[test]
    fn every_function_takes_a_struct_of_its_name_that_is_as_old() {
        for slot in slots() {
            assert_eq!(slot.function.slot(), slot);
            let arguments = find_struct(&format!("{}_Args", slot.name)).unwrap();
            assert_eq!(arguments.call, Some(slot.function));
            assert_eq!(arguments.since, slot.since.max(FLOOR), "{}", slot.name);
            assert_eq!(arguments.fields[0].name, "struct_size", "{}", slot.name);
        }
    }

    #[test]
    fn the_two_tables_of_minor_56_are_told_apart() {
        let raw = slot("PJRT_Buffer_CopyRawToHost").unwrap();
        let destroy = slot("PJRT_ExecuteContext_Destroy").unwrap();
        assert_eq!((raw.offset_in(56, 816), raw.offset_in(57, 848)), (592, 840));
        assert_eq!((destroy.offset_in(56, 808), destroy.offset_in(56, 816)), (832, 840));
        assert_eq!((true_table_size(56, 808), true_table_size(56, 816)), (840, 848));
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
