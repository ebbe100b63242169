//! Whose a connection is: the front reads its beginning, and gives it away with what it has read.
//!
//! A client has several connections: one for its session, and others for the bytes of large arrays, which name the
//! session. So the first request of a connection is read, by a library, out of a copy of the bytes; nothing is answered.
//! What is left on the connection is a word of HTTP/2:
//!
//! * Some clients ask for nothing before they have the settings of the server. Those get some, in which nothing stands;
//!   the worker's own come later, which the protocol allows.
//! * A client acknowledges both. The worker knows of its own settings only, so [the first
//!   acknowledgement](crate::settings) is taken out.

use std::io;
use std::time::Duration;

use bytes::{Buf as _, Bytes};
use h2::{RecvStream, server};
use prost::Message as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};
use tokio::time::timeout;
use tonic::metadata::MetadataMap;
use tonic::server::NamedService as _;

use crate::connection::Connection;
use crate::messages::{BufferName, ReadFromDisk, StoreMetadata};
use crate::metadata::{STORE, header};
use crate::service::Ifrt;
use crate::settings::{PREFACE, SETTINGS};

/// Whose a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// No client of the plug-in: pages, metrics, health.
    Front,
    /// A client that has no session yet.
    Client,
    /// A session that is there.
    Session(u64),
    /// The Python functions of a client, by the number of the first: `unskew_jax` runs them.
    Callbacks(u64),
}

/// How a client begins that runs Python functions: this, the number of its first function in decimal, and a new line.
pub const CALLBACKS: &[u8] = b"UNSKEW CALLBACKS/1 ";

/// The longest such line.
const LINE: usize = 64;

/// How long a client is waited for that has not asked for anything: most ask at once.
const SILENCE: Duration = Duration::from_millis(100);

/// How much is read at most to see whose a connection is. The settings that hold in the beginning let a client send
/// 64 KiB of data.
const MOST: usize = 256 << 10;

/// The longest message that names a session.
const NAME: usize = 1 << 10;

/// Reads whose a connection is. It stands at its beginning again afterwards.
///
/// # Errors
/// If it is over before, or its client speaks no HTTP/2 after it began to.
pub async fn route(connection: &mut Connection) -> io::Result<Route> {
    connection.keep();
    let mut settings_sent = false;
    let route = read(connection, &mut settings_sent).await?;
    connection.rewind(settings_sent);
    Ok(route)
}

async fn read(connection: &mut Connection, settings_sent: &mut bool) -> io::Result<Route> {
    while connection.seen().len() < PREFACE.len() {
        let seen = connection.seen();
        if !PREFACE.starts_with(seen) && !CALLBACKS.starts_with(seen) {
            break;
        }
        more(connection).await?;
    }
    let begins = |with: &[u8]| connection.seen().starts_with(with);
    if begins(CALLBACKS) {
        return callbacks(connection).await;
    }
    if !begins(PREFACE) {
        return Ok(Route::Front);
    }
    let (copy, reader) = tokio::io::duplex(MOST);
    tokio::select! {
        route = first_request(reader) => route,
        error = feed(connection, copy, settings_sent) => Err(error),
    }
}

async fn callbacks(connection: &mut Connection) -> io::Result<Route> {
    loop {
        let seen = connection.seen();
        if let Some(end) = seen.iter().position(|byte| *byte == b'\n') {
            let number = seen[..end].strip_prefix(CALLBACKS);
            let number = number.and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
            return number.map(Route::Callbacks).ok_or_else(|| io::ErrorKind::InvalidData.into());
        }
        if seen.len() > LINE {
            return Err(io::ErrorKind::InvalidData.into());
        }
        more(connection).await?;
    }
}

/// Copies what comes, until something is wrong.
async fn feed(
    connection: &mut Connection,
    mut copy: DuplexStream,
    settings_sent: &mut bool,
) -> io::Error {
    let mut copied = 0;
    loop {
        let fed = async {
            copy.write_all(&connection.seen()[copied..]).await?;
            copied = connection.seen().len();
            if !*settings_sent {
                match timeout(SILENCE, more(connection)).await {
                    Ok(read) => return read,
                    Err(_) => {
                        *settings_sent = true;
                        connection.write_all(&SETTINGS).await?;
                        connection.flush().await?;
                    }
                }
            }
            more(connection).await
        };
        if let Err(error) = fed.await {
            return error;
        }
    }
}

