//! Makes the rules of this crate from `rules/*.toml`, and from the tables of what operators do their operators in the order
//! of their names, so that a file costs no more than the rows of what it calls.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const CHANGES: &str = "data/changes.tsv";
const BEHAVIOUR: &str = "data/behaviour.toml";

fn main() {
    unskew_rules_build::generate("rules", "unskew_core");
    println!("cargo::rerun-if-changed={CHANGES}");
    println!("cargo::rerun-if-changed={BEHAVIOUR}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    if let Err(error) = changes(&out).and_then(|()| behaviour(&out)) {
        println!("cargo::error=data: {error}");
        std::process::exit(1);
    }
}

/// `changes.index`: an operator a line, with the numbers of its rows; `changes.rs`: where each row begins in the table.
fn changes(out: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(CHANGES)?;
    let releases = text.lines().find_map(|line| line.strip_prefix("# measured on "));
    let releases = releases.ok_or("changes.tsv: no line \"# measured on RELEASES\"")?;
    let mut operators: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut starts, mut start) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if !line.starts_with('#') {
            let (names, _) = line.split_once('\t').ok_or_else(|| format!("not a row: {line}"))?;
            for name in names.split(' ') {
                operators.entry(key(name)).or_default().push(starts.len().to_string());
            }
            starts.push(start);
        }
        start += line.len();
    }
    let mut index = format!("#releases\t{releases}\n");
    for (name, rows) in operators {
        writeln!(index, "{name}\t{}", rows.join(" "))?;
    }
    fs::write(out.join("changes.index"), index)?;
    let starts = format!("const STARTS: [u32; {}] = {starts:?};\n", starts.len());
    fs::write(out.join("changes.rs"), starts)?;
    Ok(())
}

/// `behaviour.index`: the operators that have rows, one a line.
fn behaviour(out: &Path) -> Result<(), Box<dyn Error>> {
    let table: toml::Table = fs::read_to_string(BEHAVIOUR)?.parse()?;
    let rows = table.get("behaviour").and_then(toml::Value::as_array).ok_or("no rows")?;
    let named = rows.iter().filter_map(|row| row.get("operators")?.as_array()).flatten();
    let names: BTreeMap<String, ()> =
        named.filter_map(toml::Value::as_str).map(|name| (key(name), ())).collect();
    let lines: String = names.into_keys().map(|name| name + "\t\n").collect();
    fs::write(out.join("behaviour.index"), format!("#releases\t1.0\n{lines}"))?;
    Ok(())
}

/// An operator as texts of definitions write it: behind the name stands `(` or `.`.
fn key(operator: &str) -> String {
    format!("{operator}(")
}
