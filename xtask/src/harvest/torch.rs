//! Takes a PyTorch release into the database: its operator table and its version constants.
//!
//! `harvest` takes both from a real package: the wheel is fetched by pip into a scratch folder, the
//! constants are read from the header and the Python file that every wheel carries, and the table is
//! what the imported package itself lists. A wheel whose libraries this machine lacks cannot be
//! imported; then the table comes from a machine that can, as a text file with one schema a line,
//! through `harvest_from_table`. Both end in the same merge, which can be run again at any time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use unskew_core::Version;
use unskew_ops::{OperatorHistory, TableChange, merge};

/// Where the history of operator tables lies, from the root of the repository.
const OPERATORS: &str = "crates/releases/data/torch/operators.tsv";
/// Where the other facts of the releases lie.
const RELEASES: &str = "crates/releases/data/torch/releases.toml";

/// Prints every schema that a PyTorch knows, one a line.
const DUMP: &str = "import torch\nfor s in torch._C._jit_get_all_schemas(): print(s)\n";

/// Prints the day of the newest file of a wheel, which is that of its release or a little before.
const NEWEST: &str = "import sys, zipfile\n\
    days = [file.date_time for file in zipfile.ZipFile(sys.argv[1]).infolist()]\n\
    print('%04d-%02d-%02d' % max(days)[:3])\n";

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
    let wheel = fetch(&requirement, &scratch)?;
    let day = run(Command::new("python3").args(["-c", NEWEST]).arg(&wheel))?;
    run(Command::new("python3").args(install).arg(&site).arg(&wheel))?;
    let needs = ["typing_extensions", "sympy", "networkx", "jinja2", "filelock", "fsspec"];
    run(Command::new("python3").args(install).arg(&site).args(needs))?;
    let constants = Constants::read(&site)?;
    enter(version, &constants.row(version, day.trim()))?;
    let table = run(Command::new("python3").args(["-c", DUMP]).env("PYTHONPATH", &site))
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
    let path = repository().join(OPERATORS);
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
    report(version, &change);
    Ok(())
}

fn report(version: &str, change: &TableChange) {
    let TableChange { added, removed, refused } = change;
    println!("torch {version}: +{} -{} schemas", added.len(), removed.len());
    for line in refused {
        println!("  no schema, left out: {line}");
    }
    for (sign, schemas) in [('+', added), ('-', removed)] {
        for schema in schemas.iter().take(10) {
            println!("  {sign} {schema}");
        }
        if schemas.len() > 10 {
            println!("  {sign} {} more", schemas.len() - 10);
        }
    }
}

/// The version constants of one package.
#[derive(Debug, Default)]
struct Constants {
    file_format: [Option<i64>; 2],
    produced: Option<i64>,
    bytecode: [Option<i64>; 2],
    bytecode_produced: Option<i64>,
    exported: Option<String>,
    exported_archive: bool,
}

impl Constants {
    /// The row of the database, key by key; what a package does not say is left out.
    fn row(&self, version: &str, day: &str) -> Vec<(&'static str, String)> {
        let range = |[min, max]: [Option<i64>; 2]| Some(format!("[{}, {}]", min?, max?));
        let number = |n: Option<i64>| n.map(|n| n.to_string());
        let cells = [
            ("version", Some(format!("\"{version}\""))),
            ("released", Some(day.to_owned())),
            ("file_format", range(self.file_format)),
            ("produces", number(self.produced)),
            ("bytecode", range(self.bytecode)),
            ("bytecode_produces", number(self.bytecode_produced)),
            ("exported", self.exported.as_ref().map(|schema| format!("\"{schema}\""))),
            ("exported_archive", self.exported_archive.then(|| "true".to_owned())),
            // Measured from 1.11 on, and no package of today reads them again.
            ("legacy_refused", Some("true".to_owned())),
        ];
        cells.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }

