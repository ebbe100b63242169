//! Platform: what the author of a plug-in implements.

use std::any::Any;
use std::sync::Arc;

use unskew_pjrt::{Attribute, ElementType};

use crate::{Compile, Error, Launch, Launched, MemoryUse};

/// A type and dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The type of the elements.
    pub element_type: ElementType,
    /// The dimensions; none for a scalar.
    pub dims: Vec<i64>,
}

impl Shape {
    /// How many elements there are; none if that overflows or a dimension is negative.
    pub fn count(&self) -> Option<usize> {
        let dims = self.dims.iter().map(|dim| usize::try_from(*dim).ok());
        dims.into_iter().try_fold(1_usize, |count, dim| count.checked_mul(dim?))
    }

    /// How many bytes the elements take in memory of the host, dense; none if that overflows.
    pub fn host_bytes(&self) -> Option<usize> {
        self.count()?.checked_mul(self.element_type.host_bytes()?)
    }
}

/// The contents of a buffer, wherever they are.
pub trait Storage: Send + Sync + 'static {
    /// A copy of the elements in memory of the host: dense, in row-major order.
    ///
    /// # Errors
    /// [`Error`]: the contents are not to be had.
    fn to_host(&self) -> Result<Vec<u8>, Error>;

    /// Where the contents are, in the address space of the device, for hosts that hand this to other
    /// libraries (DLPack, `unsafe_buffer_pointer` of JAX). None, unless said otherwise: hosts that ask are
    /// told that this is not implemented.
    fn address(&self) -> Option<usize> {
        None
    }

    /// How many bytes they take on the device.
    fn device_bytes(&self) -> usize;

    /// The storage as its own type, for the programs of the same plug-in.
    fn as_any(&self) -> &dyn Any;
}

/// The contents of a buffer, shared by all that use them.
pub type SharedStorage = Arc<dyn Storage>;

/// A device, as hosts see it.
#[derive(Clone, Debug)]
pub struct Device {
    /// The id by which programs name it.
    pub id: i32,
    /// Its model, the same for devices of one kind.
    pub kind: String,
    /// The kind of its memory: `device`.
    pub memory: String,
    /// What else is to be said of it.
    pub attributes: Vec<Attribute>,
}

/// What the plug-in does with hosts that are older than the version that it presents. The document
/// *PJRT C API versioning* leaves it to the plug-in: to behave as the older version, or to refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OlderHosts {
    /// Behave as the older version: what a host does not send is zero, what it does not know it does
    /// not get.
    #[default]
    Serve,
    /// Refuse hosts that are surely older than this minor. A plug-in does not see a host's version, only
    /// the sizes of what it sends. The arguments of `PJRT_Client_Create` tell hosts before 0.61, which
    /// get no client; the options of an execution tell those before 0.46, 0.64, 0.76, 0.78, 0.97, 0.108
    /// and 0.112, which get no results. So `RefuseBelow(76)` refuses a host of 0.60 at once and one of
    /// 0.70 when it executes, and `RefuseBelow(80)` serves one of 0.78, which cannot be told from one of
    /// 0.96.
    RefuseBelow(i32),
}

/// A plug-in: a platform with devices that run programs.
pub trait Platform: Send + Sync + 'static {
    /// The name of the platform: `toy`.
    fn name(&self) -> &str;

    /// Its version, for people.
    fn version(&self) -> &str;

    /// What the plug-in says of itself: `stablehlo_current_version` and the like.
    fn attributes(&self) -> Vec<Attribute> {
        Vec::new()
    }

    /// What it does with older hosts.
    fn older_hosts(&self) -> OlderHosts {
        OlderHosts::Serve
    }

    /// Its devices; asked once for each client.
    ///
    /// # Errors
    /// [`Error`]: there are none, or they do not answer.
    fn devices(&self) -> Result<Vec<Device>, Error>;

    /// Copies elements to a device: dense, in row-major order, as many bytes as the shape takes.
    ///
    /// # Errors
    /// [`Error`]: a type that the platform does not have, no memory.
    fn put(&self, device: usize, shape: &Shape, bytes: Vec<u8>) -> Result<SharedStorage, Error>;

    /// Compiles a program.
    ///
    /// # Errors
    /// [`Error`]: not a program, or one with something that the platform does not do.
    fn compile(&self, wanted: &Compile<'_>) -> Result<Arc<dyn Program>, Error>;

    /// Loads what [`Program::serialize`] gave.
    ///
    /// # Errors
    /// [`Error`]: of another build, damaged, or nothing that the platform does.
    fn deserialize(&self, bytes: &[u8]) -> Result<Arc<dyn Program>, Error> {
        let _ = bytes;
        Err(Error::unimplemented("this platform does not serialize programs"))
    }

    /// The attributes of the topology of its devices; those of the plug-in, unless said otherwise.
    fn topology(&self) -> Vec<Attribute> {
        self.attributes()
    }
}

/// A program that was compiled and can be run.
pub trait Program: Send + Sync + 'static {
    /// The name of the program, for people.
    fn name(&self) -> &str;

    /// The shapes of what it yields, in their order.
    fn outputs(&self) -> Vec<Shape>;

    /// A text that tells programs apart.
    fn fingerprint(&self) -> String;

    /// Runs it on a device.
    ///
    /// # Errors
    /// [`Error`]: wrong arguments, or what went wrong.
    fn run(
        &self,
        device: usize,
        arguments: &[(&Shape, &SharedStorage)],
    ) -> Result<Vec<SharedStorage>, Error>;

    /// Begins to run it on some of its devices; gives what each launch yields, in their order. What is
    /// here calls [`run`](Self::run) for one launch after the other, which is right for replicas that do
    /// not talk to each other. Implement it for programs of which the parts work together, or to go on
    /// after the call: see [`Event::pending`](crate::Event::pending).
    ///
    /// # Errors
    /// [`Error`]: wrong arguments, or what went wrong before anything was begun.
    fn launch(&self, launches: &[Launch<'_>]) -> Result<Vec<Launched>, Error> {
        let run = |launch: &Launch<'_>| self.run(launch.device, &launch.arguments);
        launches.iter().map(|launch| run(launch).map(Launched::now)).collect()
    }

    /// The places of the arguments whose contents it takes over: their buffers are gone afterwards,
    /// unless a host wants to keep them.
    fn donated(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The program as bytes that this build loads again.
    ///
    /// # Errors
    /// [`Error`]: the platform does not do this.
    fn serialize(&self) -> Result<Vec<u8>, Error> {
        Err(Error::unimplemented("this platform does not serialize programs"))
    }

    /// What a run costs, by names of the author's choice; XLA says `flops` and `bytes accessed`.
    ///
    /// # Errors
    /// [`Error`]: the platform does not do this.
    fn cost_analysis(&self) -> Result<Vec<Attribute>, Error> {
        Err(Error::unimplemented("this platform does not analyze costs"))
    }

    /// How much memory it takes.
    ///
    /// # Errors
    /// [`Error`]: the platform does not do this.
    fn memory_use(&self) -> Result<MemoryUse, Error> {
        Err(Error::unimplemented("this platform does not analyze the use of memory"))
    }

    /// The program as it runs, for people: its format (`mlir`) and its code.
    ///
    /// # Errors
    /// [`Error`]: the platform does not do this.
    fn optimized(&self) -> Result<(String, Vec<u8>), Error> {
        Err(Error::unimplemented("this platform does not show its programs"))
    }
}
