//! PJRT plug-ins in Rust.
//!
//! Implement [`Platform`] and [`Program`], and [`export_plugin!`] makes the entry `GetPjrtApi` of a
//! `cdylib`. What hosts of other ages need is done here:
//!
//! * the table has the size of the version that the plug-in presents, and every slot is filled: what is
//!   not implemented answers `UNIMPLEMENTED` with the name of the function, since hosts call without
//!   asking;
//! * a struct that a host sends is accepted if it reaches to the end of the last field that the function
//!   cannot do without. Fields behind that are zero if the host does not send them as a whole, outputs
//!   are written if they fit, and what a newer host sends behind the fields that are known here is left
//!   alone. The headers that announced less than they have (0.38 to 0.71) are known, and get the outputs
//!   that they have room for;
//! * errors and memories carry the tables of functions that hosts since 0.105 and 0.107 use;
//! * a panic anywhere in the author's code becomes an error with the code `INTERNAL`, and never crosses
//!   into C. If the platform itself cannot be made, every function answers with that error. This needs
//!   unwinding: a library that is built with `panic = "abort"` takes its host down.
//!
//! The policy towards older hosts is the author's: [`OlderHosts`]. Programs may run on several devices and
//! end after the call that began them: [`Program::launch`].
//!
//! ```
//! use std::any::Any;
//! use std::sync::Arc;
//! use unskew_pjrt_sdk::{
//!     Compile, Device, Error, Platform, Program, Shape, Storage, SharedStorage, export_plugin,
//! };
//!
//! /// A platform that has one device, and no program.
//! struct Idle;
//!
//! struct Bytes(Vec<u8>);
//!
//! impl Storage for Bytes {
//!     fn to_host(&self) -> Result<Vec<u8>, Error> {
//!         Ok(self.0.clone())
//!     }
//!     fn device_bytes(&self) -> usize {
//!         self.0.len()
//!     }
//!     fn as_any(&self) -> &dyn Any {
//!         self
//!     }
//! }
//!
//! impl Platform for Idle {
//!     fn name(&self) -> &str {
//!         "idle"
//!     }
//!     fn version(&self) -> &str {
//!         "1"
//!     }
//!     fn devices(&self) -> Result<Vec<Device>, Error> {
//!         let (kind, memory) = ("idle".into(), "device".into());
//!         Ok(vec![Device { id: 0, kind, memory, attributes: Vec::new() }])
//!     }
//!     fn put(&self, _: usize, _: &Shape, bytes: Vec<u8>) -> Result<SharedStorage, Error> {
//!         Ok(Arc::new(Bytes(bytes)))
//!     }
//!     fn compile(&self, _: &Compile<'_>) -> Result<Arc<dyn Program>, Error> {
//!         Err(Error::unimplemented("this platform runs nothing"))
//!     }
//! }
//!
//! export_plugin!(IdlePlugin, 90, Idle);
//!
//! // A host loads the shared object; here the table is used as it is.
//! let table = unskew_pjrt_sdk::table_of::<IdlePlugin>();
//! assert_eq!(unskew_pjrt_sdk::presented_minor::<IdlePlugin>(), 90);
//! assert!(!table.is_null());
//! ```

mod error;
mod event;
mod ffi;
mod launch;
mod platform;

pub use error::Error;
pub use event::{Completer, Event};
pub use ffi::{Exported, Exports, presented_minor, table_of};
pub use launch::{Assignment, Compile, Launch, Launched, MemoryUse};
pub use platform::{Device, OlderHosts, Platform, Program, Shape, SharedStorage, Storage};
pub use unskew_pjrt::convert::compile_options::CompileOptions;
pub use unskew_pjrt::{Attribute, ElementType, ErrorCode, PjrtValue};
pub use unskew_source::ReadError;

/// Makes the entry point of a plug-in: `export_plugin!(Name, MINOR, expression)`.
///
/// `Name` becomes a type that stands for the plug-in, `MINOR` is the version that it presents (29 to
/// that of this crate's data; others are brought into that range), and the expression makes the
/// [`Platform`], once, when a host asks for the table first.
#[macro_export]
macro_rules! export_plugin {
    ($name:ident, $minor:expr, $platform:expr) => {
        /// The plug-in of this library.
        pub struct $name;

        impl $crate::Exports for $name {
            fn exported() -> &'static $crate::Exported {
                static EXPORTED: ::std::sync::OnceLock<&'static $crate::Exported> =
                    ::std::sync::OnceLock::new();
                EXPORTED.get_or_init(|| {
                    $crate::Exported::leak::<$name>(|| (::std::boxed::Box::new($platform), $minor))
                })
            }
        }

        /// The entry point by which hosts load the plug-in.
        #[unsafe(no_mangle)]
        pub extern "C" fn GetPjrtApi() -> *const ::std::ffi::c_void {
            $crate::table_of::<$name>()
        }
    };
}
