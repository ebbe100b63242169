//! Empty libraries in the place of a vendor's, for a plug-in that says what it is without calling them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use unskew_abi::{Import, SharedObject};
use unskew_lab_harness::run_command;

/// Libraries of the system, by how their names begin.
const OF_THE_SYSTEM: [&str; 10] = [
    "libc.so",
    "libm.so",
    "libdl.so",
    "librt.so",
    "libpthread.so",
    "libgcc_s.so",
    "libstdc++.so",
    "ld-linux",
    "libutil.so",
    "libresolv.so",
];

/// Makes in `folder` what a plug-in needs and this machine may not have; all its imports stand in the first. False if it
/// needs nothing but what the system has.
pub(super) fn make(object: &SharedObject, folder: &Path) -> Result<bool> {
    let is_of_the_system = |name: &&String| OF_THE_SYSTEM.iter().any(|own| name.starts_with(own));
    let others: Vec<&String> =
        object.needed.iter().filter(|name| !is_of_the_system(name)).collect();
    // What a library of the system has would be hidden by a symbol of the same name.
    let is_elsewhere = |import: &&Import| {
        let version = import.version.as_deref().unwrap_or_default();
        !["GLIBC", "CXXABI", "GCC_"].iter().any(|own| version.starts_with(own))
    };
    let names = object.imports.iter().filter(is_elsewhere).map(|import| &*import.name);
    let names: BTreeSet<&str> = names.collect();
    let is_word =
        |name: &&&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    for (at, library) in others.iter().enumerate() {
        let mut text = String::new();
        for name in names.iter().filter(is_word).filter(|_| at == 0) {
            let _ = writeln!(
                text,
                ".globl {name}\n.type {name}, @function\n{name}: xor %eax, %eax\nret"
            );
        }
        let source = folder.join("stand-in.s");
        std::fs::write(&source, text)?;
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-nostdlib", "-o"]).arg(folder.join(library)).arg(&source);
        run_command(compiler.arg(format!("-Wl,-soname,{library}")))?;
    }
    Ok(!others.is_empty())
}
