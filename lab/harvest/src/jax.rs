//! Takes a JAX release into the database: what its jaxlib says of itself when it is made to talk.
//!
//! `harvest` installs the real packages into a scratch environment and asks three questions that no
//! file of the package answers: which StableHLO version it writes (its own Python module says), which
//! PJRT version it was built with (a plug-in of another version makes it say so), and what its IFRT
//! proxy client announces (it connects to a listener of ours; the first message has the numbers).

mod announced;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::row::{self, Row};
use unskew_core::Version;

/// Where the rows of the releases lie, from the root of the repository.
const RELEASES: &str = "crates/judging/releases/data/jax/releases.toml";

/// Says the StableHLO version of the package.
const STABLEHLO: &str = "from jaxlib.mlir.dialects import stablehlo\n\
                         print('stablehlo', stablehlo.get_current_version())\n";

const CONNECT: &str = "import sys, jax\n\
    try: from jax.extend.backend import ifrt_proxy\n\
    except ImportError:\n\
    \x20   try: from jaxlib._jax import ifrt_proxy\n\
    \x20   except ImportError: from jaxlib.xla_extension import ifrt_proxy\n\
    options = ifrt_proxy.ClientConnectionOptions()\n\
    options.connection_timeout_in_seconds = 10\n\
    ifrt_proxy.get_client('grpc://127.0.0.1:' + sys.argv[1], options)\n";

/// A plug-in of PJRT 0.29, the oldest that a host compares by its version, which has no function.
const PLUGIN: &str = "#include <stdint.h>\n\
    static struct { uint64_t words[97]; } api;\n\
    void *GetPjrtApi(void) {\n\
    \x20 api.words[0] = sizeof api; api.words[2] = 24; api.words[4] = 29ull << 32; return &api; }\n";

/// Takes `jax==version` with its jaxlib into the database and prints what is new.
///
/// # Errors
/// If no Python here can install the version, or it cannot be made to talk.
pub fn harvest(version: &str) -> Result<()> {
    let scratch = std::env::temp_dir().join(format!("unskew-harvest-jax-{version}"));
    fs::create_dir_all(&scratch)?;
    let made = ask(version, &scratch);
    fs::remove_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
    row::enter(RELEASES, &format!("jax {version}"), &made?)
}

fn ask(version: &str, scratch: &Path) -> Result<Row> {
    let python = install(version, scratch)?;
    let mut row = Row::new(version);
    crate::command::set_day(&mut row, "jax", version);
    match says(Command::new(&python).args(["-c", STABLEHLO]), "stablehlo ") {
        Ok(stablehlo) => row.set("stablehlo", format!("\"{stablehlo}\"")),
        Err(error) => println!("  StableHLO version not found: {error}"),
    }
    match pjrt_minor(&python, scratch) {
        Ok(minor) => row.set("pjrt", minor.to_string()),
        Err(error) => println!("  PJRT version not found: {error}"),
    }
    let connect = |port: u16| {
        let mut command = Command::new(&python);
        command.args(["-c", CONNECT, &port.to_string()]);
        // The second one is what clients before May 2025 go by.
        command.env("IFRT_PROXY_USE_INSECURE_GRPC_CREDENTIALS", "true");
        command.env("TEST_UNDECLARED_OUTPUTS_DIR", scratch).env("JAX_PLATFORMS", "cpu");
        command
    };
    match announced::ranges(connect) {
        Ok(ranges) => {
            row.set("proxy", format!("[{}, {}]", ranges.protocol[0], ranges.protocol[1]));
            // A client that announces no SerDes version and one that announces 0 send the same bytes.
            if ranges.protocol[1] >= 15 {
                row.set("serdes", format!("[{}, {}]", ranges.serdes[0], ranges.serdes[1]));
            }
        }
        Err(error) => println!("  IFRT proxy versions not found: {error}"),
    }
    Ok(row)
}

