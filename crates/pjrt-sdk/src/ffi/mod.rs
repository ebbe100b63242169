//! The plug-in as C has it: the only unsafe code of this crate.
//!
//! A handle that a host gets is the address of an object of [`state`]; it comes back in the arguments
//! of later calls. That a host gives back only handles that it got, and none after it freed it, is the
//! host's side of the interface: it cannot be told here.
#![allow(unsafe_code, reason = "hosts call through C pointers")]

mod absent;
mod entry;
mod error_object;
mod memory_object;
mod serve;
mod state;
mod table;

use std::ffi::c_void;

use unskew_pjrt::layout;

use crate::Platform;

/// A plug-in of this library: made by [`export_plugin!`](crate::export_plugin).
pub trait Exports: 'static {
    /// The plug-in, made when it is first asked for.
    fn exported() -> &'static Exported;
}

/// A plug-in with its table.
pub struct Exported {
    pub(crate) platform: Box<dyn Platform>,
    pub(crate) minor: i32,
    pub(crate) attributes: state::NamedValues,
    table: Box<[usize]>,
}

impl Exported {
    /// The plug-in with the table of a version, which lives as long as the process.
    pub fn leak<P: Exports>(platform: Box<dyn Platform>, minor: i32) -> &'static Self {
        let newest = layout::slots().iter().map(|slot| slot.since).max().unwrap_or(layout::FLOOR);
        // Minors after the last one with a new function differ in nothing that this crate has.
        let minor = minor.clamp(layout::FLOOR, newest.max(116));
        let attributes = state::NamedValues::new(platform.attributes());
        let table = table::table::<P>(minor);
        Box::leak(Box::new(Self { platform, minor, attributes, table }))
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
