//! A stream that ends when its place is lost, or when it has been silent for too long.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::activity::Activity;
use crate::table::ConnectionPlace;

/// When to look again at a connection on which somebody works.
const AGAIN: Duration = Duration::from_secs(5);

/// For how long what still comes is taken and forgotten after the last answer to somebody who is not known: a system that
/// closes a connection of which it has unread bytes may take the answer away with it.
const FORGETTING: Duration = Duration::from_secs(1);

/// How much of that there may be, in bytes.
const FORGOTTEN: usize = 256 << 10;

/// A stream with a place.
#[derive(Debug)]
pub struct Watched<S> {
    stream: S,
    place: ConnectionPlace,
    timer: Pin<Box<Sleep>>,
    /// How much was forgotten since the last answer; none before it is written.
    forgotten: Option<usize>,
}

impl<S> Watched<S> {
    /// A stream that has this place; to be made where there is a runtime.
    pub fn new(stream: S, place: ConnectionPlace) -> Self {
        let first = place.of.limits().first;
        Self { stream, place, timer: Box::pin(sleep(first)), forgotten: None }
    }

    /// What happens on it.
    pub fn activity(&self) -> Activity {
        self.place.activity()
    }

    /// The stream that is watched, for what only it can tell.
    pub fn stream(&self) -> &S {
        &self.stream
    }

    /// The stream and its place, for a stream that is watched elsewhere from here on.
    pub fn into_parts(self) -> (S, ConnectionPlace) {
        (self.stream, self.place)
    }

    /// The same, to be changed.
    pub fn stream_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Whether it has to end; if not, its task is woken when that may have changed.
    fn over(&mut self, context: &mut Context<'_>) -> Option<io::Error> {
        self.place.entry.waker.register(context.waker());
        if self.place.is_lost() {
            return Some(io::Error::new(io::ErrorKind::ConnectionAborted, "another has its place"));
        }
        loop {
            let deadline = self.place.entry.deadline(self.place.of.limits());
            let until = match deadline.map(Instant::from_std) {
                Some(deadline) if deadline <= Instant::now() => {
                    let silent = "silent for too long";
                    return Some(io::Error::new(io::ErrorKind::TimedOut, silent));
                }
                Some(deadline) => deadline,
                None => Instant::now() + AGAIN,
            };
            // Later is found out when the timer rings.
            if until < self.timer.deadline() || self.timer.is_elapsed() {
                self.timer.as_mut().reset(until);
            }
            if self.timer.as_mut().poll(context).is_pending() {
                return None;
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(error) = self.over(context) {
            return Poll::Ready(Err(error));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> Watched<S> {
    /// What writing came to, or that it is over.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(1..)) => self.place.entry.wrote(),
            Poll::Pending => {
                if let Some(error) = self.over(context) {
                    return Poll::Ready(Err(error));
                }
            }
            _ => {}
        }
        written
    }
}

impl<S: AsyncRead + Unpin> Watched<S> {
    /// Takes what still comes, until the client ends, or has sent too much or for too long, or another needs the place.
    fn forget(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut bytes = [0; 4096];
        self.place.entry.waker.register(context.waker());
        while !self.place.is_lost() && self.timer.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer));
            let forgotten = self.forgotten.unwrap_or_default() + buffer.filled().len();
            self.forgotten = Some(forgotten);
            if read.is_err() || buffer.filled().is_empty() || forgotten > FORGOTTEN {
                break;
            }
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.written(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.forgotten.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.forgotten = Some(0);
            self.timer.as_mut().reset(Instant::now() + FORGETTING);
        }
        if !self.place.entry.is_authenticated() {
            ready!(self.forget(context));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;
    use crate::{ConnectionLimits, Connections};

    fn limits() -> ConnectionLimits {
        let time = Duration::from_millis(60);
        ConnectionLimits {
            all: 1,
            first: time,
            idle: time,
            stall: time,
            ..ConnectionLimits::default()
        }
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn silence_ends_a_stream_and_single_bytes_are_no_answer_to_that() {
        runtime().block_on(async {
            let connections = Connections::new(limits());
            let (mut client, server) = duplex(64);
            let place = connections.admit([127, 0, 0, 1].into()).unwrap();
            let mut watched = Watched::new(server, place);
            let drip = async {
                while client.write_all(b"x").await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            let read = async {
                let mut buffer = [0; 8];
                loop {
                    match watched.read(&mut buffer).await {
                        Ok(0) => panic!("the client is there"),
                        Ok(_) => {}
                        Err(error) => break error.kind(),
                    }
                }
            };
            tokio::select! {
                () = drip => panic!("the client ended first"),
                kind = read => assert_eq!(kind, io::ErrorKind::TimedOut),
            }
        });
    }

    #[test]
    fn who_does_not_take_an_answer_is_left() {
        runtime().block_on(async {
            let connections = Connections::new(limits());
            let (_client, server) = duplex(64);
            let place = connections.admit([127, 0, 0, 1].into()).unwrap();
            let mut watched = Watched::new(server, place);
            let mut request = watched.activity().begin();
            tokio::time::sleep(Duration::from_millis(200)).await;
            request.answered();
            let error = watched.write_all(&[0; 1000]).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        });
    }

    #[test]
    fn what_comes_after_the_last_answer_is_forgotten_for_a_while_and_not_for_ever() {
        runtime().block_on(async {
            let slow = Duration::from_secs(600);
            let connections = Connections::new(ConnectionLimits { first: slow, ..limits() });
            let place = || connections.admit([127, 0, 0, 1].into()).unwrap();
            // One that ends, one that never does, and one that sends too much.
            for sends in [Some(10), None, Some(FORGOTTEN + 8192)] {
                let (client, server) = duplex(64);
                let mut watched = Watched::new(server, place());
                let (mut from, mut to) = tokio::io::split(client);
                let sending = tokio::spawn(async move {
                    let _ = to.write_all(&vec![7; sends.unwrap_or(1)]).await;
                    match sends {
                        Some(10) => _ = to.shutdown().await,
                        _ => std::future::pending().await,
                    }
                });
                watched.write_all(b"no").await.unwrap();
                watched.shutdown().await.unwrap();
                let mut said = Vec::new();
                from.read_to_end(&mut said).await.unwrap();
                assert_eq!(said, b"no");
                sending.abort();
            }
            // Nobody keeps a place that way which another needs.
            let (_client, server) = duplex(64);
            let mut watched = Watched::new(server, place());
            let closing = tokio::spawn(async move { watched.shutdown().await });
            tokio::task::yield_now().await;
            let _other = place();
            closing.await.unwrap().unwrap();
        });
    }

    #[test]
    fn a_lost_place_wakes_the_stream_that_had_it() {
        runtime().block_on(async {
            let slow = Duration::from_secs(600);
            let connections = Connections::new(ConnectionLimits { first: slow, ..limits() });
            let (_client, server) = duplex(64);
            let place = connections.admit([127, 0, 0, 1].into()).unwrap();
            let mut watched = Watched::new(server, place);
            let reading = tokio::spawn(async move { watched.read(&mut [0; 8]).await });
            tokio::task::yield_now().await;
            let _new = connections.admit([127, 0, 0, 2].into()).unwrap();
            let error = reading.await.unwrap().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::ConnectionAborted);
        });
    }
}
