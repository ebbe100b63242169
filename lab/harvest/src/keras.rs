//! Takes a release of Keras into the database: its classes with their arguments, from the source of its wheel.
//!
//! Nothing of it is imported, so neither TensorFlow nor another backend is needed. Up to 2.5 Keras was a part of
//! TensorFlow: there the package is that release's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use unskew_core::Version;
use unskew_definitions::Rows;
use unskew_keras::KerasClass;
use unskew_lab_harness::environment::{interpreter, uv};
use unskew_lab_harness::run_command;

use crate::command::set_day;
use crate::harvest::report;
use crate::row::{self, Row};

const DATA: &str = "crates/judging/releases/data";

/// TensorFlow releases whose Keras is in their own wheel, with the version that it says.
const INSIDE: [(&str, &str); 2] = [("2.4.0", "2.4.4"), ("2.5.0", "2.5.3")];

/// Takes `keras==version` or `tf_keras==version`. `package`: its wheel, or the folder `tensorflow` of a release up to 2.5, if it is there.
///
/// # Errors
/// If the package cannot be had or read.
pub(crate) fn harvest(family: &str, version: &str, package: Option<&Path>) -> Result<()> {
    let inside = INSIDE
        .iter()
        .find(|(keras, _)| family == "keras" && *keras == version)
        .map(|(_, release)| *release);
    let module = if inside.is_some() { "tensorflow.python.keras" } else { family };
    let folder: PathBuf;
    let package = match package {
        Some(package) => package,
        None => {
            folder = installed(family, version, inside)?;
            &folder
        }
    };
    let mut python = Command::new(interpreter("3.11")?);
    python
        .arg(unskew_peers::root().join("lab/harvest/probes/keras_classes.py"))
        .arg(package)
        .arg(module);
    let said = run_command(&mut python)?;
    let lines: Vec<String> = said.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        bail!("{}: no classes of Keras", package.display());
    }
    for line in &lines {
        KerasClass::parse(line).map_err(anyhow::Error::msg).with_context(|| line.clone())?;
    }
    let mut release = Row::new(version);
    set_day(&mut release, family, version);
    row::enter(
        &format!("{DATA}/{family}/releases.toml"),
        &format!("{family} {version}"),
        &release,
    )?;
    let table = unskew_peers::root().join(DATA).join(family).join("classes.tsv");
    let rows = Rows::from_text(fs::read_to_string(&table)?)?;
    let release: Version = version.parse()?;
    let (text, change) = Rows::with_release(Some(&rows), release, lines);
    fs::write(&table, text)?;
    report(&format!("{family} {version}"), &change);
    Ok(())
}

/// The folder of the package, installed without what it needs.
fn installed(family: &str, version: &str, inside: Option<&str>) -> Result<PathBuf> {
    let (name, release, python) = match inside {
        Some(release) => ("tensorflow", release, "3.8"),
        None => (family, version, "3.11"),
    };
    let site = std::env::temp_dir().join(format!("unskew-harvest-{name}-{release}"));
    fs::create_dir_all(&site)?;
    let mut uv = Command::new(uv()?);
    uv.args(["pip", "install", "--quiet", "--no-deps", "--no-cache", "--only-binary=:all:"]);
    uv.arg("--python").arg(interpreter(python)?).arg("--target").arg(&site);
    uv.arg(format!("{name}=={release}"));
    run_command(uv.env("UV_SYSTEM_CERTS", "1").env("UV_NATIVE_TLS", "1"))?;
    Ok(site.join(name))
}
