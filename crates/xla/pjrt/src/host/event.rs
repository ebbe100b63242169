//! Events, and results that come later.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::Error;
use crate::sys::CallError;
use crate::sys::bindings::PJRT_Event;
use crate::sys::calls::{Owned, event};

/// Something that happens later, well or badly.
///
/// Wait for it with [`Event::wait`], or `.await` it: an event turns into a future, whose waker is
/// called by a thread of the plug-in.
#[derive(Debug)]
pub struct Event {
    raw: Owned<PJRT_Event>,
}

impl Event {
    pub(crate) fn new(raw: Owned<PJRT_Event>) -> Self {
        Self { raw }
    }

    /// Blocks until it has happened.
    ///
    /// # Errors
    /// If what it stands for failed.
    pub fn wait(&self) -> Result<(), Error> {
        event::wait(&self.raw).map_err(Into::into)
    }

    /// Whether it has happened, well or badly.
    ///
    /// # Errors
    /// If the plug-in cannot say.
    pub fn is_ready(&self) -> Result<bool, Error> {
        event::is_ready(&self.raw).map_err(Into::into)
    }

    /// The error of what it stands for; none if that went well, or has not happened yet.
    ///
    /// # Errors
    /// If the plug-in cannot say whether it has happened.
    pub fn error(&self) -> Result<Option<Error>, Error> {
        if !self.is_ready()? {
            return Ok(None);
        }
        Ok(event::error_of_ready(&self.raw).err().map(Error::from))
    }

    /// Has `then` called once it has happened: by a thread of the plug-in, or by this one if it has
    /// happened already.
    ///
    /// `then` must not drop the last object of a client: the client would end on its own thread.
    pub fn on_ready(&self, then: impl FnOnce(Result<(), CallError>) + Send + 'static) {
        event::when_ready(&self.raw, Box::new(then));
    }
}

impl IntoFuture for Event {
    type Output = Result<(), Error>;
    type IntoFuture = Pending<()>;

    fn into_future(self) -> Pending<()> {
        let (pending, finish) = Pending::new();
        self.on_ready(move |done| finish(done.map_err(Error::from)));
        pending
    }
}

/// A result that comes later: a future, which can also be waited for.
#[derive(Debug)]
#[must_use = "the result comes only if it is awaited or waited for"]
pub struct Pending<T> {
    shared: Arc<Shared<T>>,
}

#[derive(Debug)]
struct Shared<T> {
    state: Mutex<FutureState<T>>,
    changed: Condvar,
}

#[derive(Debug)]
enum FutureState<T> {
    Waiting(Option<Waker>),
    Done(Result<T, Error>),
    Taken,
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, FutureState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + 'static> Pending<T> {
    /// A result, and the function that delivers it.
    pub(crate) fn new() -> (Self, impl FnOnce(Result<T, Error>) + Send + 'static) {
        let state = Mutex::new(FutureState::Waiting(None));
        let shared = Arc::new(Shared { state, changed: Condvar::new() });
        let given = Arc::clone(&shared);
        let finish = move |result| {
            let before = std::mem::replace(&mut *given.lock(), FutureState::Done(result));
            given.changed.notify_all();
            if let FutureState::Waiting(Some(waker)) = before {
                waker.wake();
            }
        };
        (Self { shared }, finish)
    }

    /// Blocks until the result is there.
    ///
    /// # Errors
    /// If what it stands for failed.
    pub fn wait(self) -> Result<T, Error> {
        let mut state = self.shared.lock();
        loop {
            match std::mem::replace(&mut *state, FutureState::Taken) {
                FutureState::Done(result) => return result,
                FutureState::Taken => return Err(Error::Taken),
                waiting @ FutureState::Waiting(_) => {
                    *state = waiting;
                    state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.shared.lock();
        match std::mem::replace(&mut *state, FutureState::Taken) {
            FutureState::Done(result) => Poll::Ready(result),
            FutureState::Taken => Poll::Ready(Err(Error::Taken)),
            FutureState::Waiting(_) => {
                *state = FutureState::Waiting(Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_delivered_once_to_who_waits_and_to_who_polls() {
        let (pending, finish) = Pending::new();
        let waiter = std::thread::spawn(move || pending.wait());
        finish(Ok(7));
        assert_eq!(waiter.join().unwrap(), Ok(7));

        let (mut pending, finish) = Pending::new();
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(Pin::new(&mut pending).poll(&mut context), Poll::Pending);
        finish(Ok("there"));
        assert_eq!(Pin::new(&mut pending).poll(&mut context), Poll::Ready(Ok("there")));
        assert_eq!(Pin::new(&mut pending).poll(&mut context), Poll::Ready(Err(Error::Taken)));
    }
}
