//! Makes the rules of this crate from `rules/*.toml`, from `operator_versions.yaml` the form of it that is read in no
//! time, and one text of the files of functions beside it.

use std::path::{Path, PathBuf};

#[path = "src/files/mod.rs"]
#[allow(dead_code, reason = "the crate reads what is written here")]
mod files;

const VERSIONS: &str = "data/operator_versions.yaml";
const FUNCTIONS: [&str; 2] = ["operator_upgraders", "operator_downgraders"];

fn main() {
    unskew_rules_build::generate("rules", "unskew_core");
    println!("cargo::rerun-if-changed=data");
    println!("cargo::rerun-if-changed=src/files");
    if let Err(error) = operators() {
        println!("cargo::error=data: {error}");
        std::process::exit(1);
    }
}

fn operators() -> Result<(), Box<dyn std::error::Error>> {
    let entries = files::yaml::read(&std::fs::read_to_string(VERSIONS)?)?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    std::fs::write(out.join("operators.tsv"), files::flat::flatten(&entries)?)?;
    for stem in FUNCTIONS {
        let text = files::functions::functions(Path::new("data"), stem)?;
        std::fs::write(out.join(format!("{stem}.py")), text)?;
    }
    Ok(())
}
