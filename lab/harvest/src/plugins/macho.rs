//! Plug-ins for macOS: no process of this machine loads them, but the table of some stands ready in their file.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use unskew_lab_harness::run_command;
use unskew_pjrt::Probe;

const PROBE: &str = "lab/harvest/probes/macho_table.py";

/// Why a row has no attributes.
const NOT_ASKED: &str = "its table was read from the file, and nothing was asked";

/// What stands in the table of the library; none if there is none that can be read.
pub(super) fn probe(path: &Path) -> Result<Option<Probe>> {
    let mut read = Command::new("python3");
    let said = run_command(read.arg(unskew_peers::root().join(PROBE)).arg(path))?;
    let Some(line) = said.lines().next() else { return Ok(None) };
    let numbers: Vec<u64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    let [table_size, version_size, major, minor, empty @ ..] = &*numbers else { return Ok(None) };
    Ok(Some(Probe {
        major: i32::try_from(*major)?,
        minor: i32::try_from(*minor)?,
        version_size: *version_size,
        table_size: *table_size,
        empty_slots: empty.to_vec(),
        attributes_refused: Some(NOT_ASKED.to_owned()),
        ..Probe::default()
    }))
}
