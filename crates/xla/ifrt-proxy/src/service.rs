//! The calls of gRPC: versions, sessions, and host buffers beside them.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::Body as _;
use prost::Message;
use tonic::body::Body;
use tonic::codec::Codec as _;
use tonic::codegen::Service;
use tonic::metadata::MetadataMap;
use tonic::server::{Grpc, NamedService};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use crate::chunks::{Receiving, Sending};
use crate::messages::{BufferName, Empty, GetVersion, ReadFromDisk, StoreMetadata, VersionMessage};
use crate::metadata::{STORE, header};
use crate::negotiate::negotiate;
use crate::server::Server;
use crate::shared;
use crate::stream::begin;

/// What is answered in the end.
type Answer = http::Response<Body>;

/// The service, as a router of gRPC takes it.
#[derive(Clone, Debug)]
pub struct Ifrt {
    server: Arc<Server>,
}

impl Ifrt {
    /// The service of a server.
    pub fn new(server: Arc<Server>) -> Self {
        Self { server }
    }
}

impl NamedService for Ifrt {
    const NAME: &'static str = "xla.ifrt.proxy.GrpcIfrtService";
}

impl Service<http::Request<Body>> for Ifrt {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let server = Arc::clone(&self.server);
        Box::pin(async move {
            // Browsers do not speak HTTP/2 without encryption: no page that somebody looks at can ask for
            // anything, whatever names it gives to this address.
            if request.version() != http::Version::HTTP_2 {
                return Ok(Status::unimplemented("gRPC speaks HTTP/2").into_http());
            }
            let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
            let limit = server.limits().request_bytes;
            Ok(match method.as_str() {
                "GetVersion" => grpc(limit).unary(Call(get_version), request).await,
                "IfrtSession" => {
                    let call = Call(move |asked| begin(Arc::clone(&server), asked));
                    grpc(limit).streaming(call, request).await
                }
                "HostBufferStore" => {
                    store(server, request).await.unwrap_or_else(|why| why.into_http())
                }
                "HostBufferLookup" => {
                    look_up(server, request).await.unwrap_or_else(|why| why.into_http())
                }
                "HostBufferDelete" => {
                    let call = Call(move |asked| delete(Arc::clone(&server), asked));
                    grpc(limit).unary(call, request).await
                }
                "HostBufferReadFromDisk" => {
                    let call = Call(move |asked| read_from_disk(Arc::clone(&server), asked));
                    grpc(limit).unary(call, request).await
                }
                other => {
                    Status::unimplemented(format!("this call is not served: {other}")).into_http()
                }
            })
        })
    }
}

/// A function as a service.
struct Call<F>(F);

impl<F, Q, A, Answering> Service<Request<Q>> for Call<F>
where
    F: Fn(Request<Q>) -> Answering,
    Answering: Future<Output = Result<Response<A>, Status>>,
{
    type Response = Response<A>;
    type Error = Status;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Q>) -> Answering {
        (self.0)(request)
    }
}

fn grpc<A, Q>(limit: usize) -> Grpc<ProstCodec<A, Q>>
where
    A: Message + Send + 'static,
    Q: Message + Default + Send + 'static,
{
    Grpc::new(ProstCodec::default())
        .max_decoding_message_size(limit)
        .max_encoding_message_size(usize::MAX)
}

async fn get_version(asked: Request<GetVersion>) -> Result<Response<VersionMessage>, Status> {
    let agreed = negotiate(asked.get_ref())?;
    Ok(Response::new(VersionMessage { version: Some(agreed.message()) }))
}

async fn store(server: Arc<Server>, request: http::Request<Body>) -> Result<Answer, Status> {
    let (parts, mut body) = request.into_parts();
    let metadata: StoreMetadata = header(&MetadataMap::from_headers(parts.headers), STORE)?;
    let buffers = server.sessions().buffers_of(metadata.session)?;
    let size = u64::try_from(metadata.size)
        .map_err(|_| Status::invalid_argument(format!("a buffer of {} bytes", metadata.size)))?;
    let room = buffers.room(size)?;
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let pool = Arc::clone(server.pool());
    let mut receiving = Receiving::new(size, server.limits().request_bytes, pool);
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        if let Ok(data) = frame?.into_data() {
            receiving.take(data)?;
        }
    }
    room.put(metadata.handle, receiving.end()?)?;
    Ok(Sending::answer(Bytes::new()))
}

async fn read_from_disk(
    server: Arc<Server>,
    asked: Request<ReadFromDisk>,
) -> Result<Response<Empty>, Status> {
    let StoreMetadata { session, handle, size } = asked.into_inner().buffer.unwrap_or_default();
    let buffers = server.sessions().buffers_of(session)?;
    let folder = shared::folder()?;
    let size = u64::try_from(size)
        .map_err(|_| Status::invalid_argument(format!("a buffer of {size} bytes")))?;
    let room = buffers.room(size)?;
    let pool = Arc::clone(server.pool());
    let read =
        tokio::task::spawn_blocking(move || shared::read(&folder, handle, size, &pool)).await;
    let data = read.map_err(|error| Status::internal(error.to_string()))??;
    room.put(handle, data)?;
    Ok(Response::new(Empty {}))
}

async fn look_up(server: Arc<Server>, request: http::Request<Body>) -> Result<Answer, Status> {
    let decoder = ProstCodec::<Empty, BufferName>::default().decoder();
    let limit = Some(server.limits().request_bytes);
    let mut asked = Streaming::new_request(decoder, request.into_body(), None, limit);
    let BufferName { session, handle } = asked.message().await?.unwrap_or_default();
    let found = server.sessions().buffers_of(session)?.get(handle);
    let data = found.ok_or_else(|| {
        Status::not_found(format!("there is no host buffer with this handle: {handle}"))
    })?;
    Ok(Sending::answer(data))
}

async fn delete(
    server: Arc<Server>,
    asked: Request<BufferName>,
) -> Result<Response<Empty>, Status> {
    let BufferName { session, handle } = asked.into_inner();
    server.sessions().buffers_of(session)?.delete(handle);
    Ok(Response::new(Empty {}))
}
