//! Work in a thread of its own, without Python's lock; the caller waits for it, for signals, and tells of progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use unskew_verbs::progress::Interrupted;

/// How often the caller looks for signals and tells of progress.
const LOOK: Duration = Duration::from_millis(30);

/// How far the work is.
#[derive(Debug, Default)]
pub struct Steps {
    done: AtomicUsize,
    of: AtomicUsize,
    stop: AtomicBool,
}

impl Steps {
    /// There are so many more steps.
    pub fn expect(&self, more: usize) {
        self.of.fetch_add(more, Ordering::Relaxed);
    }

    /// One step is done.
    ///
    /// # Errors
    /// If the caller wants no more.
    pub fn step(&self) -> Result<(), Interrupted> {
        self.done.fetch_add(1, Ordering::Relaxed);
        if self.stop.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
    }
}

/// Does `work` in a thread, and waits for it. `progress` is called with how many steps are done, and of how many, from
/// the caller's thread. An exception of it, or a signal such as Ctrl-C, ends the wait at once and the work at its next
/// step.
///
/// # Errors
/// Those of the work, of `progress`, and of a signal's handler.
pub fn away<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Steps) -> Result<T, unskew_verbs::VerbError> + Send + 'static,
) -> PyResult<T> {
    let steps = Arc::new(Steps::default());
    let (sender, receiver) = channel();
    let own = steps.clone();
    std::thread::Builder::new().name("unskew".to_owned()).spawn(move || {
        // The caller may have stopped waiting.
        let _ = sender.send(work(&own));
    })?;
    // A receiver may not be shared between threads, and `detach` asks for that; a mutex may.
    let receiver = std::sync::Mutex::new(receiver);
    let mut told = None;
    loop {
        let next = py.detach(|| match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(LOOK),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        let now = (steps.done.load(Ordering::Relaxed), steps.of.load(Ordering::Relaxed));
        let heard = py.check_signals().and_then(|()| match progress {
            Some(progress) if told != Some(now) => {
                told = Some(now);
                progress.call1(now).map(drop)
            }
            _ => Ok(()),
        });
        if let Err(error) = heard {
            steps.stop.store(true, Ordering::Relaxed);
            return Err(error);
        }
        match next {
            Ok(result) => return result.map_err(crate::errors::exception),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let text = "a panic in Unskew; this is a bug, please report it";
                return Err(crate::errors::UnskewError::new_err(text));
            }
        }
    }
}
