//! A plug-in on trial: the calls that the checks of [`conform`](crate::conform) make, each behind a
//! safe function.
//!
//! This runs in a child process that ends with the trial. What is made is freed where freeing is part
//! of what is tried; the rest goes with the process.

use std::ffi::c_void;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

use unskew_abi::Library;

use super::api::Api;
use super::bindings::*;
use super::call::Call;
use super::error::{self, CallError};

/// The room behind arguments that announce a wrong size, in words: more than any struct has.
const ROOM: usize = 64;

/// The most handles of one list that are believed.
const MOST: usize = 4096;

/// A plug-in that was loaded and stays loaded.
#[derive(Debug)]
pub(crate) struct Trial {
    api: Api,
}

/// A client of the plug-in; never freed but by [`Client::destroy`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client(&'static Trial, NonNull<PJRT_Client>);

/// A device; lives as long as its client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device(&'static Trial, NonNull<PJRT_Device>);

/// A buffer, freed when dropped.
#[derive(Debug)]
pub(crate) struct Buffer(&'static Trial, NonNull<PJRT_Buffer>);

/// An event, freed when dropped.
#[derive(Debug)]
pub(crate) struct Event(&'static Trial, NonNull<PJRT_Event>);

/// A loaded program; freed with the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program(&'static Trial, NonNull<PJRT_LoadedExecutable>);

/// Why something on trial did not go well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The plug-in answered with an error, or lacks the function.
    #[error(transparent)]
    Call(#[from] CallError),
    /// It answered, and the answer is not what the interface says.
    #[error("{0}")]
    Answer(String),
}

fn missing(what: &str) -> impl FnOnce() -> Trouble + use<'_> {
    move || Trouble::Answer(format!("{what} is null"))
}

impl Trial {
    /// Loads the plug-in and reads its table.
    pub(crate) fn open(path: &Path) -> Result<&'static Self, String> {
        // SAFETY: this runs in a child process whose only purpose is to run this code.
        let library = unsafe { Library::open(path) }.map_err(|error| error.to_string())?;
        let entry = library.address("GetPjrtApi").ok_or("no symbol GetPjrtApi")?;
        type Entry = unsafe extern "C" fn() -> *mut c_void;
        // SAFETY: a function of this name has had this signature in every version.
        let entry = unsafe { std::mem::transmute::<*mut c_void, Entry>(entry.as_ptr()) };
        // SAFETY: it takes nothing and may be called at any time.
        let table = NonNull::new(unsafe { entry() }).ok_or("GetPjrtApi returned NULL")?;
        // SAFETY: the plug-in has just returned it, and is never unloaded.
        let api = unsafe { Api::from_table(table) }.map_err(|error| error.to_string())?;
        Ok(Box::leak(Box::new(Self { api })))
    }

    /// The gated table.
    pub(crate) fn api(&self) -> &Api {
        &self.api
    }

    /// Calls a function with zeroed arguments that announce `size` bytes; the error, if any. None if
    /// the plug-in does not have it.
    pub(crate) fn ask_size(
        &self,
        function: Function,
        size: usize,
    ) -> Option<Result<(), CallError>> {
        let address = self.api.function(function)?;
        let mut arguments = [0_usize; ROOM];
        arguments[0] = size;
        type Fallible = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;
        // SAFETY: the slot holds a function that returns an error or null; the callers leave out the
        // two that return nothing.
        let call = unsafe { std::mem::transmute::<*mut c_void, Fallible>(address) };
        // SAFETY: the memory is larger than any struct and zeroed. A plug-in that does not look at
        // the size may crash on the null handles in it, which is what is to be found out.
        let error = unsafe { call(arguments.as_mut_ptr().cast()) };
        Some(match NonNull::new(error) {
            None => Ok(()),
            // SAFETY: the plug-in has just returned it.
            Some(error) => Err(unsafe { self.api.take_error(function.name(), error) }),
        })
    }

    /// `PJRT_Plugin_Initialize`.
    pub(crate) fn initialize(&self) -> Result<(), CallError> {
        // SAFETY: it has no arguments but its head.
        unsafe { self.call::<PJRT_Plugin_Initialize_Args>(|_| ()) }.map(drop)
    }

    /// `PJRT_Client_Create` without options.
    pub(crate) fn client(&'static self) -> Result<Client, Trouble> {
        // SAFETY: there are no options and no callbacks.
        let made = unsafe { self.call::<PJRT_Client_Create_Args>(|_| ()) }?;
        let client = NonNull::new(made.client).ok_or_else(missing("the client"))?;
        Ok(Client(self, client))
    }

    /// # Safety
    /// As [`Api::call`].
    unsafe fn call<T: Call>(&self, fill: impl FnOnce(&mut T)) -> Result<T, CallError> {
        let mut arguments = self.api.record::<T>();
        fill(&mut arguments);
        // SAFETY: the caller says that the arguments are right.
        unsafe { self.api.call(&mut arguments) }?;
        Ok(arguments)
    }
}

