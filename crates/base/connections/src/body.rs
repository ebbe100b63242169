//! The body of an answer, whose request is over when its last byte has left.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};

use crate::activity::RequestGuard;

/// A body that keeps something until it is sent, or dropped.
#[derive(Debug)]
pub struct GuardedBody<B> {
    body: B,
    _request: RequestGuard,
}

impl<B> GuardedBody<B> {
    /// The body of the answer to a request.
    pub fn new(body: B, request: RequestGuard) -> Self {
        Self { body, _request: request }
    }
}

impl<B: Body + Unpin> Body for GuardedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
