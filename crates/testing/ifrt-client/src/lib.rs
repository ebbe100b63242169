//! The other side of the IFRT proxy: a client that speaks the protocol and knows nothing of JAX.
//!
//! It is for tests and measurements. It sends what it is told to, also what no client of jaxlib would, and
//! shows what the server answers. [`Hostile`] makes requests of any bytes, [`load()`] many at once.
#![forbid(unsafe_code)]

mod hostile;
mod load;
mod program;

use std::collections::HashMap;

use bytes::Bytes;
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::{BinaryMetadataKey, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Streaming};
use tonic_prost::ProstCodec;

use unskew_ifrt_proxy::messages::{
    BufferName, Chunk, Empty, GetVersion, Init, ProxyVersion, Request as Asked, RequestBody,
    RequestMetadata, Response as Told, ResponseBody, SessionMetadata, StoreMetadata,
    VersionMessage,
};
use unskew_ifrt_proxy::status::{Status, StatusCode};
use unskew_ifrt_proxy::{SESSION, STORE};

pub use hostile::Hostile;
pub use load::{LoadTest, LoadTestOutcome, load};
pub use program::{Adder, ELEMENTS};

/// A session of a client.
#[derive(Debug)]
pub struct IfrtClient {
    channel: Channel,
    requests: mpsc::UnboundedSender<Asked>,
    responses: Streaming<Told>,
    /// What came for requests that nobody has waited for yet.
    early: HashMap<u64, Result<ResponseBody, Status>>,
    next: u64,
    /// The version that is spoken.
    pub version: ProxyVersion,
    /// The number that its buffers go by; 0 before [`IfrtClient::init`].
    pub session: u64,
}

impl IfrtClient {
    /// Connects to `grpc://HOST:PORT`, agrees on versions with the server, of those up to `max`, and begins
    /// a session.
    ///
    /// # Errors
    /// If nobody is there, or the server refuses.
    pub async fn connect(address: &str, max: ProxyVersion) -> Result<Self, Status> {
        let (channel, version) = Self::agree(address, max).await?;
        Self::begin(channel, version).await
    }

    /// Connects and agrees on versions, without a session.
    ///
    /// # Errors
    /// If nobody is there, or the server refuses.
    pub async fn agree(
        address: &str,
        max: ProxyVersion,
    ) -> Result<(Channel, ProxyVersion), Status> {
        let address = address.replacen("grpc://", "http://", 1);
        let endpoint = Endpoint::from_shared(address).map_err(unavailable)?;
        let channel = endpoint.tcp_nodelay(true).connect().await.map_err(unavailable)?;
        let min = ProxyVersion { protocol: unskew_ifrt_proxy::LOWEST, serdes: 0 };
        let asked = GetVersion { min: Some(min), max: Some(max) };
        let told: VersionMessage = unary(&channel, "GetVersion", asked).await?;
        Ok((channel, told.version.unwrap_or_default()))
    }

