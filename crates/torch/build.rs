//! Makes the rules of this crate from `rules/*.toml`, and from `operator_versions.yaml` the form of it that is read
//! in no time.

use std::path::Path;

const VERSIONS: &str = "data/operator_versions.yaml";

fn main() {
    unskew_rules_build::generate("rules", "unskew_core");
    println!("cargo::rerun-if-changed={VERSIONS}");
    if let Err(error) = operators() {
        println!("cargo::error={VERSIONS}: {error}");
        std::process::exit(1);
    }
}

fn operators() -> Result<(), Box<dyn std::error::Error>> {
    let entries = unskew_operator_yaml::read(&std::fs::read_to_string(VERSIONS)?)?;
    let out = std::env::var_os("OUT_DIR").unwrap_or_default();
    std::fs::write(
        Path::new(&out).join("operators.tsv"),
        unskew_operator_yaml::flatten(&entries)?,
    )?;
    Ok(())
}
