//! Has the linker of a release build keep functions that are the same but for their types once: half a megabyte.
//!
//! Only LLVM's linker can, which rustc has with it and takes by itself on Linux on x86-64; with another the build goes on
//! without.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    if env::var("PROFILE").as_deref() == Ok("release") && links_with_lld() {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
}

/// Whether rustc links with the LLVM linker that comes with it.
fn links_with_lld() -> bool {
    const TARGET: &str = "x86_64-unknown-linux-gnu";
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let chosen = ["linker=", "linker-features", "fuse-ld"].iter().any(|one| flags.contains(one));
    if env::var("TARGET").as_deref() != Ok(TARGET)
        || env::var_os("RUSTC_LINKER").is_some()
        || chosen
    {
        return false;
    }
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc).args(["--print", "sysroot"]).output();
    let Ok(said) = asked.map(|asked| String::from_utf8_lossy(&asked.stdout).into_owned()) else {
        return false;
    };
    let tools = Path::new(said.trim()).join("lib/rustlib").join(TARGET).join("bin/gcc-ld");
    tools.join("ld.lld").exists()
}
