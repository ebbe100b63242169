//! The plug-in as C has it: the only unsafe code of this crate.
//!
//! A handle that a host gets is the address of an object of [`state`]; it comes back in the arguments
//! of later calls. That a host gives back only handles that it got, and none after it freed it, is the
//! host's side of the interface: it cannot be told here.
#![allow(unsafe_code, reason = "hosts call through C pointers")]

mod absent;
mod call_guard;
mod error_object;
mod exported;
mod handle_objects;
mod memory_object;
mod serve;
mod table;

pub use exported::{Exported, Exports};

use std::ffi::c_void;
use std::sync::Arc;

use unskew_pjrt::layout;

use crate::{Compile, Device, Error, OlderHosts, Platform, Program, Shape, SharedStorage};

impl Exported {
    /// The plug-in that `make` makes, with the table of the version that it presents; it lives as long as
    /// the process. If the author's code panics meanwhile, then there is a table all the same, since a host
    /// can only be told by the functions in it: each answers with the panic's text.
    pub fn leak<P: Exports>(make: impl FnOnce() -> (Box<dyn Platform>, i32)) -> &'static Self {
        let made = call_guard::caught("GetPjrtApi", || {
            let (platform, minor) = make();
            let (name, version) = (platform.name().to_owned(), platform.version().to_owned());
            let (attributes, older_hosts) = (platform.attributes(), platform.older_hosts());
            Ok((platform, name, version, attributes, older_hosts, minor))
        });
        let newest = layout::slots().iter().map(|slot| slot.since).max().unwrap_or(layout::FLOOR);
        // Minors after the last one with a new function differ in nothing that this crate has.
        let newest = newest.max(116);
        let (made, broken) = match made {
            Ok(made) => (made, None),
            Err(error) => {
                let platform: Box<dyn Platform> = Box::new(Broken);
                let name = platform.name().to_owned();
                let made = (platform, name, String::new(), Vec::new(), OlderHosts::Serve, newest);
                (made, Some(error))
            }
        };
        let (platform, name, version, attributes, older_hosts, minor) = made;
        let minor = minor.clamp(layout::FLOOR, newest);
        let attributes = handle_objects::NamedValues::new(attributes);
        let table = table::table::<P>(minor);
        Box::leak(Box::new(Self {
            platform,
            name,
            version,
            minor,
            attributes,
            older_hosts,
            broken,
            table,
        }))
    }
}

/// What stands for a platform that could not be made; nothing of it is ever asked.
struct Broken;

impl Platform for Broken {
    fn name(&self) -> &str {
        "broken plug-in"
    }

    fn version(&self) -> &str {
        ""
    }

    fn devices(&self) -> Result<Vec<Device>, Error> {
        Err(Error::internal("there is no platform"))
    }

    fn put(&self, _: usize, _: &Shape, _: Vec<u8>) -> Result<SharedStorage, Error> {
        Err(Error::internal("there is no platform"))
    }

    fn compile(&self, _: &Compile<'_>) -> Result<Arc<dyn Program>, Error> {
        Err(Error::internal("there is no platform"))
    }
}

/// The table of a plug-in, as `GetPjrtApi` returns it.
pub fn table_of<P: Exports>() -> *const c_void {
    P::exported().table.as_ptr().cast()
}

/// The minor that a plug-in presents.
pub fn presented_minor<P: Exports>() -> i32 {
    P::exported().minor
}
