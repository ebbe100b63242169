//! The socket between the front and a worker.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read as _, Seek as _, Write as _};
use std::net::TcpStream;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

use nix::cmsg_space;
use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};
use serde::{Deserialize, Serialize};

use crate::counts::Counts;
use crate::replay::Seen;
use crate::view::{PluginView, SessionView};

/// What the front wants.
#[derive(Debug)]
pub enum WorkerCommand {
    /// Serve this connection, of which this was read before.
    Serve(TcpStream, Seen),
    /// Say what there is.
    Report,
    /// Who runs the Python functions that were asked for.
    Callbacks(TcpStream),
    /// Nobody runs them.
    NoCallbacks,
}

/// What a worker says, a line of JSON each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum WorkerMessage {
    /// The plug-in is loaded.
    Ready(PluginView),
    /// What there is.
    Report(WorkerReport),
    /// Somebody is wanted who runs the Python function of this number.
    Wants(u64),
    /// A connection is over. They are counted from 1 on, in the order in which they came.
    Over {
        connection: u64,
        /// Whether no session has begun in this process.
        unused: bool,
    },
}

/// The sessions of a worker, and what it counted since it began.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WorkerReport {
    pub sessions: Vec<SessionView>,
    pub counts: Counts,
}

const SERVE: u8 = b'c';
/// The same for [`Seen::settings_sent`].
const SERVE_FILTERED: u8 = b's';
const REPORT: u8 = b'?';
const CALLBACKS: u8 = b'p';
const NO_CALLBACKS: u8 = b'n';

/// Sends an order, which is a byte, with the socket of a connection and a file of what was read of it.
///
/// # Errors
/// If nobody is there, or it did not take the orders before.
pub fn order(channel: &UnixStream, order: &WorkerCommand) -> io::Result<()> {
    let flags = MsgFlags::MSG_NOSIGNAL | MsgFlags::MSG_DONTWAIT;
    let send = |byte: u8, control: &[ControlMessage<'_>]| {
        sendmsg::<()>(channel.as_raw_fd(), &[IoSlice::new(&[byte])], control, flags, None)
    };
    match order {
        WorkerCommand::Report => send(REPORT, &[])?,
        WorkerCommand::NoCallbacks => send(NO_CALLBACKS, &[])?,
        WorkerCommand::Callbacks(connection) => {
            send(CALLBACKS, &[ControlMessage::ScmRights(&[connection.as_raw_fd()])])?
        }
        WorkerCommand::Serve(connection, seen) => {
            let mut file = tempfile::tempfile()?;
            file.write_all(&seen.bytes)?;
            let descriptors = [connection.as_raw_fd(), file.as_raw_fd()];
            let byte = if seen.settings_sent { SERVE_FILTERED } else { SERVE };
            send(byte, &[ControlMessage::ScmRights(&descriptors)])?
        }
    };
    Ok(())
}

/// The end of a worker.
#[derive(Debug)]
pub struct Channel {
    channel: UnixStream,
    /// Lines are written whole.
    written: Mutex<()>,
}

impl Channel {
    pub fn new(channel: UnixStream) -> Self {
        Self { channel, written: Mutex::new(()) }
    }

    /// Waits for an order; none if there will be no more.
    ///
    /// # Errors
    /// If the channel fails, or an order is none of these.
    pub fn receive(&self) -> io::Result<Option<WorkerCommand>> {
        let mut byte = [0];
        let mut space = cmsg_space!([std::os::fd::RawFd; 2]);
        let mut into = [IoSliceMut::new(&mut byte)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let received = loop {
            match recvmsg::<()>(self.channel.as_raw_fd(), &mut into, Some(&mut space), flags) {
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
                Ok(received) => break received,
            }
        };
        let bytes = received.bytes;
        let mut descriptors = Vec::new();
        for control in received.cmsgs()? {
            if let ControlMessageOwned::ScmRights(came) = control {
                descriptors.extend(came.into_iter().map(own));
            }
        }
        let second = descriptors.pop();
        match (bytes, byte[0], descriptors.pop(), second) {
            (0, ..) => Ok(None),
            (_, order @ (SERVE | SERVE_FILTERED), Some(connection), Some(file)) => {
                let (mut file, mut bytes) = (File::from(file), Vec::new());
                file.rewind()?;
                file.read_to_end(&mut bytes)?;
                let seen = Seen { bytes, settings_sent: order == SERVE_FILTERED };
                Ok(Some(WorkerCommand::Serve(connection.into(), seen)))
            }
            (_, REPORT, None, None) => Ok(Some(WorkerCommand::Report)),
            (_, NO_CALLBACKS, None, None) => Ok(Some(WorkerCommand::NoCallbacks)),
            (_, CALLBACKS, None, Some(connection)) => {
                Ok(Some(WorkerCommand::Callbacks(connection.into())))
            }
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "an order that is none")),
        }
    }

    /// Says something.
    ///
    /// # Errors
    /// If the front is not there.
    pub fn say(&self, said: &WorkerMessage) -> io::Result<()> {
        let mut line = serde_json::to_vec(said)?;
        line.push(b'\n');
        let _one = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        (&self.channel).write_all(&line)
    }
}

#[allow(unsafe_code, reason = "a descriptor that the system has just made for this process")]
fn own(raw: std::os::fd::RawFd) -> OwnedFd {
    // SAFETY: it came with a message, so it is open and nobody else has it.
    unsafe { std::os::fd::FromRawFd::from_raw_fd(raw) }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_connection_goes_through_a_channel_and_works_behind_it() {
        let (front, worker) = UnixStream::pair().unwrap();
        let worker = Channel::new(worker);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        let sent = Seen { bytes: b"seen".to_vec(), settings_sent: true };
        order(&front, &WorkerCommand::Report).unwrap();
        order(&front, &WorkerCommand::Serve(accepted, sent.clone())).unwrap();
        drop(front);
        assert!(matches!(worker.receive().unwrap(), Some(WorkerCommand::Report)));
        let Some(WorkerCommand::Serve(mut connection, seen)) = worker.receive().unwrap() else {
            panic!("no connection came");
        };
        assert!(worker.receive().unwrap().is_none());
        assert_eq!(seen, sent);
        connection.write_all(b"there").unwrap();
        drop(connection);
        let mut text = String::new();
        client.read_to_string(&mut text).unwrap();
        assert_eq!(text, "there");
    }

    #[test]
    fn what_is_no_order_is_refused() {
        let (mut front, worker) = UnixStream::pair().unwrap();
        // One that serves comes with a connection.
        for wrong in [b"x", b"c"] {
            front.write_all(wrong).unwrap();
        }
        let worker = Channel::new(worker);
        for _ in 0..2 {
            assert_eq!(worker.receive().unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}
