//! The extension FFI, and the contexts that carry user data to its handlers.

use std::any::Any;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use crate::host::Error;
use crate::sys::bindings::*;
use crate::sys::calls::{Handle, Keep, Owned, read};
use crate::sys::{Api, CallError, Record};

/// A type of values for handlers.
pub(crate) struct Known<T> {
    api: &'static Api,
    id: i64,
    of: PhantomData<fn(T)>,
}

impl<T: Send + Sync + 'static> Known<T> {
    /// Makes the type known to handlers under this name.
    ///
    /// It is registered without a function that frees its values: builds of XLA differ in whether they
    /// would call it, so values belong to the host.
    pub(crate) fn register(api: &'static Api, name: &str) -> Result<Self, CallError> {
        // Types are few and stay until the process ends; a plug-in may keep the address.
        let info = Box::leak(Box::new(PJRT_FFI_Type_Info::zeroed()));
        let mut arguments = api.record::<PJRT_FFI_Type_Register_Args>();
        arguments.type_name = name.as_ptr();
        arguments.type_name_size = name.len();
        arguments.type_info = info;
        // SAFETY: the name is there during the call, what describes the type for ever.
        unsafe { api.call_extension(&mut arguments) }?;
        Ok(Self { api, id: arguments.type_id, of: PhantomData })
    }
}

impl<T> Known<T> {
    pub(crate) fn id(&self) -> i64 {
        self.id
    }
}

/// Data that executions carry to handlers.
#[derive(Clone)]
pub(crate) struct Context(Arc<Inner>);

struct Inner {
    // The order matters: the context goes before the values that it names.
    raw: Owned<PJRT_ExecuteContext>,
    values: Mutex<HashMap<i64, Box<dyn Any + Send + Sync>>>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.raw.fmt(f)
    }
}

impl Context {
    /// Makes an empty one.
    pub(crate) fn new(api: &'static Api) -> Result<Self, Error> {
        let mut arguments = api.record::<PJRT_ExecuteContext_Create_Args>();
        // SAFETY: it has no inputs.
        unsafe { api.call(&mut arguments) }?;
        let raw = read::some("PJRT_ExecuteContext_Create", arguments.context)?;
        // SAFETY: the context is the caller's to free.
        let raw = unsafe { Owned::new(raw, Keep::Plugin(api)) };
        Ok(Self(Arc::new(Inner { raw, values: Mutex::default() })))
    }

    pub(crate) fn raw(&self) -> &Handle<PJRT_ExecuteContext> {
        &self.0.raw
    }

    /// Puts a value into it, at most one of each type.
    pub(crate) fn insert<T: Send + Sync + 'static>(
        &self,
        of: &Known<T>,
        value: T,
    ) -> Result<(), Error> {
        let api = self.raw().api();
        if !std::ptr::eq(api, of.api) {
            return Err(Error::OtherClient);
        }
        let mut values = self.0.values.lock().unwrap_or_else(PoisonError::into_inner);
        let Entry::Vacant(place) = values.entry(of.id) else { return Err(Error::Taken) };
        let value: Box<T> = Box::new(value);
        let mut arguments = api.record::<PJRT_FFI_UserData_Add_Args>();
        arguments.context = self.raw().raw();
        let data = (&raw const *value).cast_mut().cast();
        arguments.user_data = PJRT_FFI_UserData { type_id: of.id, data };
        // SAFETY: the context is alive, and the value, which does not move, lives longer.
        unsafe { api.call_extension(&mut arguments) }?;
        place.insert(value);
        Ok(())
    }
}

/// Makes a handler known under a name, on a platform.
///
/// # Safety
/// The handler is a function of the XLA FFI interface that the plug-in speaks, and stays.
pub(crate) unsafe fn register_handler(
    api: &'static Api,
    target: &str,
    platform: &str,
    handler: NonNull<c_void>,
    traits: i32,
) -> Result<(), CallError> {
    let mut arguments = api.record::<PJRT_FFI_Register_Handler_Args>();
    arguments.target_name = target.as_ptr();
    arguments.target_name_size = target.len();
    arguments.handler = handler.as_ptr();
    arguments.platform_name = platform.as_ptr();
    arguments.platform_name_size = platform.len();
    arguments.traits = PJRT_FFI_Handler_TraitsBits(traits);
    // SAFETY: the names are there during the call; the caller vouches for the handler.
    unsafe { api.call_extension(&mut arguments) }
}