/// The handles of a list that the plug-in owns.
///
/// # Safety
/// `count` handles are there, if `list` is not null.
unsafe fn handles<T>(list: *const *mut T, count: usize) -> Result<Vec<NonNull<T>>, Trouble> {
    if count > MOST || (list.is_null() && count > 0) {
        return Err(Trouble::Answer(format!("a list of {count} at {list:p}")));
    }
    let read = |i| {
        // SAFETY: the caller says that it is there.
        NonNull::new(unsafe { list.add(i).read() })
    };
    let all: Option<Vec<_>> = (0..count).map(read).collect();
    all.ok_or_else(missing("a handle of the list"))
}

impl Client {
    /// The name and the version of the platform.
    pub(crate) fn platform(self) -> Result<(String, String), CallError> {
        let Self(trial, client) = self;
        // SAFETY: the client is alive.
        let name =
            unsafe { trial.call::<PJRT_Client_PlatformName_Args>(|a| a.client = client.as_ptr()) }?;
        // SAFETY: as above.
        let version = unsafe {
            trial.call::<PJRT_Client_PlatformVersion_Args>(|a| a.client = client.as_ptr())
        }?;
        // SAFETY: the plug-in says that the texts are there as long as the client.
        Ok(unsafe {
            (
                error::text(name.platform_name, name.platform_name_size),
                error::text(version.platform_version, version.platform_version_size),
            )
        })
    }

    /// All devices.
    pub(crate) fn devices(self) -> Result<usize, Trouble> {
        // SAFETY: the client is alive.
        let all =
            unsafe { self.0.call::<PJRT_Client_Devices_Args>(|a| a.client = self.1.as_ptr()) }?;
        // SAFETY: the plug-in says that the list is there as long as the client.
        Ok(unsafe { handles(all.devices, all.num_devices) }?.len())
    }

    /// The devices that this process can use.
    pub(crate) fn addressable(self) -> Result<Vec<Device>, Trouble> {
        // SAFETY: the client is alive.
        let all = unsafe {
            self.0.call::<PJRT_Client_AddressableDevices_Args>(|a| a.client = self.1.as_ptr())
        }?;
        // SAFETY: the plug-in says that the list is there as long as the client.
        let all = unsafe { handles(all.addressable_devices, all.num_addressable_devices) }?;
        Ok(all.into_iter().map(|device| Device(self.0, device)).collect())
    }

    /// The device of this id; what is answered for an id that there is not.
    pub(crate) fn lookup(self, id: i32) -> Result<Option<Device>, CallError> {
        // SAFETY: the client is alive.
        let found = unsafe {
            self.0.call::<PJRT_Client_LookupDevice_Args>(|a| {
                a.client = self.1.as_ptr();
                a.id = id;
            })
        }?;
        Ok(NonNull::new(found.device).map(|device| Device(self.0, device)))
    }

    /// How many memories this process can use.
    pub(crate) fn memories(self) -> Result<usize, Trouble> {
        // SAFETY: the client is alive.
        let all = unsafe {
            self.0.call::<PJRT_Client_AddressableMemories_Args>(|a| a.client = self.1.as_ptr())
        }?;
        // SAFETY: the plug-in says that the list is there as long as the client.
        let list = unsafe { handles(all.addressable_memories, all.num_addressable_memories) }?;
        Ok(list.len())
    }

    /// The name of the platform as the topology says it.
    pub(crate) fn topology(self) -> Result<String, Trouble> {
        // SAFETY: the client is alive.
        let made = unsafe {
            self.0.call::<PJRT_Client_TopologyDescription_Args>(|a| a.client = self.1.as_ptr())
        }?;
        if made.topology.is_null() {
            return Err(missing("the topology")());
        }
        // SAFETY: the topology lives as long as the client.
        let name = unsafe {
            self.0
                .call::<PJRT_TopologyDescription_PlatformName_Args>(|a| a.topology = made.topology)
        }?;
        // SAFETY: the plug-in says that the text is there as long as the topology.
        Ok(unsafe { error::text(name.platform_name, name.platform_name_size) })
    }

