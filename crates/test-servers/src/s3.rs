//! An S3 server.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use crate::{ServerError, http, root};

/// The environment in the corpus.
const ENVIRONMENT: &str = "python/moto-5.2.5";

/// Serves on any free port, and ends with its standard input.
const PROGRAM: &str = "
import os, sys, threading

def watch():
    sys.stdin.buffer.read()
    os._exit(0)

threading.Thread(target=watch, daemon=True).start()
from moto.server import main
main(['-H', '127.0.0.1', '-p', '0'])
";

/// What stands before the address in what the server says.
const ADDRESS: &str = "Running on http://";

/// An S3 server that keeps everything in memory, on a port of the loopback.
pub struct S3 {
    child: Child,
    address: String,
}

impl S3 {
    /// Starts one, and waits until it listens.
    ///
    /// # Errors
    /// If its environment is not there, or it does not start.
    pub fn start() -> Result<Self, ServerError> {
        let python = root().join("corpus").join(ENVIRONMENT).join("bin/python");
        if !python.exists() {
            return Err(ServerError::Missing(ENVIRONMENT));
        }
        let mut command = Command::new(python);
        // Nothing of this process that Python would go by; cargo names libraries for tests.
        for name in ["PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH"] {
            command.env_remove(name);
        }
        let mut child = command
            .args(["-c", PROGRAM])
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let address = match child.stderr.take() {
            Some(said) => address(said),
            None => Err(ServerError::Ended(String::new())),
        };
        match address {
            Ok(address) => Ok(Self { child, address }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Where it listens: `http://127.0.0.1:PORT`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What a client needs to know, as variables of the environment.
    pub fn settings(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ENDPOINT_URL", self.endpoint()),
            ("AWS_ACCESS_KEY_ID", "testing".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "testing".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
    }

    /// Makes a bucket.
    ///
    /// # Errors
    /// If the server does not.
    pub fn make_bucket(&self, name: &str) -> Result<(), ServerError> {
        http::request(&self.address, "PUT", &format!("/{name}")).map(|_| ())
    }
}

/// Reads what the server says until it says where it listens; the rest is read and forgotten, so that the
/// server never waits for a reader.
fn address(said: std::process::ChildStderr) -> Result<String, ServerError> {
    let mut lines = BufReader::new(said);
    let mut seen = String::new();
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Err(ServerError::Ended(seen));
        }
        if let Some((_, address)) = line.split_once(ADDRESS) {
            let address = address.trim().trim_end_matches('/').to_owned();
            std::thread::spawn(move || {
                let mut rest = [0; 4096];
                while matches!(lines.read(&mut rest), Ok(n) if n > 0) {}
            });
            return Ok(address);
        }
        seen.push_str(&line);
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
