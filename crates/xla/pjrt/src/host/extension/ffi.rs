//! Handlers of custom calls, and types of the data for them.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::{ExecuteContext, UserType};
use crate::host::{Error, Plugin};
use crate::sys::bindings::{PJRT_FFI_Register_Handler_Args, PJRT_FFI_Type_Register_Args};
use crate::sys::calls::extension::ffi::{self, Context, Known};

/// The extension FFI of a plug-in: handlers of custom calls, and types of the data for them.
#[derive(Clone, Copy, Debug)]
pub struct Ffi {
    plugin: Plugin,
}

impl Plugin {
    /// Its extension FFI, if it has it: since 0.53.
    pub fn ffi(&self) -> Option<Ffi> {
        self.api().extension("FFI").map(|_| Ffi { plugin: *self })
    }

    /// An empty context, which carries user data into executions. Since 0.52; executions take it since
    /// 0.64.
    ///
    /// # Errors
    /// If the plug-in is too old, or does not answer.
    pub fn execute_context(&self) -> Result<ExecuteContext, Error> {
        Ok(ExecuteContext::new(Context::new(self.api())?))
    }
}

impl Ffi {
    /// Whether types of user data can be registered: since 0.81.
    pub fn takes_types(&self) -> bool {
        self.plugin.api().has_extension_call::<PJRT_FFI_Type_Register_Args>()
    }

    /// Whether handlers can be registered: since 0.75.
    pub fn takes_handlers(&self) -> bool {
        self.plugin.api().has_extension_call::<PJRT_FFI_Register_Handler_Args>()
    }

    /// Makes a type known under a name that no other type has. Handlers get a pointer to the value.
    /// Since 0.81; before, the slot meant something else.
    ///
    /// # Errors
    /// If the plug-in is too old, or knows a type of this name.
    pub fn register_type<T: Send + Sync + 'static>(
        &self,
        name: &str,
    ) -> Result<UserType<T>, Error> {
        Ok(UserType::new(Known::register(self.plugin.api(), name)?))
    }

    /// Makes a handler known to programs under the name of their custom call, on a platform as XLA
    /// names it: `Host`, `CUDA`. `traits` are the bits of `PJRT_FFI_Handler_TraitsBits`. Since 0.75.
    ///
    /// # Errors
    /// If the plug-in is too old, or refuses.
    ///
    /// # Safety
    /// `handler` is a function with the signature of `XLA_FFI_Handler`, of a version that the plug-in
    /// speaks, and stays loaded until the process ends.
    #[allow(unsafe_code, reason = "the caller vouches for the handler")]
    pub unsafe fn register_handler(
        &self,
        target: &str,
        platform: &str,
        handler: NonNull<c_void>,
        traits: i32,
    ) -> Result<(), Error> {
        let api = self.plugin.api();
        // SAFETY: the caller says so.
        unsafe { ffi::register_handler(api, target, platform, handler, traits) }.map_err(Into::into)
    }
}