    /// Copies `data` to `device`; `strides` in bytes, none for dense.
    pub(crate) fn buffer(
        self,
        device: Device,
        kind: PJRT_Buffer_Type,
        data: &[u8],
        dims: &[i64],
        strides: &[i64],
    ) -> Result<Buffer, Trouble> {
        // SAFETY: client and device are alive; the data is copied before the call returns.
        let made = unsafe {
            self.0.call::<PJRT_Client_BufferFromHostBuffer_Args>(|a| {
                a.client = self.1.as_ptr();
                a.device = device.1.as_ptr();
                a.data = data.as_ptr().cast();
                a.r#type = kind;
                a.dims = dims.as_ptr();
                a.num_dims = dims.len();
                a.byte_strides = if strides.is_empty() { ptr::null() } else { strides.as_ptr() };
                a.num_byte_strides = strides.len();
                a.host_buffer_semantics = PJRT_HostBufferSemantics::kImmutableOnlyDuringCall;
            })
        }?;
        let buffer = NonNull::new(made.buffer).ok_or_else(missing("the buffer"))?;
        if let Some(done) = NonNull::new(made.done_with_host_buffer) {
            Event(self.0, done).wait()?;
        }
        Ok(Buffer(self.0, buffer))
    }

    /// Compiles a program: its bytes, its format, serialized compile options.
    pub(crate) fn compile(
        self,
        code: &[u8],
        format: &str,
        options: &[u8],
    ) -> Result<Program, Trouble> {
        let mut program = self.0.api.record::<PJRT_Program>();
        program.code = code.as_ptr().cast_mut();
        program.code_size = code.len();
        program.format = format.as_ptr();
        program.format_size = format.len();
        // SAFETY: the client is alive; program and options are only read, during the call.
        let made = unsafe {
            self.0.call::<PJRT_Client_Compile_Args>(|a| {
                a.client = self.1.as_ptr();
                a.program = &raw const program;
                a.compile_options = options.as_ptr();
                a.compile_options_size = options.len();
            })
        }?;
        let made = NonNull::new(made.executable).ok_or_else(missing("the executable"))?;
        Ok(Program(self.0, made))
    }

    /// Loads what [`Program::serialize`] made.
    pub(crate) fn load(self, bytes: &[u8]) -> Result<Program, Trouble> {
        // SAFETY: the client is alive; the bytes are only read, during the call.
        let made = unsafe {
            self.0.call::<PJRT_Executable_DeserializeAndLoad_Args>(|a| {
                a.client = self.1.as_ptr();
                a.serialized_executable = bytes.as_ptr();
                a.serialized_executable_size = bytes.len();
            })
        }?;
        let made = NonNull::new(made.loaded_executable).ok_or_else(missing("the executable"))?;
        Ok(Program(self.0, made))
    }

    /// The layout that the plug-in prefers for a shape, serialized, by the extension Layouts.
    pub(crate) fn default_layout(
        self,
        kind: PJRT_Buffer_Type,
        dims: &[i64],
    ) -> Result<String, Trouble> {
        let api = &self.0.api;
        let mut ask = api.record::<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>();
        ask.client = self.1.as_ptr();
        ask.r#type = kind;
        ask.dims = dims.as_ptr();
        ask.num_dims = dims.len();
        // SAFETY: the client is alive, the dimensions are there during the call.
        unsafe { api.call_extension(&mut ask) }?;
        self.0.layout_text(ask.layout)
    }
}

impl Trial {
    /// The text of a layout, which is then freed.
    fn layout_text(&self, layout: *mut PJRT_Layouts_MemoryLayout) -> Result<String, Trouble> {
        if layout.is_null() {
            return Err(missing("the layout")());
        }
        let mut ask = self.api.record::<PJRT_Layouts_MemoryLayout_Serialize_Args>();
        ask.layout = layout;
        // SAFETY: the plug-in has just made the layout.
        unsafe { self.api.call_extension(&mut ask) }?;
        // SAFETY: the text is there until its deleter is called.
        let text = unsafe { error::text(ask.serialized_bytes, ask.serialized_bytes_size) };
        if let Some(delete) = ask.serialized_layout_deleter {
            // SAFETY: the text was copied.
            unsafe { delete(ask.serialized_layout) };
        }
        let mut destroy = self.api.record::<PJRT_Layouts_MemoryLayout_Destroy_Args>();
        destroy.layout = layout;
        // SAFETY: nobody uses the layout afterwards.
        unsafe { self.api.call_extension(&mut destroy) }?;
        Ok(text)
    }
}

