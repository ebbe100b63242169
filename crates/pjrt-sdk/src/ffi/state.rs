//! The objects behind the handles.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use unskew_pjrt::sys::Record;
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::{Attribute, Value};

use super::Exported;
use super::memory_object::MemoryObject;
use crate::{Device, Error, Program, Shape, Stored};

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
        Value::Text(text) => {
            named.r#type = PJRT_NamedValue_Type::kString;
            named.value.string_value = text.as_ptr();
            named.value_size = text.len();
        }
        Value::Number(number) => {
            named.r#type = PJRT_NamedValue_Type::kInt64;
            named.value.int64_value = *number;
        }
        Value::Numbers(numbers) => {
            named.r#type = PJRT_NamedValue_Type::kInt64List;
            named.value.int64_array_value = numbers.as_ptr();
            named.value_size = numbers.len();
        }
        Value::Float(float) => {
            named.r#type = PJRT_NamedValue_Type::kFloat;
            named.value.float_value = *float;
        }
        Value::Bool(yes) => {
            named.r#type = PJRT_NamedValue_Type::kBool;
            named.value.bool_value = u8::from(*yes);
        }
        Value::Unknown(kind) => {
            named.r#type = PJRT_NamedValue_Type(*kind);
            named.value_size = 0;
        }
    }
    named
}

/// A client: its devices and memories have fixed addresses.
pub(crate) struct ClientState {
    pub(crate) devices: Box<[DeviceState]>,
    pub(crate) memories: Box<[MemoryObject]>,
    pub(crate) device_handles: Shared<Box<[*mut PJRT_Device]>>,
    pub(crate) description_handles: Shared<Box<[*mut PJRT_DeviceDescription]>>,
    pub(crate) memory_handles: Shared<Box<[*mut PJRT_Memory]>>,
}

/// A device. It is its own description too.
pub(crate) struct DeviceState {
    pub(crate) device: Device,
    pub(crate) text: String,
    pub(crate) attributes: NamedValues,
    pub(crate) memory: Shared<*mut PJRT_Memory>,
    pub(crate) own: Shared<*mut PJRT_Device>,
}

impl ClientState {
    pub(crate) fn new(plugin: &'static Exported) -> Result<Arc<Self>, Error> {
        let devices = plugin.platform.devices()?;
        let number = |i: usize| i32::try_from(i).unwrap_or(i32::MAX);
        let memories = devices.iter().enumerate();
        let memories: Box<[MemoryObject]> =
            memories.map(|(i, d)| MemoryObject::new(number(i), d.memory.clone(), i)).collect();
        let state = |(i, device): (usize, Device)| DeviceState {
            text: format!("{}:{}", plugin.platform.name(), device.id),
            attributes: NamedValues::new(device.attributes.clone()),
            memory: Shared(memories[i].raw()),
            own: Shared(std::ptr::null_mut()),
            device,
        };
        let mut devices: Box<[DeviceState]> = devices.into_iter().enumerate().map(state).collect();
        for device in &mut devices {
            device.own = Shared((&raw mut *device).cast());
        }
        for (memory, device) in memories.iter().zip(&devices) {
            memory.belongs_to(device.own.0);
        }
        let handles = devices.iter().map(|device| device.own.0).collect();
        let descriptions = devices.iter().map(|device| device.own.0.cast()).collect();
        let memory_handles = memories.iter().map(MemoryObject::raw).collect();
        Ok(Arc::new(Self {
            devices,
            memories,
            device_handles: Shared(handles),
            description_handles: Shared(descriptions),
            memory_handles: Shared(memory_handles),
        }))
    }

    /// The place of a device of this client; none if it is of another.
    pub(crate) fn place(&self, device: *mut PJRT_Device) -> Option<usize> {
        self.device_handles.0.iter().position(|own| *own == device)
    }
}

/// A buffer.
pub(crate) struct BufferState {
    pub(crate) client: Arc<ClientState>,
    pub(crate) device: usize,
    pub(crate) shape: Shape,
    pub(crate) minor_to_major: Vec<i64>,
    /// None once it is deleted or donated.
    pub(crate) stored: Mutex<Option<Stored>>,
}

