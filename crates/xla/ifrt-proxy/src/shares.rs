//! Shares of the processes of one server: bytes, sessions, and numbers for sessions.
//!
//! Each process has a slot in a file, and adds up the slots of all. A process writes first and adds up then, so two that
//! ask at once may both be refused, and never have both too much. Bytes are taken in steps, so that most requests need no
//! call of the system. The slot of a process that is gone is cleared by the one that started it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Two numbers: bytes and sessions.
const SLOT: usize = 16;

/// By how much a process takes more bytes than it needs at once, and how much it keeps of what it needs no more.
const STEP: u64 = 16 << 20;

/// The slot of one process.
#[derive(Debug)]
pub struct Share {
    numbers: Mutex<File>,
    slot: u64,
    state: Mutex<ShareFile>,
}

#[derive(Debug)]
struct ShareFile {
    slots: File,
    /// Bytes that stand in the slot: at least as many as are used.
    taken: u64,
    sessions: u64,
}

impl Share {
    /// A slot of the server that has this folder.
    ///
    /// # Errors
    /// If there are no files for it.
    pub fn open(folder: &Path, slot: u64) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let slots = options.open(folder.join("slots"))?;
        let numbers = OpenOptions::new().append(true).create(true).open(folder.join("numbers"))?;
        let state = Mutex::new(ShareFile { slots, taken: 0, sessions: 0 });
        Ok(Self { numbers: Mutex::new(numbers), slot, state })
    }

    /// Its slot.
    pub fn slot(&self) -> u64 {
        self.slot
    }

    /// Sees to it that so many bytes may be used here.
    ///
    /// # Errors
    /// If all processes would have more than the limit: how many bytes they have.
    pub fn cover(&self, used: u64, limit: u64) -> Result<(), u64> {
        let mut state = self.lock();
        if used <= state.taken {
            return Ok(());
        }
        let before = state.taken;
        for wanted in [used.next_multiple_of(STEP), used] {
            state.taken = wanted;
            let all = self.write(&mut state).and_then(|()| state.sum(0));
            // Where the files cannot be used, nobody knows, and nothing is given.
            if all.as_ref().is_ok_and(|all| *all <= limit) {
                return Ok(());
            }
        }
        state.taken = before;
        let all = self.write(&mut state).and_then(|()| state.sum(0));
        Err(all.unwrap_or(limit))
    }

    /// Gives back what is no longer used.
    pub fn uncover(&self, used: impl FnOnce() -> u64) {
        let mut state = self.lock();
        let needed = used().next_multiple_of(STEP);
        let much = state.taken > needed.saturating_add(STEP);
        if much || (needed == 0 && state.taken > 0) {
            state.taken = needed;
            // If this fails, others have less than they could have.
            let _ = self.write(&mut state);
        }
    }

    /// Notes how many sessions there are here.
    ///
    /// # Errors
    /// If there were more than the limit in all processes: how many there are without the new one.
    pub fn sessions(&self, here: u64, limit: u64) -> Result<(), u64> {
        let mut state = self.lock();
        let before = state.sessions;
        state.sessions = here;
        let all = self.write(&mut state).and_then(|()| state.sum(8)).unwrap_or(u64::MAX);
        if here > before && all > limit {
            state.sessions = before;
            let _ = self.write(&mut state);
            return Err(all - (here - before));
        }
        Ok(())
    }

    /// A number that no session of the server had before, from 1 on.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn number(&self) -> io::Result<u64> {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        // Each number is a byte more in the file: the system appends one after the other.
        numbers.write_all(&[0])?;
        numbers.stream_position()
    }

    /// Clears a slot: the process that had it is gone.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn clear(&self, slot: u64) -> io::Result<()> {
        self.lock().write(slot, &[0; SLOT])
    }

    fn write(&self, state: &mut ShareFile) -> io::Result<()> {
        let mut slot = [0; SLOT];
        slot[..8].copy_from_slice(&state.taken.to_ne_bytes());
        slot[8..].copy_from_slice(&state.sessions.to_ne_bytes());
        state.write(self.slot, &slot)
    }

    fn lock(&self) -> MutexGuard<'_, ShareFile> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShareFile {
    fn write(&mut self, slot: u64, numbers: &[u8; SLOT]) -> io::Result<()> {
        self.slots.seek(SeekFrom::Start(slot * SLOT as u64))?;
        self.slots.write_all(numbers)
    }

    /// The numbers of all slots that stand at this place of a slot, added up.
    fn sum(&mut self, place: usize) -> io::Result<u64> {
        let mut all = Vec::new();
        self.slots.rewind()?;
        self.slots.read_to_end(&mut all)?;
        let number = |slot: &[u8]| {
            let bytes = slot.get(place..place + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u64::from_ne_bytes)
        };
        Ok(all.chunks(SLOT).map(number).fold(0, u64::saturating_add))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn two() -> (tempfile::TempDir, Share, Share) {
        let folder = tempfile::tempdir().unwrap();
        let share = |slot| Share::open(folder.path(), slot).unwrap();
        let (one, two) = (share(1), share(2));
        (folder, one, two)
    }

    #[test]
    fn bytes_of_two_processes_stay_under_their_limit_to_the_last_one() {
        let (_folder, one, two) = two();
        assert_eq!(one.cover(10 * MIB, 100 * MIB), Ok(()));
        assert_eq!(two.cover(84 * MIB, 100 * MIB), Ok(()));
        assert_eq!(two.cover(85 * MIB, 100 * MIB), Err(100 * MIB));
        one.uncover(|| 0);
        assert_eq!(two.cover(100 * MIB, 100 * MIB), Ok(()));
        assert_eq!(one.cover(1, 100 * MIB), Err(100 * MIB));
        one.clear(2).unwrap();
        assert_eq!(one.cover(100 * MIB, 100 * MIB), Ok(()));
    }

    #[test]
    fn sessions_are_counted_together_and_their_numbers_are_their_own() {
        let (_folder, one, two) = two();
        assert_eq!((one.sessions(1, 2), two.sessions(1, 2)), (Ok(()), Ok(())));
        assert_eq!(two.sessions(2, 2), Err(2));
        assert_eq!((one.sessions(0, 2), two.sessions(2, 2)), (Ok(()), Ok(())));
        let numbers = [&one, &two, &two, &one].map(|share| share.number().unwrap());
        assert_eq!(numbers, [1, 2, 3, 4]);
    }
}
