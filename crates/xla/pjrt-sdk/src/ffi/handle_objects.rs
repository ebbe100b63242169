//! The objects behind the handles.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use unskew_pjrt::sys::Record;
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::{Attribute, PjrtValue};

use super::Exported;
use super::memory_object::MemoryObject;
use crate::event::Happening;
use crate::{Assignment, Device, Error, Program, Shape, SharedStorage};

/// What is constant, and may be seen by every thread in spite of its pointers.
pub(crate) struct Shared<T>(pub(crate) T);

// SAFETY: nobody changes what is in it, and its pointers lead to what is as constant.
unsafe impl<T> Sync for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Shared<T> {}

/// Attributes as C has them.
pub(crate) struct NamedValues {
    /// What the values point into.
    _kept: Vec<Attribute>,
    values: Shared<Box<[PJRT_NamedValue]>>,
}

impl NamedValues {
    pub(crate) fn new(attributes: Vec<Attribute>) -> Self {
        let values = attributes.iter().map(named).collect();
        Self { _kept: attributes, values: Shared(values) }
    }

    pub(crate) fn list(&self) -> (*const PJRT_NamedValue, usize) {
        (self.values.0.as_ptr(), self.values.0.len())
    }
}

fn named(attribute: &Attribute) -> PJRT_NamedValue {
    let mut named = PJRT_NamedValue::zeroed();
    named.struct_size = size_of::<PJRT_NamedValue>();
    named.name = attribute.name.as_ptr();
    named.name_size = attribute.name.len();
    named.value_size = 1;
    match &attribute.value {
        PjrtValue::Text(text) => {
            named.r#type = PJRT_NamedValue_Type::kString;
            named.value.string_value = text.as_ptr();
            named.value_size = text.len();
        }
        PjrtValue::Number(number) => {
            named.r#type = PJRT_NamedValue_Type::kInt64;
            named.value.int64_value = *number;
        }
        PjrtValue::Numbers(numbers) => {
            named.r#type = PJRT_NamedValue_Type::kInt64List;
            named.value.int64_array_value = numbers.as_ptr();
            named.value_size = numbers.len();
        }
        PjrtValue::Float(float) => {
            named.r#type = PJRT_NamedValue_Type::kFloat;
            named.value.float_value = *float;
        }
        PjrtValue::Bool(yes) => {
            named.r#type = PJRT_NamedValue_Type::kBool;
            named.value.bool_value = u8::from(*yes);
        }
        PjrtValue::Unknown(kind) => {
            named.r#type = PJRT_NamedValue_Type(*kind);
            named.value_size = 0;
        }
    }
    named
}

/// A client: its devices and memories have fixed addresses.
pub(crate) struct ClientState {
    pub(crate) devices: Arc<[DeviceState]>,
    pub(crate) memories: Arc<[MemoryObject]>,
    pub(crate) device_handles: Shared<Box<[*mut PJRT_Device]>>,
    pub(crate) description_handles: Shared<Box<[*mut PJRT_DeviceDescription]>>,
    pub(crate) memory_handles: Shared<Box<[*mut PJRT_Memory]>>,
    pub(crate) topology: NamedValues,
}

/// A handle for each object. It is an address within the whole list, which stays where it is while its owners
/// move, so that it may become a reference to the object again.
fn handles<T, H>(objects: &Arc<[T]>) -> Box<[*mut H]> {
    let first = Arc::as_ptr(objects).cast::<T>();
    (0..objects.len()).map(|i| first.wrapping_add(i).cast_mut().cast()).collect()
}

/// A device. It is its own description too.
pub(crate) struct DeviceState {
    pub(crate) device: Device,
    pub(crate) text: String,
    pub(crate) attributes: NamedValues,
    pub(crate) memory: Shared<*mut PJRT_Memory>,
}

impl ClientState {
    pub(crate) fn new(plugin: &'static Exported) -> Result<Arc<Self>, Error> {
        let devices = plugin.platform.devices()?;
        let number = |i: usize| i32::try_from(i).unwrap_or(i32::MAX);
        let memories = devices.iter().enumerate();
        let memories: Arc<[MemoryObject]> =
            memories.map(|(i, d)| MemoryObject::new(number(i), d.memory.clone(), i)).collect();
        let memory_handles: Box<[*mut PJRT_Memory]> = handles(&memories);
        let state = |(device, memory): (Device, &*mut PJRT_Memory)| DeviceState {
            text: format!("{}:{}", plugin.name, device.id),
            attributes: NamedValues::new(device.attributes.clone()),
            memory: Shared(*memory),
            device,
        };
        let devices: Arc<[DeviceState]> =
            devices.into_iter().zip(&memory_handles).map(state).collect();
        let device_handles: Box<[*mut PJRT_Device]> = handles(&devices);
        for (memory, device) in memories.iter().zip(&device_handles) {
            memory.belongs_to(*device);
        }
        let topology = NamedValues::new(plugin.platform.topology());
        Ok(Arc::new(Self {
            memories,
            description_handles: Shared(handles(&devices)),
            devices,
            device_handles: Shared(device_handles),
            topology,
            memory_handles: Shared(memory_handles),
        }))
    }

