//! Memory that others own: views of it as buffers, and what devices may reach directly.

use std::ffi::c_void;
use std::fmt;
use std::ops::Deref;

use super::{Buffer, BufferPlace, Client, Error, host_bytes};
use crate::sys::bindings::{PJRT_Buffer_Type as ElementType, PJRT_ProcessState};
use crate::sys::calls::{foreign, process};

/// How another process of the job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessInfo {
    /// The task id in the distributed job.
    pub task_id: i32,
    /// A number that differs whenever it is started anew.
    pub incarnation_id: u64,
    /// The state as the coordination service reports it.
    pub state: PJRT_ProcessState,
    /// Its error, as code and text.
    pub error: Option<(i32, String)>,
}

/// Memory of the host that devices may reach directly, until this is dropped.
pub struct DmaMapped<T: AsRef<[u8]> + Send + 'static> {
    raw: foreign::Mapped<T>,
}

impl<T: AsRef<[u8]> + Send + 'static> DmaMapped<T> {
    /// The host memory that is mapped for DMA.
    pub fn bytes(&self) -> &[u8] {
        self.raw.owner().map_or(&[], AsRef::as_ref)
    }
}

impl<T: AsRef<[u8]> + Send + 'static> Deref for DmaMapped<T> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes()
    }
}

impl<T: AsRef<[u8]> + Send + 'static> fmt::Debug for DmaMapped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DmaMapped({} bytes)", self.bytes().len())
    }
}

impl Client {
    /// Lets devices reach the memory of `owner` directly, which makes transfers from it faster on some.
    /// Since 0.67.
    ///
    /// # Errors
    /// If the plug-in is too old, or refuses.
    pub fn dma_map<T: AsRef<[u8]> + Send + 'static>(
        &self,
        owner: T,
    ) -> Result<DmaMapped<T>, Error> {
        Ok(DmaMapped { raw: foreign::Mapped::new(self.raw(), owner)? })
    }

    /// A buffer in the memory of `owner`, without a copy: dense, in row-major order, and aligned as the
    /// plug-in wants it. Only on platforms whose memory is the host's. `owner` is dropped once the
    /// plug-in needs the memory no more, by a thread of the plug-in; nobody else has it until then, so a
    /// program may write to it, as when the buffer is donated. Since 0.33.
    ///
    /// # Errors
    /// [`Error::NotHostMemory`] on other platforms; [`Error::TooShort`]; if the plug-in is too old, or
    /// refuses.
    pub fn view_of_host_memory<'a, T: AsMut<[u8]> + Send + 'static>(
        &self,
        owner: T,
        (element_type, dims): (ElementType, &[i64]),
        place: impl Into<BufferPlace<'a>>,
    ) -> Result<Buffer, Error> {
        let shape = (element_type, dims);
        foreign::view_of_owner(self.raw(), owner, shape, place.into().raw()).map(Buffer::new)
    }

    /// A buffer in memory of a device that another library owns, as DLPack hands it over. `on_delete`
    /// is called once the plug-in needs it no more, by a thread of the plug-in, or at once if this
    /// fails. Since 0.33.
    ///
    /// # Errors
    /// [`Error::NotAShape`] if no array is such; if the plug-in is too old, or refuses.
    ///
    /// # Safety
    /// The memory is one of the device, dense in row-major order, large enough for the shape, complete,
    /// and may be read and written by the plug-in until `on_delete` is called.
    #[allow(unsafe_code, reason = "the caller vouches for the memory")]
    pub unsafe fn view_of_device_memory<'a>(
        &self,
        memory: *mut c_void,
        (element_type, dims): (ElementType, &[i64]),
        place: impl Into<BufferPlace<'a>>,
        on_delete: impl FnOnce() + Send + 'static,
    ) -> Result<Buffer, Error> {
        if let Err(error) = host_bytes(element_type, dims, None) {
            on_delete();
            return Err(error);
        }
        let (shape, on_delete) = ((element_type, dims), Box::new(on_delete));
        // SAFETY: the caller says so.
        unsafe { foreign::view(self.raw(), memory, shape, place.into().raw(), on_delete) }
            .map(Buffer::new)
    }

    /// Tells it how the other processes of the job are. Since 0.76: before, the struct had two layouts.
    ///
    /// # Errors
    /// If the plug-in is too old, or refuses.
    pub fn update_processes(&self, processes: &[ProcessInfo]) -> Result<(), Error> {
        process::update(self.raw(), processes)
    }
}
