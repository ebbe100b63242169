//! What a plug-in has to build: the host side of `unskew-pjrt`, archives and the sandbox are features that it lacks.

use std::collections::BTreeSet;
use std::process::Command;

/// The most crates behind a plug-in, with this one.
const MOST: usize = 30;

#[test]
fn a_plug_in_stands_on_few_crates() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "-p", "unskew-pjrt-sdk"])
        .args(["-e", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(env!("UNSKEW_ROOT"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).unwrap();
    // A crate that was named before has a mark behind it.
    let crates: BTreeSet<&str> = text
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .collect();
    assert!(crates.iter().any(|one| one.starts_with("unskew-pjrt v")), "{text}");
    assert!(crates.len() <= MOST, "{} crates: {crates:#?}", crates.len());
}