    /// The first device, on which programs run if nothing else is said.
    pub(crate) fn first(&self) -> Result<Assignment, Error> {
        let first = self.devices.first().map(|_| Assignment::one(0));
        first.ok_or_else(|| Error::invalid("there is no device"))
    }

    /// The place of a device of this client; none if it is of another.
    pub(crate) fn place(&self, device: *mut PJRT_Device) -> Option<usize> {
        self.device_handles.0.iter().position(|own| *own == device)
    }
}

pub(crate) struct BufferState {
    pub(crate) client: Arc<ClientState>,
    pub(crate) device: usize,
    pub(crate) shape: Shape,
    pub(crate) minor_to_major: Vec<i64>,
    /// None once it is deleted or donated.
    pub(crate) stored: Mutex<Option<SharedStorage>>,
    /// When its contents are there.
    pub(crate) ready: Arc<Happening>,
}

impl BufferState {
    pub(crate) fn new(
        client: Arc<ClientState>,
        device: usize,
        shape: Shape,
        stored: SharedStorage,
        ready: Arc<Happening>,
    ) -> Self {
        let minor_to_major = (0..shape.dims.len() as i64).rev().collect();
        let stored = Mutex::new(Some(stored));
        Self { client, device, shape, minor_to_major, stored, ready }
    }

    pub(crate) fn stored(&self) -> Result<SharedStorage, Error> {
        let stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        stored.clone().ok_or_else(|| Error::invalid("the buffer was deleted or donated"))
    }
}

/// A compiled program with what hosts ask about it, laid out for C.
pub(crate) struct ExecutableState {
    pub(crate) program: Arc<dyn Program>,
    pub(crate) name: String,
    pub(crate) fingerprint: String,
    pub(crate) replicas: usize,
    pub(crate) partitions: usize,
    pub(crate) outputs: Vec<Shape>,
    pub(crate) types: Vec<PJRT_Buffer_Type>,
    pub(crate) dims: Vec<i64>,
    pub(crate) ranks: Vec<usize>,
    pub(crate) costs: OnceLock<NamedValues>,
    kinds: Vec<String>,
    pub(crate) kind_texts: Shared<Vec<*const u8>>,
    pub(crate) kind_sizes: Vec<usize>,
}

impl ExecutableState {
    fn new(program: Arc<dyn Program>, memory_kind: &str, assignment: &Assignment) -> Arc<Self> {
        let outputs = program.outputs();
        let kinds = vec![memory_kind.to_owned(); outputs.len()];
        let mut state = Self {
            name: program.name().to_owned(),
            fingerprint: program.fingerprint(),
            replicas: assignment.replicas,
            partitions: assignment.partitions,
            types: outputs.iter().map(|shape| shape.element_type).collect(),
            dims: outputs.iter().flat_map(|shape| shape.dims.iter().copied()).collect(),
            ranks: outputs.iter().map(|shape| shape.dims.len()).collect(),
            kind_sizes: kinds.iter().map(String::len).collect(),
            kind_texts: Shared(Vec::new()),
            costs: OnceLock::new(),
            kinds,
            outputs,
            program,
        };
        state.kind_texts = Shared(state.kinds.iter().map(|kind| kind.as_ptr()).collect());
        Arc::new(state)
    }
}

pub(crate) struct LoadedState {
    pub(crate) client: Arc<ClientState>,
    pub(crate) executable: Arc<ExecutableState>,
    /// The places of its devices, replica by replica.
    pub(crate) assignment: Assignment,
    pub(crate) devices: Shared<Box<[*mut PJRT_Device]>>,
    pub(crate) logical_ids: Box<[PJRT_LogicalDeviceIds]>,
    pub(crate) deleted: AtomicBool,
}

impl LoadedState {
    pub(crate) fn new(
        client: Arc<ClientState>,
        program: Arc<dyn Program>,
        assignment: Assignment,
    ) -> Result<Self, Error> {
        let handle = |place: &usize| {
            let device = client.device_handles.0.get(*place).copied();
            device.ok_or_else(|| Error::invalid(format!("no device at place {place}")))
        };
        let devices = assignment.devices.iter().map(handle).collect::<Result<_, Error>>()?;
        let logical = |at: usize| PJRT_LogicalDeviceIds {
            replica: i32::try_from(at / assignment.partitions.max(1)).unwrap_or(i32::MAX),
            partition: i32::try_from(at % assignment.partitions.max(1)).unwrap_or(i32::MAX),
        };
        let first = assignment.devices.first().and_then(|place| client.memories.get(*place));
        let kind = first.map_or("device", |memory| &memory.kind);
        Ok(Self {
            executable: ExecutableState::new(program, kind, &assignment),
            devices: Shared(devices),
            logical_ids: (0..assignment.devices.len()).map(logical).collect(),
            deleted: AtomicBool::new(false),
            assignment,
            client,
        })
    }
}
