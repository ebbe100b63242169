//! A plug-in that a shared object exports.

use super::handle_objects::NamedValues;
use crate::{Error, OlderHosts, Platform};

/// A plug-in of this library: made by [`export_plugin!`](crate::export_plugin).
pub trait Exports: 'static {
    /// The plug-in, made when it is first asked for.
    fn exported() -> &'static Exported;
}

/// A plug-in with its table.
pub struct Exported {
    pub(crate) platform: Box<dyn Platform>,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) minor: i32,
    pub(crate) attributes: NamedValues,
    pub(crate) older_hosts: OlderHosts,
    /// Why nothing works: the author's code panicked when the plug-in was made.
    pub(crate) broken: Option<Error>,
    pub(super) table: Box<[usize]>,
}
