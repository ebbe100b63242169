//! Makes what plug-ins are linked against: a shared object that is named like TensorFlow's library and has its
//! functions by name, and nothing in them.
//!
//! TensorFlow keeps its symbols to itself, so a plug-in has to name `libtensorflow_framework.so.2` as needed;
//! the loader then takes the one that is loaded already. To link, only the name and the symbols matter, so no
//! TensorFlow has to be on the machine. The list of functions is read from the declarations in
//! `src/ffi/framework.rs`.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

const DECLARATIONS: &str = "src/ffi/framework.rs";

/// The library, as the loader knows it.
const SONAME: &str = "libtensorflow_framework.so.2";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DECLARATIONS}");
    println!("cargo::rerun-if-changed=build/main.rs");
    if env::var("CARGO_CFG_TARGET_OS")? != "linux" {
        // TensorFlow loads such plug-ins elsewhere under other names; they are not made here.
        return Ok(());
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let source = out.join("stub.rs");
    fs::write(&source, stub(&fs::read_to_string(DECLARATIONS)?)?)?;
    let library = out.join(SONAME);
    let mut rustc = Command::new(env::var("RUSTC")?);
    rustc.args(["--edition=2024", "--crate-type=cdylib", "--crate-name=stub", "-Cpanic=abort"]);
    rustc.args(["--target", &env::var("TARGET")?]);
    rustc.arg(format!("-Clink-arg=-Wl,-soname,{SONAME}")).arg("-Clink-arg=-nostartfiles");
    rustc.arg("-Clink-arg=-nostdlib");
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    let made = rustc.arg("-o").arg(&library).arg(&source).output()?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
    }
    // The linker looks for the name without a version; the loader of a test for the one with it.
    fs::copy(&library, out.join("libtensorflow_framework.so"))?;
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=dylib=tensorflow_framework");
    Ok(())
}

/// The stub's source: every function that is declared, doing nothing.
fn stub(declarations: &str) -> Result<String, Box<dyn Error>> {
    let mut text = String::from("#![no_std]\n");
    text.push_str("#[panic_handler]\nfn never(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }\n");
    let names = declarations.lines().filter_map(|line| {
        line.trim()
            .strip_prefix("pub(super) fn ")?
            .split('(')
            .next()
            .filter(|it| it.starts_with("TF_"))
    });
    for name in names {
        writeln!(text, "#[unsafe(no_mangle)]\npub extern \"C\" fn {name}() -> usize {{ 0 }}")?;
    }
    Ok(text)
}