    /// Reads the header of the format versions and the schema of `torch.export` in a package.
    fn read(site: &Path) -> Result<Self> {
        let header = site.join("torch/include/caffe2/serialize/versions.h");
        let text = fs::read_to_string(&header).with_context(|| header.display().to_string())?;
        let schema = fs::read_to_string(site.join("torch/_export/serde/schema.py")).ok();
        let exported_archive = site.join("torch/export/pt2_archive").is_dir();
        Ok(Self { exported_archive, ..Self::parse(&text, schema.as_deref()) })
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
            exported_archive: false,
            bytecode: [constant("kMinSupportedBytecodeVersion"), bytecode_max],
            bytecode_produced,
            exported,
        }
    }
}

/// The wheel of a release in the scratch folder, fetched unless it is there.
fn fetch(requirement: &str, scratch: &Path) -> Result<PathBuf> {
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest"];
    run(Command::new("python3").args(download).arg(scratch).arg(requirement))?;
    let mut files = fs::read_dir(scratch)?.filter_map(|file| Some(file.ok()?.path()));
    files
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .with_context(|| format!("pip fetched no wheel: {requirement}"))
}

/// Enters the row of a release into the database and prints what changed. The day that stands there
/// already is kept: it is that of the upload, which no package knows.
fn enter(version: &str, row: &[(&'static str, String)]) -> Result<()> {
    let path = repository().join(RELEASES);
    let text = fs::read_to_string(&path)?;
    let (text, changes) = entered(&text, version, row);
    for change in &changes {
        println!("torch {version}: {change}");
    }
    if changes.is_empty() {
        println!("torch {version}: {RELEASES} says what the package says");
        return Ok(());
    }
    fs::write(&path, text).with_context(|| path.display().to_string())
}

/// The text of the releases with `row` in it, and each change in words.
fn entered(text: &str, version: &str, row: &[(&str, String)]) -> (String, Vec<String>) {
    let mut blocks: Vec<String> = text.split("[[release]]").map(str::to_owned).collect();
    let named = format!("version = \"{version}\"\n");
    let mut changes = Vec::new();
    match blocks.iter_mut().find(|block| block.contains(&named)) {
        None => {
            let lines: String =
                row.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
            changes.push(format!("new\n{lines}"));
            blocks.push(format!("\n{lines}"));
            if let Some(last) = blocks.iter_mut().rev().nth(1) {
                last.push('\n');
            }
        }
        Some(block) => {
            for (key, value) in row.iter().filter(|(key, _)| *key != "released") {
                let line = block.lines().find(|line| line.starts_with(&format!("{key} = ")));
                let new = format!("{key} = {value}");
                match line.map(str::to_owned) {
                    Some(old) if old != new => {
                        *block = block.replacen(&old, &new, 1);
                        changes.push(format!("{old} becomes {new}"));
                    }
                    Some(_) => {}
                    None => {
                        let end = block.trim_end().len();
                        block.insert_str(end, &format!("\n{new}"));
                        changes.push(format!("{new} is new"));
                    }
                }
            }
        }
    }
    (blocks.join("[[release]]"), changes)
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_owned)
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

    #[test]
    fn a_new_row_is_added_and_an_old_one_is_mended() {
        let text =
            "# head\n\n[[release]]\nversion = \"1.0.0\"\nreleased = 2020-01-01\nproduces = 1\n";
        let row = |version: &str, produces: i64| {
            let constants = Constants { produced: Some(produces), ..Constants::default() };
            constants.row(version, "2021-02-03")
        };
        let (same, changes) = entered(text, "1.0.0", &row("1.0.0", 1)[..3]);
        assert_eq!((same.as_str(), changes.len()), (text, 0));
        let (mended, changes) = entered(text, "1.0.0", &row("1.0.0", 3)[..3]);
        assert_eq!(mended, text.replace("produces = 1", "produces = 3"));
        assert_eq!(changes, ["produces = 1 becomes produces = 3"]);
        let (grown, changes) = entered(text, "1.1.0", &row("1.1.0", 3)[..3]);
        let added = "[[release]]\nversion = \"1.1.0\"\nreleased = 2021-02-03\nproduces = 3\n";
        assert_eq!(grown, format!("{text}\n{added}"));
        assert_eq!(changes.len(), 1);
    }
}
