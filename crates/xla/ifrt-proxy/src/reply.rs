//! Responses on their way to a client.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, mpsc};
use unskew_pjrt::Event;

use crate::messages::{Response, ResponseBody, ResponseMetadata};
use crate::session_status::SessionStatus;
use crate::status::{Status, StatusCode};

/// What goes to a client: responses, each with the place in the queue that it frees once it is sent; or the last
/// word, with which the session ends.
pub type Outgoing = Result<Vec<(Response, Option<OwnedSemaphorePermit>)>, Status>;

/// How long a response that nobody waits for may wait for others to go with.
const WAIT: Duration = Duration::from_millis(1);

/// How many may wait.
const MOST: usize = 32;

/// Where the responses of a session go: in the order in which they are made, numbered from 0 on.
///
/// To send and to receive something costs both sides more than to read it. So responses that no client waits for,
/// because it knows what they say unless it is an error, wait for others.
#[derive(Debug)]
pub struct Replies {
    line: Mutex<Line>,
    queue: mpsc::UnboundedSender<Outgoing>,
    ongoing: Arc<SessionStatus>,
}

#[derive(Debug, Default)]
struct Line {
    next: i64,
    waiting: Vec<(Response, Option<OwnedSemaphorePermit>)>,
    since: Option<Instant>,
}

impl Replies {
    /// Responses that go into a queue. It is bounded by the permits that requests hold.
    pub fn new(queue: mpsc::UnboundedSender<Outgoing>, ongoing: Arc<SessionStatus>) -> Arc<Self> {
        Arc::new(Self { line: Mutex::default(), queue, ongoing })
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the session with a word on why.
    pub fn end(&self, why: Status) {
        self.send(&mut self.lock());
        let _ = self.queue.send(Err(why));
    }

    /// For how long responses may still wait; none if none waits.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.lock().since.map(|since| WAIT.saturating_sub(since.elapsed()))
    }

    pub(crate) fn flush(&self) {
        self.send(&mut self.lock());
    }

    fn send(&self, line: &mut Line) {
        line.since = None;
        if !line.waiting.is_empty() {
            // A client that is gone waits for nothing.
            let _ = self.queue.send(Ok(std::mem::take(&mut line.waiting)));
        }
    }

    /// Is over when nobody is there to read responses.
    pub async fn unread(&self) {
        self.queue.closed().await;
    }
}

impl Drop for Replies {
    fn drop(&mut self) {
        self.flush();
    }
}

/// The duty to answer a request, which is done once: where it is dropped, by an error.
#[derive(Debug)]
pub struct Reply {
    op_id: u64,
    name: &'static str,
    begun: Instant,
    replies: Arc<Replies>,
    permit: Option<OwnedSemaphorePermit>,
    due: bool,
}