/// Makes an environment with the packages; returns its Python.
fn install(version: &str, scratch: &Path) -> Result<PathBuf> {
    let mut last = String::new();
    for python in interpreters() {
        let folder = scratch.join("environment");
        let made = Command::new(&python).args(["-m", "venv", "--clear"]).arg(&folder).output();
        if !made.is_ok_and(|output| output.status.success()) {
            continue;
        }
        let python = folder.join("bin/python");
        // Some releases of jax go with the jaxlib of an earlier one, which pip then finds itself.
        for pinned in [Some(format!("jaxlib=={version}")), None] {
            // Some old releases of jax itself, which is Python alone, have no wheel.
            let pip = ["-m", "pip", "install", "--quiet", "--no-cache-dir", "--only-binary=jaxlib"];
            let mut command = Command::new(&python);
            command.args(pip).arg(format!("jax=={version}")).args(pinned);
            let output = command.args(companions(version)?).output()?;
            if output.status.success() {
                return Ok(python);
            }
            last = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        }
    }
    bail!("no Python here installs jax=={version}; name one in UNSKEW_PYTHON\n{last}")
}

/// What old releases need of the packages around them, which they did not pin themselves.
fn companions(version: &str) -> Result<&'static [&'static str]> {
    let version: Version = version.parse()?;
    Ok(if version < Version::triple(0, 4, 26) {
        &["numpy<2", "scipy<1.13", "ml_dtypes<0.4"]
    } else if version < Version::triple(0, 5, 0) {
        &["numpy<2.2"]
    } else {
        &[]
    })
}

/// The Pythons to try: old releases need an old one, new releases a new one.
fn interpreters() -> Vec<String> {
    let named = std::env::var("UNSKEW_PYTHON").ok();
    let usual = ["python3", "python3.13", "python3.12", "python3.11", "python3.10", "python3.9"];
    named.into_iter().chain(usual.map(str::to_owned)).collect()
}

/// The rest of the line of the output that begins with `mark`.
fn says(command: &mut Command, mark: &str) -> Result<String> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix(mark));
    line.map(str::to_owned).with_context(|| {
        let errors = String::from_utf8_lossy(&output.stderr);
        errors.lines().last().unwrap_or("it printed nothing").to_owned()
    })
}

/// The minor of the PJRT C API, from the complaint about a plug-in of another one.
fn pjrt_minor(python: &Path, scratch: &Path) -> Result<i32> {
    let (source, plugin) = (scratch.join("plugin.c"), scratch.join("plugin.so"));
    fs::write(&source, PLUGIN)?;
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&plugin, &source]).status();
    if !built.context("cc")?.success() {
        bail!("cc cannot build a shared object");
    }
    let output = Command::new(python)
        .args(["-c", "import jax; jax.devices()"])
        .env("ENABLE_PJRT_COMPATIBILITY", "0")
        .env("PJRT_NAMES_AND_LIBRARY_PATHS", format!("other:{}", plugin.display()))
        .env("JAX_PLATFORMS", "other")
        .output()?;
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    said.iter().find_map(|text| framework_minor(text)).context("it did not say its version")
}

/// `... and framework PJRT API version 0.85)`, or as older ones say it, `The framework PJRT API version
/// is 0.33.`
fn framework_minor(text: &str) -> Option<i32> {
    let rest = text.split("framework PJRT API version ").nth(1)?;
    let rest = rest.strip_prefix("is ").unwrap_or(rest).strip_prefix("0.")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_wordings_of_the_complaint_are_understood() {
        let new =
            "Mismatched PJRT plugin PJRT API version (0.29) and framework PJRT API version 0.85).";
        let old = "Unexpected PJRT_Api size: expected 792, got 776. Check installed software versions. \
                   The framework PJRT API version is 0.33.";
        assert_eq!(framework_minor(new), Some(85));
        assert_eq!(framework_minor(old), Some(33));
        assert_eq!(framework_minor("no such text"), None);
    }
}
