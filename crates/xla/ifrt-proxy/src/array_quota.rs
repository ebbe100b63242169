//! The bytes of the arrays that a session has handles of.
//!
//! Arrays share buffers: the shards of one are arrays themselves when a client asks for them. So a buffer
//! is counted once, by its address, for as long as a handle leads to it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::array::ShardedArray;
use crate::contents::ShardContents;
use crate::memory_quota::{MemoryKind, MemoryQuota, QuotaGuard};
use crate::status::Status;

/// The buffers behind the handles of a session.
#[derive(Debug)]
pub struct ArrayQuota {
    account: Arc<MemoryQuota>,
    held: HashMap<usize, BufferUse>,
}

#[derive(Debug)]
struct BufferUse {
    /// How many arrays with handles have it.
    arrays: usize,
    /// None once the buffer was found deleted.
    charge: Option<QuotaGuard>,
}

impl ArrayQuota {
    pub fn new(account: Arc<MemoryQuota>) -> Self {
        Self { account, held: HashMap::new() }
    }

    /// Counts an array that gets a handle.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if the session has too many bytes then; nothing is counted.
    pub fn enter(&mut self, array: &ShardedArray) -> Result<(), Status> {
        for (at, shard) in array.shards.iter().enumerate() {
            if let Err(status) = self.enter_buffer(&shard.contents) {
                array.shards[..at].iter().for_each(|shard| self.leave_buffer(&shard.contents));
                return Err(status);
            }
        }
        Ok(())
    }

    fn enter_buffer(&mut self, buffer: &Arc<ShardContents>) -> Result<(), Status> {
        if let Some(held) = self.held.get_mut(&key(buffer)) {
            held.arrays += 1;
            return Ok(());
        }
        let charge = self.account.charge(MemoryKind::Device, buffer.on_device_size())?;
        let charge = Some(charge);
        self.held.insert(key(buffer), BufferUse { arrays: 1, charge });
        Ok(())
    }

    /// Forgets an array that has a handle no longer.
    pub fn leave(&mut self, array: &ShardedArray) {
        array.shards.iter().for_each(|shard| self.leave_buffer(&shard.contents));
    }

    fn leave_buffer(&mut self, buffer: &Arc<ShardContents>) {
        if let Some(held) = self.held.get_mut(&key(buffer)) {
            held.arrays -= 1;
            if held.arrays == 0 {
                self.held.remove(&key(buffer));
            }
        }
    }

    /// Gives back what the buffers of these arrays have that were deleted, or given to a program: they
    /// have no memory, though a client may keep their handles.
    pub fn sweep<'a>(&mut self, arrays: impl Iterator<Item = &'a Arc<ShardedArray>>) {
        for buffer in arrays.flat_map(|array| &array.shards).map(|shard| &shard.contents) {
            if let Some(held) = self.held.get_mut(&key(buffer))
                && held.charge.is_some()
                && buffer.is_deleted().unwrap_or(false)
            {
                held.charge = None;
            }
        }
    }
}

fn key(buffer: &Arc<ShardContents>) -> usize {
    Arc::as_ptr(buffer).addr()
}
