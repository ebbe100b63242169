//! The plug-ins in the wheels of a package index: each shared object alone is transferred, asked, and removed.

use std::process::Command;

use anyhow::{Context as _, Result};
use unskew_lab_harness::run_command;
use unskew_pjrt::KnownPlugin;

use super::{PluginTable, ask};

const PROBE: &str = "lab/harvest/probes/plugin_wheels.py";

/// Packages that have a PJRT plug-in.
const PACKAGES: [&str; 14] = [
    "fastatomstruct-xla-cpu",
    "intel-extension-for-openxla",
    "jax-cuda11-pjrt",
    "jax-cuda12-pjrt",
    "jax-cuda13-pjrt",
    "jax-metal",
    "jax-oneapi-pjrt",
    "jax-rocm60-pjrt",
    "jax-rocm7-pjrt",
    "jax-tt-plugin",
    "lammps-jax-pjrt-cpu",
    "libtpu",
    "xla-cpu-pjrt",
    "xla-cuda12-pjrt",
];

/// After how many new rows the table is written.
const OFTEN: usize = 8;

/// A shared object in a wheel, as the probe lists it.
struct ListedObject<'a> {
    package: String,
    wheel: &'a str,
    member: &'a str,
    sha256: &'a str,
    /// What fetches it.
    part: [&'a str; 4],
}

impl<'a> ListedObject<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let cells: Vec<&str> = line.split('\t').collect();
        let [package, version, wheel, member, _, sha256, part @ ..] = &*cells else { return None };
        let package = format!("{package} {version}");
        Some(Self { package, wheel, member, sha256, part: part.try_into().ok()? })
    }

    fn plugin(&self) -> Result<Option<KnownPlugin>> {
        let copy = tempfile::Builder::new().suffix(".so").tempfile()?;
        let mut fetch = Command::new("python3");
        fetch.arg(unskew_peers::root().join(PROBE)).arg("fetch").args(self.part).arg(copy.path());
        run_command(&mut fetch)?;
        ask(copy.path(), &self.package)
    }
}

/// Takes all that is not in the table. What does not answer is printed and left out.
///
/// # Errors
/// If the index cannot be asked, or the table cannot be written.
pub(super) fn harvest(which: &str) -> Result<()> {
    let packages: Vec<&str> = match which {
        "published" => PACKAGES.to_vec(),
        package => vec![package],
    };
    let mut list = Command::new("python3");
    let listed =
        run_command(list.arg(unskew_peers::root().join(PROBE)).arg("list").args(packages))?;
    let mut table = PluginTable::read()?;
    let mut tried = Vec::new();
    let mut new = 0;
    for line in listed.lines() {
        let listed =
            ListedObject::read(line).with_context(|| format!("not as expected: {line}"))?;
        // A process of this machine loads nothing else; libraries beside a plug-in are many, one for each Python.
        let is_for_here = listed.wheel.contains(std::env::consts::ARCH)
            && listed.member.ends_with(".so")
            && !listed.member.ends_with("/sdk.so");
        let can_be_read = is_for_here || listed.member.ends_with(".dylib");
        if !can_be_read || table.has(listed.sha256) || tried.contains(&listed.sha256.to_owned()) {
            continue;
        }
        tried.push(listed.sha256.to_owned());
        match listed.plugin() {
            Ok(Some(plugin)) => {
                table.enter(plugin);
                new += 1;
                if new % OFTEN == 0 {
                    table.write()?;
                }
            }
            Ok(None) => {}
            Err(error) => println!("{}: {}: {error:#}", listed.wheel, listed.member),
        }
    }
    table.write()
}
