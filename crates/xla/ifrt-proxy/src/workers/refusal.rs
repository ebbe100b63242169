//! Refusal that a client gets for whom there is no worker.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::codegen::Service;
use tonic::server::NamedService;

use crate::connection::Peer;
use crate::service::Ifrt;
use crate::status::{Status, StatusCode};

/// The service of a front, which refuses every call for the reason that its connection has.
#[derive(Clone, Debug)]
pub struct RefusingService;

impl NamedService for RefusingService {
    const NAME: &'static str = Ifrt::NAME;
}

impl Service<http::Request<Body>> for RefusingService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let why = request.extensions().get::<Peer>().and_then(|peer| peer.refusal.clone());
        // The front answers HTTP/2 itself only where it has a reason; a client of HTTP/1 speaks no gRPC.
        let why =
            why.unwrap_or_else(|| Status::new(StatusCode::Unimplemented, "gRPC speaks HTTP/2"));
        ready(Ok(tonic::Status::from(why).into_http()))
    }
}
