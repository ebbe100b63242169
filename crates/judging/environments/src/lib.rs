//! Python environments as sets of parties: what breaks at import, before anything is imported.
//!
//! A `site-packages` folder holds many parties at once. They meet in pairs, and each pair has a contract of its own:
//!
//! | pair | what decides |
//! | --- | --- |
//! | PyTorch, TensorFlow and native extensions | symbols: `unskew_extensions` |
//! | protobuf and generated code (`*_pb2.py`) | the constants that protoc wrote into the code |
//! | grpcio and generated code (`*_pb2_grpc.py`) | `GRPC_GENERATED_VERSION` |
//! | jax and jaxlib | `_minimum_jaxlib_version` in `jax/version.py`, and jaxlib is never newer than jax |
//! | jaxlib and handlers of XLA's FFI | the version in the instructions of a handler, and in jaxlib's header |
//! | jaxlib and PJRT plug-ins | what is known of public plug-ins by their digest, the sizes in the code of others: `unskew_pjrt` |
//! | jaxlib, jax-cuda*, jax-rocm* and libtpu | what jaxlib compares, and what the extras of jax name |
//! | TensorFlow and pluggable devices | symbols: `unskew_stream_executor` |
//! | NumPy and modules compiled against it | the name of NumPy's C API module in the module; a table for frameworks |
//! | the system's libraries and extension modules | the versions of symbols (`GLIBC_2.34`) |
//! | Python and extension modules | `.cpython-311-`, `.abi3.` in file names |
//! | packages and Python names of others | what the import of a package asks for, read from sources: `unskew_python_source` |
//! | packages and GPUs with their driver | the headers of CUDA code in shared objects: `unskew_cuda` |
//! | packages and what they require | `Requires-Dist` with its markers; for modules the libraries that they are linked against |
//!
//! **The path of the data.** [`SitePackages::find`] takes a path that a user names (an environment, its `python`, a
//! `site-packages` folder). [`Environment::read`] reads each `*.dist-info` there: `METADATA` says name, version and
//! requirements, `RECORD` the files. Nothing is run and nothing is imported. [`judge`] makes a pair of parties for all
//! that meet, has `unskew_core::check` decide, and, if something breaks, asks [`pins`] for the smallest
//! change that fixes it. A lock file takes the same path from [`InstalledPackage`] on, with facts about published wheels.
//!
//! **What is refused.** What is not there is not guessed: a package without `RECORD`, one of which files are missing, two
//! versions of one package, an editable install that leads nowhere, a broken shared object, files of another size than
//! `RECORD` says, a zipped egg are each said, and what they leave open is not judged. Digests of `RECORD` are not
//! compared: a public PJRT plug-in is known by the digest that stands there. What was read of Python sources is kept in `Environment::source_cache`, if
//! that is set, by the digests of their texts.
//! Files are bounded (`METADATA` 4 MiB, `RECORD` 64 MiB, generated code 16 MiB), symbolic links are followed only
//! where they lead to regular files, and names in `RECORD` that lead out of the environment are not opened.
//!
//! ```no_run
//! use unskew_core::{Context, Date};
//! use unskew_environments::{Environment, SitePackages, judge};
//!
//! let site = SitePackages::find("venv".as_ref())?;
//! let judged = judge(&Environment::read(&site)?, &Context::on(Date::constant(2026, 11, 1)));
//! for pair in &judged.pairs {
//!     println!("{} with {}: {:?}", pair.one.name, pair.other.name, pair.verdict.outcome);
//! }
//! if let Some(change) = &judged.change {
//!     println!("{}", change.command());
//! }
//! # Ok::<(), unskew_environments::SiteError>(())
//! ```
#![forbid(unsafe_code)]

mod declared;
mod dependencies;
mod dependency;
mod environment;
mod extension_pairs;
mod ffi_version;
mod file_kind;
mod files;
mod framework;
mod generated;
mod generated_variants;
mod gpu;
mod handlers;
mod image;
mod install_problem;
mod jax_set;
mod judge;
mod labels;
mod libraries;
pub mod lock;
mod marker;
mod metadata;
mod names;
mod numpy;
mod package;
mod package_checks;
mod pair_kinds;
pub mod pins;
mod plugins;
pub mod rules;
mod runtimes;
mod self_checked;
mod site_packages;
mod skipped;
mod specifiers;
mod system;
mod unlisted_files;
mod unrecorded_libraries;
mod version_pairs;
mod wheel;

pub use environment::Environment;
pub use generated::Generated;
pub use generated_variants::{GeneratedVariants, PackageCode};
pub use gpu::{GpuHost, cuda_of_text};
pub use image::{Image, ImageError};
pub use install_problem::InstallProblem;
pub use judge::{EnvironmentVerdict, PackagePair, judge, judge_pairs};
pub use labels::{Labels, NodeLabel, labels};
pub use libraries::SystemLibraries;
pub use lock::{Fetch, LockError, LockTarget, LockedFile, PackageLock, locks_at};
pub use names::{ModuleDefinitions, NamePresence, ReleaseSources};
pub use package::InstalledPackage;
pub use pins::{Pin, PinChange};
pub use plugins::PackagedPlugin;
pub use site_packages::{SiteError, SitePackages};
pub use system::System;
