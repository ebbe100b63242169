//! The device: everything is done before a call returns, so streams are always empty and events have come.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Instant;

use unskew_stream_executor_sdk::{
    Callback, Description, Device, Error, EventStatus, HostMemory, Memory, Order, Pattern,
    Statistics, Timer, Usage,
};

use crate::sys;

/// What the host may take. It is ordinary memory, taken piece by piece.
const TOTAL: i64 = 1 << 30;

/// The device, which calculates on the processor.
#[derive(Default)]
pub struct Abacus {
    allocations: AtomicI64,
    in_use: AtomicI64,
    peak: AtomicI64,
    largest: AtomicI64,
}

/// A stream: nothing is ever left to be done.
pub struct Rod;

/// An event: it has come.
pub struct Bead;

/// A timer that reads the clock of the processor.
#[derive(Default)]
pub struct Clock {
    started: Mutex<Option<Instant>>,
    nanoseconds: AtomicU64,
}

impl Timer for Clock {
    fn nanoseconds(&self) -> u64 {
        self.nanoseconds.load(Ordering::Relaxed)
    }
}

impl Device for Abacus {
    type Stream = Rod;
    type Event = Bead;
    type Timer = Clock;

    fn description(&self) -> Description {
        Description {
            hardware_name: "Soroban in CPU memory".into(),
            vendor: "Unskew".into(),
            pci_bus_id: "0000:00:00.0".into(),
            ..Description::default()
        }
    }

    fn allocate(&self, bytes: u64, _: i64) -> Option<Memory> {
        let size = i64::try_from(bytes).ok()?;
        if self.in_use.load(Ordering::Relaxed).checked_add(size)? > TOTAL {
            return None;
        }
        let address = sys::allocate(bytes)?;
        self.allocations.fetch_add(1, Ordering::Relaxed);
        let in_use = self.in_use.fetch_add(size, Ordering::Relaxed) + size;
        self.peak.fetch_max(in_use, Ordering::Relaxed);
        self.largest.fetch_max(size, Ordering::Relaxed);
        // The size comes back with the memory, which not every host keeps in its own field.
        Some(Memory { address, bytes, payload: bytes })
    }

    fn deallocate(&self, memory: Memory) {
        self.in_use.fetch_sub(memory.payload.cast_signed(), Ordering::Relaxed);
        sys::deallocate(memory.address);
    }

    fn statistics(&self) -> Option<Statistics> {
        let load = |number: &AtomicI64| number.load(Ordering::Relaxed);
        Some(Statistics {
            allocations: load(&self.allocations),
            in_use: load(&self.in_use),
            peak_in_use: load(&self.peak),
            largest: load(&self.largest),
            limit: Some(TOTAL),
            ..Statistics::default()
        })
    }

    fn usage(&self) -> Option<Usage> {
        Some(Usage { free: TOTAL - self.in_use.load(Ordering::Relaxed), total: TOTAL })
    }

    fn stream(&self) -> Result<Rod, Error> {
        Ok(Rod)
    }

    fn wait_for_stream(&self, _: &Rod, _: &Rod) -> Result<(), Error> {
        Ok(())
    }

    fn finish(&self, _: &Rod) -> Result<(), Error> {
        Ok(())
    }

    fn finish_all(&self) -> Result<(), Error> {
        Ok(())
    }

    fn call_back(&self, _: &Rod, callback: Callback) -> Result<(), Error> {
        callback.call(&Ok(()));
        Ok(())
    }

    fn event(&self) -> Result<Bead, Error> {
        Ok(Bead)
    }

    fn record(&self, _: &Rod, _: &Bead) -> Result<(), Error> {
        Ok(())
    }

    fn event_status(&self, _: &Bead) -> EventStatus {
        EventStatus::Complete
    }

    fn wait_for_event(&self, _: &Rod, _: &Bead) -> Result<(), Error> {
        Ok(())
    }

    fn block_for_event(&self, _: &Bead) -> Result<(), Error> {
        Ok(())
    }

    fn timer(&self) -> Result<Clock, Error> {
        Ok(Clock::default())
    }

    fn start_timer(&self, _: &Rod, timer: &Clock) -> Result<(), Error> {
        let mut started = timer.started.lock().map_err(|_| Error::internal("a broken timer"))?;
        *started = Some(Instant::now());
        Ok(())
    }

    fn stop_timer(&self, _: &Rod, timer: &Clock) -> Result<(), Error> {
        let started = timer.started.lock().map_err(|_| Error::internal("a broken timer"))?;
        let started = started.ok_or_else(|| Error::precondition("the timer was not started"))?;
        let passed = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        timer.nanoseconds.store(passed, Ordering::Relaxed);
        Ok(())
    }

    fn copy_to_host(&self, _: Order<'_, Rod>, to: HostMemory, from: Memory) -> Result<(), Error> {
        sys::copy(to.address, from.address, to.bytes)
    }

    fn copy_from_host(&self, _: Order<'_, Rod>, to: Memory, from: HostMemory) -> Result<(), Error> {
        sys::copy(to.address, from.address, from.bytes)
    }

    fn copy(&self, _: Order<'_, Rod>, to: Memory, from: Memory, bytes: u64) -> Result<(), Error> {
        sys::copy(to.address, from.address, bytes)
    }

    fn fill(&self, _: &Rod, memory: Memory, pattern: Pattern, bytes: u64) -> Result<(), Error> {
        match pattern {
            Pattern::Byte(byte) => sys::fill(memory.address, [byte; 4], bytes),
            Pattern::Word(word) => sys::fill(memory.address, word.to_ne_bytes(), bytes),
        }
    }
}
