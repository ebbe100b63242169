//! A connection whose first bytes were read to see whose it is, and are read again by whom it is for.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::settings::WithoutAcknowledgement;

/// How much is read at once while an acknowledgement is looked for, and how many bytes may be held back.
const PART: usize = 4 << 10;
const HELD: usize = 16;

/// A stream, and what was read of it before.
#[derive(Debug)]
pub(crate) struct Replay {
    stream: TcpStream,
    seen: Vec<u8>,
    /// How much of it was read again; none while it is looked at for the first time.
    again: Option<usize>,
    /// What takes an acknowledgement out that is not for the reader.
    filter: Option<WithoutAcknowledgement>,
}

/// What was read of a connection before, and by whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub bytes: Vec<u8>,
    /// Whether settings were sent, so that the first acknowledgement is not for the next reader.
    pub settings_sent: bool,
}

impl Replay {
    /// A stream, and what others read of it.
    pub(crate) fn new(stream: TcpStream, seen: Seen) -> Self {
        let filter = seen.settings_sent.then(WithoutAcknowledgement::new);
        Self { stream, seen: seen.bytes, again: Some(0), filter }
    }

    /// From now on what is read is kept, for [`Replay::rewind`].
    #[cfg(target_os = "linux")]
    pub(crate) fn keep(&mut self) {
        self.again = None;
    }

    /// Forgets what was read and kept.
    #[cfg(target_os = "linux")]
    pub(crate) fn forget(&mut self) {
        self.seen.clear();
    }

    /// From now on it is read from the beginning. `settings_sent` says what was sent meanwhile.
    #[cfg(target_os = "linux")]
    pub(crate) fn rewind(&mut self, settings_sent: bool) {
        self.again = Some(0);
        self.filter = settings_sent.then(WithoutAcknowledgement::new);
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn seen(&self) -> &[u8] {
        &self.seen
    }

    pub(crate) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// The stream, and what is to be read before it.
    #[cfg(target_os = "linux")]
    pub(crate) fn into_parts(self) -> (TcpStream, Seen) {
        (self.stream, Seen { bytes: self.seen, settings_sent: self.filter.is_some() })
    }

    /// Reads again what was read, and then the stream.
    fn poll_bytes(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.again {
            Some(read) if *read < self.seen.len() => {
                let left = &self.seen[*read..];
                let taken = left.len().min(buffer.remaining());
                buffer.put_slice(&left[..taken]);
                *read += taken;
                if *read == self.seen.len() {
                    (self.seen, self.again) = (Vec::new(), Some(0));
                }
                Poll::Ready(Ok(()))
            }
            Some(_) => Pin::new(&mut self.stream).poll_read(context, buffer),
            None => {
                let before = buffer.filled().len();
                let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
                self.seen.extend_from_slice(&buffer.filled()[before..]);
                polled
            }
        }
    }

    /// The same without the first acknowledgement.
    fn poll_filtered(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while let Some(mut filter) = self.filter.take() {
            // What was held back comes before what comes now.
            let room = buffer.remaining().saturating_sub(HELD).min(PART);
            let mut part = [0; PART];
            let mut bytes = ReadBuf::new(&mut part[..room.max(1)]);
            let polled = self.poll_bytes(context, &mut bytes);
            if !matches!(polled, Poll::Ready(Ok(()))) || bytes.filled().is_empty() {
                self.filter = Some(filter);
                return polled;
            }
            let (passed, over) = filter.pass(bytes.filled());
            if !over {
                self.filter = Some(filter);
            }
            if !passed.is_empty() {
                buffer.put_slice(&passed);
                return Poll::Ready(Ok(()));
            }
        }
        self.poll_bytes(context, buffer)
    }
}

impl AsyncRead for Replay {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        match this.filter {
            None => this.poll_bytes(context, buffer),
            Some(_) => this.poll_filtered(context, buffer),
        }
    }
}

impl AsyncWrite for Replay {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
