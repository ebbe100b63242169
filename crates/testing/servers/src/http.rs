//! HTTP request, for setting servers up.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::ServerError;

/// Sends a request with a body and returns the body of the answer.
///
/// # Errors
/// [`ServerError::Answer`] if its status is not a success.
pub fn request(
    address: &str,
    method: &str,
    path: &str,
    body: &[u8],
) -> Result<String, ServerError> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\
         Content-Type: application/json\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let status = answer.split(' ').nth(1).unwrap_or_default();
    match status.starts_with('2') {
        true => {
            Ok(answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
        }
        false => Err(ServerError::Answer(answer)),
    }
}
