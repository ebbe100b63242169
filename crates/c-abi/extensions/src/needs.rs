//! Needs of a shared object: what it takes from others.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use unskew_abi::{ObjectFormat, SharedObject};
use unskew_core::Version;
use unskew_source::{ReadError, Source};

use crate::blocks::look_through;
use crate::symbol::Strings;
use crate::{Framework, Machine, releases, table};

/// The Python that an extension module is for, by its file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PythonTag {
    /// `_C.so`: no tag; any Python tries to import it.
    None,
    /// `_C.abi3.so`: every later CPython 3.
    Abi3,
    /// `_C.cpython-311-x86_64-linux-gnu.so`: that release of CPython only.
    CPython(Version),
}

/// The C API of NumPy that an extension was compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumPyAbi {
    /// It does not use it, or nobody looked.
    Unused,
    /// That of NumPy 1: NumPy 2 refuses it at import.
    One,
    /// That of NumPy 2, which NumPy 1 has too.
    Two,
}

/// What a shared object needs of others, by whose it is.
#[derive(Clone, Debug)]
pub struct Needs {
    /// The file name, without the folders of the wheel or environment.
    pub name: String,
    /// What it was built for; none for what no release was harvested for.
    pub machine: Option<Machine>,
    /// The symbols that it takes from each framework, in the order in which the dynamic linker looks for them. It cannot
    /// be loaded without each of them.
    pub frameworks: BTreeMap<Framework, Vec<String>>,
    /// How many symbols it takes from each framework, where `frameworks` has only those that decide.
    pub totals: BTreeMap<Framework, usize>,
    /// Whether only the symbols that decide were kept: see [`Needs::reduced`].
    pub is_reduced: bool,
    /// The symbols without a version that are of no framework and not of CPython.
    pub others: Vec<String>,
    /// The highest version that it asks of each library of the system: `GLIBC` 2.28, `GLIBCXX` 3.4.29.
    pub system: BTreeMap<String, Version>,
    /// The libraries that it is linked against.
    pub needed: Vec<String>,
    /// What its file name says of Python.
    pub python: PythonTag,
    /// Whether Python imports it as a module: it exports `PyInit_...`.
    pub is_module: bool,
    /// The C API of NumPy that it was compiled with.
    pub numpy: NumPyAbi,
    /// Whether the functions that it takes from frameworks have the strings of C++11 in their names; none if they have no
    /// strings at all.
    pub cxx11: Option<bool>,
}

/// What every Linux has, and what a wheel may count on.
const SYSTEM: [&str; 16] = [
    "libc.so",
    "libm.so",
    "libpthread.so",
    "libdl.so",
    "librt.so",
    "libutil.so",
    "libgcc_s.so",
    "libstdc++.so",
    "ld-linux",
    "libgomp",
    "libnsl.so",
    "libresolv.so",
    "libcrypt.so",
    "libz.so",
    "libatomic.so",
    "libanl.so",
];

/// Whether a library is one that every Linux has, and that a wheel may count on.
pub fn is_of_system(library: &str) -> bool {
    SYSTEM.iter().any(|system| library.starts_with(system))
}

impl PythonTag {
    /// What the name of a module's file says: `_C.cpython-311-x86_64-linux-gnu.so`.
    pub fn from_file_name(name: &str) -> Self {
        if name.contains(".abi3.") {
            return Self::Abi3;
        }
        let digits = name
            .split_once(".cpython-")
            .map(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default());
        let version = digits.and_then(|digits| {
            let (major, minor) = digits.split_at_checked(1)?;
            Some(Version::pair(major.parse().ok()?, minor.parse().ok()?))
        });
        version.map_or(Self::None, Self::CPython)
    }
}

