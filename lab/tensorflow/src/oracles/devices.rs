//! `cargo lab tensorflow`: TensorFlow releases on a pluggable device, as a table.
//!
//! An environment has more than a gigabyte, so one that is not there yet is made for its run and removed after
//! it, unless `--keep` is given. `--write` puts the table into the documentation.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_core::Version;
use unskew_lab_harness::environment::{releases, with_release};
use unskew_lab_harness::{Page, WritePage};
use unskew_lab_tensorflow::{ReleaseTally, STEPS, TensorFlowHost, table};

/// The page that `--write` makes.
const PAGE: Page = Page("docs/reference/tensorflow-on-soroban.md");

/// The first release with pluggable devices; older ones are there for their graphs.
const FIRST: Version = Version::pair(2, 5);

const HEAD: &str = "<!-- made by `cargo lab tensorflow --write` -->\n\n# TensorFlow releases on one plug-in\n\n\
    Real releases of TensorFlow, each loading the same shared object, `soroban`, the example of \
    `unskew-stream-executor-sdk`, and running the 18 steps of `lab/tensorflow/probes/tf_steps.py`. A step passes if its \
    result is right. *Variables* means variables on the device. *Keras* is a small model that is trained for 16 \
    steps and has to come to the losses that the CPU comes to: with everything on the device, and without a word \
    about devices. *Profiler* means that TensorFlow's profile of a program has what the \
    plug-in's profiler wrote down, *graph optimizer* that TensorFlow had the plug-in rewrite a graph and ran what it \
    made. `docs/guide/write-a-tensorflow-plugin.md` says why a release fails where it does.\n\n";

/// Runs TensorFlow releases on a pluggable device and prints what worked.
#[derive(Args)]
pub struct Tensorflow {
    /// A TensorFlow release; all that have requirements if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// A shared object; the example of the SDK, which is built, if none is named.
    #[arg(long)]
    plugin: Option<PathBuf>,
    /// The device type of that plug-in.
    #[arg(long, default_value = "SOROBAN")]
    device: String,
    /// How many seconds a release may take.
    #[arg(long, default_value_t = 300)]
    limit: u64,
    /// Keeps the environments that are made.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    write: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or a release not be started. What a release does is no error.
pub fn run(arguments: &Tensorflow) -> anyhow::Result<()> {
    let plugin = match &arguments.plugin {
        Some(plugin) => plugin.canonicalize().with_context(|| plugin.display().to_string())?,
        None => example()?,
    };
    let mut rows = Vec::new();
    for version in versions(&arguments.releases)? {
        rows.push(with_release("tensorflow", &version, arguments.keep, || {
            let host = TensorFlowHost::named(&version)?;
            let limit = Duration::from_secs(arguments.limit);
            let outcome = host.run(&plugin, &arguments.device, limit)?;
            eprintln!("tensorflow {version}: {} of {STEPS}", outcome.passed());
            Ok(ReleaseTally { version: host.version, outcome })
        })?);
    }
    rows.sort_by_key(|row| row.version);
    let page = table(&rows);
    PAGE.publish(HEAD, &page, &arguments.write)?;
    Ok(())
}

/// The releases that are named; without names, those that know pluggable devices.
fn versions(named: &[String]) -> anyhow::Result<Vec<String>> {
    let mut all = releases("tensorflow", named)?;
    if named.is_empty() {
        all.retain(|version| version.parse().is_ok_and(|version: Version| version >= FIRST));
    }
    Ok(all)
}

/// Builds the example, and says where it lies.
fn example() -> anyhow::Result<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "unskew-stream-executor-sdk"])
        .args(["--example", "soroban", "--message-format=json"])
        .current_dir(unskew_peers::root())
        .output()
        .context("cargo")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the example was not built:\n{}", said.trim());
    let messages = String::from_utf8_lossy(&output.stdout);
    let mut found = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let file = message.get("filenames")?.get(0)?.as_str()?;
        file.ends_with("libsoroban.so").then(|| PathBuf::from(file))
    });
    found.next_back().context("cargo built no libsoroban.so")
}
