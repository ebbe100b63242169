//! Processes that run tests, one after another: a test may end its process, and the next ones need another.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use unskew_jax_matrix::{JaxHost, ProxyServer};

use super::Route;

/// What becomes of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Passed,
    Skipped(String),
    Failed(String),
}

/// A line of `lab/xla/probes/jax_tests.py`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Begun { begun: String },
    Done { test: String, outcome: String, why: String },
}

/// What tests run in.
pub(super) struct Surroundings<'h> {
    pub(super) host: &'h JaxHost,
    pub(super) absl: PathBuf,
    /// How long a test may take.
    pub(super) limit: Duration,
    pub(super) unskew: PathBuf,
}

/// How long a process may print nothing beside the time of a test: it reads the file of tests first.
const SILENCE: Duration = Duration::from_secs(60);

impl Surroundings<'_> {
    pub(super) fn list(&self, file: &Path) -> anyhow::Result<Vec<String>> {
        let output = self.command(None, Path::new("")).arg("list").arg(file).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{}: {}", file.display(), last(&said));
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
    }

    /// Runs tests of a file, on jaxlib's own CPU if there is no route.
    pub(super) fn run(
        &self,
        file: &Path,
        tests: &[String],
        route: Option<Route>,
        plugin: &Path,
    ) -> anyhow::Result<BTreeMap<String, Ended>> {
        let mut found = BTreeMap::new();
        let mut left: Vec<&String> = tests.iter().collect();
        while !left.is_empty() {
            let before = found.len();
            self.batch(file, &left, route, plugin, &mut found)?;
            left.retain(|test| !found.contains_key(*test));
            ensure!(found.len() > before, "{}: no test could be run", file.display());
        }
        Ok(found)
    }

    /// Runs tests in one process, until all are done or the process ends.
    fn batch(
        &self,
        file: &Path,
        tests: &[&String],
        route: Option<Route>,
        plugin: &Path,
        found: &mut BTreeMap<String, Ended>,
    ) -> anyhow::Result<()> {
        let scratch = tempfile::tempdir()?;
        let [names, printed, errors] =
            ["names", "printed", "errors"].map(|name| scratch.path().join(name));
        fs::write(&names, tests.iter().map(|name| format!("{name}\n")).collect::<String>())?;
        let mut command = self.command(route, plugin);
        let served = match route {
            Some(Route::Serve) => {
                let mut server = Command::new(&self.unskew);
                server.arg("serve").arg(plugin).args(["--port", "0"]).stderr(Stdio::null());
                // The handlers of the client's own release.
                server.arg("--handlers").arg(self.host.peer.folder().join("bin/python"));
                server.env("PYTHONPATH", unskew_peers::root().join("python/unskew_jax"));
                let served = ProxyServer::start(&mut server).context("unskew serve")?;
                command.env("JAX_TESTS_ON", format!("grpc://{}", address(&served)));
                Some(served)
            }
            _ => None,
        };
        let mut child = command
            .arg("run")
            .arg(file)
            .arg(self.limit.as_secs().to_string())
            .stdin(File::open(&names)?)
            .stdout(File::create(&printed)?)
            .stderr(File::create(&errors)?)
            .spawn()?;
        let end = self.wait(&mut child, &printed)?;
        drop(served);
        let mut open = None;
        for line in fs::read_to_string(&printed)?.lines() {
            match serde_json::from_str(line) {
                Ok(Line::Begun { begun }) => open = Some(begun),
                Ok(Line::Done { test, outcome, why }) => {
                    open = None;
                    let ended = match &*outcome {
                        "pass" => Ended::Passed,
                        "skip" => Ended::Skipped(why),
                        _ => Ended::Failed(why),
                    };
                    found.insert(test, ended);
                }
                // What JAX prints of itself.
                Err(_) => {}
            }
        }
        if let Some(test) = open {
            let errors = String::from_utf8_lossy(&fs::read(&errors)?).into_owned();
            found.insert(test, Ended::Failed(format!("{end}: {}", last(&errors))));
        } else if found.is_empty() && end != "ended" {
            let errors = String::from_utf8_lossy(&fs::read(&errors)?).into_owned();
            anyhow::bail!("{}: {end}: {}", file.display(), last(&errors));
        }
        Ok(())
    }

    /// Waits for the end of a process, or ends one that prints nothing for too long.
    fn wait(&self, child: &mut Child, printed: &Path) -> anyhow::Result<String> {
        let (mut size, mut since) = (0, Instant::now());
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(match status.success() {
                    true => "ended".to_owned(),
                    false => format!("the process ends ({status})"),
                });
            }
            let now = fs::metadata(printed)?.len();
            if now != size {
                (size, since) = (now, Instant::now());
            } else if since.elapsed() > self.limit + SILENCE {
                child.kill()?;
                child.wait()?;
                return Ok("the process hangs".to_owned());
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn command(&self, route: Option<Route>, plugin: &Path) -> Command {
        let mut command = self.host.peer.probe("xla", "jax_tests.py");
        let path = [unskew_peers::root().join("python/unskew_jax"), self.absl.clone()];
        let path = path.map(|folder| folder.display().to_string()).join(":");
        command
            .env("PYTHONPATH", path)
            .env("UNSKEW_JAX", "0")
            // Names of tests have sets in them, whose order is that of the hashes of texts.
            .env("PYTHONHASHSEED", "0")
            .env("XLA_FLAGS", "--xla_force_host_platform_device_count=4");
        match route {
            None => command.env("JAX_PLATFORMS", "cpu"),
            Some(Route::Serve) => &mut command,
            Some(_) => {
                let named = format!("vcpu:{}", plugin.display());
                command.env("PJRT_NAMES_AND_LIBRARY_PATHS", named)
            }
        };
        match route {
            Some(Route::Direct) => command.env("JAX_PLATFORMS", "vcpu,cpu"),
            Some(Route::Adapt) => {
                command.env("JAX_PLATFORMS", "vcpu,cpu").env("JAX_TESTS_ON", "handlers")
            }
            _ => &mut command,
        };
        command
    }
}

fn address(served: &ProxyServer) -> &str {
    served.address().trim_start_matches("grpc://")
}

/// The last line that says something.
fn last(text: &str) -> &str {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing was printed").trim()
}
