//! Makes Rust of this crate's data: the typed rules from `rules/`, and from `data/abi/` the C
//! bindings (`bindings.rs`) and the tables of sizes, slots and names (`tables.rs`).

mod bindings;
mod layout;
mod model;
mod tables;

use std::{env, fs, path::Path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    unskew_rules_build::generate("rules", "unskew_core");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=data/abi");
    let abi = model::Abi::read(Path::new("data/abi"))?;
    let layouts = layout::Layouts::of(&abi)?;
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("bindings.rs"), bindings::render(&abi, &layouts)?)?;
    fs::write(Path::new(&out).join("tables.rs"), tables::render(&abi, &layouts)?)?;
    Ok(())
}
