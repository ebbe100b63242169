//! Servers that are Python programs, each in an environment of the corpus.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStderr, Stdio};

use unskew_peers::Peer;

use crate::ServerError;

/// Ends the program with its standard input.
const WATCH: &str = "
import os, sys, threading

def watch():
    sys.stdin.buffer.read()
    os._exit(0)

threading.Thread(target=watch, daemon=True).start()
";

/// What stands before the address in what servers say, and before that, with TLS, an `s`.
const ADDRESS: &str = "unning on http";

/// A server that ends with this process.
pub(crate) struct PythonServer {
    child: Child,
    /// Where it listens: `127.0.0.1:PORT`.
    pub(crate) address: String,
}

impl PythonServer {
    /// Starts a program and waits until it says where it listens.
    pub(crate) fn start(
        environment: &'static str,
        program: &str,
        settings: &[(&str, String)],
    ) -> Result<Self, ServerError> {
        if !unskew_peers::there(environment) {
            return Err(ServerError::Missing(environment));
        }
        let (family, version) = environment.split_once('-').unwrap_or((environment, ""));
        let mut command = Peer::named(family, version).map_err(std::io::Error::other)?.command();
        let mut child = command
            .args(["-c", &format!("{WATCH}{program}")])
            .envs(settings.iter().map(|(name, value)| (name, value)))
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
}

impl Drop for PythonServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads what the server says until it says where it listens; the rest is read and forgotten, so that the
/// server never waits for a reader.
fn address(said: ChildStderr) -> Result<String, ServerError> {
    let mut lines = BufReader::new(said);
    let mut seen = String::new();
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Err(ServerError::Ended(seen));
        }
        if let Some((_, rest)) = line.split_once(ADDRESS) {
            let rest = rest.trim_start_matches("s").trim_start_matches("://");
            let address = rest.split([' ', '/']).next().unwrap_or(rest).trim().to_owned();
            std::thread::spawn(move || {
                let mut rest = [0; 4096];
                while matches!(lines.read(&mut rest), Ok(n) if n > 0) {}
            });
            return Ok(address);
        }
        seen.push_str(&line);
    }
}
