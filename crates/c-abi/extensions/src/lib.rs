//! Native extensions of PyTorch and TensorFlow, judged by their symbols.
//!
//! A wheel such as torchvision has shared objects that were linked against one release of a framework. The dynamic
//! linker binds every symbol when Python imports such a module (`RTLD_NOW`): if one is missing, the import fails with
//! `undefined symbol: _ZN3c10...`. No version number says so, and resolvers install such pairs.
//!
//! | side | what carries the version |
//! | --- | --- |
//! | extension (`.so`) | the names of the symbols that it imports |
//! | release of PyTorch, TensorFlow | the names of the symbols that its libraries export |
//!
//! **The path of the data.** [`Needs`] is read from the dynamic symbol table of a shared object, without loading it:
//! each import belongs to a framework by its namespace ([`Framework`]), to the system by its version (`GLIBC_2.28`),
//! to CPython (`Py...`), or to nobody known. [`party`] makes a party of it. The other side is [`ExportedSymbols`]: a column
//! of an [`ExportTable`] of all exports of all releases, which is part of the program. The matcher asks the table for each
//! import, and makes findings of those that the release lacks.
//!
//! **The table** has no names. A symbol of PyTorch is 40 bits of the SHA-256 of its name, one of TensorFlow 32
//! ([`tensorflow`]); symbols that the same releases export are one group. An import is asked by its own name, so the names
//! in findings are exact; that a missing symbol is taken for another has a chance of one in ten million, of TensorFlow's
//! of one in ten thousand.
//!
//! **What is promised.** PyTorch keeps its C shims (`aoti_torch_*`, `torch_*`) for two years, so for an extension that
//! imports nothing else the lowest release is exact. For C++ nothing is promised, and nothing missing does not
//! mean that it works: classes may have another layout. That is said as not judged, every time.
//!
//! **What is refused.** Only ELF is read. A symbol that another library of the extension's own package may have
//! (`needed` names one that is not of the system) is not judged. An import that no harvested release exports, and
//! whose namespace is not of a framework, is counted as not judged.
//!
//! ```
//! use unskew_extensions::{Framework, demangled};
//!
//! let symbol = "_ZN3c104cuda9SetDeviceEi";
//! assert_eq!(Framework::of_symbol(symbol), Some(Framework::Torch));
//! assert_eq!(demangled(symbol), "c10::cuda::SetDevice(int)");
//! ```
#![forbid(unsafe_code)]

mod blocks;
pub mod cuda;
mod exports;
mod ffi;
mod fingerprint;
mod framework;
mod handlers;
pub mod harvest;
mod needs;
mod own_check;
mod package;
mod party;
pub mod rules;
mod symbol;
mod table;
pub mod tensorflow;
mod verdict;
pub mod wheels;

pub use exports::ExportedSymbols;
pub use ffi::{FFI_AXIS, FfiRuntime, first_jaxlib, refused_handler};
pub use framework::Framework;
pub use handlers::Handlers;
pub use needs::{Needs, NumPyAbi, PythonTag, is_of_system};
pub use own_check::{FILE as OWN_CHECK_FILE, OwnCheck};
pub use package::PackageExtensions;
pub use party::{party, party_of, requirements};
pub use symbol::demangled;
pub use table::{
    Build, Column, ExportTable, ExportTableError, Machine, ReleaseSet, releases, table,
};
pub use verdict::{Gap, gap};
