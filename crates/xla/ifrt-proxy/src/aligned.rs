//! Memory for bytes that are put together from parts, where plug-ins can use them as they are.
//!
//! The system clears memory before it gives it, page by page, which takes as long as a copy does. So what is not
//! needed any more is kept for a while, for the next buffer.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::Notify;

/// The multiple at which a plug-in's data begin that it need not copy: XLA's for CPUs.
const ALIGNMENT: usize = 64;

/// How many bytes are used at least without a copy, and kept at least. Less is copied faster; and it may be a part of
/// a larger buffer, all of which is kept with it.
const LEAST: usize = 1 << 20;

/// How many bytes are kept at most.
const MOST: usize = 256 << 20;

/// How long they are kept.
const WHILE: Duration = Duration::from_secs(2);

/// Memory that was used, and is kept for a while.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    kept: Mutex<Vec<FreeBlock>>,
    changed: Notify,
}

#[derive(Debug)]
struct FreeBlock {
    memory: Vec<u8>,
    since: Instant,
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Vec<FreeBlock>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Room for so many bytes, the first of which is at a multiple of [`ALIGNMENT`]; none if the system has not so
    /// much.
    pub(crate) fn room(self: &Arc<Self>, size: usize) -> Option<Filling> {
        let capacity = size.checked_add(ALIGNMENT)?;
        let mut memory = self.take(capacity).unwrap_or_default();
        memory.clear();
        memory.try_reserve_exact(capacity).ok()?;
        let begin = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        memory.resize(begin, 0);
        Some(Filling { memory, begin, pool: Arc::clone(self) })
    }

    /// Kept memory that is large enough, and not much too large.
    fn take(&self, capacity: usize) -> Option<Vec<u8>> {
        let mut kept = self.lock();
        let fits = |of: &FreeBlock| {
            (capacity..=capacity.saturating_mul(2)).contains(&of.memory.capacity())
        };
        let at = kept.iter().rposition(fits)?;
        Some(kept.swap_remove(at).memory)
    }

    /// Keeps memory, if there is not too much already.
    fn keep(&self, memory: Vec<u8>) {
        if memory.capacity() < LEAST {
            return;
        }
        let mut kept = self.lock();
        let all: usize = kept.iter().map(|of| of.memory.capacity()).sum();
        if all.saturating_add(memory.capacity()) <= MOST {
            kept.push(FreeBlock { memory, since: Instant::now() });
            self.changed.notify_one();
        }
    }

    /// Gives back what nobody needed for a while, for as long as this is polled.
    pub(crate) async fn give_back(&self) {
        loop {
            self.changed.notified().await;
            while self.forget(WHILE) > 0 {
                tokio::time::sleep(WHILE).await;
            }
        }
    }

    /// Frees what was kept for so long, and says how much there still is of the rest.
    fn forget(&self, age: Duration) -> usize {
        let mut kept = self.lock();
        let old: Vec<FreeBlock> = kept.extract_if(.., |of| of.since.elapsed() >= age).collect();
        let left = kept.len();
        drop(kept);
        drop(old);
        left
    }
}

/// Bytes that grow to a size.
#[derive(Debug)]
pub(crate) struct Filling {
    memory: Vec<u8>,
    begin: usize,
    pool: Arc<Pool>,
}

impl Filling {
    /// How many bytes there are.
    pub(crate) fn len(&self) -> usize {
        self.memory.len() - self.begin
    }

    /// Adds bytes. Beyond the size that was asked for, the beginning may move.
    pub(crate) fn extend(&mut self, part: &[u8]) {
        self.memory.extend_from_slice(part);
    }

    /// Adds all that is read.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(&mut self, mut from: impl Read) -> io::Result<usize> {
        from.read_to_end(&mut self.memory)
    }

    /// The bytes. Once nobody has them any more, their memory is kept.
    pub(crate) fn freeze(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Filling {
    fn as_ref(&self) -> &[u8] {
        self.memory.get(self.begin..).unwrap_or_default()
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        self.pool.keep(std::mem::take(&mut self.memory));
    }
}

/// Whether a plug-in can use these bytes as they are, and it is worth while.
pub(crate) fn usable(data: &Bytes) -> bool {
    data.len() > LEAST && data.as_ptr().align_offset(ALIGNMENT) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(pool: &Arc<Pool>, size: usize) -> Bytes {
        let mut all = pool.room(size).unwrap();
        let part = vec![7; size / 3];
        (0..3).for_each(|_| all.extend(&part));
        assert_eq!(all.len(), size);
        all.freeze()
    }

    #[test]
    fn bytes_that_were_put_together_can_be_used_as_they_are() {
        let pool = Arc::new(Pool::default());
        let data = filled(&pool, 3 << 20);
        assert_eq!(data.len(), 3 << 20);
        assert!(usable(&data) && data.iter().all(|byte| *byte == 7));
        assert!(!usable(&data.slice(1..)) && !usable(&data.slice(..64)));
        assert!(pool.room(usize::MAX).is_none());
    }

    #[test]
    fn memory_is_used_again_and_given_back() {
        let pool = Arc::new(Pool::default());
        let first = filled(&pool, 3 << 20);
        let (address, part) = (first.as_ptr(), first.slice(5..));
        drop(first);
        assert_ne!(filled(&pool, 3 << 20).as_ptr(), address, "a part of it is still used");
        drop(part);
        assert_eq!(filled(&pool, 3 << 20).as_ptr(), address);
        assert_eq!(pool.lock().len(), 2);
        // What is small is not kept, and what is large is not for what is small.
        drop(filled(&pool, 3 << 10));
        assert_eq!(pool.lock().len(), 2);
        assert!(pool.take(1 << 20).is_none() && pool.take(3 << 21).is_none());
        assert_eq!(pool.forget(Duration::from_secs(3600)), 2);
        assert_eq!(pool.forget(Duration::ZERO), 0);
    }

    #[test]
    fn no_more_is_kept_than_may_be() {
        let pool = Arc::new(Pool::default());
        let many: Vec<Filling> = (0..5).map(|_| pool.room(MOST / 4).unwrap()).collect();
        drop(many);
        assert_eq!(pool.lock().len(), 3);
    }
}
