//! A worker: the process that has the plug-in.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::service::Routes;
use unskew_connections::Connections;

use super::channel::{Channel, WorkerCommand, WorkerMessage, WorkerReport, order};
use crate::connection::{self, Connection};
use crate::network::{LAST, answer, runtime};
use crate::replay::Seen;
use crate::server::{ServeError, Server};
use crate::service::Ifrt;
use crate::view::PluginView;

impl Server {
    /// Serves the connections that come through a channel, until there were sessions and all are over, or the channel
    /// is. Blocks.
    ///
    /// `python` leads to the Python of this process, if it has one: numbers of functions come from there, in eight
    /// bytes each; `p` and the socket of who runs it go there, or `n` if nobody does.
    ///
    /// # Errors
    /// If there are no threads, or the network fails.
    pub fn work(
        self: &Arc<Self>,
        channel: UnixStream,
        python: Option<UnixStream>,
        remote: bool,
    ) -> Result<(), ServeError> {
        let channel = Arc::new(Channel::new(channel));
        let python = python.map(Arc::new);
        if let Some(python) = &python {
            let (python, channel) = (Arc::clone(python), Arc::clone(&channel));
            let thread = std::thread::Builder::new().name("callbacks".to_owned());
            thread.spawn(move || {
                let mut number = [0; 8];
                while (&*python).read_exact(&mut number).is_ok() {
                    // If the front is gone, this process ends soon.
                    let _ = channel.say(&WorkerMessage::Wants(u64::from_le_bytes(number)));
                }
            })?;
        }
        let runtime = runtime()?;
        let worked = runtime.block_on(self.orders(&channel, python, remote));
        runtime.shutdown_timeout(LAST);
        worked
    }

    async fn orders(
        self: &Arc<Self>,
        channel: &Arc<Channel>,
        python: Option<Arc<UnixStream>>,
        remote: bool,
    ) -> Result<(), ServeError> {
        let (reporter, health) = tonic_health::server::health_reporter();
        reporter.set_serving::<Ifrt>().await;
        let pages = Router::new().fallback(|| async { "the pages are read with HTTP/1.1\n" });
        let routes =
            Routes::from(pages).add_service(health).add_service(Ifrt::new(Arc::clone(self)));
        let (handed, connections) = mpsc::unbounded_channel();
        // The network goes on when the channel is over, until sessions have their answers.
        let _more = handed.clone();
        let (ends, ended) = mpsc::unbounded_channel();
        let (left, channel_is_over) = oneshot::channel::<()>();
        let places = Connections::new(connection::limits(self.limits().connections));
        let incoming =
            UnboundedReceiverStream::new(connections).filter_map(move |(stream, seen)| {
                let stream = tokio::net::TcpStream::from_std(stream).ok();
                let admitted =
                    stream.and_then(|stream| connection::admitted(&places, stream, seen));
                let (connection, end) = admitted.map(Connection::with_end).unzip();
                // Where there is none, its end has come.
                ends.send(end.unwrap_or_else(|| oneshot::channel().1)).ok()?;
                connection.map(Ok::<Connection, io::Error>)
            });
        let pool = Arc::clone(self.pool());
        tokio::spawn(async move { pool.give_back().await });
        self.listen(Arc::clone(channel), python, handed, left)?;
        channel.say(&WorkerMessage::Ready(PluginView::new(self.platform())))?;
        tokio::spawn(Arc::clone(self).count(Arc::clone(channel), ended));
        tokio::spawn(Arc::clone(self).tell(Arc::clone(channel)));
        let (closing, closed) = oneshot::channel();
        let mut network = pin!(answer(routes, incoming, remote, closed));
        tokio::select! {
            ended = &mut network => return ended.map_err(ServeError::from),
            () = self.sessions().over() => {}
            _ = channel_is_over => {}
        }
        self.sessions().stop();
        tokio::select! {
            ended = &mut network => return ended.map_err(ServeError::from),
            _ = tokio::time::timeout(self.limits().grace + LAST, self.sessions().left()) => {}
        }
        // If the front is gone, nobody wants to know.
        let _ = channel.say(&WorkerMessage::Report(self.report()));
        drop(closing);
        // Connections that stay open though nothing is on them are closed with the runtime.
        let _ = tokio::time::timeout(LAST, network).await;
        Ok(())
    }

    /// Says which sessions there are, when that changes: the front has to know them if the plug-in crashes.
    async fn tell(self: Arc<Self>, channel: Arc<Channel>) {
        loop {
            let changed = self.sessions().changed();
            // If the front is gone, nobody wants to know.
            let _ = channel.say(&WorkerMessage::Report(self.report()));
            changed.await;
        }
    }

    async fn count(
        self: Arc<Self>,
        channel: Arc<Channel>,
        mut ends: mpsc::UnboundedReceiver<oneshot::Receiver<()>>,
    ) {
        let mut connection = 0;
        while let Some(end) = ends.recv().await {
            connection += 1;
            let (server, channel) = (Arc::clone(&self), Arc::clone(&channel));
            tokio::spawn(async move {
                let _ = end.await;
                let unused = server.sessions().opened() == 0;
                // If the front is gone, nobody wants to know.
                let _ = channel.say(&WorkerMessage::Over { connection, unused });
            });
        }
    }

    /// Takes orders on a thread of its own.
    fn listen(
        self: &Arc<Self>,
        channel: Arc<Channel>,
        python: Option<Arc<UnixStream>>,
        handed: mpsc::UnboundedSender<(std::net::TcpStream, Seen)>,
        left: oneshot::Sender<()>,
    ) -> io::Result<()> {
        let server = Arc::clone(self);
        std::thread::Builder::new().name("orders".to_owned()).spawn(move || {
            loop {
                let done = match channel.receive() {
                    Ok(Some(WorkerCommand::Report)) => {
                        channel.say(&WorkerMessage::Report(server.report()))
                    }
                    Ok(Some(WorkerCommand::Serve(connection, seen))) => connection
                        .set_nonblocking(true)
                        .map(|()| handed.send((connection, seen)).unwrap_or_default()),
                    // The same bytes go on to Python, which has asked.
                    Ok(Some(
                        answer @ (WorkerCommand::Callbacks(_) | WorkerCommand::NoCallbacks),
                    )) => python.as_ref().map_or(Ok(()), |python| order(python, &answer)),
                    Ok(None) => break,
                    Err(error) => Err(error),
                };
                if let Err(error) = done {
                    tracing::warn!(%error, "the channel of a worker process");
                    break;
                }
            }
            drop(left);
        })?;
        Ok(())
    }

    fn report(&self) -> WorkerReport {
        WorkerReport { sessions: self.session_views(), counts: self.metrics().counts() }
    }
}
