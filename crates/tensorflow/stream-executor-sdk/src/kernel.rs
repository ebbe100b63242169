//! Kernel trait, which an author implements for an operation.

use std::marker::PhantomData;

use crate::ffi::Registration;
use crate::{Construction, Context, DataType, Device, Error, Host};

/// An operation on a device. One is made for every node of a graph; hosts may compute with it from several
/// threads at once.
pub trait Kernel<D: Device>: Sized + Send + Sync + 'static {
    /// Reads the attributes of the operation.
    ///
    /// # Errors
    /// If an attribute has a value that the kernel has no code for.
    fn new(construction: &Construction<'_>) -> Result<Self, Error>;

    /// Computes: reads inputs, makes outputs.
    ///
    /// # Errors
    /// If it cannot. The user sees the text.
    fn compute(&self, context: &Context<'_, D>) -> Result<(), Error>;
}

/// Which uses of an operation a kernel is for.
///
/// ```
/// use unskew_stream_executor_sdk::{DataType, KernelDef};
///
/// let def = KernelDef::new("Sum")
///     .data_type("T", DataType::FLOAT)
///     .data_type("Tidx", DataType::INT32)
///     .host_memory("reduction_indices");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelDef {
    pub(crate) operation: String,
    pub(crate) types: Vec<(String, DataType)>,
    pub(crate) host_memory: Vec<String>,
    pub(crate) priority: Option<i32>,
}

impl KernelDef {
    /// Every use of an operation.
    pub fn new(operation: impl Into<String>) -> Self {
        let (types, host_memory) = (Vec::new(), Vec::new());
        Self { operation: operation.into(), types, host_memory, priority: None }
    }

    /// Only where an attribute is this type.
    #[must_use]
    pub fn data_type(mut self, attribute: impl Into<String>, data_type: DataType) -> Self {
        self.types.push((attribute.into(), data_type));
        self
    }

    /// An input or output that lies in host memory: handles of variables, shapes, indices.
    #[must_use]
    pub fn host_memory(mut self, argument: impl Into<String>) -> Self {
        self.host_memory.push(argument.into());
        self
    }

    /// Which of several kernels for the same use wins: the one of the higher number.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = Some(priority);
        self
    }
}

/// Where kernels are registered.
pub struct Kernels<D> {
    device_type: String,
    host: Option<Host>,
    device: PhantomData<D>,
}

impl<D: Device> Kernels<D> {
    pub(crate) fn new(device_type: String, host: Option<Host>) -> Self {
        Self { device_type, host, device: PhantomData }
    }

    /// The host, if it has registered the platform before. What it is decides which kernels it needs.
    pub fn host(&self) -> Option<&Host> {
        self.host.as_ref()
    }

    /// Whether the host lets plug-ins have variables on their devices: [`Context::assign_variable`] and its
    /// like work. Releases from 2.6 to 2.18 do.
    pub fn variables(&self) -> bool {
        crate::ffi::variables_served()
    }

    /// Registers a kernel.
    ///
    /// # Errors
    /// What the host says.
    pub fn register<K: Kernel<D>>(&mut self, def: &KernelDef) -> Result<(), Error> {
        Registration::for_kernel::<D, K>().register(&self.device_type, def).map_err(|error| {
            Error::new(error.code, format!("{}: {}", def.operation, error.message))
        })
    }
}
