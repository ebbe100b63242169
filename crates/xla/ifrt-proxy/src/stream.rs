//! The stream of a session: its requests come in, its responses go out.
//!
//! A task reads requests and hands them to the session's thread. Each holds a permit until its response is
//! on its way, so a client that asks faster than it is answered waits in the network. The stream ends with
//! a word on why, unless the client ended it.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use prost::Message as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc as queue, watch};
use tokio_stream::Stream;
use tonic::{Request, Response, Status as Refusal, Streaming};

use crate::limits::ServerLimits;
use crate::memory_quota::MemoryKind;
use crate::messages::{Request as Asked, RequestBody, Response as Told, SessionMetadata};
use crate::metadata::{SESSION, header};
use crate::negotiate::SessionVersions;
use crate::reply::{Outgoing, Replies, Reply};
use crate::server::Server;
use crate::session::{Incoming, RefusedRequest, Session, SessionEvent, UNKNOWN};
use crate::sessions::{SessionPermit, stopping};
use crate::status::{Status, StatusCode};

/// The responses of a session.
#[derive(Debug)]
pub struct Responses {
    queue: queue::UnboundedReceiver<Outgoing>,
    now: std::vec::IntoIter<(Told, Option<OwnedSemaphorePermit>)>,
}

impl Stream for Responses {
    type Item = Result<Told, Refusal>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            // The permit of a response is given back when the response is on its way.
            if let Some((response, _permit)) = self.now.next() {
                return Poll::Ready(Some(Ok(response)));
            }
            match ready!(self.queue.poll_recv(context)) {
                Some(Ok(more)) => self.now = more.into_iter(),
                Some(Err(end)) => return Poll::Ready(Some(Err(end.into()))),
                None => return Poll::Ready(None),
            }
        }
    }
}

/// From how many bytes on a request is counted as what a session has.
const LARGE: usize = 64 << 10;

/// How often is looked whether a client has read what it asked for.
const LOOK: Duration = Duration::from_millis(5);

/// Begins a session.
///
/// # Errors
/// If its versions were not agreed, or there is no place for it.
pub async fn begin(
    server: Arc<Server>,
    asked: Request<Streaming<Asked>>,
) -> Result<Response<Responses>, Refusal> {
    let metadata: SessionMetadata = header(asked.metadata(), SESSION)?;
    let agreed = SessionVersions::claimed(metadata.version.unwrap_or_default())?;
    let seat = server.sessions().open(agreed, asked.remote_addr())?;
    let of = &seat.ongoing;
    let (protocol, serdes) = (agreed.protocol, agreed.serdes);
    tracing::info!(session = of.number, client = of.client(), protocol, serdes, "session began");
    let (sender, outgoing) = queue::unbounded_channel();
    let replies = Replies::new(sender, Arc::clone(&seat.ongoing));
    serve(&server, seat, asked.into_inner(), replies)?;
    Ok(Response::new(Responses { queue: outgoing, now: Vec::new().into_iter() }))
}

/// Has a thread do the requests, and a task hand them over.
fn serve(
    server: &Arc<Server>,
    seat: SessionPermit,
    asked: Streaming<Asked>,
    replies: Arc<Replies>,
) -> Result<(), Refusal> {
    let (requests, queue) = mpsc::channel();
    let limits = *server.limits();
    let runtime = tokio::runtime::Handle::current();
    let session = Session::new(&seat, Arc::clone(server.platform_of_sessions()), limits, runtime);
    let reader = RequestReader {
        ongoing: Arc::clone(&seat.ongoing),
        buffers: Arc::clone(&seat.buffers),
        replies: Arc::clone(&replies),
        permits: Arc::new(Semaphore::new(limits.requests as usize)),
        stopping: server.sessions().stopping(),
        limits,
    };
    let worker = std::thread::Builder::new().name(format!("session {}", seat.ongoing.number));
    let spawned = worker.spawn(move || {
        // A fault of this program ends one session, and says so; the plug-in was not in it, so what others
        // have is whole.
        let done = std::panic::catch_unwind(AssertUnwindSafe(|| session.serve(&queue, &replies)));
        if done.is_err() {
            tracing::error!(
                session = seat.ongoing.number,
                "a fault of the server ended the session"
            );
            replies
                .end(Status::new(StatusCode::Internal, "a fault of the server ended the session"));
        }
        // What the session had is gone now, so another may take its place.
        drop(seat);
    });
    spawned.map_err(|error| {
        Refusal::resource_exhausted(format!("no thread for a session: {error}"))
    })?;
    tokio::spawn(reader.run(asked, requests));
    Ok(())
}

/// Reads the requests of a session.
struct RequestReader {
    ongoing: Arc<crate::session_status::SessionStatus>,
    buffers: Arc<crate::host_buffers::HostBuffers>,
    replies: Arc<Replies>,
    permits: Arc<Semaphore>,
    stopping: watch::Receiver<bool>,
    limits: ServerLimits,
}

/// Why no more requests are read.
enum End {
    Done,
    /// The client is gone.
    Left,
    /// It sent what cannot be read.
    Unreadable(Refusal),
    Stopping,
}

