//! Device trait, which an author implements: memory, streams, events, timers.

use std::ffi::c_void;

use crate::Error;
pub use crate::ffi::Callback;

/// A device. Hosts call from several threads at once.
///
/// Addresses of host memory are the host's promise: as many bytes are there until the copy is done, which for
/// [`Order::On`] is when the stream gets there.
pub trait Device: Sized + Send + Sync + 'static {
    /// Work that is done in order.
    type Stream: Send + Sync + 'static;
    /// A point in a stream that others wait for.
    type Event: Send + Sync + 'static;
    /// A clock that a stream starts and stops.
    type Timer: Timer;

    /// What the device says of itself.
    fn description(&self) -> Description;

    /// Takes memory. None if there is not so much.
    fn allocate(&self, bytes: u64, space: i64) -> Option<Memory>;

    /// Gives back memory that [`Device::allocate`] gave out.
    fn deallocate(&self, memory: Memory);

    /// Takes host memory that the device reaches quickly. Unless the device has such, it is ordinary memory,
    /// aligned to 64 bytes.
    fn allocate_host(&self, bytes: u64) -> Option<*mut c_void> {
        crate::ffi::allocate_host(bytes)
    }

    /// Gives back memory that [`Device::allocate_host`] gave out.
    fn deallocate_host(&self, memory: *mut c_void) {
        crate::ffi::deallocate_host(memory);
    }

    /// Takes memory of both, if [`crate::Platform::unified_memory`] says that there is such.
    fn allocate_unified(&self, bytes: u64) -> Option<*mut c_void> {
        let _ = bytes;
        None
    }

    /// Gives back memory that [`Device::allocate_unified`] gave out.
    fn deallocate_unified(&self, memory: *mut c_void) {
        let _ = memory;
    }

    /// What was handed out, if that is counted.
    fn statistics(&self) -> Option<Statistics> {
        None
    }

    /// How full the memory is, if that is known. A host's allocator takes most of what is free.
    fn usage(&self) -> Option<Usage>;

    /// Makes a stream.
    ///
    /// # Errors
    /// If there can be no more.
    fn stream(&self) -> Result<Self::Stream, Error>;

    /// Says whether the stream's work has failed.
    ///
    /// # Errors
    /// What failed.
    fn stream_status(&self, stream: &Self::Stream) -> Result<(), Error> {
        let _ = stream;
        Ok(())
    }

    /// Lets a stream wait for all that another has been given so far.
    ///
    /// # Errors
    /// If it cannot.
    fn wait_for_stream(&self, stream: &Self::Stream, other: &Self::Stream) -> Result<(), Error>;

    /// Returns when all that the stream was given is done.
    ///
    /// # Errors
    /// If something of it failed.
    fn finish(&self, stream: &Self::Stream) -> Result<(), Error>;

    /// Returns when everything is done.
    ///
    /// # Errors
    /// If something of it failed.
    fn finish_all(&self) -> Result<(), Error>;

    /// Calls the host back when the stream gets there.
    ///
    /// # Errors
    /// If it will not; the callback may then not be called.
    fn call_back(&self, stream: &Self::Stream, callback: Callback) -> Result<(), Error>;

    /// Makes an event.
    ///
    /// # Errors
    /// If there can be no more.
    fn event(&self) -> Result<Self::Event, Error>;

    /// Lets an event come when the stream gets there.
    ///
    /// # Errors
    /// If it cannot.
    fn record(&self, stream: &Self::Stream, event: &Self::Event) -> Result<(), Error>;

    /// How far the event is.
    fn event_status(&self, event: &Self::Event) -> EventStatus;

    /// Lets a stream wait for an event.
    ///
    /// # Errors
    /// If it cannot.
    fn wait_for_event(&self, stream: &Self::Stream, event: &Self::Event) -> Result<(), Error>;

    /// Returns when the event has come.
    ///
    /// # Errors
    /// If it will not.
    fn block_for_event(&self, event: &Self::Event) -> Result<(), Error>;

    /// Makes a timer. Hosts since 2.14 have no use for it.
    ///
    /// # Errors
    /// If there can be no more.
    fn timer(&self) -> Result<Self::Timer, Error>;

    /// Starts a timer when the stream gets there.
    ///
    /// # Errors
    /// If it cannot.
    fn start_timer(&self, stream: &Self::Stream, timer: &Self::Timer) -> Result<(), Error>;

    /// Stops a timer when the stream gets there.
    ///
    /// # Errors
    /// If it cannot.
    fn stop_timer(&self, stream: &Self::Stream, timer: &Self::Timer) -> Result<(), Error>;

    /// Copies `to.bytes` bytes from the device to the host.
    ///
    /// # Errors
    /// If it cannot.
    fn copy_to_host(
        &self,
        order: Order<'_, Self::Stream>,
        to: HostMemory,
        from: Memory,
    ) -> Result<(), Error>;

    /// Copies `from.bytes` bytes from the host to the device.
    ///
    /// # Errors
    /// If it cannot.
    fn copy_from_host(
        &self,
        order: Order<'_, Self::Stream>,
        to: Memory,
        from: HostMemory,
    ) -> Result<(), Error>;

    /// Copies `bytes` bytes within the device.
    ///
    /// # Errors
    /// If it cannot.
    fn copy(
        &self,
        order: Order<'_, Self::Stream>,
        to: Memory,
        from: Memory,
        bytes: u64,
    ) -> Result<(), Error>;

    /// Fills `bytes` bytes with a pattern. Hosts since 2.7 want it.
    ///
    /// # Errors
    /// If it cannot.
    fn fill(
        &self,
        stream: &Self::Stream,
        memory: Memory,
        pattern: Pattern,
        bytes: u64,
    ) -> Result<(), Error>;
}