impl Client {
    /// Frees the client; nothing of it may be used afterwards.
    pub(crate) fn destroy(self) -> Result<(), CallError> {
        // SAFETY: this is the last check, nothing of the client is used after it.
        unsafe { self.0.call::<PJRT_Client_Destroy_Args>(|a| a.client = self.1.as_ptr()) }.map(drop)
    }
}

impl Device {
    /// Its id and kind.
    pub(crate) fn describe(self) -> Result<(i32, String), Trouble> {
        // SAFETY: the device is alive.
        let description = unsafe {
            self.0.call::<PJRT_Device_GetDescription_Args>(|a| a.device = self.1.as_ptr())
        }?
        .device_description;
        if description.is_null() {
            return Err(missing("the description of the device")());
        }
        // SAFETY: the description lives as long as the device.
        let id = unsafe {
            self.0.call::<PJRT_DeviceDescription_Id_Args>(|a| a.device_description = description)
        }?;
        // SAFETY: as above.
        let kind = unsafe {
            self.0.call::<PJRT_DeviceDescription_Kind_Args>(|a| a.device_description = description)
        }?;
        // SAFETY: the plug-in says that the text is there as long as the description.
        Ok((id.id, unsafe { error::text(kind.device_kind, kind.device_kind_size) }))
    }

    /// The kind of its default memory.
    pub(crate) fn default_memory(self) -> Result<String, Trouble> {
        // SAFETY: the device is alive.
        let memory = unsafe {
            self.0.call::<PJRT_Device_DefaultMemory_Args>(|a| a.device = self.1.as_ptr())
        }?
        .memory;
        if memory.is_null() {
            return Err(missing("the default memory")());
        }
        // SAFETY: the memory lives as long as the device.
        let kind = unsafe { self.0.call::<PJRT_Memory_Kind_Args>(|a| a.memory = memory) }?;
        // SAFETY: the plug-in says that the text is there as long as the memory.
        Ok(unsafe { error::text(kind.kind, kind.kind_size) })
    }
}

impl Event {
    /// Blocks until the event has happened.
    pub(crate) fn wait(&self) -> Result<(), CallError> {
        // SAFETY: the event is alive.
        unsafe { self.0.call::<PJRT_Event_Await_Args>(|a| a.event = self.1.as_ptr()) }.map(drop)
    }

    /// Whether it has happened.
    pub(crate) fn is_ready(&self) -> Result<bool, CallError> {
        // SAFETY: the event is alive.
        let asked =
            unsafe { self.0.call::<PJRT_Event_IsReady_Args>(|a| a.event = self.1.as_ptr()) }?;
        Ok(asked.is_ready != 0)
    }

    /// Counts in the result how often the plug-in calls back.
    pub(crate) fn on_ready(&self) -> Result<&'static AtomicU32, CallError> {
        let count: &'static AtomicU32 = Box::leak(Box::new(AtomicU32::new(0)));
        // SAFETY: the event is alive; the counter is never freed, however late the callback comes.
        unsafe {
            self.0.call::<PJRT_Event_OnReady_Args>(|a| {
                a.event = self.1.as_ptr();
                a.callback = Some(called_back);
                a.user_arg = ptr::from_ref(count).cast_mut().cast();
            })
        }?;
        Ok(count)
    }
}

/// Counts. An error that comes with the call goes with the process.
unsafe extern "C" fn called_back(_: *mut PJRT_Error, count: *mut c_void) {
    // SAFETY: `count` is the counter that `on_ready` passed, which is never freed.
    let count = unsafe { &*count.cast::<AtomicU32>() };
    count.fetch_add(1, Ordering::SeqCst);
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event is alive and not used afterwards.
        let _ = unsafe { self.0.call::<PJRT_Event_Destroy_Args>(|a| a.event = self.1.as_ptr()) };
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the buffer is alive and not used afterwards.
        let _ = unsafe { self.0.call::<PJRT_Buffer_Destroy_Args>(|a| a.buffer = self.1.as_ptr()) };
    }
}

