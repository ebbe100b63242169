//! Plug-ins in this process.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

use unskew_abi::SharedObject;
use unskew_core::Version;
use unskew_source::{FileSource, Source};

use super::{Client, Error, Topology};
use crate::sys::bindings::Function;
use crate::sys::calls::plugin::Resident;
use crate::sys::{Api, CallError, ExtensionTable, TableError};
use crate::{Attribute, PjrtValue};

/// A plug-in that is loaded into this process, until the process ends.
///
/// Several can be loaded at once. Loading one file twice yields the same plug-in, which is set up
/// once.
#[derive(Clone, Copy, Debug)]
pub struct Plugin {
    resident: &'static Resident,
}

/// Why a plug-in could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("{cause}")]
    Unreadable {
        /// The shared object that was to be loaded.
        path: PathBuf,
        /// What the system says.
        cause: String,
    },
    /// The file is no shared object, or has no entry for PJRT.
    #[error("{path}: not a PJRT plug-in: {why}")]
    NotAPlugin {
        /// The shared object that was to be loaded.
        path: PathBuf,
        /// What makes the file no PJRT plug-in.
        why: &'static str,
    },
    /// The file is for another machine.
    #[error("{path}: built for another machine: {found}, wanted {wanted}")]
    OtherMachine {
        /// The shared object that was to be loaded.
        path: PathBuf,
        /// The machine that it was built for.
        found: String,
        /// The architecture of this process.
        wanted: &'static str,
    },
    /// Libraries that it needs are not on this machine.
    #[error("{path}: needs libraries that are not here: {}", names.join(", "))]
    MissingLibraries {
        /// The shared object that was to be loaded.
        path: PathBuf,
        /// Sonames of needed libraries that the loader does not find.
        names: Vec<String>,
    },
    /// The system's loader refuses the file.
    #[error("{path}: {why}")]
    Refused {
        /// The shared object that was to be loaded.
        path: PathBuf,
        /// What the loader says.
        why: String,
    },
    /// Its function table cannot be used: of another major version, too old, or no table at all.
    #[error("{path}: {cause}")]
    Table {
        /// The shared object that was to be loaded.
        path: PathBuf,
        /// The defect of the function table.
        cause: TableError,
    },
    /// Its own set-up failed.
    #[error("{path}: {cause}")]
    Initialize {
        /// The shared object that was to be loaded.
        path: PathBuf,
        /// What the plug-in says.
        cause: CallError,
    },
}

