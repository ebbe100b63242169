//! The data that executions carry to the handlers of their custom calls.

use std::fmt;

use crate::host::Error;
use crate::sys::bindings::PJRT_ExecuteContext;
use crate::sys::calls::Handle;
use crate::sys::calls::extension::ffi::{Context, Known};

/// A type of user data that a plug-in knows; [`ExecuteContext::insert`] takes values of it.
pub struct UserType<T> {
    raw: Known<T>,
}

impl<T> UserType<T> {
    pub(super) fn new(raw: Known<T>) -> Self {
        Self { raw }
    }

    /// The number by which handlers ask for a value of this type.
    pub fn id(&self) -> i64 {
        self.raw.id()
    }
}

impl<T> fmt::Debug for UserType<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UserType({})", self.raw.id())
    }
}

/// Data that an execution carries to the handlers of its custom calls:
/// [`ExecuteOptions::context`](crate::ExecuteOptions::context).
///
/// Its values are dropped once it is dropped and no execution uses it any more.
#[derive(Debug)]
pub struct ExecuteContext {
    raw: Context,
}

impl ExecuteContext {
    pub(super) fn new(raw: Context) -> Self {
        Self { raw }
    }

    /// Puts a value into it, at most one of each type. Since 0.82.
    ///
    /// # Errors
    /// [`Error::Taken`] if it has one of this type; [`Error::OtherClient`] if the type is of another
    /// plug-in; if the plug-in is too old, or refuses.
    pub fn insert<T: Send + Sync + 'static>(
        &self,
        of: &UserType<T>,
        value: T,
    ) -> Result<(), Error> {
        self.raw.insert(&of.raw, value)
    }

    pub(crate) fn raw(&self) -> &Handle<PJRT_ExecuteContext> {
        self.raw.raw()
    }

    /// What keeps it alive for an execution.
    pub(crate) fn share(&self) -> Context {
        self.raw.clone()
    }
}
