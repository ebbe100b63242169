//! The table of operators and versions that the RFC wants in a `torch.package`.

use std::sync::Arc;

use unskew_source::{Archive, ArchiveOutput, Assembly, ReadError, Source};
use unskew_torch_schemas::OperatorHistory;

use super::{DeviceTable, closure};
use crate::{TorchModel, TorchRuntime};

/// The record of the table, below the folder of the package.
pub const PACKAGE_RECORD: &str = ".data/operator_table.json";

/// The operators that the code of a package calls, with their versions in the release that it was written
/// with.
pub fn of_package(
    name: &str,
    model: &TorchModel,
    runtime: &TorchRuntime,
    operators: &Arc<OperatorHistory>,
) -> DeviceTable {
    let needed = closure(model, operators);
    let mut table =
        DeviceTable::of_release(runtime, name, |operator| needed.contains_key(operator));
    if let Some(version) = model.operator_version() {
        table.file_format = [version, version];
    }
    table
}

/// The package with the table in it, in place of one that it may have. All other records stay as they are.
///
/// # Errors
/// If the package cannot be read.
pub fn add_to_package(
    source: &Arc<dyn Source>,
    table: &DeviceTable,
) -> Result<Assembly, ReadError> {
    let archive = Archive::open(source.clone())?;
    let first = archive.entries().first().map_or("", |entry| entry.name.as_str());
    let root = first.split_once('/').map_or("", |(root, _)| root);
    let all = archive.entries().iter().all(|entry| entry.name.starts_with(&format!("{root}/")));
    let record = if all && !root.is_empty() {
        format!("{root}/{PACKAGE_RECORD}")
    } else {
        PACKAGE_RECORD.to_owned()
    };
    let mut output = ArchiveOutput::new(source.name());
    for entry in archive.entries().iter().filter(|entry| entry.name != record) {
        output.copy(&entry.name, &archive.raw(entry)?)?;
    }
    output.add(&record, table.to_json().into_bytes(), false)?;
    output.finish()
}
