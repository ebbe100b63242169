//! Makes the rules of this crate from `rules/*.toml`, and from the table of what ops do their names in order, so that a graph
//! costs no more than the rows of the ops that it has.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const BEHAVIOUR: &str = "data/behaviour.tsv";

fn main() {
    unskew_rules_build::generate("rules", "unskew_core");
    println!("cargo::rerun-if-changed={BEHAVIOUR}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    if let Err(error) = behaviour(&out) {
        println!("cargo::error={BEHAVIOUR}: {error}");
        std::process::exit(1);
    }
}

/// `behaviour.index`: an op a line, with the numbers of its rows; `behaviour.rs`: where each row begins in the table.
fn behaviour(out: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(BEHAVIOUR)?;
    let releases = text.lines().find_map(|line| line.strip_prefix("# measured on "));
    let releases = releases.ok_or("no line \"# measured on RELEASES\"")?;
    let mut ops: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut starts, mut start) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if !line.starts_with('#') {
            let (names, _) = line.split_once('\t').ok_or_else(|| format!("not a row: {line}"))?;
            for name in names.split(' ') {
                ops.entry(format!("{name}(")).or_default().push(starts.len().to_string());
            }
            starts.push(start);
        }
        start += line.len();
    }
    let mut index = format!("#releases\t{releases}\n");
    for (name, rows) in ops {
        writeln!(index, "{name}\t{}", rows.join(" "))?;
    }
    fs::write(out.join("behaviour.index"), index)?;
    let starts = format!("const STARTS: [u32; {}] = {starts:?};\n", starts.len());
    fs::write(out.join("behaviour.rs"), starts)?;
    Ok(())
}