async fn more(connection: &mut Connection) -> io::Result<()> {
    if connection.seen().len() >= MOST {
        return Err(io::Error::other("a client that asks for nothing"));
    }
    let mut part = [0; 16 << 10];
    match connection.read(&mut part).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

/// Whose the connection is whose first request comes here.
async fn first_request(from: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<Route> {
    let mut connection = server::handshake(from).await.map_err(io::Error::other)?;
    let accepted = connection.accept().await.ok_or(io::ErrorKind::UnexpectedEof)?;
    let (request, _answer) = accepted.map_err(io::Error::other)?;
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    let Some(method) = path.strip_prefix('/').and_then(|path| path.strip_prefix(Ifrt::NAME)) else {
        return Ok(Route::Front);
    };
    if method == "/HostBufferStore" {
        let metadata = MetadataMap::from_headers(head.headers);
        let named = header::<StoreMetadata>(&metadata, STORE).map_err(io::Error::other)?;
        return Ok(Route::Session(named.session));
    }
    let read: fn(Bytes) -> Result<u64, prost::DecodeError> = match method {
        "/HostBufferLookup" | "/HostBufferDelete" => |message| {
            let named = BufferName::decode(message)?;
            Ok(named.session)
        },
        "/HostBufferReadFromDisk" => |message| {
            let named = ReadFromDisk::decode(message)?;
            Ok(named.buffer.unwrap_or_default().session)
        },
        _ => return Ok(Route::Client),
    };
    tokio::select! {
        message = message(body) => read(message?).map(Route::Session).map_err(io::Error::other),
        // The library reads for the body only while it waits for the next request.
        _ = connection.accept() => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// The first message of a body.
async fn message(mut body: RecvStream) -> io::Result<Bytes> {
    /// Whether it is compressed, and its length.
    const BEFORE: usize = 5;
    let mut read = bytes::BytesMut::new();
    loop {
        if read.len() >= BEFORE {
            let length = (&read[1..BEFORE]).get_u32() as usize;
            if length > NAME || read[0] != 0 {
                return Err(io::Error::other("the name of a buffer that is none"));
            }
            if read.len() >= BEFORE + length {
                return Ok(read.split_to(BEFORE + length).split_off(BEFORE).freeze());
            }
        }
        match body.data().await {
            Some(Ok(data)) => read.extend_from_slice(&data),
            Some(Err(error)) => return Err(io::Error::other(error)),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    /// Whose a connection is on which a client asks for this.
    fn routed(path: &'static str, session: u64, message: Vec<u8>) -> io::Result<Route> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (client, server) = tokio::io::duplex(1 << 20);
            let ask = async {
                let (mut client, connection) = h2::client::handshake(client).await.unwrap();
                let metadata = StoreMetadata { session, handle: 1, size: 1 }.encode_to_vec();
                let value = tonic::metadata::MetadataValue::from_bytes(&metadata);
                let request = Request::post(format!("http://here{path}"))
                    .header(STORE, value.as_encoded_bytes())
                    .body(())
                    .unwrap();
                let (_response, mut body) = client.send_request(request, false).unwrap();
                body.send_data(message.into(), false).unwrap();
                connection.await
            };
            tokio::select! {
                route = first_request(server) => route,
                _ = ask => panic!("the client ended first"),
            }
        })
    }

    fn framed(message: &impl prost::Message) -> Vec<u8> {
        let bytes = message.encode_to_vec();
        let length = u32::try_from(bytes.len()).unwrap();
        [&[0][..], &length.to_be_bytes(), &bytes].concat()
    }

    #[test]
    fn the_first_request_tells_whose_a_connection_is() {
        let own = |method: &str| format!("/{}/{method}", Ifrt::NAME).leak() as &'static str;
        let name = framed(&BufferName { session: 7, handle: 1 });
        let buffer = Some(StoreMetadata { session: 9, handle: 1, size: 4 });
        for (path, message, route) in [
            ("/grpc.health.v1.Health/Check", Vec::new(), Route::Front),
            (own("GetVersion"), Vec::new(), Route::Client),
            (own("IfrtSession"), Vec::new(), Route::Client),
            (own("HostBufferStore"), Vec::new(), Route::Session(5)),
            (own("HostBufferLookup"), name.clone(), Route::Session(7)),
            (own("HostBufferDelete"), name, Route::Session(7)),
            (own("HostBufferReadFromDisk"), framed(&ReadFromDisk { buffer }), Route::Session(9)),
        ] {
            assert_eq!(routed(path, 5, message).unwrap(), route, "{path}");
        }
        let long = [0, 0, 1, 0, 0].to_vec();
        assert!(routed(own("HostBufferLookup"), 5, long).is_err());
    }
}
