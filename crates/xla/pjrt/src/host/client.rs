//! Clients: devices, memories, buffers, programs.

use super::shape::host_bytes;
use super::{
    Buffer, Device, Error, Executable, HostFailure, LoadedExecutable, Memory, PjrtProgram, Plugin,
    SerializedOptions, Topology,
};
use crate::Attribute;
use crate::sys::bindings::{
    PJRT_Buffer_Type as ElementType, PJRT_Client, PJRT_HostBufferSemantics,
};
use crate::sys::calls::element::{Element, as_bytes};
use crate::sys::calls::host_data::{self, Array};
use crate::sys::calls::{Handle, buffer, client, compile};

/// A client of a plug-in: the devices of one process, and what is done with them.
#[derive(Clone, Debug)]
pub struct Client {
    plugin: Plugin,
    raw: Handle<PJRT_Client>,
}

/// What a plug-in may do with data of the host for as long as their owner is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostData {
    /// Copy them, in its own time.
    Copied,
    /// Use them as they are while the buffer lives, if it can; otherwise they are copied.
    Shared,
}

/// An array in memory of the host.
#[derive(Clone, Copy, Debug)]
pub struct HostArray<'a> {
    /// Its bytes, from the first element on. Types of less than a byte take a byte each.
    pub data: &'a [u8],
    /// The type of its elements.
    pub element_type: ElementType,
    /// Sizes from the outermost dimension to the innermost; empty for a scalar.
    pub dims: &'a [i64],
    /// How many bytes lie between neighbours of each dimension; none if it is dense, in row-major
    /// order. Not negative.
    pub strides: Option<&'a [i64]>,
}

impl<'a> HostArray<'a> {
    /// A dense array of elements in row-major order.
    pub fn dense<T: Element>(data: &'a [T], dims: &'a [i64]) -> Self {
        Self { data: as_bytes(data), element_type: T::TYPE, dims, strides: None }
    }

    fn checked(self) -> Result<Array<'a>, Error> {
        let Self { data, element_type, dims, strides } = self;
        let wanted = host_bytes(element_type, dims, strides)?;
        if data.len() < wanted {
            return Err(Error::TooShort { wanted, given: data.len() });
        }
        Ok(Array { data, element_type, dims, strides, order: None })
    }
}

/// Where a new buffer goes.
#[derive(Clone, Copy, Debug)]
pub enum BufferPlace<'a> {
    /// Into the default memory of a device.
    Device(&'a Device),
    /// Into this memory space of a device.
    Memory(&'a Memory),
}

impl<'a> From<&'a Device> for BufferPlace<'a> {
    fn from(device: &'a Device) -> Self {
        Self::Device(device)
    }
}

impl<'a> From<&'a Memory> for BufferPlace<'a> {
    fn from(memory: &'a Memory) -> Self {
        Self::Memory(memory)
    }
}

impl<'a> BufferPlace<'a> {
    pub(crate) fn raw(self) -> host_data::RawPlace<'a> {
        match self {
            Self::Device(device) => host_data::RawPlace::Device(&device.raw),
            Self::Memory(memory) => host_data::RawPlace::Memory(&memory.raw),
        }
    }
}

impl Client {
    pub(crate) fn create(plugin: Plugin, options: &[Attribute]) -> Result<Self, Error> {
        let root = client::create(plugin.api(), options)?;
        Ok(Self { plugin, raw: root.handle() })
    }

    pub(crate) fn raw(&self) -> &Handle<PJRT_Client> {
        &self.raw
    }

    /// The plug-in that it is a client of.
    pub fn plugin(&self) -> Plugin {
        self.plugin
    }

    /// The name of the platform: `cpu`, `cuda`.
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn platform_name(&self) -> Result<String, Error> {
        client::platform_name(&self.raw).map_err(Into::into)
    }

    /// The version of the platform, as a text for people.
    pub fn platform_version(&self) -> Result<String, Error> {
        client::platform_version(&self.raw).map_err(Into::into)
    }

