//! The other side, for tests and load: HTTP/1.1 on one connection that stays open. It waits, and knows as much of
//! HTTP as the service sends.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection, made when it is needed.
#[derive(Debug)]
pub struct ServiceClient {
    address: SocketAddr,
    token: Option<String>,
    connection: Option<BufReader<TcpStream>>,
}

/// An answer of the service, read to its end.
#[derive(Clone, Debug)]
pub struct ServiceResponse {
    /// The status of HTTP.
    pub status: u16,
    /// Its head, names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body, read whole.
    pub body: Vec<u8>,
}

impl ServiceResponse {
    /// A line of the head.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body as a text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl ServiceClient {
    /// A client of the service at an address.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, token: None, connection: None }
    }

    /// Where the service is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same with a token.
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Asks for what is at a path.
    ///
    /// # Errors
    /// If the connection breaks.
    pub fn get(&mut self, path: &str) -> io::Result<ServiceResponse> {
        self.send("GET", path, &[], b"")
    }

    /// Sends JSON.
    ///
    /// # Errors
    /// If the connection breaks.
    pub fn send_json(
        &mut self,
        method: &str,
        path: &str,
        body: &Value,
    ) -> io::Result<ServiceResponse> {
        let json = [("content-type", "application/json")];
        self.send(method, path, &json, body.to_string().as_bytes())
    }

    /// Sends a request and waits for its answer. Where the connection was closed meanwhile, another is made; a
    /// request that was on its way is not sent twice.
    ///
    /// # Errors
    /// If the connection breaks.
    pub fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<ServiceResponse> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n", self.address);
        if let Some(token) = &self.token {
            head.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() || !matches!(method, "GET" | "HEAD") {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        self.raw(&bytes, method == "HEAD")
    }

    /// Sends these bytes as they are, and waits for an answer.
    ///
    /// # Errors
    /// If the connection breaks.
    pub fn raw(&mut self, bytes: &[u8], head: bool) -> io::Result<ServiceResponse> {
        let mut connection = match self.connection.take() {
            Some(connection) if is_open(&connection) => connection,
            _ => {
                let stream = TcpStream::connect(self.address)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                BufReader::new(stream)
            }
        };
        // A server that refuses may answer and close before it has read everything.
        let sent = connection.get_mut().write_all(bytes);
        let (answer, stays) = match read(&mut connection, head) {
            Ok(read) => read,
            Err(error) => return Err(sent.err().unwrap_or(error)),
        };
        if stays && sent.is_ok() {
            self.connection = Some(connection);
        }
        Ok(answer)
    }
}

/// Whether the other side has not closed an idle connection.
fn is_open(connection: &BufReader<TcpStream>) -> bool {
    let stream = connection.get_ref();
    let mut byte = [0];
    let looked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut byte));
    let open = looked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
    stream.set_nonblocking(false).is_ok() && open
}

/// An answer, and whether the connection stays.
fn read(connection: &mut BufReader<TcpStream>, head: bool) -> io::Result<(ServiceResponse, bool)> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut line = String::new();
    let mut next = |connection: &mut BufReader<TcpStream>| {
        line.clear();
        match connection.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok::<String, io::Error>(line.trim_end().to_owned()),
        }
    };
    let first = next(connection)?;
    let status = first.split(' ').nth(1).and_then(|text| text.parse().ok());
    let status: u16 = status.ok_or_else(|| wrong("no status"))?;
    let mut headers = Vec::new();
    loop {
        let line = next(connection)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut answer = ServiceResponse { status, headers, body: Vec::new() };
    if !(head || matches!(status, 204 | 304)) {
        match answer.header("content-length") {
            Some(length) => {
                let length: u64 = length.parse().map_err(|_| wrong("no length"))?;
                connection.take(length).read_to_end(&mut answer.body)?;
                if answer.body.len() as u64 != length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            None if answer.header("transfer-encoding") == Some("chunked") => loop {
                let size = u64::from_str_radix(&next(connection)?, 16);
                let size = size.map_err(|_| wrong("no size of a chunk"))?;
                connection.take(size).read_to_end(&mut answer.body)?;
                next(connection)?;
                if size == 0 {
                    break;
                }
            },
            None => {
                connection.read_to_end(&mut answer.body)?;
            }
        }
    }
    let stays = answer.header("connection") != Some("close");
    Ok((answer, stays))
}
