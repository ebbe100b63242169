//! Objects of a plug-in, and what keeps them alive.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::sys::Api;
use crate::sys::bindings::*;

/// A client, which everything that it made keeps alive.
#[derive(Debug)]
pub(crate) struct ClientRoot {
    client: Owned<PJRT_Client>,
}

impl ClientRoot {
    pub(super) fn new(client: Owned<PJRT_Client>) -> Arc<Self> {
        Arc::new(Self { client })
    }

    #[inline]
    pub(crate) fn api(&self) -> &'static Api {
        self.client.api()
    }

    pub(crate) fn handle(self: &Arc<Self>) -> Handle<PJRT_Client> {
        let raw = self.client.raw();
        // SAFETY: the client lives as long as its root; it is not null.
        unsafe { Handle::new(NonNull::new_unchecked(raw), Keep::Client(Arc::clone(self))) }
    }
}

/// What an object lives in. A plug-in itself is never unloaded.
#[derive(Clone, Debug)]
pub(crate) enum Keep {
    /// In the plug-in alone.
    Plugin(&'static Api),
    /// In a client, which it keeps alive.
    Client(Arc<ClientRoot>),
    /// In a loaded executable: what is asked of it, plug-ins read there.
    Loaded(Arc<Owned<PJRT_LoadedExecutable>>),
    Topology(Arc<Owned<PJRT_TopologyDescription>>),
}

impl Keep {
    #[inline]
    pub(crate) fn api(&self) -> &'static Api {
        match self {
            Self::Plugin(api) => api,
            Self::Client(client) => client.api(),
            Self::Loaded(loaded) => loaded.api(),
            Self::Topology(topology) => topology.api(),
        }
    }
}

/// The address of an object, with what keeps it alive.
pub(crate) struct Handle<T> {
    raw: NonNull<T>,
    keep: Keep,
}

// SAFETY: the interface says that its functions may be called from any thread, on any object.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Handle<T> {}

impl<T> Handle<T> {
    /// # Safety
    /// The object is the plug-in's, and lives as long as `keep`, or until an [`Owned`] frees it.
    #[inline]
    pub(crate) unsafe fn new(raw: NonNull<T>, keep: Keep) -> Self {
        Self { raw, keep }
    }

    #[inline]
    pub(crate) fn raw(&self) -> *mut T {
        self.raw.as_ptr()
    }

    #[inline]
    pub(crate) fn api(&self) -> &'static Api {
        self.keep.api()
    }

    #[inline]
    pub(crate) fn keep(&self) -> &Keep {
        &self.keep
    }

    /// Whether both lie in the same plug-in.
    pub(crate) fn same_plugin<U>(&self, other: &Handle<U>) -> bool {
        std::ptr::eq(self.api(), other.api())
    }

    #[inline]
    pub(crate) fn same_client<U>(&self, other: &Handle<U>) -> bool {
        match (&self.keep, &other.keep) {
            (Keep::Client(one), Keep::Client(two)) => Arc::ptr_eq(one, two),
            _ => false,
        }
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        Self { raw: self.raw, keep: self.keep.clone() }
    }
}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<T> Eq for Handle<T> {}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:p}", self.raw)
    }
}

/// An object that its holder frees.
pub(crate) trait Destroy: Sized {
    /// Frees it. There is nobody to tell of an error.
    ///
    /// # Safety
    /// The object is alive and the caller's, and nobody uses it afterwards.
    unsafe fn destroy(api: &Api, raw: *mut Self);
}

/// A handle that frees its object.
pub(crate) struct Owned<T: Destroy>(Handle<T>);

impl<T: Destroy> Owned<T> {
    /// # Safety
    /// The object is the caller's to free, and what it lives in is `keep`.
    #[inline]
    pub(crate) unsafe fn new(raw: NonNull<T>, keep: Keep) -> Self {
        // SAFETY: the caller says so.
        Self(unsafe { Handle::new(raw, keep) })
    }
}

impl<T: Destroy> std::ops::Deref for Owned<T> {
    type Target = Handle<T>;

    #[inline]
    fn deref(&self) -> &Handle<T> {
        &self.0
    }
}

impl<T: Destroy> fmt::Debug for Owned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Destroy> Drop for Owned<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the object is alive and ours, and nobody can use it afterwards.
        unsafe { T::destroy(self.0.api(), self.0.raw()) };
    }
}

macro_rules! destroy {
    ($call:ident: $($object:ty: $arguments:ty, $field:ident;)*) => { $(
        impl Destroy for $object {
            #[inline]
            unsafe fn destroy(api: &Api, raw: *mut Self) {
                let mut arguments = api.record::<$arguments>();
                arguments.$field = raw;
                // SAFETY: the caller says that the object is its own.
                let _ = unsafe { api.$call(&mut arguments) };
            }
        }
    )* };
}

destroy! { call:
    PJRT_Client: PJRT_Client_Destroy_Args, client;
    PJRT_Event: PJRT_Event_Destroy_Args, event;
    PJRT_Buffer: PJRT_Buffer_Destroy_Args, buffer;
    PJRT_Executable: PJRT_Executable_Destroy_Args, executable;
    PJRT_LoadedExecutable: PJRT_LoadedExecutable_Destroy_Args, executable;
    PJRT_TopologyDescription: PJRT_TopologyDescription_Destroy_Args, topology;
    PJRT_ExecuteContext: PJRT_ExecuteContext_Destroy_Args, context;
    PJRT_AsyncHostToDeviceTransferManager:
        PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, transfer_manager;
    PJRT_CopyToDeviceStream: PJRT_CopyToDeviceStream_Destroy_Args, stream;
    PJRT_AsyncTrackingEvent: PJRT_AsyncTrackingEvent_Destroy_Args, event;
}

destroy! { call_extension:
    PJRT_Layouts_MemoryLayout: PJRT_Layouts_MemoryLayout_Destroy_Args, layout;
    PJRT_RuntimeAbiVersion: PJRT_RuntimeAbiVersion_Destroy_Args, abi_version;
    PJRT_ExecutableAbiVersion: PJRT_ExecutableAbiVersion_Destroy_Args, abi_version;
}
