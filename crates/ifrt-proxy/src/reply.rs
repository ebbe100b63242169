//! Responses on their way to a client.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, mpsc};
use unskew_pjrt::Event;

use crate::messages::{Answer, Response, ResponseMetadata};
use crate::status::{Code, Status};

/// A response, and the place in the queue that it frees once it is sent.
pub type Outgoing = (Response, OwnedSemaphorePermit);

/// Where the responses of a session go: in the order in which they are made, numbered from 0 on.
#[derive(Debug)]
pub struct Replies {
    next: Mutex<i64>,
    queue: mpsc::UnboundedSender<Outgoing>,
}

impl Replies {
    /// Responses that go into a queue. It is bounded by the permits that requests hold.
    pub fn new(queue: mpsc::UnboundedSender<Outgoing>) -> Arc<Self> {
        Arc::new(Self { next: Mutex::new(0), queue })
    }
}

/// The duty to answer a request, which is done once: where it is dropped, by an error.
#[derive(Debug)]
pub struct Reply {
    op_id: u64,
    replies: Arc<Replies>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Reply {
    /// The duty to answer the request of this number.
    pub fn new(op_id: u64, replies: Arc<Replies>, permit: OwnedSemaphorePermit) -> Self {
        Self { op_id, replies, permit: Some(permit) }
    }

    /// Answers.
    pub fn send(mut self, result: Result<Answer, Status>) {
        self.deliver(result);
    }

    fn deliver(&mut self, result: Result<Answer, Status>) {
        let Some(permit) = self.permit.take() else { return };
        let (answer, status) = match result {
            Ok(answer) => (Some(answer), None),
            Err(status) => (None, Some(status.message())),
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
        // A client that is gone waits for nothing.
        let _ = self.replies.queue.send((Response { metadata: Some(metadata), answer }, permit));
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
    use crate::messages::Empty;

    #[test]
    fn each_request_is_answered_once_and_answers_are_numbered() {
        let (queue, mut sent) = mpsc::unbounded_channel();
        let replies = Replies::new(queue);
        let permits = Arc::new(Semaphore::new(3));
        let reply = |op| {
            let permit = Arc::clone(&permits).try_acquire_owned().unwrap();
            Reply::new(op, Arc::clone(&replies), permit)
        };
        reply(7).send(Ok(Answer::CheckFuture(Empty {})));
        drop(reply(8));
        reply(9).send_after(&[], Answer::CheckFuture(Empty {}));
        assert_eq!(permits.available_permits(), 0);
        let mut seen = Vec::new();
        while let Ok((response, permit)) = sent.try_recv() {
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