impl Plugin {
    /// Loads the plug-in at `path`, and has it set itself up.
    ///
    /// This runs the code of the file, which is trusted from then on. To look at a plug-in that may
    /// crash, use [`probe_in_child`](crate::probe_in_child).
    ///
    /// # Errors
    /// [`LoadError`]; whether the file is a plug-in for this machine is seen before any of its code
    /// runs.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let object = look_at(path)?;
        let at = || path.to_owned();
        let opened = crate::sys::calls::open_plugin(path);
        let opened = opened.map_err(|error| match error {
            unskew_abi::LibraryError::MissingLibrary { name } => {
                LoadError::MissingLibraries { path: at(), names: all_missing(path, &object, name) }
            }
            unskew_abi::LibraryError::Refused(why) => LoadError::Refused { path: at(), why },
        })?;
        let resident = opened.map_err(|cause| LoadError::Table { path: at(), cause })?;
        resident.initialize().map_err(|cause| LoadError::Initialize { path: at(), cause })?;
        Ok(Self { resident })
    }

    /// The plug-in with this table, for those that have loaded it themselves.
    ///
    /// # Errors
    /// [`TableError`] if the table cannot be used; the inner error if the plug-in's set-up fails.
    ///
    /// # Safety
    /// `table` is what the `GetPjrtApi` of a plug-in returned, which stays loaded until the process
    /// ends.
    #[allow(unsafe_code, reason = "the caller vouches for the table")]
    pub unsafe fn from_table(
        table: NonNull<c_void>,
    ) -> Result<Result<Self, CallError>, TableError> {
        // SAFETY: the caller says so.
        let resident = unsafe { Resident::of_table(table) }?;
        Ok(resident.initialize().map(|()| Self { resident }))
    }

    /// The version of the PJRT C API that the plug-in was built with: `0.81`.
    pub fn version(&self) -> Version {
        self.api().version()
    }

    /// Whether the plug-in has the function.
    pub fn has(&self, function: Function) -> bool {
        self.api().has(function)
    }

    /// The extensions of the plug-in, in their order.
    pub fn extensions(&self) -> &'static [ExtensionTable] {
        self.api().extensions()
    }

    /// What the plug-in says of itself.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn attributes(&self) -> Result<Vec<Attribute>, Error> {
        self.resident.attributes().map_err(Into::into)
    }

    /// The newest StableHLO that the plug-in reads, if it says so.
    ///
    /// # Errors
    /// If it does not answer when asked for its attributes.
    pub fn stablehlo_version(&self) -> Result<Option<Version>, Error> {
        let named = |attribute: &Attribute| attribute.name == "stablehlo_current_version";
        let attributes = match self.attributes() {
            Err(error) if error.is_unimplemented() => return Ok(None),
            attributes => attributes?,
        };
        Ok(attributes.iter().find(|a| named(a)).and_then(|attribute| match &attribute.value {
            PjrtValue::Numbers(numbers) => {
                let text: Vec<String> = numbers.iter().map(i64::to_string).collect();
                text.join(".").parse().ok()
            }
            PjrtValue::Text(text) => text.parse().ok(),
            _ => None,
        }))
    }

    /// Makes a client with these options, which are the vendor's own.
    ///
    /// # Errors
    /// If the plug-in refuses.
    pub fn create_client(&self, options: &[Attribute]) -> Result<Client, Error> {
        Client::create(*self, options)
    }

    /// Describes a topology by name, without its devices.
    ///
    /// # Errors
    /// If the plug-in refuses.
    pub fn create_topology(&self, name: &str, options: &[Attribute]) -> Result<Topology, Error> {
        Topology::create(*self, name, options)
    }

    /// A topology from the bytes of [`Topology::serialize`].
    ///
    /// # Errors
    /// If the plug-in has no such function (before 0.75), or refuses.
    pub fn deserialize_topology(&self, bytes: &[u8]) -> Result<Topology, Error> {
        Topology::deserialize(*self, bytes)
    }

    /// The table of the plug-in, for calls that this API does not have.
    pub fn api(&self) -> &'static Api {
        &self.resident.api
    }
}

/// What the file is, before any of its code runs.
fn look_at(path: &Path) -> Result<SharedObject, LoadError> {
    let unreadable = |cause: String| LoadError::Unreadable { path: path.to_owned(), cause };
    let not = |why: &'static str| LoadError::NotAPlugin { path: path.to_owned(), why };
    let source = FileSource::open(path).map_err(|error| unreadable(error.to_string()))?;
    let source: Arc<dyn Source> = Arc::new(source);
    let object = SharedObject::read(&source).map_err(|error| unreadable(error.to_string()))?;
    let object = object.ok_or_else(|| not("no shared object"))?;
    let wanted = match std::env::consts::ARCH {
        "x86_64" => "x86-64",
        other => other,
    };
    if object.machine != wanted {
        let (path, found) = (path.to_owned(), object.machine);
        return Err(LoadError::OtherMachine { path, found, wanted });
    }
    if !crate::recognizes(&object) {
        return Err(not("it has no symbol GetPjrtApi"));
    }
    Ok(object)
}

/// All missing libraries, where the loader names only the first.
fn all_missing(path: &Path, object: &SharedObject, first: String) -> Vec<String> {
    let beside = |name: &str| path.parent().is_some_and(|folder| folder.join(name).exists());
    let missing =
        |name: &&String| !beside(name) && !crate::sys::calls::library_available(name.as_str());
    let mut all: Vec<String> = object.needed.iter().filter(missing).cloned().collect();
    if !all.contains(&first) {
        all.push(first);
    }
    all
}
