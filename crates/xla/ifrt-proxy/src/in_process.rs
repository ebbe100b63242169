//! A session without a network, for tests and fuzzing: requests go straight to it.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::limits::ServerLimits;
use crate::messages::{Empty, ProxyVersion, Request, RequestBody, Response};
use crate::metrics::Metrics;
use crate::negotiate::SessionVersions;
use crate::platform::ServedPlatform;
use crate::reply::{Replies, Reply};
use crate::session::{Incoming, RefusedRequest, Session, UNKNOWN};
use crate::sessions::Sessions;
use crate::status::Status;

/// Has a session of its own do these requests after the first one that every session begins with, and
/// yields the responses. What waits for devices waits on the runtime in which this is called.
///
/// # Errors
/// If the versions were never agreed, or there may be no session.
pub fn play(
    platform: &Arc<ServedPlatform>,
    limits: ServerLimits,
    version: ProxyVersion,
    requests: Vec<Request>,
) -> Result<Vec<Response>, Status> {
    let agreed = SessionVersions::claimed(version)?;
    let sessions = Sessions::new(limits, Arc::<Metrics>::default(), None, None);
    let seat = sessions.open(agreed, None)?;
    let runtime = tokio::runtime::Handle::current();
    let mut session = Session::new(&seat, Arc::clone(platform), limits, runtime);
    let (queue, mut sent) = mpsc::unbounded_channel();
    let replies = Replies::new(queue, Arc::clone(&seat.ongoing));
    let first = Request { metadata: None, ask: Some(RequestBody::Init(Empty {})) };
    for request in std::iter::once(first).chain(requests) {
        let op_id = request.metadata.unwrap_or_default().op_id;
        let name = request.ask.as_ref().map_or(UNKNOWN, RequestBody::name);
        let reply = Reply::new(op_id, name, Arc::clone(&replies), None);
        let ask = request.ask.ok_or_else(RefusedRequest::unknown);
        session.take(Incoming { ask, reply, charge: None, turns: None });
    }
    drop((session, replies));
    let mut responses = Vec::new();
    // What waits for a device holds on to the queue, so this ends when all is answered.
    while let Some(outgoing) = sent.blocking_recv() {
        responses.extend(outgoing.into_iter().flatten().map(|(response, _)| response));
    }
    Ok(responses)
}
