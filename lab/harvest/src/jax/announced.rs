//! What an IFRT proxy client announces, heard by a listener that is no server.
//!
//! The client opens an HTTP/2 connection without TLS, waits for the settings of its peer, and sends
//! `GetVersion` with the lowest and highest version that it speaks. That one message is enough; nobody
//! ever answers it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How long a client gets to connect and send.
const PATIENCE: Duration = Duration::from_secs(60);

/// What every HTTP/2 client sends first.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// An empty SETTINGS frame, and the acknowledgement of the client's.
const SETTINGS: [u8; 18] = [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0];

/// Lowest and highest version of each kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges {
    pub(super) protocol: [u64; 2],
    pub(super) serdes: [u64; 2],
}

/// Starts the client that `connect` makes for a port, and hears what it announces.
pub(super) fn ranges(connect: impl FnOnce(u16) -> Command) -> Result<Ranges> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let mut command = connect(listener.local_addr()?.port());
    let mut client = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let start = Instant::now();
    let heard = loop {
        match listener.accept() {
            Ok((stream, _)) => break hear(stream),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                if client.try_wait()?.is_some() {
                    bail!("the client ended without a connection");
                }
                if start.elapsed() > PATIENCE {
                    break Err(anyhow::anyhow!("the client did not connect"));
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(error) => break Err(error.into()),
        }
    };
    let _ = client.kill();
    client.wait()?;
    heard
}

/// Reads frames until the first one with data.
fn hear(mut stream: TcpStream) -> Result<Ranges> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut preface = [0; PREFACE.len()];
    stream.read_exact(&mut preface)?;
    if &preface != PREFACE {
        bail!("the client does not speak HTTP/2 without TLS");
    }
    stream.write_all(&SETTINGS)?;
    for _ in 0..100 {
        let mut head = [0; 9];
        stream.read_exact(&mut head).context("before the first message")?;
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload)?;
        if head[3] == 0 {
            // Five bytes of gRPC stand before the message: whether it is compressed, and its length.
            return message(payload.get(5..).unwrap_or_default())
                .context("not a GetVersion request");
        }
    }
    bail!("the client sent no message")
}

/// `GetVersionRequest { 1: lowest, 2: highest }`, each `{ 1: protocol, 2: SerDes }`.
fn message(bytes: &[u8]) -> Option<Ranges> {
    let mut ranges = Ranges::default();
    let mut rest = bytes;
    while let [key @ (0x0a | 0x12), length, tail @ ..] = rest {
        let end = usize::from(key >> 3) - 1;
        let (pair, tail) = tail.split_at_checked(usize::from(*length))?;
        (ranges.protocol[end], ranges.serdes[end]) = versions(pair)?;
        rest = tail;
    }
    (rest.is_empty() && ranges.protocol[1] > 0).then_some(ranges)
}

fn versions(mut bytes: &[u8]) -> Option<(u64, u64)> {
    let (mut protocol, mut serdes) = (0, 0);
    while let [key, tail @ ..] = bytes {
        let (value, tail) = varint(tail)?;
        match key {
            0x08 => protocol = value,
            0x10 => serdes = value,
            _ => return None,
        }
        bytes = tail;
    }
    Some((protocol, serdes))
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (i, byte) in bytes.iter().take(9).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[i + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_messages_of_real_clients_are_understood() {
        let read = |hex: &str| {
            let digits: Vec<u8> =
                hex.bytes().filter_map(|b| char::from(b).to_digit(16)).map(|d| d as u8).collect();
            message(&digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect::<Vec<_>>())
        };
        let ranges = |protocol, serdes| Some(Ranges { protocol, serdes });
        assert_eq!(read("0a02 0810 1204 0819 1003"), ranges([16, 25], [0, 3]));
        assert_eq!(read("0a02 080f 1202 0816"), ranges([15, 22], [0, 0]));
        assert_eq!(read("0a02 0803 1202 0804"), ranges([3, 4], [0, 0]));
        assert_eq!(read("0a02 08"), None);
        assert_eq!(read(""), None);
    }
}
