//! Real JAX releases on real plug-ins, through the server: in a process of its own, as the example starts
//! it, with four devices.
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use unskew_jax_matrix::{End, Host, Outcome, PLUGINS, Plugin, root, run_probe};

const LIMIT: Duration = Duration::from_secs(240);

/// How many steps `python/probe/proxy_steps.py` has.
const STEPS: usize = 15;

/// A server, which ends with this.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn of(plugin: &Plugin) -> Self {
        let mut child = Command::new(example())
            .arg(plugin.path())
            .env("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
            .env("TF_CPP_MIN_LOG_LEVEL", "3")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let printed = BufReader::new(child.stdout.take().unwrap());
        let mut lines = printed.lines().map_while(Result::ok);
        let address = lines.find(|line| line.starts_with("grpc://")).unwrap();
        Self { child, address }
    }

    fn client(&self, version: &str) -> Outcome {
        let host = Host::named(version).unwrap();
        let python = root().join("python");
        let mut command = Command::new(&host.python);
        command.arg(python.join("probe/proxy_steps.py")).arg(&self.address);
        for name in ["PYTHONHOME", "XLA_FLAGS", "JAX_PLATFORMS", "PJRT_NAMES_AND_LIBRARY_PATHS"] {
            command.env_remove(name);
        }
        command.env("PYTHONPATH", python.join("unskew_jax"));
        run_probe(&mut command, LIMIT).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The example, which Cargo builds beside the tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let example = test.ancestors().nth(2).unwrap().join("examples/serve");
    assert!(example.exists(), "`cargo build --examples -p unskew-ifrt-proxy` makes {example:?}");
    example
}

/// Three clients, of three dialects of the protocol and of two places where the client module is.
#[test]
fn clients_of_three_ages_pass_every_step_on_the_oldest_and_the_newest_plug_in() {
    for plugin in [&PLUGINS[0], &PLUGINS[2]] {
        let server = Server::of(plugin);
        for version in ["0.5.3", "0.6.2", "0.10.2"] {
            let outcome = server.client(version);
            println!("jax {version} on {}: {} passed", plugin.name, outcome.passed());
            assert_eq!(outcome.failure(), None, "jax {version} on {}", plugin.name);
            assert_eq!((outcome.passed(), outcome.end), (STEPS, End::Finished));
        }
    }
}