impl Needs {
    /// What the shared object called `name` needs; none if it is no ELF file.
    pub fn from_object(name: &str, object: &SharedObject) -> Option<Self> {
        if object.format != ObjectFormat::Elf {
            return None;
        }
        let name = name.rsplit(['/', '\\', '!']).next().unwrap_or(name);
        let mut needs = Self {
            name: name.to_owned(),
            machine: Machine::named(&object.machine),
            frameworks: BTreeMap::new(),
            totals: BTreeMap::new(),
            is_reduced: false,
            others: Vec::new(),
            system: BTreeMap::new(),
            needed: object.needed.clone(),
            python: PythonTag::from_file_name(name),
            is_module: object.exports.iter().any(|export| export.starts_with("PyInit_")),
            numpy: NumPyAbi::Unused,
            cxx11: None,
        };
        let extends: Vec<Framework> =
            Framework::ALL.into_iter().filter(|one| is_extension(*one, object)).collect();
        let mut imports: Vec<_> = object.imports.iter().filter(|import| !import.weak).collect();
        imports.sort_by_key(|import| import.bound);
        for import in imports {
            if let Some(version) = &import.version {
                needs.of_system(version);
                continue;
            }
            let symbol = &import.name;
            match Framework::of_symbol(symbol).filter(|one| extends.contains(one)) {
                Some(framework) => {
                    needs.frameworks.entry(framework).or_default().push(symbol.clone());
                }
                None if symbol.starts_with("Py") || symbol.starts_with("_Py") => {}
                None => needs.others.push(symbol.clone()),
            }
        }
        needs.cxx11 = cxx11(needs.frameworks.values().flatten());
        Some(needs)
    }

    /// The same with the C API of NumPy that it was compiled with, which stands among its strings.
    ///
    /// # Errors
    /// If the source cannot be read.
    pub fn with_numpy(
        mut self,
        object: &SharedObject,
        source: &Arc<dyn Source>,
    ) -> Result<Self, ReadError> {
        if object.imports("PyCapsule_GetPointer") {
            self.numpy = numpy_abi(source, object.loaded)
                .map_err(|error| ReadError::new(source.name(), error.into()))?;
        }
        Ok(self)
    }

    /// The same, where a library that it is linked against imports NumPy for it: pyarrow's modules do not themselves.
    #[must_use]
    pub(crate) fn with_numpy_of(mut self, library: &Self) -> Self {
        if self.is_module && self.numpy == NumPyAbi::Unused {
            self.numpy = library.numpy;
        }
        self
    }

    /// How many symbols it takes from this framework.
    pub fn total(&self, framework: Framework) -> usize {
        let named = self.frameworks.get(&framework).map_or(0, Vec::len);
        self.totals.get(&framework).copied().unwrap_or(named)
    }

    /// The same with as few symbols as say in which releases of the table it can be loaded: what is kept of an
    /// extension that is not at hand. A release that is added to the table later needs the extension again.
    #[must_use]
    pub fn reduced(mut self) -> Self {
        for (framework, symbols) in &mut self.frameworks {
            self.totals.insert(*framework, symbols.len());
            // The first that a release lacks is what the dynamic linker names, and all that has to be known: of its build
            // for CUDA, and of that for CPUs.
            let (mut lacked, mut unknown) = ([0_u128; 2], false);
            let mut kept: Vec<String> = Vec::new();
            for symbol in symbols.iter() {
                let releases = releases(symbol);
                let lacks = table().lacking(releases);
                let adds = |(lacks, lacked): (&u128, &u128)| lacks & !lacked != 0;
                if releases.is_empty() {
                    if !std::mem::replace(&mut unknown, true) {
                        kept.push(symbol.clone());
                    }
                } else if lacks.iter().zip(&lacked).any(adds) {
                    kept.push(symbol.clone());
                    lacked.iter_mut().zip(lacks).for_each(|(all, more)| *all |= more);
                }
            }
            *symbols = kept;
        }
        self.others = self.cuda_runtime().take(1).cloned().collect();
        self.is_reduced = true;
        self
    }

    /// Whether it takes something from this framework.
    pub fn extends(&self, framework: Framework) -> bool {
        self.frameworks.contains_key(&framework)
    }

    /// Leaves out what a library has that it is linked against.
    #[must_use]
    pub fn without(mut self, has: impl Fn(&str) -> bool) -> Self {
        for symbols in self.frameworks.values_mut() {
            symbols.retain(|symbol| !has(symbol));
        }
        self.others.retain(|symbol| !has(symbol));
        self
    }

    /// The functions of CUDA's runtime that it takes from nobody in particular: a framework that has that runtime inside
    /// has them. One that is linked against `libcudart` takes them from there.
    pub(crate) fn cuda_runtime(&self) -> impl Iterator<Item = &String> {
        let own = self.foreign().next().is_none();
        let is = |symbol: &&String| symbol.starts_with("__cuda") || symbol.starts_with("cuda");
        self.others.iter().filter(move |symbol| own && is(symbol))
    }

    /// The libraries that are neither of the system nor of a framework: their symbols are not known.
    pub fn foreign(&self) -> impl Iterator<Item = &str> {
        self.needed.iter().map(String::as_str).filter(|library| {
            !is_of_system(library) && !Framework::ALL.iter().any(|one| one.owns_library(library))
        })
    }

