//! JAX releases on a server of the IFRT proxy.

use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use unskew_peers::{ProbeOutcome, run_probe};

use crate::JaxHost;

/// How many steps `lab/xla/probes/proxy_steps.py` has.
pub const PROXY_STEPS: usize = 15;

/// A server in a process of its own, with four devices; it ends with this.
#[derive(Debug)]
pub struct ProxyServer {
    child: Child,
    address: String,
    /// Kept, so that the server can go on writing.
    _printed: BufReader<ChildStdout>,
}

impl ProxyServer {
    /// Starts a server, and waits until it has printed its address: the first thing in its output that
    /// begins with `grpc://`.
    ///
    /// # Errors
    /// If it cannot be started, or ends without an address.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command
            .env("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
            .env("TF_CPP_MIN_LOG_LEVEL", "3")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let printed = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        let mut printed = BufReader::new(printed);
        let address = address(&mut printed);
        let served = |address| Self { child, address, _printed: printed };
        match address {
            Ok(address) => Ok(served(address)),
            Err(error) => {
                drop(served(String::new()));
                Err(error)
            }
        }
    }

    /// The address on which it listens: `host:port`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Has a release of JAX run `lab/xla/probes/PROBE` on it, for at most this long.
    ///
    /// # Errors
    /// If the process cannot be started or watched. Whatever becomes of it after that is the outcome.
    pub fn client(&self, host: &JaxHost, probe: &str, limit: Duration) -> io::Result<ProbeOutcome> {
        run_probe(&mut self.command(host, probe), limit)
    }

    /// The command that does this, for more arguments and variables.
    pub fn command(&self, host: &JaxHost, probe: &str) -> Command {
        command(host, probe, &self.address)
    }
}

impl Drop for ProxyServer {
    fn drop(&mut self) {
        // One that has ended already is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Has a release of JAX run `lab/xla/probes/PROBE` on a plug-in that it loads itself, for at most this long.
///
/// # Errors
/// As [`ProxyServer::client`].
pub fn directly(
    host: &JaxHost,
    plugin: &Path,
    probe: &str,
    limit: Duration,
) -> io::Result<ProbeOutcome> {
    let mut command = command(host, probe, "direct");
    command
        .env("PJRT_NAMES_AND_LIBRARY_PATHS", format!("vcpu:{}", plugin.display()))
        .env("JAX_PLATFORMS", "vcpu")
        .env("XLA_FLAGS", "--xla_force_host_platform_device_count=4");
    run_probe(&mut command, limit)
}

fn command(host: &JaxHost, probe: &str, on: &str) -> Command {
    let mut command = host.peer.probe("xla", probe);
    command.arg(on).env("PYTHONPATH", unskew_peers::root().join("python/unskew_jax"));
    command
}

fn address(printed: &mut impl io::BufRead) -> io::Result<String> {
    for line in printed.by_ref().lines() {
        let line = line?;
        let found = line.split_whitespace().find(|word| word.starts_with("grpc://"));
        if let Some(found) = found {
            return Ok(found.to_owned());
        }
    }
    Err(io::Error::other("the server ended before it printed its address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_what_a_server_prints() {
        let mut printed = &b"a note\n4 devices at grpc://127.0.0.1:80\nmore"[..];
        assert_eq!(address(&mut printed).unwrap(), "grpc://127.0.0.1:80");
        assert!(address(&mut &b"no such plug-in\n"[..]).is_err());
    }

    #[test]
    fn a_server_that_ends_is_an_error() {
        assert!(ProxyServer::start(&mut Command::new("true")).is_err());
    }
}
