//! The bytes of arrays on their way, which travel beside the session.
//!
//! A client may name a buffer before its bytes have come, so who takes one waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::memory_quota::{MemoryKind, MemoryQuota, QuotaGuard};
use crate::status::{Status, StatusCode};

/// The buffers of one session.
#[derive(Debug)]
pub struct HostBuffers {
    state: Mutex<HostBufferTable>,
    changed: Condvar,
    account: Arc<MemoryQuota>,
}

#[derive(Debug, Default)]
struct HostBufferTable {
    there: HashMap<u64, (Bytes, QuotaGuard)>,
    closed: bool,
}

/// Room for a buffer that is being received; it is given back when this is dropped.
#[derive(Debug)]
pub struct BufferReservation<'a> {
    buffers: &'a HostBuffers,
    charge: QuotaGuard,
}

impl HostBuffers {
    /// No buffers yet; their bytes are counted.
    pub fn new(account: Arc<MemoryQuota>) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), account }
    }

    fn lock(&self) -> MutexGuard<'_, HostBufferTable> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Room for a buffer of this size.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if there is none.
    pub fn room(&self, size: u64) -> Result<BufferReservation<'_>, Status> {
        let charge = self.account.charge(MemoryKind::Host, size)?;
        Ok(BufferReservation { buffers: self, charge })
    }

    /// Puts a buffer that the server made.
    ///
    /// # Errors
    /// As [`HostBuffers::room`] and [`BufferReservation::put`].
    pub fn put(&self, handle: u64, data: Bytes) -> Result<(), Status> {
        self.room(data.len() as u64)?.put(handle, data)
    }

    /// A buffer, without taking it.
    pub fn get(&self, handle: u64) -> Option<Bytes> {
        self.lock().there.get(&handle).map(|(data, _)| data.clone())
    }

    /// Takes a buffer, and waits for it if it is not there yet.
    ///
    /// # Errors
    /// NOT_FOUND if it does not come for so long; CANCELLED if the session ends.
    pub fn take(&self, handle: u64, patience: Duration) -> Result<Bytes, Status> {
        let until = Instant::now() + patience;
        let mut state = self.lock();
        loop {
            if let Some((data, _)) = state.there.remove(&handle) {
                return Ok(data);
            }
            if state.closed {
                return Err(Status::new(StatusCode::Cancelled, "the session has ended"));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let text = format!("no host buffer came for {patience:?} with the handle {handle}");
                return Err(Status::new(StatusCode::NotFound, text));
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Lets a buffer go; whether it was there.
    pub fn delete(&self, handle: u64) -> bool {
        self.lock().there.remove(&handle).is_some()
    }

    /// Lets all buffers go, and ends every wait.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.there.clear();
        self.changed.notify_all();
    }
}

impl BufferReservation<'_> {
    /// Puts the buffer that the room was for.
    ///
    /// # Errors
    /// ALREADY_EXISTS if there is one with that handle; CANCELLED if the session has ended.
    pub fn put(self, handle: u64, data: Bytes) -> Result<(), Status> {
        let mut state = self.buffers.lock();
        if state.closed {
            return Err(Status::new(StatusCode::Cancelled, "the session has ended"));
        }
        if state.there.contains_key(&handle) {
            let text = format!("there is a host buffer with this handle already: {handle}");
            return Err(Status::new(StatusCode::AlreadyExists, text));
        }
        state.there.insert(handle, (data, self.charge));
        self.buffers.changed.notify_all();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_quota::Totals;

    fn buffers(limit: u64) -> (Arc<HostBuffers>, Arc<Totals>) {
        let totals = Totals::new(u64::MAX, None);
        let account = MemoryQuota::new(limit, Arc::clone(&totals));
        (Arc::new(HostBuffers::new(account)), totals)
    }

    #[test]
    fn a_buffer_that_comes_late_is_waited_for() {
        let (buffers, totals) = buffers(100);
        let taker = Arc::clone(&buffers);
        let taker = std::thread::spawn(move || taker.take(7, Duration::from_secs(60)));
        buffers.put(7, Bytes::from_static(b"there")).unwrap();
        assert_eq!(taker.join().unwrap().unwrap(), "there");
        assert_eq!(totals.at(MemoryKind::Host), 0);
    }

    #[test]
    fn a_buffer_that_never_comes_is_not_waited_for_for_ever() {
        let error = buffers(1).0.take(3, Duration::from_millis(5)).unwrap_err();
        assert_eq!(error.code, StatusCode::NotFound);
    }

    #[test]
    fn the_end_of_a_session_ends_a_wait_and_frees_all() {
        let (buffers, totals) = buffers(100);
        buffers.put(1, Bytes::from_static(b"gone")).unwrap();
        let taker = Arc::clone(&buffers);
        let taker = std::thread::spawn(move || taker.take(7, Duration::from_secs(60)));
        buffers.close();
        assert_eq!(taker.join().unwrap().unwrap_err().code, StatusCode::Cancelled);
        assert_eq!(totals.at(MemoryKind::Host), 0);
        assert!(buffers.put(2, Bytes::new()).is_err());
    }

    #[test]
    fn room_is_limited_and_given_back() {
        let (buffers, _) = buffers(10);
        let room = buffers.room(8).unwrap();
        assert_eq!(buffers.room(3).unwrap_err().code, StatusCode::ResourceExhausted);
        drop(room);
        buffers.put(1, Bytes::from_static(b"12345678")).unwrap();
        assert!(buffers.put(1, Bytes::new()).is_err());
        assert!(buffers.delete(1));
        assert!(!buffers.delete(1));
        assert!(buffers.room(10).is_ok());
        assert_eq!(buffers.room(u64::MAX).unwrap_err().code, StatusCode::ResourceExhausted);
    }
}