    /// Which process of the job this is.
    pub fn process_index(&self) -> Result<i32, Error> {
        client::process_index(&self.raw).map_err(Into::into)
    }

    /// All devices of the job, those of other processes too.
    pub fn devices(&self) -> Result<Vec<Device>, Error> {
        Ok(client::devices(&self.raw)?.into_iter().map(Device::new).collect())
    }

    /// The devices that this process can use.
    pub fn addressable_devices(&self) -> Result<Vec<Device>, Error> {
        Ok(client::addressable_devices(&self.raw)?.into_iter().map(Device::new).collect())
    }

    /// The device with a number that is unique in the job.
    pub fn device(&self, id: i32) -> Result<Device, Error> {
        client::lookup_device(&self.raw, id).map(Device::new)
    }

    /// The usable device with a local hardware number.
    pub fn addressable_device(&self, local_hardware_id: i32) -> Result<Device, Error> {
        client::lookup_addressable_device(&self.raw, local_hardware_id).map(Device::new)
    }

    /// The memories that this process can use.
    pub fn memories(&self) -> Result<Vec<Memory>, Error> {
        Ok(client::addressable_memories(&self.raw)?.into_iter().map(Memory::new).collect())
    }

    /// Which device runs which replica and partition unless told otherwise: one list per replica of
    /// the numbers of its devices, partition by partition.
    pub fn default_device_assignment(
        &self,
        replicas: i32,
        partitions: i32,
    ) -> Result<Vec<Vec<i32>>, Error> {
        let ids = client::default_device_assignment(&self.raw, replicas, partitions)?;
        let width = usize::try_from(partitions).unwrap_or(1).max(1);
        Ok(ids.chunks(width).map(<[i32]>::to_vec).collect())
    }

    /// The topology of its devices. Since 0.36.
    pub fn topology(&self) -> Result<Topology, Error> {
        Ok(Topology::of_client(client::topology(&self.raw)?))
    }

