//! `GetPjrtApi`: settings, plug-in, table.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::OnceLock;

use unskew_abi::Library;
use unskew_pjrt::layout::{Function, find_struct, structs};
use unskew_pjrt::sys::Api;

use super::{ADAPTER, Adapter, FAILURE, chain, table};
use crate::AdapterConfig;
use crate::ages::Ages;
use crate::struct_marshal::StructMarshal;

type GetPjrtApi = unsafe extern "C" fn() -> *mut c_void;

/// What is presented where not even the settings say what was wanted.
const UNKNOWN: i32 = 81;

/// The one symbol of a plug-in: the table of functions. Never null: if the adapter cannot be set up,
/// every function of the table says why.
#[unsafe(no_mangle)]
pub extern "C" fn GetPjrtApi() -> *const c_void {
    static TABLE: OnceLock<usize> = OnceLock::new();
    let address = *TABLE.get_or_init(|| {
        let made = std::panic::catch_unwind(made);
        made.unwrap_or_else(|_| failed("a panic; this is a bug of Unskew".to_owned(), UNKNOWN))
            .expose_provenance()
    });
    std::ptr::with_exposed_provenance(address)
}

/// The table, from the settings beside this shared object.
fn made() -> *const c_void {
    let config = match own_config() {
        Ok(config) => config,
        Err(text) => return failed(text, UNKNOWN),
    };
    let present = config.present;
    match loaded(config) {
        Ok(adapter) => {
            let adapter = ADAPTER.get_or_init(|| adapter);
            // SAFETY: the plug-in is never unloaded, and its chain was walked.
            let chain =
                unsafe { chain::presented(&adapter.api, &adapter.ages, adapter.config.extensions) };
            table::table_of(adapter, chain)
        }
        Err(text) => failed(text, present),
    }
}

fn failed(text: String, present: i32) -> *const c_void {
    let _ = FAILURE.set(text);
    table::of_failure(present)
}

/// The settings that lie beside this shared object, under the name by which it was loaded, or where
/// that leads to.
fn own_config() -> Result<AdapterConfig, String> {
    let library = own_path().ok_or("the loader does not say where the adapter lies")?;
    let resolved = library.canonicalize().ok();
    let candidates = std::iter::once(&library).chain(&resolved);
    let found = candidates.clone().find(|path| AdapterConfig::path_beside(path).exists());
    AdapterConfig::of_library(found.unwrap_or(&library)).map_err(|error| chained(&error))
}

/// Loads the plug-in and reads its table.
fn loaded(config: AdapterConfig) -> Result<Adapter, String> {
    let plugin: &Path = &config.plugin;
    let about = |text: String| format!("{text}: {}", plugin.display());
    // SAFETY: the host wants this plug-in; its constructors would have run in this process without us.
    let library = unsafe { Library::open(plugin) };
    let library =
        library.map_err(|error| about(format!("cannot load the plug-in behind it: {error}")))?;
    let entry = library.address("GetPjrtApi").ok_or_else(|| about("not a PJRT plug-in".into()))?;
    // SAFETY: a function of this name has had this signature in every version of the interface.
    let entry = unsafe { std::mem::transmute::<*mut c_void, GetPjrtApi>(entry.as_ptr()) };
    // SAFETY: it takes nothing and may be called at any time.
    let address = NonNull::new(unsafe { entry() });
    let address = address.ok_or_else(|| about("GetPjrtApi returned NULL".into()))?;
    // SAFETY: the plug-in returned it, and a `Library` is never unloaded.
    let api = unsafe { Api::from_table(address) };
    let api = api.map_err(|error| about(format!("cannot use the plug-in behind it: {error}")))?;
    Ok(adapter(config, api))
}

fn adapter(config: AdapterConfig, api: Api) -> Adapter {
    let ages = Ages::from_config(&config, api.minor());
    let record = |name: &str| find_struct(name).unwrap_or(&structs()[0]);
    let of = |name: &str| StructMarshal::new(record(name), &ages);
    let passages = Function::ALL.iter().map(|function| of(&format!("{}_Args", function.name())));
    let mut adapter = Adapter {
        ages,
        passages: passages.collect(),
        execute_options: of("PJRT_ExecuteOptions"),
        execute: None,
        attributes: OnceLock::new(),
        identity: OnceLock::new(),
        platform: OnceLock::new(),
        config,
        api,
    };
    adapter.execute = adapter.function(Function::PJRT_LoadedExecutable_Execute);
    adapter
}

/// An error with its causes.
fn chained(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}

/// Where this shared object lies, as the loader knows it.
fn own_path() -> Option<PathBuf> {
    // An address that is certainly ours: the symbol `GetPjrtApi` may be found in another library.
    let inside = (&raw const FAILURE).cast::<c_void>();
    // SAFETY: zeros are a value of it.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address lies in this library, and there is room for the answer.
    if unsafe { libc::dladdr(inside, &raw mut found) } == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own text, which lives as long as the library is loaded.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}