    /// Begins a session with versions that may never have been agreed.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn begin(channel: Channel, version: ProxyVersion) -> Result<Self, Status> {
        let (requests, outgoing) = mpsc::unbounded_channel();
        let mut request = Request::new(UnboundedReceiverStream::new(outgoing));
        let metadata = SessionMetadata { version: Some(version), initialization_data: None };
        insert(&mut request, SESSION, &metadata);
        let mut grpc = ready(&channel).await?;
        let told = grpc.streaming(request, path("IfrtSession"), codec::<Asked, Told>()).await;
        let responses = told.map_err(told_status)?.into_inner();
        Ok(Self {
            channel,
            requests,
            responses,
            early: HashMap::new(),
            next: 1,
            version,
            session: 0,
        })
    }

    /// The connection, which other sessions may use too.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Sends a request, and yields its number.
    ///
    /// # Errors
    /// If the session has ended.
    pub fn send(&mut self, ask: RequestBody) -> Result<u64, Status> {
        let op_id = self.next;
        self.next += 1;
        let metadata = RequestMetadata { op_id, ..RequestMetadata::default() };
        self.send_raw(Asked { metadata: Some(metadata), ask: Some(ask) })?;
        Ok(op_id)
    }

    /// Sends whatever is a message.
    ///
    /// # Errors
    /// If the session has ended.
    pub fn send_raw(&mut self, request: Asked) -> Result<(), Status> {
        let ended = |_| Status::new(StatusCode::Unavailable, "the session has ended");
        self.requests.send(request).map_err(ended)
    }

    /// Waits for the answer to a request.
    ///
    /// # Errors
    /// The error that is the answer; why the session ended.
    pub async fn answer(&mut self, op_id: u64) -> Result<ResponseBody, Status> {
        loop {
            if let Some(answer) = self.early.remove(&op_id) {
                return answer;
            }
            let (of, answer) = self.receive().await?;
            self.early.insert(of, answer);
        }
    }

    /// Waits for the next response, whatever it answers.
    ///
    /// # Errors
    /// Why the session ended.
    pub async fn receive(&mut self) -> Result<(u64, Result<ResponseBody, Status>), Status> {
        let told = self.responses.message().await.map_err(told_status)?;
        let told =
            told.ok_or_else(|| Status::new(StatusCode::Unavailable, "the session has ended"))?;
        let metadata = told.metadata.unwrap_or_default();
        let answer = match (metadata.status.as_ref(), told.answer) {
            (Some(status), _) => Err(Status::from(status)),
            (None, Some(answer)) => Ok(answer),
            (None, None) => Err(Status::new(StatusCode::Internal, "a response without an answer")),
        };
        Ok((metadata.op_id, answer))
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// As [`IfrtClient::answer`].
    pub async fn ask(&mut self, ask: RequestBody) -> Result<ResponseBody, Status> {
        let op_id = self.send(ask)?;
        self.answer(op_id).await
    }

    /// The first request.
    ///
    /// # Errors
    /// As [`IfrtClient::ask`].
    pub async fn init(&mut self) -> Result<Init, Status> {
        match self.ask(RequestBody::Init(Empty {})).await? {
            ResponseBody::Init(init) => {
                self.session = init.session_id;
                Ok(init)
            }
            _ => Err(Status::new(StatusCode::Internal, "another answer than to the first request")),
        }
    }

    /// Sends a host buffer.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn store(&self, handle: u64, data: Bytes) -> Result<(), Status> {
        let size = i64::try_from(data.len()).unwrap_or(i64::MAX);
        self.store_as(StoreMetadata { session: self.session, handle, size }, data).await
    }

    /// Sends bytes as a host buffer of which something else is said.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn store_as(&self, what: StoreMetadata, data: Bytes) -> Result<(), Status> {
        const CHUNK: usize = 1 << 20;
        let mut chunks = Vec::new();
        let mut left = data;
        while left.len() > CHUNK {
            chunks.push(Chunk { data: left.split_to(CHUNK) });
        }
        chunks.push(Chunk { data: left });
        let mut request = Request::new(tokio_stream::iter(chunks));
        insert(&mut request, STORE, &what);
        let mut grpc = ready(&self.channel).await?;
        let call = grpc.client_streaming(request, path("HostBufferStore"), codec::<Chunk, Empty>());
        call.await.map(|_| ()).map_err(told_status)
    }

    /// Begins to send a host buffer, and sends no more than this of it until the yielded part of the call is
    /// dropped, which breaks the call off.
    ///
    /// # Errors
    /// If the server is not there.
    pub async fn begin_store(
        &self,
        handle: u64,
        size: i64,
        first: Bytes,
    ) -> Result<impl Send + use<>, Status> {
        let (chunks, outgoing) = mpsc::unbounded_channel();
        let _ = chunks.send(Chunk { data: first });
        let mut request = Request::new(UnboundedReceiverStream::new(outgoing));
        insert(&mut request, STORE, &StoreMetadata { session: self.session, handle, size });
        let mut grpc = ready(&self.channel).await?;
        let call = tokio::spawn(async move {
            let codec = codec::<Chunk, Empty>();
            let _ = grpc.client_streaming(request, path("HostBufferStore"), codec).await;
        });
        Ok(Broken { call, _chunks: chunks })
    }

    /// Begins a session on the same connection, sends bytes in the place of a message of its first request,
    /// and yields how the session ends.
    ///
    /// # Errors
    /// Always: why the session ended.
    pub async fn send_garbage(&mut self, data: Bytes) -> Result<(), Status> {
        let (chunks, outgoing) = mpsc::unbounded_channel();
        let _ = chunks.send(Chunk { data });
        let mut request = Request::new(UnboundedReceiverStream::new(outgoing));
        let metadata = SessionMetadata { version: Some(self.version), initialization_data: None };
        insert(&mut request, SESSION, &metadata);
        let mut grpc = ready(&self.channel).await?;
        let told = grpc.streaming(request, path("IfrtSession"), codec::<Chunk, Told>()).await;
        let mut responses = told.map_err(told_status)?.into_inner();
        responses.message().await.map(|_| ()).map_err(told_status)
    }

    /// Reads a host buffer of a session, this one's or another's.
    ///
    /// # Errors
    /// If the server has none or does not give it.
    pub async fn look_up(&self, session: u64, handle: u64) -> Result<Bytes, Status> {
        let mut grpc = ready(&self.channel).await?;
        let name = Request::new(BufferName { session, handle });
        let call = grpc.server_streaming(name, path("HostBufferLookup"), codec::<_, Chunk>());
        let mut chunks = call.await.map_err(told_status)?.into_inner();
        let mut data = Vec::new();
        while let Some(chunk) = chunks.message().await.map_err(told_status)? {
            data.extend_from_slice(&chunk.data);
        }
        Ok(data.into())
    }

    /// Lets a host buffer go.
    ///
    /// # Errors
    /// If the server knows no such session.
    pub async fn delete(&self, session: u64, handle: u64) -> Result<(), Status> {
        unary::<_, Empty>(&self.channel, "HostBufferDelete", BufferName { session, handle })
            .await
            .map(|_| ())
    }
}

