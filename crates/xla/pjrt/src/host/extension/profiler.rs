//! Profiling.

use crate::host::{Error, Plugin};
use crate::sys::calls::extension::profiler;

/// The profiler of a plug-in, from which profiles come.
#[derive(Clone, Copy, Debug)]
pub struct Profiler {
    table: profiler::Table,
}

/// What one profiler of a plug-in records.
///
/// The order is [`start`](Self::start), [`stop`](Self::stop), [`collect`](Self::collect): a step out
/// of order is [`Error::OutOfOrder`] and does not reach the plug-in, of which nobody says what it does
/// then. One that was started is stopped when it is dropped.
#[derive(Debug)]
pub struct ProfilerSession {
    raw: profiler::Profile,
    state: ProfilerState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProfilerState {
    Made,
    Recording,
    Stopped,
}

impl Plugin {
    /// The profiler of the plug-in, by the extension Profiler; none if it has none that can be called
    /// safely: below 0.45 extensions had no size.
    pub fn profiler(&self) -> Option<Profiler> {
        Some(Profiler { table: profiler::table(self.api())? })
    }
}

impl Profiler {
    /// Makes a profile with the bytes of a serialized `tensorflow.ProfileOptions`; none are the
    /// defaults of the plug-in.
    ///
    /// # Errors
    /// If the plug-in refuses.
    pub fn create(&self, options: &[u8]) -> Result<ProfilerSession, Error> {
        Ok(ProfilerSession { raw: self.table.create(options)?, state: ProfilerState::Made })
    }
}

impl ProfilerSession {
    /// Begins to record.
    ///
    /// # Errors
    /// If it was begun before, or the plug-in refuses: some let only one profile record at a time.
    pub fn start(&mut self) -> Result<(), Error> {
        self.expect(ProfilerState::Made, "start")?;
        self.raw.start()?;
        self.state = ProfilerState::Recording;
        Ok(())
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// If it does not record, or the plug-in refuses.
    pub fn stop(&mut self) -> Result<(), Error> {
        self.expect(ProfilerState::Recording, "stop")?;
        self.raw.stop()?;
        self.state = ProfilerState::Stopped;
        Ok(())
    }

    /// What was recorded, as the bytes of a serialized `tensorflow.profiler.XSpace`.
    ///
    /// # Errors
    /// If the recording has not ended, or the plug-in refuses.
    pub fn collect(&mut self) -> Result<Vec<u8>, Error> {
        self.expect(ProfilerState::Stopped, "collect")?;
        self.raw.collect()
    }

    fn expect(&self, state: ProfilerState, step: &'static str) -> Result<(), Error> {
        if self.state == state { Ok(()) } else { Err(Error::OutOfOrder { step }) }
    }
}

impl Drop for ProfilerSession {
    fn drop(&mut self) {
        if self.state == ProfilerState::Recording {
            // There is nobody to tell of an error.
            let _ = self.raw.stop();
        }
    }
}
