//! Metadata in headers of gRPC beside the messages.

use prost::Message;
use tonic::Status;
use tonic::metadata::MetadataMap;

/// The header in which a client says what it knows of its session.
pub const SESSION: &str = "ifrt-proxy-grpc-ifrt-session-metadata-bin";

/// The header in which a client says which buffer it sends.
pub const STORE: &str = "ifrt-proxy-grpc-host-buffer-store-metadata-bin";

/// A message that stands in a header.
pub(crate) fn header<M: Message + Default>(headers: &MetadataMap, name: &str) -> Result<M, Status> {
    let value = headers.get_bin(name).and_then(|value| value.to_bytes().ok());
    let value = value.ok_or_else(|| Status::invalid_argument(format!("no header {name}")))?;
    M::decode(value).map_err(|error| Status::invalid_argument(format!("header {name}: {error}")))
}
