//! Makes Rust of this crate's data: the typed rules from `rules/`, and from `data/abi/` the C bindings
//! (`bindings.rs`) and a contract for every layout (`layouts.rs`).

mod bindings;
mod layouts;
mod model;

use std::{env, fs, path::Path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    unskew_rules_build::generate("rules", "unskew_core");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=data/abi");
    let abi = model::Abi::read(Path::new("data/abi"))?;
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("bindings.rs"), bindings::render(&abi)?)?;
    fs::write(Path::new(&out).join("layouts.rs"), layouts::render(&abi)?)?;
    Ok(())
}