impl BufferState {
    pub(crate) fn new(
        client: Arc<ClientState>,
        device: usize,
        shape: Shape,
        stored: Stored,
    ) -> Self {
        let minor_to_major = (0..shape.dims.len() as i64).rev().collect();
        Self { client, device, shape, minor_to_major, stored: Mutex::new(Some(stored)) }
    }

    pub(crate) fn stored(&self) -> Result<Stored, Error> {
        let stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        stored.clone().ok_or_else(|| Error::invalid("the buffer was deleted or donated"))
    }
}

/// A compiled program with what hosts ask about it, laid out for C.
pub(crate) struct ExecutableState {
    pub(crate) program: Arc<dyn Program>,
    pub(crate) name: String,
    pub(crate) fingerprint: String,
    pub(crate) outputs: Vec<Shape>,
    pub(crate) types: Vec<PJRT_Buffer_Type>,
    pub(crate) dims: Vec<i64>,
    pub(crate) ranks: Vec<usize>,
    kinds: Vec<String>,
    pub(crate) kind_texts: Shared<Vec<*const u8>>,
    pub(crate) kind_sizes: Vec<usize>,
}

impl ExecutableState {
    pub(crate) fn new(program: Arc<dyn Program>, memory_kind: &str) -> Arc<Self> {
        let outputs = program.outputs();
        let kinds = vec![memory_kind.to_owned(); outputs.len()];
        let mut state = Self {
            name: program.name().to_owned(),
            fingerprint: program.fingerprint(),
            types: outputs.iter().map(|shape| shape.element_type).collect(),
            dims: outputs.iter().flat_map(|shape| shape.dims.iter().copied()).collect(),
            ranks: outputs.iter().map(|shape| shape.dims.len()).collect(),
            kind_sizes: kinds.iter().map(String::len).collect(),
            kind_texts: Shared(Vec::new()),
            kinds,
            outputs,
            program,
        };
        state.kind_texts = Shared(state.kinds.iter().map(|kind| kind.as_ptr()).collect());
        Arc::new(state)
    }
}

/// A program that is loaded on a device.
pub(crate) struct LoadedState {
    pub(crate) client: Arc<ClientState>,
    pub(crate) executable: Arc<ExecutableState>,
    /// The place of its device.
    pub(crate) device: usize,
    pub(crate) logical_ids: [PJRT_LogicalDeviceIds; 1],
    pub(crate) deleted: AtomicBool,
}

/// Something that will have happened.
#[derive(Default)]
pub(crate) struct EventState {
    happened: Mutex<Happened>,
    changed: Condvar,
}

#[derive(Default)]
struct Happened {
    result: Option<Result<(), Error>>,
    waiting: Vec<Waiting>,
}

type Waiting = Box<dyn FnOnce(Result<(), Error>) + Send>;

impl EventState {
    /// An event that has happened.
    pub(crate) fn done(result: Result<(), Error>) -> Arc<Self> {
        let event = Arc::new(Self::default());
        event.set(result);
        event
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Happened> {
        self.happened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that it has happened; what it says first counts.
    pub(crate) fn set(&self, result: Result<(), Error>) {
        let mut happened = self.lock();
        if happened.result.is_some() {
            return;
        }
        happened.result = Some(result.clone());
        let waiting = std::mem::take(&mut happened.waiting);
        drop(happened);
        self.changed.notify_all();
        waiting.into_iter().for_each(|waiting| waiting(result.clone()));
    }

    /// What has happened; none if it has not.
    pub(crate) fn result(&self) -> Option<Result<(), Error>> {
        self.lock().result.clone()
    }

    /// Blocks until it has happened.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        let mut happened = self.lock();
        loop {
            if let Some(result) = &happened.result {
                return result.clone();
            }
            happened = self.changed.wait(happened).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Calls `then` once it has happened: at once, if it has.
    pub(crate) fn then(&self, then: Waiting) {
        let mut happened = self.lock();
        match happened.result.clone() {
            Some(result) => {
                drop(happened);
                then(result);
            }
            None => happened.waiting.push(then),
        }
    }
}
