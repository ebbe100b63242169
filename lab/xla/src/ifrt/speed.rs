//! `cargo lab ifrt speed`: how fast JAX is on the server, on the plug-in itself, and beside a copy over TCP.
//!
//! Other work on the machine slows all of it, so what counts is measured in turns: the copy over TCP is that of
//! the same seconds, and each round has one process on the server and one on the plug-in.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use unskew_jax_matrix::{JaxHost, PLUGINS, ProxyServer, directly};
use unskew_lab_harness::environment::Environment;
use unskew_peers::{ProbeOutcome, run_probe};

const PROBE: &str = "proxy_speed.py";

/// How long a client may take.
const LIMIT: Duration = Duration::from_secs(240);

/// How many bytes each transfer has, as in the probe.
const MIB: f64 = 64.0;

/// Which clients and servers other rows are of.
const KEPT: &str = ", with the variables of the recipe";
const SHARED: &str = ", with `--isolation none`";

/// What is timed through the server and through the plug-in itself.
#[derive(clap::Args)]
pub struct Speed {
    /// The JAX release, one that loads the plug-in itself too.
    #[arg(long, default_value = "0.10.2")]
    release: String,
    /// The plug-in; the newest of the corpus if none is named.
    #[arg(long)]
    plugin: Option<PathBuf>,
    /// `unskew`, built with `--release`; if none is named, it is built.
    #[arg(long)]
    server: Option<PathBuf>,
    /// How often each measurement is repeated.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Measures, and prints a table.
///
/// # Errors
/// If the server cannot be had, or a measurement fails.
pub fn run(speed: &Speed) -> anyhow::Result<()> {
    Environment::named(&format!("jax-{}", speed.release))?.make()?;
    let host = JaxHost::named(&speed.release)?;
    let plugin = speed.plugin.clone().unwrap_or_else(|| PLUGINS[2].path());
    let plugin = plugin.canonicalize().with_context(|| plugin.display().to_string())?;
    let server = speed.server.clone().map_or_else(server, Ok)?;
    let variables = variables(&server, &speed.release)?;
    let (mut served, mut kept, mut direct) = (Vec::new(), Vec::new(), Vec::new());
    let mut shared = Vec::new();
    for _ in 0..speed.rounds.max(1) {
        let mut serving = Command::new(&server);
        let running = ProxyServer::start(serving.arg("serve").arg(&plugin).args(["--port", "0"]))?;
        served.push(checked(running.client(&host, PROBE, LIMIT)?)?);
        let mut keeping = running.command(&host, PROBE);
        let variables = variables.iter().map(|(name, value)| (name, value));
        kept.push(checked(run_probe(keeping.envs(variables), LIMIT)?)?);
        drop(running);
        let mut serving = Command::new(&server);
        serving.arg("serve").arg(&plugin).args(["--port", "0", "--isolation", "none"]);
        let running = ProxyServer::start(&mut serving)?;
        shared.push(checked(running.client(&host, PROBE, LIMIT)?)?);
        drop(running);
        direct.push(checked(directly(&host, &plugin, PROBE, LIMIT)?)?);
    }
    print!("{}", table(&served, &kept, &shared, &direct));
    Ok(())
}

/// What `unskew serve --client` says that a client has in its environment.
fn variables(server: &Path, release: &str) -> anyhow::Result<Vec<(String, String)>> {
    let printed =
        Command::new(server).args(["serve", "--client", release]).output().context("unskew")?;
    let recipe = String::from_utf8(printed.stdout)?;
    let exports = recipe.lines().filter_map(|line| line.strip_prefix("export "));
    let pairs = exports.flat_map(str::split_whitespace).filter_map(|it| it.split_once('='));
    Ok(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// The command `unskew`, optimized.
fn server() -> anyhow::Result<PathBuf> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "unskew-cli", "--features", "serve"])
        .current_dir(unskew_peers::root())
        .status()
        .context("cargo")?;
    ensure!(built.success(), "cargo built no server");
    let here = std::env::current_exe()?;
    let target = here.ancestors().nth(2).context("no folder of targets")?;
    Ok(target.join("release/unskew"))
}

fn checked(outcome: ProbeOutcome) -> anyhow::Result<ProbeOutcome> {
    match outcome.failure() {
        None if !outcome.steps.is_empty() => Ok(outcome),
        failure => anyhow::bail!("{PROBE} failed: {failure:?}"),
    }
}

/// The median of a measurement over the rounds, in seconds.
fn median(outcomes: &[ProbeOutcome], step: &str) -> f64 {
    let all = outcomes.iter().flat_map(|outcome| &outcome.steps);
    let mut all: Vec<f64> = all.filter(|it| it.step == step).map(|it| it.seconds).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The median over the rounds of what a transfer reaches of the copy over TCP.
fn share(outcomes: &[ProbeOutcome], step: &str) -> f64 {
    let of = |outcome: &ProbeOutcome, step| median(std::slice::from_ref(outcome), step);
    let mut all: Vec<f64> = outcomes.iter().map(|it| of(it, "tcp") / of(it, step)).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}

fn table(
    served: &[ProbeOutcome],
    kept: &[ProbeOutcome],
    shared: &[ProbeOutcome],
    direct: &[ProbeOutcome],
) -> String {
    let micros = |outcomes: &[ProbeOutcome], step| 1e6 * median(outcomes, step);
    let rate = |outcomes: &[ProbeOutcome], step| MIB / median(outcomes, step);
    let mut text = String::from(
        "| | on the server | the plug-in itself | of a TCP copy |\n| --- | --: | --: | --: |\n",
    );
    for (name, step) in [("a step of a chain", "chained"), ("a step waited for", "waited")] {
        let other = micros(direct, step);
        for (outcomes, how) in [(served, ""), (shared, SHARED)] {
            let one = micros(outcomes, step);
            text.push_str(&format!("| {name}{how} | {one:.0} us | {other:.0} us | |\n"));
        }
    }
    for (name, step) in [("put 64 MiB", "put"), ("fetch 64 MiB", "fetch")] {
        let other = rate(direct, step);
        for (outcomes, how) in [(served, ""), (kept, KEPT), (shared, SHARED)] {
            let (one, share) = (rate(outcomes, step), 100.0 * share(outcomes, step));
            text.push_str(&format!(
                "| {name}{how} | {one:.0} MiB/s | {other:.0} MiB/s | {share:.0} % |\n"
            ));
        }
    }
    let tcp = rate(served, "tcp");
    text.push_str(&format!("| copy 64 MiB over TCP | {tcp:.0} MiB/s | | |\n"));
    text
}

#[cfg(test)]
mod tests {
    use unskew_peers::ProcessEnd;

    use super::*;

    fn outcome(tcp: f64, put: f64) -> ProbeOutcome {
        let line = |step, seconds| {
            format!(
                "{{\"step\": \"{step}\", \"ok\": true, \"detail\": \"\", \"seconds\": {seconds}}}\n"
            )
        };
        ProbeOutcome::new(&(line("tcp", tcp) + &line("put", put)), "", ProcessEnd::Finished)
    }

    #[test]
    fn a_share_is_of_the_copy_of_the_same_round() {
        let rounds = [outcome(1.0, 2.0), outcome(10.0, 20.0), outcome(1.0, 10.0)];
        assert!((share(&rounds, "put") - 0.5).abs() < 1e-9);
        assert!((median(&rounds, "put") - 10.0).abs() < 1e-9);
        assert!(median(&rounds, "none").is_nan());
    }
}
