//! `cargo lab stablehlo-chlo`: what StableHLO makes of the mathematical functions of CHLO, as a table.

use std::fs;
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use unskew_jax_matrix::JaxHost;

const PROBE: &str = "lab/xla/probes/stablehlo_chlo.py";
const TABLE: &str = "crates/xla/stablehlo/data/chlo.txt";

/// Asks the newest jaxlib that is here, and writes the table.
///
/// # Errors
/// If no environment is there, or the probe fails.
pub fn run() -> anyhow::Result<()> {
    let hosts = JaxHost::all();
    let host = hosts.last().context("`cargo xtask corpus` makes the environments of JAX")?;
    let mut command = host.peer.command();
    command.arg(unskew_peers::root().join(PROBE));
    let output = command.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{PROBE} failed");
    fs::write(unskew_peers::root().join(TABLE), output.stdout)?;
    println!("{TABLE} is written");
    Ok(())
}