    /// The libraries that only a build of a framework for CUDA has.
    pub fn cuda_libraries(&self) -> impl Iterator<Item = &str> {
        let is = |library: &&str| Framework::Torch.is_for_cuda(library);
        self.needed.iter().map(String::as_str).filter(is)
    }

    /// Whether all that it takes from this framework is its stable ABI of C shims.
    pub fn is_stable(&self, framework: Framework) -> bool {
        let all = self.frameworks.get(&framework);
        all.is_some_and(|all| !all.is_empty() && all.iter().all(|one| framework.is_stable(one)))
    }

    /// Takes note of a version of a system's library: `GLIBCXX_3.4.29`.
    fn of_system(&mut self, version: &str) {
        let Some((library, number)) = version.rsplit_once('_') else { return };
        let Ok(number) = number.parse::<Version>() else { return };
        let highest = self.system.entry(library.to_owned()).or_insert(number);
        *highest = number.max(*highest);
    }
}

/// Whether an object is an extension of a framework: linked against it, or with a symbol that only it can have.
fn is_extension(framework: Framework, object: &SharedObject) -> bool {
    // The libraries of the framework itself are none.
    let own = object.soname.as_deref().is_some_and(|soname| framework.owns_library(soname));
    !own && (object.needed.iter().any(|library| framework.owns_library(library))
        || object.imports.iter().any(|import| !import.weak && framework.is_marked_by(&import.name)))
}

/// A name with the old strings may be of a library in which they are forced; one with the new strings says it for sure.
fn cxx11<'a>(symbols: impl Iterator<Item = &'a String>) -> Option<bool> {
    let all: Vec<Strings> = symbols.filter_map(|symbol| Strings::from_symbol(symbol)).collect();
    (!all.is_empty()).then(|| all.contains(&Strings::New))
}

/// The most bytes of an extension that are searched for a string.
const SEARCHED: u64 = 256 << 20;

/// Which C API of NumPy the strings of a module name. NumPy's headers put the module's name into each extension: NumPy 1
/// `numpy.core._multiarray_umath`, NumPy 2 `numpy._core._multiarray_umath` and the old one as well.
fn numpy_abi(source: &Arc<dyn Source>, loaded: u64) -> io::Result<NumPyAbi> {
    const NEW: &[u8] = b"numpy._core._multiarray_umath";
    const OLD: &[u8] = b"numpy.core._multiarray_umath";
    let finders = [NEW, OLD].map(memchr::memmem::Finder::new);
    let (mut new, mut old) = (false, false);
    look_through(&**source, loaded.min(SEARCHED), NEW.len(), |block| {
        new |= finders[0].find(block).is_some();
        old |= finders[1].find(block).is_some();
        if new { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(match (new, old) {
        (true, _) => NumPyAbi::Two,
        (false, true) => NumPyAbi::One,
        (false, false) => NumPyAbi::Unused,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::BytesSource;

    #[test]
    fn the_name_of_a_module_says_which_python_it_is_for() {
        for (name, tag) in [
            ("_C.so", PythonTag::None),
            ("_C.abi3.so", PythonTag::Abi3),
            ("_C.cpython-311-x86_64-linux-gnu.so", PythonTag::CPython(Version::pair(3, 11))),
            ("_C.cpython-39-darwin.so", PythonTag::CPython(Version::pair(3, 9))),
            ("_C.cpython-.so", PythonTag::None),
        ] {
            assert_eq!(PythonTag::from_file_name(name), tag, "{name}");
        }
    }

    #[test]
    fn the_c_api_of_numpy_is_found_wherever_its_name_lies() {
        let abi = |at: usize, name: &str| {
            let mut bytes = vec![b'x'; 3 << 20];
            bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
            let size = bytes.len() as u64;
            numpy_abi(&(Arc::new(BytesSource::new("m.so", bytes)) as Arc<dyn Source>), size)
                .unwrap()
        };
        for at in [0, (1 << 20) - 10, (1 << 20) + 29, (2 << 20) + 5] {
            assert_eq!(abi(at, "numpy.core._multiarray_umath"), NumPyAbi::One, "{at}");
            assert_eq!(abi(at, "numpy._core._multiarray_umath"), NumPyAbi::Two, "{at}");
        }
        assert_eq!(abi(5, "numpy.core"), NumPyAbi::Unused);
    }
}
