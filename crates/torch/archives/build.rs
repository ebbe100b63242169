//! Makes the rules of this crate from `rules/*.toml`, and from the tables of what operators do their operators in the order
//! of their names, so that a file costs no more than the rows of what it calls.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

const BEHAVIOUR: &str = "data/behaviour.toml";

fn main() {
    unskew_rules_build::generate("rules", "unskew_core");
    unskew_rules_build::index("data/changes.tsv");
    println!("cargo::rerun-if-changed={BEHAVIOUR}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    if let Err(error) = behaviour(&out) {
        println!("cargo::error={BEHAVIOUR}: {error}");
        std::process::exit(1);
    }
}

/// `behaviour.index`: the operators that have rows, one a line.
fn behaviour(out: &Path) -> Result<(), Box<dyn Error>> {
    let table: toml::Table = fs::read_to_string(BEHAVIOUR)?.parse()?;
    let rows = table.get("behaviour").and_then(toml::Value::as_array).ok_or("no rows")?;
    let named = rows.iter().filter_map(|row| row.get("operators")?.as_array()).flatten();
    // As texts of definitions write it: behind the name stands `(` or `.`.
    let key = |name| (format!("{name}("), ());
    let names: BTreeMap<String, ()> = named.filter_map(toml::Value::as_str).map(key).collect();
    let lines: String = names.into_keys().map(|name| name + "\t\n").collect();
    fs::write(out.join("behaviour.index"), format!("#releases\t1.0\n{lines}"))?;
    Ok(())
}
