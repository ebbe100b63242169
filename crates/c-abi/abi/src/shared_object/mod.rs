//! Shared objects, read without being run.

mod bounded;
mod code;
mod elf;
mod elf_tables;
mod export_trie;
mod limits;
mod other;
mod sections;

use std::fmt;
use std::sync::Arc;

use bounded::Bounded;
pub use code::code_around;
use object::FileKind;
use object::read::ReadCache;
pub use sections::sections;
use unskew_source::{ReadError, Slice, Source};

/// The file format of a shared object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectFormat {
    /// Linux and most other systems.
    Elf,
    /// Mach-O, the libraries of macOS.
    MachO,
    /// PE, the DLLs of Windows.
    Pe,
}

impl fmt::Display for ObjectFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Elf => "ELF",
            Self::MachO => "Mach-O",
            Self::Pe => "PE",
        })
    }
}

/// A symbol that a shared object takes from others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The symbol as the linker knows it, mangled if it is C++.
    pub name: String,
    /// The library that it is taken from, where the format says so (Mach-O, PE).
    pub library: Option<String>,
    /// The version that it has in its library (ELF): `GLIBC_2.17`.
    pub version: Option<String>,
    /// Whether it may be missing at run time.
    pub weak: bool,
    /// When the dynamic linker looks for it: the first that it does not find is the one that it names (ELF; by the
    /// order of the relocations). 0 where the format does not say it.
    pub bound: u32,
}

/// What a shared object exports and needs, read from its headers and dynamic tables only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedObject {
    /// How the file is laid out: ELF, Mach-O or PE.
    pub format: ObjectFormat,
    /// The machine that it was built for: `x86-64`, `aarch64`.
    pub machine: String,
    /// How many bytes from the start hold all that is loaded (ELF); what stands behind them is for debuggers and linkers.
    pub loaded: u64,
    /// The name that it gives itself (`DT_SONAME`, install name).
    pub soname: Option<String>,
    /// The libraries that must be found before it loads, in the order in which they are searched.
    pub needed: Vec<String>,
    /// Where the loader looks first, in the order in which it does: where `@rpath` leads (Mach-O), or lists separated by
    /// colons (`DT_RUNPATH`, `DT_RPATH`).
    pub rpaths: Vec<String>,
    /// The other machines that the file has a part for, which were not read (Mach-O).
    pub also: Vec<String>,
    /// The symbols that it offers, sorted.
    pub exports: Vec<String>,
    /// The symbols that it takes from others, sorted. One that it has itself and only prefers from others, as
    /// Mach-O files do with what a compiler puts into every file, is none.
    pub imports: Vec<Import>,
}

impl SharedObject {
    /// Reads a shared object; none if the file is something else: another kind of file, a program
    /// that is not position-independent, an object file.
    ///
    /// Only headers, the dynamic section and the dynamic symbol table are read; a table of debug
    /// symbols is not, whatever its size. Of a Mach-O file for several machines the part for 64-bit ARM is read,
    /// the machine that new packages for macOS are built for, and the first one if there is none.
    ///
    /// # Errors
    /// If the file announces itself as a shared object and is broken.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        let reader = bounded::SourceReader::new(Arc::clone(source));
        let failed = reader.failed();
        let cache = ReadCache::new(reader);
        let data = Bounded::new(&cache, source.size(), failed);
        let kind = FileKind::parse(&data);
        if !matches!(kind, Ok(FileKind::MachOFat32 | FileKind::MachOFat64)) {
            return Self::of_one_machine(source);
        }
        // Java class files begin with the same four bytes, so what does not parse is another file.
        let Ok(Some(part)) = kind.and_then(|kind| other::part_of_fat(&data, kind)) else {
            return Ok(None);
        };
        let slice = Slice::new(source.name(), Arc::clone(source), part.offset, part.size)?;
        let object = Self::of_one_machine(&(Arc::new(slice) as Arc<dyn Source>))?;
        Ok(object.map(|object| Self { also: part.others, ..object }))
    }

    fn of_one_machine(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        let reader = bounded::SourceReader::new(Arc::clone(source));
        let failed = reader.failed();
        let cache = ReadCache::new(reader);
        let data = Bounded::new(&cache, source.size(), failed);
        // What is too short for any magic number, or has none that is known, is some other file.
        let read = match FileKind::parse(&data) {
            Ok(kind @ (FileKind::Elf32 | FileKind::Elf64)) => elf::read(&data, kind),
            Ok(FileKind::MachO32 | FileKind::MachO64 | FileKind::Pe32 | FileKind::Pe64) => {
                other::read(&data)
            }
            _ => return Ok(None),
        };
        match read {
            Ok(object) => Ok(object.map(Self::sorted)),
            Err(error) => Err(data.refusal(source.name(), &error.to_string())),
        }
    }

    /// Whether it exports `symbol`.
    pub fn exports(&self, symbol: &str) -> bool {
        self.exports.binary_search_by(|name| name.as_str().cmp(symbol)).is_ok()
    }

    /// Whether it takes `symbol` from others.
    pub fn imports(&self, symbol: &str) -> bool {
        self.imports.binary_search_by(|import| import.name.as_str().cmp(symbol)).is_ok()
    }

    /// Whether a process of this system, for this machine, can load it: its format is the system's, and it has a part
    /// for the machine.
    pub fn is_for_here(&self) -> bool {
        let here = here();
        self.format == HERE && (self.machine == here || self.also.iter().any(|also| also == here))
    }

    /// The format and the machine that it was built for, and those that this process is of, as they are written.
    pub fn built_for(&self) -> (String, String) {
        (format!("{} {}", self.format, self.machine), format!("{HERE} {}", here()))
    }

    fn sorted(mut self) -> Self {
        self.exports.sort_unstable();
        self.exports.dedup();
        self.imports.sort_unstable();
        self.imports.dedup_by(|a, b| a.name == b.name && a.version == b.version);
        self
    }
}

/// The format of shared objects of this system.
const HERE: ObjectFormat = match () {
    () if cfg!(windows) => ObjectFormat::Pe,
    () if cfg!(target_vendor = "apple") => ObjectFormat::MachO,
    () => ObjectFormat::Elf,
};

/// The machine of this process, in the words of [`machine`].
fn here() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x86-64",
        "x86" => "i386",
        other => other,
    }
}

fn machine(architecture: object::Architecture) -> String {
    match architecture {
        object::Architecture::X86_64 => "x86-64".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}
