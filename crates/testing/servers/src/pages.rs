//! A web server of this process, with pages that a test makes.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use crate::ServerError;

/// A server on a port of the loopback. It answers until the process ends.
pub struct Pages {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Pages {
    /// Starts a server with these pages by their paths; what is not there is 404. With `password`, written as in the header
    /// `Authorization`, all else is 401.
    ///
    /// # Errors
    /// If no port is free.
    pub fn start(
        pages: BTreeMap<String, Vec<u8>>,
        password: Option<&'static str>,
    ) -> Result<Self, ServerError> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Who goes away in between is not waited for.
                let _ = answer(&stream, &pages, password, &record);
            }
        });
        Ok(Self { address, asked })
    }

    /// Where it listens: `127.0.0.1:PORT`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The paths that were asked for, in order.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn answer(
    stream: &TcpStream,
    pages: &BTreeMap<String, Vec<u8>>,
    password: Option<&str>,
    record: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut is_let_in = password.is_none();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        is_let_in |= name.eq_ignore_ascii_case("authorization") && Some(value.trim()) == password;
    }
    let (status, body) = match pages.get(&path) {
        _ if !is_let_in => ("401 Unauthorized", &b"a password is needed"[..]),
        Some(body) => ("200 OK", &body[..]),
        None => ("404 Not Found", &b"not there"[..]),
    };
    record.lock().unwrap_or_else(PoisonError::into_inner).push(path);
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)
}