/// A clock that a stream starts and stops.
pub trait Timer: Send + Sync + 'static {
    /// The time between start and stop.
    fn nanoseconds(&self) -> u64;
}

/// When something is done.
#[derive(Debug)]
pub enum Order<'a, S> {
    /// Before the call returns.
    Now,
    /// When the stream gets there.
    On(&'a S),
}

/// A piece of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The plug-in's own address. The host may add to it to make addresses within the piece.
    pub address: *mut c_void,
    /// Its size in bytes.
    pub bytes: u64,
    /// Free for the plug-in, and kept by the host.
    pub payload: u64,
}

/// A piece of the host's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostMemory {
    /// The address of its first byte.
    pub address: *mut c_void,
    /// Its size in bytes.
    pub bytes: u64,
}

/// What a piece of memory is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A byte, over and over.
    Byte(u8),
    /// A word of four bytes, over and over.
    Word(u32),
}

/// How far an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStatus {
    /// What it waits for has failed.
    Failed,
    /// What it waits for is still under way.
    Pending,
    /// It has come, or was never recorded.
    Complete,
}

/// What a device says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// A name for people.
    pub hardware_name: String,
    /// The maker of the device.
    pub vendor: String,
    /// Where it sits: `domain:bus:device.function`.
    pub pci_bus_id: String,
    /// The memory node that is nearest.
    pub numa_node: Option<i32>,
    /// What its memory transfers, in bytes a second.
    pub memory_bandwidth: Option<i64>,
    /// Floating-point operations, in billions a second.
    pub gflops: Option<f64>,
}

/// How full the memory of a device is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// What can still be had.
    pub free: i64,
    /// All the memory that it has.
    pub total: i64,
}

/// What an allocator has handed out. Sizes are in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How many pieces were handed out.
    pub allocations: i64,
    /// What is in use now.
    pub in_use: i64,
    /// The most that was.
    pub peak_in_use: i64,
    /// The largest piece that was handed out.
    pub largest: i64,
    /// The limit, if there is one.
    pub limit: Option<i64>,
    /// What is reserved, handed out or not.
    pub reserved: i64,
    /// The most that was.
    pub peak_reserved: i64,
    /// The limit of reservations, if there is one.
    pub reservable_limit: Option<i64>,
    /// The largest piece that is free.
    pub largest_free: i64,
}
