//! From a future to its result, on threads of our own.

use std::io;
use std::sync::{OnceLock, mpsc};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::{ObjectError, ObjectErrorCause};

/// How many threads drive requests: they wait far more than they work.
const THREADS: usize = 2;

/// The runtime, started by whoever is first.
fn runtime() -> Result<&'static Handle, &'static io::Error> {
    static RUNTIME: OnceLock<io::Result<Runtime>> = OnceLock::new();
    let started = RUNTIME.get_or_init(|| {
        Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("unskew-objects")
            .enable_all()
            .build()
    });
    started.as_ref().map(Runtime::handle)
}

pub(crate) fn start(
    uri: &str,
    future: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ObjectError> {
    match runtime() {
        Ok(handle) => {
            handle.spawn(future);
            Ok(())
        }
        Err(error) => {
            Err(ObjectError::new(uri, ObjectErrorCause::Failed(format!("no threads: {error}"))))
        }
    }
}

/// Runs a request and waits for it.
pub(crate) fn wait<T: Send + 'static>(
    uri: &str,
    future: impl Future<Output = object_store::Result<T>> + Send + 'static,
) -> Result<T, ObjectError> {
    match run(future) {
        Ok(result) => result.map_err(|error| ObjectError::of_store(uri, error)),
        Err(error) => Err(ObjectError::io(uri, error)),
    }
}

/// Runs any future on the threads of this crate, where TLS is ready, and waits for it. The caller may itself be a
/// thread of a runtime, because it waits on a channel and drives nothing.
///
/// # Errors
/// If there are no threads, or the future comes to no end because it panicked.
pub fn run<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> io::Result<T> {
    let (answer, answered) = mpsc::sync_channel(1);
    let handle = runtime().map_err(|error| io::Error::other(format!("no threads: {error}")))?;
    handle.spawn(async move {
        let _ = answer.send(future.await);
    });
    answered.recv().map_err(|_| io::Error::other("the request came to no end"))
}
