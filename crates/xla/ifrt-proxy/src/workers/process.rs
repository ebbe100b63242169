//! One worker, as the front has it.

use std::collections::BTreeMap;
use std::io;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::Child;
use tokio::sync::watch;
use unskew_connections::{ConnectionPlace, RequestGuard};

use super::channel::{WorkerCommand, WorkerMessage, WorkerReport, order};
use crate::connection::Connection;
use crate::memory;

/// How long a worker may take from its last word to its end.
const LAST: Duration = Duration::from_secs(10);

/// The command of a worker, whose [`Server::work`](crate::Server::work) has its standard input as channel. It gets the
/// folder that the processes share, and its slot in there.
pub type Start = dyn Fn(&Path, u64) -> io::Result<Command> + Send + Sync;

/// A worker process.
#[derive(Debug)]
pub struct Worker {
    pub slot: u64,
    process: Option<u32>,
    channel: UnixStream,
    state: Mutex<ProcessState>,
    reports: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct ProcessState {
    report: WorkerReport,
    /// How many connections it got.
    handed: u64,
    /// The places of those that it has, which are busy as long as it has them.
    connections: BTreeMap<u64, (ConnectionPlace, RequestGuard)>,
}

/// The process behind a worker, and what it says.
#[derive(Debug)]
pub struct Process {
    child: Child,
    lines: Lines<BufReader<tokio::net::UnixStream>>,
}

impl Worker {
    /// Starts a process.
    ///
    /// # Errors
    /// If the system cannot.
    pub fn start(start: &Start, folder: &Path, slot: u64) -> io::Result<(Self, Process)> {
        let (channel, other) = UnixStream::pair()?;
        let mut command = start(folder, slot)?;
        command.stdin(OwnedFd::from(other));
        let child = tokio::process::Command::from(command).kill_on_drop(true).spawn()?;
        let reading = channel.try_clone()?;
        reading.set_nonblocking(true)?;
        let lines = BufReader::new(tokio::net::UnixStream::from_std(reading)?).lines();
        let (reports, _) = watch::channel(0);
        let worker = Self { slot, process: child.id(), channel, state: Mutex::default(), reports };
        Ok((worker, Process { child, lines }))
    }

    /// Hands a connection over, which has a place here as long as the worker has it.
    ///
    /// # Errors
    /// If the worker is not there: the connection; none if the system has taken it away.
    pub fn hand(&self, connection: Connection) -> Result<(), Option<Box<Connection>>> {
        let (stream, seen, place) = connection.into_parts().map_err(|_| None)?;
        // Its number is its turn.
        let mut state = self.lock();
        let serve = WorkerCommand::Serve(stream, seen);
        let sent = order(&self.channel, &serve);
        match (sent, serve) {
            (Err(_), WorkerCommand::Serve(stream, seen)) => {
                Err(Connection::from_parts(stream, seen, place).ok().map(Box::new))
            }
            _ => {
                state.handed += 1;
                let (number, busy) = (state.handed, place.activity().begin());
                state.connections.insert(number, (place, busy));
                Ok(())
            }
        }
    }

    /// Gives it the connection of who runs the Python functions that it wants, or says that nobody does.
    pub fn answer(&self, callbacks: Option<TcpStream>) {
        // One that is not there does not wait for it.
        let _ = order(
            &self.channel,
            &callbacks.map_or(WorkerCommand::NoCallbacks, WorkerCommand::Callbacks),
        );
    }

    /// How many bytes of memory its process has for itself.
    pub fn memory(&self) -> u64 {
        self.process.and_then(memory::private).unwrap_or_default()
    }

    /// It has a connection no more.
    pub fn over(&self, connection: u64) {
        self.lock().connections.remove(&connection);
    }

    /// Whether it has connections.
    pub fn is_busy(&self) -> bool {
        !self.lock().connections.is_empty()
    }

    /// It has no connection any more.
    pub fn gone(&self) {
        self.lock().connections.clear();
    }

    /// Tells it to stop when its sessions have their answers.
    pub fn stop(&self) {
        // One that is not there has stopped.
        let _ = self.channel.shutdown(std::net::Shutdown::Write);
    }

    /// Asks it for a report; what changes when it comes.
    pub fn ask(&self) -> watch::Receiver<u64> {
        let reports = self.reports.subscribe();
        // Who cannot be asked does not answer.
        let _ = order(&self.channel, &WorkerCommand::Report);
        reports
    }

    /// What it reported last.
    pub fn report(&self) -> WorkerReport {
        self.lock().report.clone()
    }

    /// It has reported.
    pub fn reported(&self, report: WorkerReport) {
        self.lock().report = report;
        self.reports.send_modify(|count| *count += 1);
    }

    fn lock(&self) -> MutexGuard<'_, ProcessState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Process {
    /// The next that it says; none when it says no more.
    pub async fn next(&mut self) -> Option<WorkerMessage> {
        let line = self.lines.next_line().await.ok()??;
        match serde_json::from_str(&line) {
            Ok(said) => Some(said),
            Err(error) => {
                tracing::warn!(%error, "a worker process says what nobody understands");
                None
            }
        }
    }

    /// How it ended; it is killed if it does not.
    pub async fn ended(mut self) -> io::Result<ExitStatus> {
        if let Ok(status) = tokio::time::timeout(LAST, self.child.wait()).await {
            return status;
        }
        self.child.start_kill()?;
        self.child.wait().await
    }

    /// Kills it.
    pub fn kill(&mut self) {
        // One that is not there needs no killing.
        let _ = self.child.start_kill();
    }
}