impl Reply {
    /// The duty to answer the request of this number and name. One that is refused for want of a permit
    /// has none.
    pub fn new(
        op_id: u64,
        name: &'static str,
        replies: Arc<Replies>,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Self {
        replies.ongoing.asked();
        Self { op_id, name, begun: Instant::now(), replies, permit, due: true }
    }

    /// What the request is called.
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn send(mut self, result: Result<ResponseBody, Status>) {
        self.deliver(result);
    }

    fn deliver(&mut self, result: Result<ResponseBody, Status>) {
        if !std::mem::take(&mut self.due) {
            return;
        }
        let ongoing = &self.replies.ongoing;
        ongoing.answered(self.name, self.begun, result.as_ref().err().map(|status| status.code));
        let (answer, status) = match result {
            Ok(answer) => (Some(answer), None),
            Err(status) => {
                let (session, request, code) = (ongoing.number, self.name, status.code.name());
                tracing::debug!(session, request, code, "request failed: {}", status.message);
                (None, Some(status.message()))
            }
        };
        let awaited = answer.as_ref().is_none_or(is_awaited);
        // The number is taken and the response queued at once, so that they are in the same order.
        let mut line = self.replies.lock();
        let metadata = ResponseMetadata {
            op_id: self.op_id,
            status,
            seq_num: line.next,
            destroyed_user_context_ids: Vec::new(),
        };
        line.next += 1;
        line.waiting.push((Response { metadata: Some(metadata), answer }, self.permit.take()));
        if awaited || line.waiting.len() >= MOST {
            self.replies.send(&mut line);
        } else {
            line.since.get_or_insert_with(Instant::now);
        }
    }

    /// Answers once all events have happened: by the first error that one of them had.
    pub(crate) fn send_after(self, events: &[Event], answer: ResponseBody) {
        let waiting = Arc::new(Mutex::new(Waiting {
            // One more than there are events, for this function itself.
            left: events.len() + 1,
            failed: None,
            reply: Some((self, answer)),
        }));
        for event in events {
            let waiting = Arc::clone(&waiting);
            event.on_ready(move |done| {
                let failed = done.err().map(|error| Status::from(unskew_pjrt::Error::from(error)));
                one_less(&waiting, failed);
            });
        }
        one_less(&waiting, None);
    }
}

/// Whether somebody waits for an answer: not for that of a run whose results have the client's own handles, nor for
/// that of what is let go.
fn is_awaited(answer: &ResponseBody) -> bool {
    match answer {
        ResponseBody::Execute(done) => !done.outputs.is_empty(),
        ResponseBody::DestructArray(_) => false,
        _ => true,
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.deliver(Err(Status::new(StatusCode::Internal, "the request was given up")));
    }
}

struct Waiting {
    left: usize,
    failed: Option<Status>,
    reply: Option<(Reply, ResponseBody)>,
}

fn one_less(waiting: &Mutex<Waiting>, failed: Option<Status>) {
    let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    waiting.left -= 1;
    if waiting.failed.is_none() {
        waiting.failed = failed;
    }
    if waiting.left == 0
        && let Some((reply, answer)) = waiting.reply.take()
    {
        reply.send(waiting.failed.take().map_or(Ok(answer), Err));
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::*;
    use crate::memory_quota::{MemoryQuota, Totals};
    use crate::messages::Empty;
    use crate::metrics::Metrics;
    use crate::negotiate::SessionVersions;

    #[test]
    fn each_request_is_answered_once_and_answers_are_numbered() {
        let (queue, mut sent) = mpsc::unbounded_channel();
        let metrics = Arc::new(Metrics::default());
        let account = MemoryQuota::new(0, Totals::new(0, None));
        let agreed = SessionVersions { protocol: 25, serdes: 0 };
        let ongoing = SessionStatus::new(1, None, agreed, account, Arc::clone(&metrics), None);
        let replies = Replies::new(queue, Arc::clone(&ongoing));
        let permits = Arc::new(Semaphore::new(3));
        let reply = |op| {
            let permit = Arc::clone(&permits).try_acquire_owned().unwrap();
            Reply::new(op, "check_future_request", Arc::clone(&replies), Some(permit))
        };
        reply(7).send(Ok(ResponseBody::CheckFuture(Empty {})));
        drop(reply(8));
        reply(9).send_after(&[], ResponseBody::CheckFuture(Empty {}));
        assert_eq!(permits.available_permits(), 0);
        let mut seen = Vec::new();
        assert_eq!(ongoing.in_flight(), 0);
        let counts = metrics.counts();
        assert_eq!(counts.requests["check_future_request"].answered_and_failed(), (3, 1));
        let sent = std::iter::from_fn(|| sent.try_recv().ok()?.ok());
        for (response, permit) in sent.flatten() {
            drop(permit);
            let metadata = response.metadata.unwrap();
            seen.push((
                metadata.op_id,
                metadata.seq_num,
                metadata.status.map(|status| status.code),
            ));
        }
        assert_eq!(seen, [(7, 0, None), (8, 1, Some(13)), (9, 2, None)]);
        assert_eq!(permits.available_permits(), 3);
    }
    #[test]
    fn what_nobody_waits_for_goes_with_the_next_or_after_a_while() {
        let (queue, mut sent) = mpsc::unbounded_channel();
        let metrics = Arc::new(Metrics::default());
        let account = MemoryQuota::new(0, Totals::new(0, None));
        let agreed = SessionVersions { protocol: 25, serdes: 0 };
        let ongoing = SessionStatus::new(1, None, agreed, account, metrics, None);
        let replies = Replies::new(queue, ongoing);
        let answer = |op, answer| {
            Reply::new(op, "destruct_array_request", Arc::clone(&replies), None).send(Ok(answer));
        };
        let mut count = || sent.try_recv().map_or(0, |sent| sent.map_or(0, |sent| sent.len()));
        assert_eq!(replies.left(), None);
        answer(1, ResponseBody::DestructArray(Empty {}));
        assert!(replies.left().is_some_and(|left| left <= WAIT));
        assert_eq!(count(), 0);
        answer(2, ResponseBody::CheckFuture(Empty {}));
        assert_eq!((count(), replies.left()), (2, None));
        (0..MOST).for_each(|op| answer(op as u64, ResponseBody::DestructArray(Empty {})));
        assert_eq!(count(), MOST);
        answer(3, ResponseBody::DestructArray(Empty {}));
        replies.flush();
        assert_eq!(count(), 1);
        answer(4, ResponseBody::DestructArray(Empty {}));
        drop(replies);
        assert_eq!(count(), 1);
    }
}