impl Buffer {
    /// Its bytes, in row-major order if the plug-in follows the layout that is asked for.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Trouble> {
        // SAFETY: the buffer is alive; without a destination only the size is asked for.
        let asked =
            unsafe { self.0.call::<PJRT_Buffer_ToHostBuffer_Args>(|a| a.src = self.1.as_ptr()) }?;
        if asked.dst_size > 1 << 20 {
            return Err(Trouble::Answer(format!("a small buffer needs {} bytes", asked.dst_size)));
        }
        let mut bytes = vec![0; asked.dst_size];
        // SAFETY: the destination has the size that was asked for and lives until the event below.
        let copied = unsafe {
            self.0.call::<PJRT_Buffer_ToHostBuffer_Args>(|a| {
                a.src = self.1.as_ptr();
                a.dst = bytes.as_mut_ptr().cast();
                a.dst_size = bytes.len();
            })
        }?;
        if let Some(event) = NonNull::new(copied.event) {
            Event(self.0, event).wait()?;
        }
        Ok(bytes)
    }

    /// Its shape and type.
    pub(crate) fn shape(&self) -> Result<(Vec<i64>, PJRT_Buffer_Type), Trouble> {
        // SAFETY: the buffer is alive.
        let dims =
            unsafe { self.0.call::<PJRT_Buffer_Dimensions_Args>(|a| a.buffer = self.1.as_ptr()) }?;
        // SAFETY: as above.
        let kind =
            unsafe { self.0.call::<PJRT_Buffer_ElementType_Args>(|a| a.buffer = self.1.as_ptr()) }?;
        if dims.num_dims > 64 || (dims.dims.is_null() && dims.num_dims > 0) {
            return Err(Trouble::Answer(format!("{} dimensions", dims.num_dims)));
        }
        // SAFETY: the plug-in says that so many dimensions are there.
        let read = |i| unsafe { dims.dims.add(i).read() };
        Ok(((0..dims.num_dims).map(read).collect(), kind.r#type))
    }

    /// How many bytes it takes on the device.
    pub(crate) fn device_size(&self) -> Result<usize, CallError> {
        // SAFETY: the buffer is alive.
        let asked = unsafe {
            self.0.call::<PJRT_Buffer_OnDeviceSizeInBytes_Args>(|a| a.buffer = self.1.as_ptr())
        }?;
        Ok(asked.on_device_size_in_bytes)
    }

    /// Gives its memory back; the handle stays.
    pub(crate) fn delete(&self) -> Result<(), CallError> {
        // SAFETY: the buffer is alive.
        unsafe { self.0.call::<PJRT_Buffer_Delete_Args>(|a| a.buffer = self.1.as_ptr()) }.map(drop)
    }

    /// Whether its memory was given back.
    pub(crate) fn is_deleted(&self) -> Result<bool, CallError> {
        // SAFETY: the buffer is alive.
        let asked =
            unsafe { self.0.call::<PJRT_Buffer_IsDeleted_Args>(|a| a.buffer = self.1.as_ptr()) }?;
        Ok(asked.is_deleted != 0)
    }

    /// The event of its being there.
    pub(crate) fn ready(&self) -> Result<Event, Trouble> {
        // SAFETY: the buffer is alive.
        let made =
            unsafe { self.0.call::<PJRT_Buffer_ReadyEvent_Args>(|a| a.buffer = self.1.as_ptr()) }?;
        let event = NonNull::new(made.event).ok_or_else(missing("the event"))?;
        Ok(Event(self.0, event))
    }

    /// Its layout, serialized, by the extension Layouts.
    pub(crate) fn layout(&self) -> Result<String, Trouble> {
        let mut ask = self.0.api.record::<PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args>();
        ask.buffer = self.1.as_ptr();
        // SAFETY: the buffer is alive.
        unsafe { self.0.api.call_extension(&mut ask) }?;
        self.0.layout_text(ask.layout)
    }
}

impl Program {
    fn executable(self) -> Result<*mut PJRT_Executable, Trouble> {
        // SAFETY: the program is alive.
        let got = unsafe {
            self.0.call::<PJRT_LoadedExecutable_GetExecutable_Args>(|a| {
                a.loaded_executable = self.1.as_ptr();
            })
        }?;
        if got.executable.is_null() {
            return Err(missing("the executable")());
        }
        Ok(got.executable)
    }

    /// How many results it has.
    pub(crate) fn outputs(self) -> Result<usize, Trouble> {
        let executable = self.executable()?;
        // SAFETY: the executable is alive.
        let got = unsafe {
            self.0.call::<PJRT_Executable_NumOutputs_Args>(|a| a.executable = executable)
        }?;
        Ok(got.num_outputs)
    }

    /// Runs it: one list of arguments a device, and `outputs` results each.
    pub(crate) fn execute(
        self,
        arguments: &[Vec<&Buffer>],
        outputs: usize,
    ) -> Result<Vec<Vec<Buffer>>, Trouble> {
        let raw: Vec<Vec<*mut PJRT_Buffer>> = arguments
            .iter()
            .map(|list| list.iter().map(|buffer| buffer.1.as_ptr()).collect())
            .collect();
        let lists: Vec<*const *mut PJRT_Buffer> = raw.iter().map(Vec::as_ptr).collect();
        let mut results = vec![vec![ptr::null_mut::<PJRT_Buffer>(); outputs]; lists.len()];
        let result_lists: Vec<*mut *mut PJRT_Buffer> =
            results.iter_mut().map(Vec::as_mut_ptr).collect();
        let mut options = self.0.api.record::<PJRT_ExecuteOptions>();
        let mut events = vec![ptr::null_mut::<PJRT_Event>(); lists.len()];
        // SAFETY: the program and its arguments are alive; every list has the length that is said and
        // lives during the call, there is room for every result.
        unsafe {
            self.0.call::<PJRT_LoadedExecutable_Execute_Args>(|a| {
                a.executable = self.1.as_ptr();
                a.options = &raw mut options;
                a.argument_lists = lists.as_ptr();
                a.num_devices = lists.len();
                a.num_args = raw.first().map_or(0, Vec::len);
                a.output_lists = result_lists.as_ptr();
                a.device_complete_events = events.as_mut_ptr();
            })
        }?;
        for event in events {
            let event = NonNull::new(event).ok_or_else(missing("the completion event"))?;
            Event(self.0, event).wait()?;
        }
        let all = results.into_iter().map(|list| {
            let own = |buffer| NonNull::new(buffer).map(|buffer| Buffer(self.0, buffer));
            list.into_iter().map(own).collect::<Option<Vec<_>>>()
        });
        all.collect::<Option<_>>().ok_or_else(missing("a result"))
    }

    /// The program as bytes for [`Client::load`].
    pub(crate) fn serialize(self) -> Result<Vec<u8>, Trouble> {
        let executable = self.executable()?;
        // SAFETY: the executable is alive.
        let made = unsafe {
            self.0.call::<PJRT_Executable_Serialize_Args>(|a| a.executable = executable)
        }?;
        // SAFETY: the bytes are there until their deleter is called.
        let bytes =
            unsafe { error::bytes(made.serialized_bytes, made.serialized_bytes_size) }.to_vec();
        if let Some(delete) = made.serialized_executable_deleter {
            // SAFETY: the bytes were copied.
            unsafe { delete(made.serialized_executable) };
        }
        Ok(bytes)
    }

    /// The fingerprint, which need not be text.
    pub(crate) fn fingerprint(self) -> Result<Vec<u8>, Trouble> {
        let executable = self.executable()?;
        // SAFETY: the executable is alive.
        let got = unsafe {
            self.0.call::<PJRT_Executable_Fingerprint_Args>(|a| a.executable = executable)
        }?;
        let (start, size) = (got.executable_fingerprint, got.executable_fingerprint_size);
        // SAFETY: the plug-in says that it is there as long as the executable.
        Ok(unsafe { error::bytes(start, size) }.to_vec())
    }

    /// The bytes of arguments and results as the memory analysis has them.
    pub(crate) fn memory(self) -> Result<(i64, i64), Trouble> {
        let executable = self.executable()?;
        // SAFETY: the executable is alive.
        let got = unsafe {
            self.0
                .call::<PJRT_Executable_GetCompiledMemoryStats_Args>(|a| a.executable = executable)
        }?;
        Ok((got.argument_size_in_bytes, got.output_size_in_bytes))
    }

    /// How many properties the cost analysis has.
    pub(crate) fn costs(self) -> Result<usize, Trouble> {
        let executable = self.executable()?;
        // SAFETY: the executable is alive.
        let got = unsafe {
            self.0.call::<PJRT_Executable_GetCostAnalysis_Args>(|a| a.executable = executable)
        }?;
        Ok(got.num_properties)
    }
}
