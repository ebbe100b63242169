//! Table of the handles of a session.
//!
//! A handle that a client made for the result of a request that failed is poisoned: it stands for the
//! error, and every use of it yields that error again.

use std::collections::HashMap;
use std::sync::Arc;

use unskew_pjrt::Event;

use crate::array::ShardedArray;
use crate::array_quota::ArrayQuota;
use crate::memory_quota::MemoryQuota;
use crate::program::Loaded;
use crate::status::{Status, StatusCode};

/// The handles that this server makes begin here; those of clients begin at 1.
const FIRST: u64 = 1 << 62;

/// What handles stand for.
#[derive(Debug)]
pub struct HandleTable {
    map: HashMap<u64, HandleTarget>,
    next: u64,
    most: usize,
    ledger: ArrayQuota,
}

/// What a handle stands for.
#[derive(Debug)]
pub enum HandleTarget {
    Array(Arc<ShardedArray>),
    Program(Arc<Loaded>),
    /// Something that is done when all of these have happened.
    Future(Vec<Event>),
    /// The error of the request that would have made it.
    Poisoned(Status),
}

impl HandleTable {
    /// None yet, and at most so many; the bytes of arrays are counted.
    pub fn new(most: usize, account: Arc<MemoryQuota>) -> Self {
        Self { map: HashMap::new(), next: FIRST, most, ledger: ArrayQuota::new(account) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// A handle of the server's for `entry`.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if there are too many.
    pub fn add(&mut self, entry: HandleTarget) -> Result<u64, Status> {
        self.next += 1;
        self.set(self.next, entry)
    }

    /// Has the client's handle stand for `entry`; a handle of the server's if the client has none.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if it stands for something; RESOURCE_EXHAUSTED if there are too many.
    pub fn put(&mut self, handle: Option<u64>, entry: HandleTarget) -> Result<u64, Status> {
        match handle.filter(|handle| *handle != 0) {
            None => self.add(entry),
            Some(handle) if handle >= FIRST => {
                Err(Status::invalid(format!("a handle that clients do not make: {handle}")))
            }
            Some(handle) if self.map.contains_key(&handle) => {
                Err(Status::invalid(format!("the handle is in use: {handle}")))
            }
            Some(handle) => self.set(handle, entry),
        }
    }

    fn set(&mut self, handle: u64, entry: HandleTarget) -> Result<u64, Status> {
        if self.map.len() >= self.most {
            let text = format!(
                "a session may have {} arrays, executables and futures, and has so many: {}",
                self.most,
                self.map.len()
            );
            return Err(Status::new(StatusCode::ResourceExhausted, text));
        }
        if let HandleTarget::Array(array) = &entry {
            self.count(array)?;
        }
        self.map.insert(handle, entry);
        Ok(handle)
    }

    /// Counts the bytes of an array. Where they are too many, those that were deleted meanwhile are looked for.
    fn count(&mut self, array: &ShardedArray) -> Result<(), Status> {
        self.ledger.enter(array).or_else(|_| {
            let arrays = self.map.values().filter_map(|entry| match entry {
                HandleTarget::Array(array) => Some(array),
                _ => None,
            });
            self.ledger.sweep(arrays);
            self.ledger.enter(array)
        })
    }

    /// Poisons a handle that the client made, unless it stands for something.
    pub fn poison(&mut self, handle: u64, status: &Status) {
        if handle != 0 && handle < FIRST && !self.map.contains_key(&handle) {
            // Where there are too many the client learns of it at the next use: the handle is unknown.
            let _ = self.set(handle, HandleTarget::Poisoned(status.clone()));
        }
    }

    /// The array of a handle.
    ///
    /// # Errors
    /// The error that it is poisoned with; NOT_FOUND if it stands for no array.
    pub fn array(&self, handle: u64) -> Result<Arc<ShardedArray>, Status> {
        match self.map.get(&handle) {
            Some(HandleTarget::Array(array)) => Ok(Arc::clone(array)),
            other => Err(missing("array", handle, other)),
        }
    }

    /// The arrays of handles.
    ///
    /// # Errors
    /// As [`Handles::array`].
    pub fn arrays(&self, handles: &[u64]) -> Result<Vec<Arc<ShardedArray>>, Status> {
        handles.iter().map(|handle| self.array(*handle)).collect()
    }

    /// The program of a handle.
    ///
    /// # Errors
    /// As [`Handles::array`].
    pub fn program(&self, handle: u64) -> Result<Arc<Loaded>, Status> {
        match self.map.get(&handle) {
            Some(HandleTarget::Program(program)) => Ok(Arc::clone(program)),
            other => Err(missing("executable", handle, other)),
        }
    }

    /// Takes the future of a handle: it is asked for once.
    ///
    /// # Errors
    /// As [`Handles::array`].
    pub(crate) fn take_future(&mut self, handle: u64) -> Result<Vec<Event>, Status> {
        match self.map.remove(&handle) {
            Some(HandleTarget::Future(events)) => Ok(events),
            Some(other @ HandleTarget::Poisoned(_)) => Err(missing("future", handle, Some(&other))),
            Some(other) => {
                self.map.insert(handle, other);
                Err(missing("future", handle, None))
            }
            None => Err(missing("future", handle, None)),
        }
    }

    /// Lets a handle go; whether it stood for something.
    pub fn remove(&mut self, handle: u64) -> bool {
        let entry = self.map.remove(&handle);
        if let Some(HandleTarget::Array(array)) = &entry {
            self.ledger.leave(array);
        }
        entry.is_some()
    }
}

fn missing(what: &str, handle: u64, found: Option<&HandleTarget>) -> Status {
    match found {
        Some(HandleTarget::Poisoned(status)) => status.clone(),
        _ => Status::new(StatusCode::NotFound, format!("no {what} has this handle: {handle}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_quota::Totals;

    fn handles(most: usize) -> HandleTable {
        HandleTable::new(most, MemoryQuota::new(0, Totals::new(0, None)))
    }

    fn done() -> HandleTarget {
        HandleTarget::Future(Vec::new())
    }

    #[test]
    fn a_poisoned_handle_yields_its_error_at_every_use() {
        let mut handles = handles(10);
        let error = Status::invalid("the cause");
        handles.poison(5, &error);
        assert_eq!(handles.array(5).unwrap_err(), error);
        assert_eq!(handles.program(5).unwrap_err(), error);
        assert_eq!(handles.arrays(&[5]).unwrap_err(), error);
        assert_eq!(handles.take_future(5).unwrap_err(), error);
    }

    #[test]
    fn a_handle_in_use_is_not_taken_nor_poisoned() {
        let mut handles = handles(10);
        handles.put(Some(3), done()).unwrap();
        assert!(handles.put(Some(3), done()).is_err());
        assert!(handles.put(Some(FIRST + 1), done()).is_err());
        handles.poison(3, &Status::invalid("no"));
        assert!(handles.take_future(3).is_ok());
        assert_eq!(handles.take_future(3).unwrap_err().code, StatusCode::NotFound);
    }

    #[test]
    fn a_session_has_so_many_handles() {
        let mut handles = handles(2);
        let own = handles.put(Some(0), done()).unwrap();
        assert!(own > FIRST);
        handles.put(None, done()).unwrap();
        assert_eq!(handles.add(done()).unwrap_err().code, StatusCode::ResourceExhausted);
        assert!(handles.remove(own));
        assert!(handles.add(done()).is_ok());
    }

    #[test]
    fn a_handle_of_one_kind_is_none_of_another() {
        let mut handles = handles(2);
        handles.put(Some(1), done()).unwrap();
        assert_eq!(handles.array(1).unwrap_err().code, StatusCode::NotFound);
        assert!(handles.take_future(1).is_ok());
    }
}