impl RequestReader {
    async fn run(mut self, mut asked: Streaming<Asked>, requests: mpsc::Sender<SessionEvent>) {
        let end = self.read(&mut asked, &requests).await;
        match end {
            End::Left => {}
            End::Done => self.finish(false).await,
            End::Unreadable(why) => {
                let (session, why) = (self.ongoing.number, unreadable(&why));
                tracing::warn!(session, "a request cannot be read: {}", why.message);
                self.replies.end(why);
            }
            End::Stopping => {
                self.finish(true).await;
                self.replies.end(stopping());
            }
        }
        // What is still to be done nobody waits for, and nobody sends what it may wait for.
        self.ongoing.set_gone();
        self.buffers.close();
    }

    async fn read(
        &mut self,
        asked: &mut Streaming<Asked>,
        requests: &mpsc::Sender<SessionEvent>,
    ) -> End {
        loop {
            let request = tokio::select! {
                biased;
                _ = self.stopping.wait_for(|stopping| *stopping) => return End::Stopping,
                // A client may be gone though its requests have not ended, as those of a tunnel do.
                () = self.replies.unread() => return End::Left,
                request = asked.message() => match request {
                    Ok(Some(request)) => request,
                    Ok(None) => return End::Done,
                    Err(why) if lost(&why) => return End::Left,
                    Err(why) => return End::Unreadable(why),
                },
            };
            let permit = tokio::select! {
                permit = self.permit() => permit,
                () = self.replies.unread() => return End::Left,
            };
            let mut incoming = self.incoming(request, permit);
            // Nothing else holds on to the queue, so that the session ends with the requests.
            if matches!(incoming.ask, Ok(RequestBody::Compile(_))) {
                incoming.turns = Some(requests.clone());
            }
            if requests.send(SessionEvent::Request(incoming)).is_err() {
                return End::Left;
            }
        }
    }

    /// A request as the session gets it: to be done if there is leave and room for it.
    fn incoming(&self, request: Asked, permit: Result<OwnedSemaphorePermit, Status>) -> Incoming {
        let size = request.encoded_len();
        let op_id = request.metadata.unwrap_or_default().op_id;
        let (permit, refused) = match permit {
            Ok(permit) => (Some(permit), None),
            Err(refused) => (None, Some(refused)),
        };
        let (charge, refused) = match refused {
            None if size >= LARGE => {
                match self.ongoing.account.charge(MemoryKind::Host, size as u64) {
                    Ok(charge) => (Some(charge), None),
                    Err(refused) => (None, Some(refused)),
                }
            }
            refused => (None, refused),
        };
        let name = request.ask.as_ref().map_or(UNKNOWN, RequestBody::name);
        let reply = Reply::new(op_id, name, Arc::clone(&self.replies), permit);
        let ask = match (request.ask, refused) {
            (Some(ask), None) => Ok(ask),
            (Some(ask), Some(why)) => Err(RefusedRequest::new(&ask, why)),
            (None, _) => Err(RefusedRequest::unknown()),
        };
        Incoming { ask, reply, charge, turns: None }
    }

    /// Leave to do a request: at once, or when another one is answered, but not for ever.
    async fn permit(&self) -> Result<OwnedSemaphorePermit, Status> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        match tokio::time::timeout(self.limits.stall, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => {
                let ServerLimits { requests, stall, .. } = self.limits;
                let text = format!(
                    "a session may have {requests} requests without an answer, and none of them was answered \
                     for {stall:?}"
                );
                tracing::warn!(session = self.ongoing.number, "request refused: {text}");
                Err(Status::new(StatusCode::ResourceExhausted, text))
            }
        }
    }

    /// Waits until all is answered, and fetched if the client is to have time for that, but no longer than
    /// the time of grace.
    async fn finish(&self, fetched: bool) {
        let answered = self.permits.acquire_many(self.limits.requests);
        let done = async {
            let answered = answered.await;
            while fetched && self.ongoing.account.at(MemoryKind::Host) > 0 {
                tokio::time::sleep(LOOK).await;
            }
            drop(answered);
        };
        let in_time = tokio::select! {
            done = tokio::time::timeout(self.limits.grace, done) => done.is_ok(),
            () = self.replies.unread() => true,
        };
        if !in_time {
            let (session, requests) = (self.ongoing.number, self.ongoing.in_flight());
            tracing::warn!(
                session,
                requests,
                "requests were not answered within the time of grace"
            );
        }
    }
}

/// Whether the connection is gone, rather than a request unreadable.
fn lost(why: &Refusal) -> bool {
    matches!(why.code(), tonic::Code::Cancelled | tonic::Code::Unknown | tonic::Code::Unavailable)
}

/// What a client is told whose request cannot be read.
fn unreadable(why: &Refusal) -> Status {
    let code = match why.code() {
        // The message is larger than it may be; the text has both numbers.
        tonic::Code::OutOfRange | tonic::Code::ResourceExhausted => StatusCode::ResourceExhausted,
        _ => StatusCode::InvalidArgument,
    };
    Status::new(code, format!("a request that cannot be read: {}", why.message()))
}