    /// A buffer with a copy of the array, which is made before this returns.
    ///
    /// # Errors
    /// If the data do not fit their shape, the place is of another client, or the plug-in refuses.
    pub fn buffer<'a>(
        &self,
        array: HostArray<'_>,
        place: impl Into<BufferPlace<'a>>,
    ) -> Result<Buffer, Error> {
        host_data::from_slice(&self.raw, array.checked()?, place.into().raw()).map(Buffer::new)
    }

    /// A buffer whose axes lie on the device in this order, the fastest first; else as [`Client::buffer`].
    ///
    /// A plug-in may lay it out otherwise all the same: [`Buffer::minor_to_major`] says how.
    ///
    /// # Errors
    /// As [`Client::buffer`]; and if the order does not name every axis once.
    pub fn buffer_in_order<'a>(
        &self,
        array: HostArray<'_>,
        minor_to_major: &[i64],
        place: impl Into<BufferPlace<'a>>,
    ) -> Result<Buffer, Error> {
        let array = host_data::Array { order: Some(minor_to_major), ..array.checked()? };
        host_data::from_slice(&self.raw, array, place.into().raw()).map(Buffer::new)
    }

    /// A buffer of a dense array of elements, as [`Client::buffer`].
    ///
    /// # Errors
    /// As [`Client::buffer`]; and [`Error::OtherCount`] if there are more or fewer elements than the
    /// dimensions say.
    pub fn buffer_of<'a, T: Element>(
        &self,
        data: &[T],
        dims: &[i64],
        place: impl Into<BufferPlace<'a>>,
    ) -> Result<Buffer, Error> {
        let wanted = host_bytes(T::TYPE, dims, None)?;
        let given = std::mem::size_of_val(data);
        if wanted != given {
            let width = size_of::<T>().max(1);
            return Err(Error::OtherCount { wanted: wanted / width, given: data.len() });
        }
        self.buffer(HostArray::dense(data, dims), place)
    }

    /// A buffer of data that the plug-in takes its time to copy, or uses as they are: [`HostData`] says which.
    /// `owner` is dropped once it is done with them, by a
    /// thread of the plug-in. The data must not change as long as the owner is there.
    ///
    /// # Errors
    /// As [`Client::buffer`].
    pub fn buffer_from_owner<'a, T: AsRef<[u8]> + Send + 'static>(
        &self,
        owner: T,
        (element_type, dims): (ElementType, &[i64]),
        place: impl Into<BufferPlace<'a>>,
        host_data: HostData,
    ) -> Result<Buffer, Error> {
        let semantics = match host_data {
            HostData::Shared => PJRT_HostBufferSemantics::kImmutableZeroCopy,
            HostData::Copied => PJRT_HostBufferSemantics::kImmutableUntilTransferCompletes,
        };
        let shape = (element_type, dims);
        host_data::from_owner(&self.raw, owner, shape, place.into().raw(), semantics)
            .map(Buffer::new)
    }

    /// A buffer whose contents are undefined until something writes them. Since 0.69.
    pub fn uninitialized_buffer(
        &self,
        element_type: ElementType,
        dims: &[i64],
        memory: &Memory,
    ) -> Result<Buffer, Error> {
        host_bytes(element_type, dims, None)?;
        buffer::uninitialized(&self.raw, element_type, dims, &memory.raw).map(Buffer::new)
    }

    /// A buffer that holds an error in place of contents, which every use of it yields. Since 0.82.
    pub fn error_buffer<'a>(
        &self,
        failure: impl Into<HostFailure<'a>>,
        element_type: ElementType,
        dims: &[i64],
        memory: &Memory,
    ) -> Result<Buffer, Error> {
        host_bytes(element_type, dims, None)?;
        buffer::of_error(&self.raw, &failure.into(), element_type, dims, &memory.raw)
            .map(Buffer::new)
    }

    /// Compiles a program and loads it. `options` are [`CompileOptions`](crate::convert::compile_options::CompileOptions),
    /// or a serialized `CompileOptionsProto` from elsewhere.
    ///
    /// # Errors
    /// If the plug-in refuses the program; the message is the compiler's.
    pub fn compile<'o>(
        &self,
        program: PjrtProgram<'_>,
        options: impl Into<SerializedOptions<'o>>,
    ) -> Result<LoadedExecutable, Error> {
        let PjrtProgram { code, format } = program;
        LoadedExecutable::new(compile::compile(&self.raw, (code, format), &options.into().0)?)
    }

    /// Compiles a program for a topology, without loading it.
    ///
    /// # Errors
    /// If the plug-in refuses the program.
    pub fn compile_for(
        &self,
        topology: &Topology,
        program: PjrtProgram<'_>,
        options: &[u8],
    ) -> Result<Executable, Error> {
        let PjrtProgram { code, format } = program;
        let made = compile::compile_for(
            topology.raw(),
            (code, format),
            options,
            Some(&self.raw),
            topology.keep(),
        )?;
        Ok(Executable::new(made))
    }

    /// Loads an executable that was compiled for a topology. Since 0.95.
    pub fn load(&self, executable: &Executable, options: &[u8]) -> Result<LoadedExecutable, Error> {
        LoadedExecutable::new(compile::load(&self.raw, executable.raw(), options)?)
    }

    /// Loads a serialized executable; with `options`, these replace those that it was compiled with
    /// (since 0.71).
    ///
    /// A serialized executable fits the build of the plug-in that made it. Others may refuse it, and
    /// some compute garbage without saying so: [`stamp`](crate::convert::stamp) tells them apart.
    ///
    /// # Errors
    /// If the plug-in refuses the bytes.
    pub fn deserialize(
        &self,
        bytes: &[u8],
        options: Option<&[u8]>,
    ) -> Result<LoadedExecutable, Error> {
        LoadedExecutable::new(compile::deserialize(&self.raw, bytes, options)?)
    }
}
