//! Takes a PyTorch release into the database: its operator table and its version constants.
//!
//! `harvest` takes both from a real package: the wheel is fetched by pip into a scratch folder, the
//! constants are read from the header and the Python file that every wheel carries, and the table is
//! what the imported package itself lists. A wheel whose libraries this machine lacks cannot be
//! imported; then the table comes from a machine that can, as a text file with one schema a line,
//! through `harvest_from_table`. Both end in the same merge, which can be run again at any time.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use unskew_core::Version;
use unskew_lab_harness::run_command;
use unskew_torch_schemas::{OperatorHistory, merge};

use crate::command::set_day;
use crate::harvest::report;
use crate::row::{self, Row};

/// Where the history of operator tables lies, from the root of the repository.
const OPERATORS: &str = "crates/judging/releases/data/torch/operators.tsv";
/// Where the other facts of the releases lie.
const RELEASES: &str = "crates/judging/releases/data/torch/releases.toml";

/// Prints every schema that a PyTorch knows, one a line.
const DUMP: &str = "import torch\nfor s in torch._C._jit_get_all_schemas(): print(s)\n";

/// Takes the table and the constants of `torch==version` from its package.
///
/// # Errors
/// If pip does not find the version, or the package cannot be imported here.
pub fn harvest(version: &str) -> Result<()> {
    let scratch = std::env::temp_dir().join(format!("unskew-harvest-torch-{version}"));
    let site = scratch.join("site");
    fs::create_dir_all(&scratch)?;
    let requirement = format!("torch=={version}");
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target"];
    run_command(Command::new("python3").args(install).arg(&site).arg(&requirement))?;
    let needs = ["typing_extensions", "sympy", "networkx", "jinja2", "filelock", "fsspec"];
    run_command(Command::new("python3").args(install).arg(&site).args(needs))?;
    let constants = Constants::read(&site)?;
    let mut row = constants.row(version);
    set_day(&mut row, "torch", version);
    row::enter(RELEASES, &format!("torch {version}"), &row)?;
    let table = run_command(Command::new("python3").args(["-c", DUMP]).env("PYTHONPATH", &site))
        .with_context(|| {
            format!(
                "{} cannot be imported here; list its schemas elsewhere and use the table: {requirement}",
                site.display()
            )
        })?;
    take(version, &table)
}

/// Takes the table of `version` from a file with one schema a line.
///
/// # Errors
/// If the file cannot be read, or no line of it is a schema.
pub fn harvest_from_table(version: &str, path: &Path) -> Result<()> {
    let table = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    take(version, &table)
}

/// Merges a table into the history, writes it, and says what changed.
fn take(version: &str, table: &str) -> Result<()> {
    let release: Version = version.parse()?;
    let path = unskew_peers::root().join(OPERATORS);
    let history = match fs::read_to_string(&path) {
        Ok(text) => Some(OperatorHistory::from_text(text)?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let (text, change) = merge(history.as_ref(), release, table.lines());
    let schemas = table.lines().filter(|line| !line.trim().is_empty()).count();
    if schemas == change.refused.len() {
        bail!("no line of the table is a schema, e.g.: {:?}", change.refused.first());
    }
    OperatorHistory::from_text(text.clone())?.validate()?;
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    report(&format!("torch {version}"), &change);
    Ok(())
}

/// The version constants of one package.
#[derive(Debug, Default)]
struct Constants {
    file_format: [Option<i64>; 2],
    produced: Option<i64>,
    bytecode: [Option<i64>; 2],
    bytecode_produced: Option<i64>,
    exported: Option<String>,
}

impl Constants {
    /// The row of the database; what a package does not say is left out.
    fn row(&self, version: &str) -> Row {
        let range = |[min, max]: [Option<i64>; 2]| Some(format!("[{}, {}]", min?, max?));
        let number = |n: Option<i64>| n.map(|n| n.to_string());
        let mut row = Row::new(version);
        for (key, value) in [
            ("file_format", range(self.file_format)),
            ("produces", number(self.produced)),
            ("bytecode", range(self.bytecode)),
            ("bytecode_produces", number(self.bytecode_produced)),
            ("exported", self.exported.as_ref().map(|schema| format!("\"{schema}\""))),
            // Measured from 1.11 on, and no package of today reads them again.
            ("legacy_refused", Some("true".to_owned())),
        ] {
            if let Some(value) = value {
                row.set(key, value);
            }
        }
        row
    }

    /// Reads the header of the format versions and the schema of `torch.export` in a package.
    fn read(site: &Path) -> Result<Self> {
        let header = site.join("torch/include/caffe2/serialize/versions.h");
        let text = fs::read_to_string(&header).with_context(|| header.display().to_string())?;
        let schema = fs::read_to_string(site.join("torch/_export/serde/schema.py")).ok();
        Ok(Self::parse(&text, schema.as_deref()))
    }

    /// The constants in the text of the header and of the schema. Releases up to 1.9 have no upper
    /// end of the bytecode that they read: it is the one that they write.
    fn parse(header: &str, schema: Option<&str>) -> Self {
        let constant = |name: &str| {
            let value = header.split(name).nth(1)?.trim_start().strip_prefix('=')?.trim_start();
            let hexadecimal = value.strip_prefix("0x");
            let digits = hexadecimal.unwrap_or(value);
            let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
            i64::from_str_radix(&digits[..end], if hexadecimal.is_some() { 16 } else { 10 }).ok()
        };
        let exported = schema.and_then(|text| {
            let value = text.split("SCHEMA_VERSION = ").nth(1)?.lines().next()?;
            Some(value.trim_matches(['(', ')']).replace(", ", "."))
        });
        let bytecode_produced = constant("kProducedBytecodeVersion");
        let bytecode_max = constant("kMaxSupportedBytecodeVersion").or(bytecode_produced);
        Self {
            file_format: ["kMinSupportedFileFormatVersion", "kMaxSupportedFileFormatVersion"]
                .map(constant),
            produced: constant("kMinProducedFileFormatVersion"),
            bytecode: [constant("kMinSupportedBytecodeVersion"), bytecode_max],
            bytecode_produced,
            exported,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_read_from_the_header_and_the_schema() {
        let header = "constexpr uint64_t kMinSupportedFileFormatVersion = 0x1L;\n\
            constexpr uint64_t kMaxSupportedFileFormatVersion = 0xAL;\n\
            constexpr uint64_t kProducedBytecodeVersion = 0x5L;\n\
            constexpr uint64_t kMinSupportedBytecodeVersion = 0x3L;\n";
        let constants = Constants::parse(header, Some("SCHEMA_VERSION = (8, 20)\n"));
        assert_eq!(constants.file_format, [Some(1), Some(10)]);
        assert_eq!(constants.bytecode, [Some(3), Some(5)]);
        assert_eq!(constants.exported.as_deref(), Some("8.20"));
        assert_eq!(Constants::parse("", None).file_format, [None, None]);
    }
}
