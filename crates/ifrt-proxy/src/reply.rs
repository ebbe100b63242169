//! Responses on their way to a client.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, mpsc};
use unskew_pjrt::Event;

use crate::messages::{Answer, Response, ResponseMetadata};
use crate::ongoing::Ongoing;
use crate::status::{Code, Status};

/// What goes to a client: a response, and the place in the queue that it frees once it is sent; or the last
/// word, with which the session ends.
pub type Outgoing = Result<(Response, Option<OwnedSemaphorePermit>), Status>;

/// Where the responses of a session go: in the order in which they are made, numbered from 0 on.
#[derive(Debug)]
pub struct Replies {
    next: Mutex<i64>,
    queue: mpsc::UnboundedSender<Outgoing>,
    ongoing: Arc<Ongoing>,
}

impl Replies {
    /// Responses that go into a queue. It is bounded by the permits that requests hold.
    pub fn new(queue: mpsc::UnboundedSender<Outgoing>, ongoing: Arc<Ongoing>) -> Arc<Self> {
        Arc::new(Self { next: Mutex::new(0), queue, ongoing })
    }

    /// Ends the session with a word on why.
    pub fn end(&self, why: Status) {
        let _ = self.queue.send(Err(why));
    }

    /// Is over when nobody is there to read responses.
    pub async fn unread(&self) {
        self.queue.closed().await;
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

    /// Answers.
    pub fn send(mut self, result: Result<Answer, Status>) {
        self.deliver(result);
    }

    fn deliver(&mut self, result: Result<Answer, Status>) {
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
        // The number is taken and the response queued at once, so that they are in the same order.
        let mut next = self.replies.next.lock().unwrap_or_else(PoisonError::into_inner);
        let metadata = ResponseMetadata {
            op_id: self.op_id,
            status,
            seq_num: *next,
            destroyed_user_context_ids: Vec::new(),
        };
        *next += 1;
        let response = Response { metadata: Some(metadata), answer };
        // A client that is gone waits for nothing.
        let _ = self.replies.queue.send(Ok((response, self.permit.take())));
    }

    /// Answers once all events have happened: by the first error that one of them had.
    pub fn send_after(self, events: &[Event], answer: Answer) {
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

impl Drop for Reply {
    fn drop(&mut self) {
        self.deliver(Err(Status::new(Code::Internal, "the request was given up")));
    }
}

struct Waiting {
    left: usize,
    failed: Option<Status>,
    reply: Option<(Reply, Answer)>,
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
    use crate::account::{Account, Totals};
    use crate::messages::Empty;
    use crate::metrics::Metrics;
    use crate::negotiate::Agreed;

    #[test]
    fn each_request_is_answered_once_and_answers_are_numbered() {
        let (queue, mut sent) = mpsc::unbounded_channel();
        let metrics = Arc::new(Metrics::new());
        let account = Account::new(0, Totals::new(0));
        let agreed = Agreed { protocol: 25, serdes: 0 };
        let ongoing = Ongoing::new(1, None, agreed, account, Arc::clone(&metrics), None);
        let replies = Replies::new(queue, Arc::clone(&ongoing));
        let permits = Arc::new(Semaphore::new(3));
        let reply = |op| {
            let permit = Arc::clone(&permits).try_acquire_owned().unwrap();
            Reply::new(op, "check_future_request", Arc::clone(&replies), Some(permit))
        };
        reply(7).send(Ok(Answer::CheckFuture(Empty {})));
        drop(reply(8));
        reply(9).send_after(&[], Answer::CheckFuture(Empty {}));
        assert_eq!(permits.available_permits(), 0);
        let mut seen = Vec::new();
        assert_eq!(ongoing.in_flight(), 0);
        assert_eq!(metrics.by_kind(), [("check_future_request", 3, 1)]);
        while let Ok(Ok((response, permit))) = sent.try_recv() {
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
}