/// A call that is broken off when this is dropped.
struct Broken {
    call: tokio::task::JoinHandle<()>,
    _chunks: mpsc::UnboundedSender<Chunk>,
}

impl Drop for Broken {
    fn drop(&mut self) {
        self.call.abort();
    }
}

async fn unary<Q, A>(channel: &Channel, method: &str, asked: Q) -> Result<A, Status>
where
    Q: Message + Send + 'static,
    A: Message + Default + Send + 'static,
{
    let mut grpc = ready(channel).await?;
    let told = grpc.unary(Request::new(asked), path(method), codec::<Q, A>()).await;
    told.map(tonic::Response::into_inner).map_err(told_status)
}

async fn ready(channel: &Channel) -> Result<Grpc<Channel>, Status> {
    let mut grpc = Grpc::new(channel.clone()).max_decoding_message_size(usize::MAX);
    grpc.ready().await.map_err(unavailable)?;
    Ok(grpc)
}

fn codec<Q, A>() -> ProstCodec<Q, A>
where
    Q: Message + Send + 'static,
    A: Message + Default + Send + 'static,
{
    ProstCodec::default()
}

fn path(method: &str) -> PathAndQuery {
    let path = format!("/xla.ifrt.proxy.GrpcIfrtService/{method}");
    path.parse().unwrap_or_else(|_| PathAndQuery::from_static("/"))
}

fn insert<T>(request: &mut Request<T>, name: &'static str, what: &impl Message) {
    let key = BinaryMetadataKey::from_static(name);
    request.metadata_mut().insert_bin(key, MetadataValue::from_bytes(&what.encode_to_vec()));
}

fn unavailable(error: impl std::error::Error) -> Status {
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
    Status::new(StatusCode::Unavailable, format!("{error}{}", cause.unwrap_or_default()))
}

fn told_status(status: tonic::Status) -> Status {
    Status::new(StatusCode::from_number(i64::from(i32::from(status.code()))), status.message())
}
