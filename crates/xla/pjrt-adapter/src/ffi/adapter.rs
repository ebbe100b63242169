//! State of an adapter that every call needs.

use std::ffi::c_void;
use std::sync::OnceLock;

use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::Api;
use unskew_pjrt::sys::bindings::{PJRT_Error, PJRT_NamedValue};

use crate::AdapterConfig;
use crate::ages::Ages;
use crate::struct_marshal::StructMarshal;

/// A function of the table: takes its arguments, returns an error or null. Those that return nothing
/// are never called through this type.
pub(super) type Fallible = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;

/// How many functions there are.
pub(super) const FUNCTIONS: usize = Function::ALL.len();

/// What every call needs to know.
pub(super) struct Adapter {
    pub(super) config: AdapterConfig,
    pub(super) api: Api,
    pub(super) ages: Ages,
    /// The ways of the arguments of every function, by its place.
    pub(super) passages: Box<[StructMarshal]>,
    /// The way of the options of an execution.
    pub(super) execute_options: StructMarshal,
    pub(super) execute: Option<Fallible>,
    /// What the plug-in says of itself, as the host sees it.
    pub(super) attributes: OnceLock<Attributes>,
    pub(super) identity: OnceLock<Result<Box<unskew_pjrt::convert::stamp::Fingerprint>, String>>,
    /// What the first client says of its platform: name and version.
    pub(super) platform: OnceLock<(String, String)>,
}

/// Set before the host gets its table.
pub(super) static ADAPTER: OnceLock<Adapter> = OnceLock::new();

/// Why there is no adapter; the host gets a table that says so.
pub(super) static FAILURE: OnceLock<String> = OnceLock::new();

impl Adapter {
    /// The plug-in's own function.
    pub(super) fn function(&self, function: Function) -> Option<Fallible> {
        let address = self.api.function(function)?;
        // SAFETY: `Api` says that a function lies there; since 0.29 every one takes a pointer to its
        // arguments, and all but two return an error or null. The two are called as what they are.
        Some(unsafe { std::mem::transmute::<*mut c_void, Fallible>(address) })
    }

    /// The way of the arguments of a function.
    pub(super) fn passage(&self, function: Function) -> &StructMarshal {
        &self.passages[function as usize]
    }
}

/// The attributes that the host gets: they live as long as the process, since hosts keep pointers.
pub(super) struct Attributes(pub(super) Vec<PJRT_NamedValue>);

// SAFETY: the list is constant, and what its pointers lead to is the plug-in's, which is loaded for
// good and says so of its attributes, or leaked.
unsafe impl Send for Attributes {}
// SAFETY: as above.
unsafe impl Sync for Attributes {}
