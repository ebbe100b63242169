//! Clients that run Python functions for programs, of `jax.pure_callback` and its like.
//!
//! The protocol has requests for them, which no public jaxlib does: its client refuses to run what it is asked to. So
//! `unskew_jax` connects a second time, with [a line](super::route::CALLBACKS) that has the number of its first function.
//! The numbers are random in their beginning, so only programs of the same client know them. The front keeps the
//! connection until a worker wants a function of it, and hands it over.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::oneshot;

use super::process::Worker;
use crate::connection::Connection;

/// How many functions a client may have.
const FUNCTIONS: u64 = 1 << 32;

/// What a client is told that begins so: whether its functions can be called here.
const YES: &[u8] = b"yes\n";
const NO: &[u8] = b"no\n";

/// Who waits to be called, by the number of their first function.
#[derive(Debug)]
pub struct CallbackRegistry {
    /// Whether workers can call anybody.
    possible: bool,
    waiting: Mutex<BTreeMap<u64, oneshot::Sender<Arc<Worker>>>>,
}

impl CallbackRegistry {
    /// Nobody waits yet. `possible` says whether workers can call anybody.
    pub fn new(possible: bool) -> Self {
        Self { possible, waiting: Mutex::default() }
    }

    /// Keeps a connection until a worker wants it, or its client leaves.
    pub async fn keep(&self, first: u64, mut connection: Connection) {
        // Its line has been read.
        connection.forget();
        let answer = if self.possible { YES } else { NO };
        if connection.write_all(answer).await.is_err() || !self.possible {
            return;
        }
        let (wanted, worker) = oneshot::channel();
        self.lock().insert(first, wanted);
        // It lasts as long as its client, however long nothing is to be run.
        let _busy = connection.begin();
        let mut byte = [0];
        tokio::select! {
            // The client says nothing before it is asked.
            _ = connection.read(&mut byte) => {
                self.lock().remove(&first);
            }
            worker = worker => {
                // Where there is none, the client has connected again, and is to be called there.
                if let Ok(worker) = worker {
                    worker.answer(connection.into_parts().ok().map(|(stream, ..)| stream));
                }
            }
        }
    }

    /// Has a worker get the connection for a function, or hear that nobody has it.
    pub fn find(&self, number: u64, worker: &Arc<Worker>) {
        let mut waiting = self.lock();
        let first = waiting.range(..=number).next_back().map(|(first, _)| *first);
        let first = first.filter(|first| number - first < FUNCTIONS);
        let found = first.and_then(|first| waiting.remove(&first));
        if found.is_none_or(|found| found.send(Arc::clone(worker)).is_err()) {
            worker.answer(None);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, oneshot::Sender<Arc<Worker>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
