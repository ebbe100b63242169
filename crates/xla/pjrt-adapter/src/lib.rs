//! The adapter: a PJRT plug-in that stands in front of another one, for hosts of another age.
//!
//! Built as a shared object it has the one symbol of a plug-in, `GetPjrtApi`. `unskew adapt` puts a
//! copy of it beside a file of settings, a [`AdapterConfig`]; a host that loads the copy gets a table of the
//! age that the settings say, and behind it works the plug-in that the settings name.
//!
//! * The table presents the older of the two sides' minors, with the size that headers of that minor
//!   declare, and behind its end every function of today: those that the plug-in lacks say so.
//! * Arguments that changed their size are copied into the plug-in's size and back ([`StructMarshal`]); all
//!   others, nine of ten, go straight to the plug-in, whose own functions stand in the table.
//! * Extensions are shown as far as they mean the same to both sides ([`visible`]). A profiler that records nothing
//!   stands where the plug-in has none: hosts before JAX 0.10.1 call it all the same, and their process would end.
//! * Compile options and programs of old hosts are brought into the form of today, the StableHLO version
//!   that the plug-in names is capped at the host's, serialized executables are stamped.
//!
//! The same table, cut off where a plug-in of an older minor really ended and placed in front of an
//! unreadable page, is an *emulated* plug-in: [`Mode::Emulate`]. That is how hosts are tested against
//! the past.
//!
//! ```
//! use unskew_pjrt::layout::find_struct;
//! use unskew_pjrt_adapter::{Ages, AdapterConfig, StructMarshal, StructHandling};
//!
//! // A host of 0.70 in front of a plug-in of 0.115.
//! let ages = Ages::from_config(&AdapterConfig::presenting("plugin.so", 70), 115);
//! let options = StructMarshal::new(find_struct("PJRT_ExecuteOptions").unwrap(), &ages);
//! // Its options have 80 bytes; the plug-in is told that they have 144, the rest of them zero.
//! assert_eq!((options.way(80), options.announced()), (StructHandling::Copied(80), 144));
//! ```
//!
//! `unsafe` is allowed in the module `ffi` alone.

mod ages;
mod ffi;
mod struct_marshal;
pub mod visible;

pub use ages::{Ages, NEWEST};
pub use ffi::GetPjrtApi;
pub use struct_marshal::{StructHandling, StructMarshal};
pub use unskew_pjrt_adapter_settings::{
    AdapterConfig, AdapterConfigError, ExtensionPolicy, FORMAT, HostAge, Identity, Mode, Unstamped,
    library_name,
};
