//! The first line each way.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::tokens::MOST;

/// What both ends speak, as TLS negotiates it.
pub(crate) const ALPN: &[u8] = b"unskew-tunnel/1";

/// What a greeting begins with.
const HELLO: &str = "unskew-tunnel 1 ";

/// How long handshake and greeting may take.
pub(crate) const TIME: Duration = Duration::from_secs(10);

/// The longest line.
const LINE: usize = HELLO.len() + MOST + 1;

/// A line without its end. It is read byte by byte, so that nothing behind it is taken.
async fn line(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<String> {
    let mut line = Vec::new();
    loop {
        match stream.read_u8().await? {
            b'\n' => break,
            _ if line.len() >= LINE => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a line without an end"));
            }
            byte => line.push(byte),
        }
    }
    String::from_utf8(line).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "no text"))
}

pub(crate) async fn token(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<String>> {
    Ok(line(stream).await?.strip_prefix(HELLO).map(str::to_owned))
}

/// What a gate answers: nothing is wrong, or what is.
pub(crate) async fn answer(
    stream: &mut (impl AsyncWrite + Unpin),
    wrong: Option<&str>,
) -> io::Result<()> {
    let line = wrong.map_or("ok\n".to_owned(), |what| format!("no: {what}\n"));
    stream.write_all(line.as_bytes()).await?;
    stream.flush().await
}

/// Greets a gate: what it says is wrong, if something is.
pub(crate) async fn greet<S>(stream: &mut S, token: &str) -> io::Result<Option<String>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    stream.write_all(format!("{HELLO}{token}\n").as_bytes()).await?;
    stream.flush().await?;
    let said = line(stream).await?;
    match said.strip_prefix("no: ") {
        Some(what) => Ok(Some(what.to_owned())),
        None if said == "ok" => Ok(None),
        None => {
            Err(io::Error::new(io::ErrorKind::InvalidData, "it does not answer as a gate does"))
        }
    }
}
