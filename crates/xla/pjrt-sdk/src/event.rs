//! Events: what a program that goes on after its launch says when it is done.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::Error;

/// Something that happens once, or fails. Clones are the same event.
#[derive(Clone)]
pub struct Event(pub(crate) Arc<Happening>);

impl Event {
    /// An event that has happened.
    pub fn done() -> Self {
        Self(Happening::done(Ok(())))
    }

    /// An event that will happen, and what says so, from any thread.
    ///
    /// ```
    /// use unskew_pjrt_sdk::Event;
    ///
    /// let (event, completer) = Event::pending();
    /// let worker = std::thread::spawn(move || completer.complete(Ok(())));
    /// assert_eq!(event.wait(), Ok(()));
    /// # worker.join().unwrap();
    /// ```
    pub fn pending() -> (Self, Completer) {
        let happening = Arc::new(Happening::default());
        (Self(Arc::clone(&happening)), Completer(happening))
    }

    /// Blocks until it has happened.
    ///
    /// # Errors
    /// What went wrong instead.
    pub fn wait(&self) -> Result<(), Error> {
        self.0.wait()
    }
}

/// Says that an [`Event`] has happened. Dropped without a word, it says that the work was given up, so that
/// no host waits for ever.
pub struct Completer(Arc<Happening>);

impl Completer {
    /// It has happened, or went wrong.
    pub fn complete(self, result: Result<(), Error>) {
        self.0.set(result);
    }
}

impl Drop for Completer {
    fn drop(&mut self) {
        // What was said first counts.
        self.0.set(Err(Error::internal("the work was given up")));
    }
}

#[derive(Default)]
pub(crate) struct Happening {
    happened: Mutex<Happened>,
    changed: Condvar,
}

#[derive(Default)]
struct Happened {
    result: Option<Result<(), Error>>,
    waiting: Vec<Waiting>,
}

type Waiting = Box<dyn FnOnce(Result<(), Error>) + Send>;

impl Happening {
    /// An event that has happened.
    pub(crate) fn done(result: Result<(), Error>) -> Arc<Self> {
        let event = Arc::new(Self::default());
        event.set(result);
        event
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Happened> {
        self.happened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that it has happened; what it says first counts.
    pub(crate) fn set(&self, result: Result<(), Error>) {
        let mut happened = self.lock();
        if happened.result.is_some() {
            return;
        }
        happened.result = Some(result.clone());
        let waiting = std::mem::take(&mut happened.waiting);
        drop(happened);
        self.changed.notify_all();
        waiting.into_iter().for_each(|waiting| waiting(result.clone()));
    }

    /// What has happened; none if it has not.
    pub(crate) fn result(&self) -> Option<Result<(), Error>> {
        self.lock().result.clone()
    }

    /// Blocks until it has happened.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        let mut happened = self.lock();
        loop {
            if let Some(result) = &happened.result {
                return result.clone();
            }
            happened = self.changed.wait(happened).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Calls `then` once it has happened: at once, if it has.
    pub(crate) fn then(&self, then: Waiting) {
        let mut happened = self.lock();
        match happened.result.clone() {
            Some(result) => {
                drop(happened);
                then(result);
            }
            None => happened.waiting.push(then),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_is_given_up_is_an_error_and_not_a_wait_for_ever() {
        let (event, completer) = Event::pending();
        drop(completer);
        assert_eq!(
            event.wait().map_err(|error| error.message),
            Err("the work was given up".into())
        );
    }
}
