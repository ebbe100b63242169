//! Libraries in the place of those that a wheel of PyTorch wants for a GPU.
//!
//! PyTorch is linked against libcublas, libcudnn and others that have packages of their own, of more than two gigabytes.
//! On a machine without a GPU none of their functions is called, but the dynamic linker wants the libraries, the versions
//! of their symbols, and every symbol that is bound at once. A stand-in has a function that does nothing
//! for each symbol that the wheel takes from the library, under the version that it asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn as _, FileHeader as _, Sym as _};
use object::{Endianness, ReadCache};

/// Why no library stands in.
#[derive(Debug, thiserror::Error)]
pub enum StubError {
    /// A file cannot be read or written, or the compiler not be started.
    #[error("{path}: {error}")]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A library of the wheel is not read.
    #[error("{path}: {error}")]
    Elf {
        /// The path of the library.
        path: PathBuf,
        /// What is wrong with it.
        error: object::Error,
    },
    /// The C compiler refused.
    #[error("cc made no {library}: {said}")]
    Compiler {
        /// The name of the library.
        library: String,
        /// The last words of the compiler.
        said: String,
    },
}

/// What the libraries of a wheel need and have.
#[derive(Default)]
struct LibraryImports {
    /// The libraries that they are linked against.
    needed: BTreeSet<String>,
    /// The libraries by the versions of symbols that they have.
    libraries: BTreeMap<String, BTreeSet<String>>,
    /// The symbols that are wanted, by their version.
    versioned: BTreeMap<String, BTreeSet<String>>,
    /// The symbols that are wanted in no version.
    plain: BTreeSet<String>,
    defined: BTreeSet<String>,
}

/// Makes what the package in `package` needs and this machine lacks, in the folder `place`, unless it is there.
///
/// Several may do so at once: each makes a folder of its own, and the first that is through puts it in place.
///
/// # Errors
/// If a library of the package cannot be read, or `cc` does not make one.
pub fn make(package: &Path, place: &Path) -> Result<(), StubError> {
    if place.is_dir() {
        return Ok(());
    }
    let mut files = libraries(&package.join("lib"))?;
    files.extend(libraries(package)?);
    let mut wants = LibraryImports::default();
    for file in &files {
        wants.read(file)?;
    }
    let own: BTreeSet<String> =
        files.iter().filter_map(|file| Some(file.file_name()?.to_str()?.to_owned())).collect();
    let io = |error| StubError::Io { path: place.to_owned(), error };
    let around = place.parent().unwrap_or(Path::new("."));
    let part = tempfile::Builder::new().prefix("stubs-").tempdir_in(around).map_err(io)?;
    let missing = wants.needed.iter().filter(|name| !own.contains(*name) && is_of_a_gpu(name));
    for (n, library) in missing.enumerate() {
        // Symbols without a version can be had from any library; the first one has them.
        wants.compile(library, n == 0, part.path())?;
    }
    match fs::rename(part.path(), place) {
        // Another was faster; this one's folder goes.
        Err(_) if place.is_dir() => Ok(()),
        done => done.map_err(io),
    }
}

/// The libraries of NVIDIA, by their names.
fn is_of_a_gpu(library: &str) -> bool {
    ["libcu", "libnv", "libnccl"].iter().any(|start| library.starts_with(start))
}

/// The same for the functions in them.
fn is_for_a_gpu(symbol: &str) -> bool {
    ["cu", "nccl", "nv", "_nv"].iter().any(|start| symbol.starts_with(start))
}

fn libraries(folder: &Path) -> Result<Vec<PathBuf>, StubError> {
    let io = |error| StubError::Io { path: folder.to_owned(), error };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_file() && (name.ends_with(".so") || name.contains(".so.")) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

impl LibraryImports {
    fn read(&mut self, path: &Path) -> Result<(), StubError> {
        let file =
            File::open(path).map_err(|error| StubError::Io { path: path.to_owned(), error })?;
        let data = ReadCache::new(file);
        self.add(&data).map_err(|error| StubError::Elf { path: path.to_owned(), error })
    }

    fn add(&mut self, data: &ReadCache<File>) -> object::Result<()> {
        let header = FileHeader64::<Endianness>::parse(data)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, data)?;
        if let Some((entries, link)) = sections.dynamic(endian, data)? {
            let strings = sections.strings(endian, data, link)?;
            for entry in entries.iter().filter(|entry| entry.tag(endian) == elf::DT_NEEDED) {
                self.needed.insert(text(entry.string(endian, strings)?));
            }
        }
        let versions = sections.versions(endian, data)?;
        let symbols = sections.symbols(endian, data, elf::SHT_DYNSYM)?;
        for (index, symbol) in symbols.enumerate() {
            let name = text(symbols.symbol_name(endian, symbol)?);
            if name.is_empty() || symbol.st_bind() == elf::STB_LOCAL {
                continue;
            }
            if !symbol.is_undefined(endian) {
                self.defined.insert(name);
                continue;
            }
            let version = match &versions {
                Some(table) => table.version(table.version_index(endian, index).index())?,
                None => None,
            };
            match version {
                Some(version) => {
                    let label = text(version.name());
                    if let Some(file) = version.file() {
                        self.libraries.entry(label.clone()).or_default().insert(text(file));
                    }
                    self.versioned.entry(label).or_default().insert(name);
                }
                None => {
                    self.plain.insert(name);
                }
            }
        }
        Ok(())
    }

    /// Makes one library; with the symbols of no version if `plain`.
    fn compile(&self, library: &str, plain: bool, place: &Path) -> Result<(), StubError> {
        let (mut code, mut map) = (String::new(), String::new());
        for (version, libraries) in &self.libraries {
            if !libraries.contains(library) {
                continue;
            }
            let symbols = self.versioned.get(version);
            map += &format!("{version} {{ global:");
            for symbol in symbols.into_iter().flatten() {
                code += &format!("int {symbol}(void) {{ return 999; }}\n");
                map += &format!(" {symbol};");
            }
            map += " };\n";
        }
        if plain {
            let loose = self.plain.difference(&self.defined).filter(|name| is_for_a_gpu(name));
            loose.for_each(|symbol| code += &format!("int {symbol}(void) {{ return 999; }}\n"));
        }
        let (source, script) = (place.join("stub.c"), place.join("stub.map"));
        for (path, text) in [(&source, &code), (&script, &map)] {
            fs::write(path, text).map_err(|error| StubError::Io { path: path.clone(), error })?;
        }
        let mut cc = Command::new("cc");
        cc.args(["-w", "-shared", "-fPIC"]).arg(format!("-Wl,-soname,{library}"));
        cc.arg("-o").arg(place.join(library)).arg(&source);
        if !map.is_empty() {
            cc.arg(format!("-Wl,--version-script={}", script.display()));
        }
        let output = cc.output().map_err(|error| StubError::Io { path: "cc".into(), error })?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().rev().take(3).collect::<Vec<_>>().join("; ");
        Err(StubError::Compiler { library: library.to_owned(), said })
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
