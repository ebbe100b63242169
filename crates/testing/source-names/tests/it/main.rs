//! Names in every `src` folder of the workspace.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use unskew_source_names::Definition;

/// Definitions that may have a vague name, or one that another crate has too: `NAME CRATE` a line, modules in lower case.
const EXCEPTIONS: &str = include_str!("../../exceptions.txt");

/// A definition, and the folder of its crate: `crates/onnx/models`.
type Located = (String, String);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap()
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// The folders of crates whose public types have users elsewhere: not those of derive macros, which cannot show one.
fn crates() -> Vec<PathBuf> {
    let mut crates = Vec::new();
    let mut open = vec![root().join("crates")];
    while let Some(folder) = open.pop() {
        match std::fs::read_to_string(folder.join("Cargo.toml")) {
            Ok(manifest) if manifest.contains("proc-macro = true") => {}
            Ok(_) => crates.push(folder),
            Err(_) => open.extend(
                std::fs::read_dir(&folder)
                    .unwrap()
                    .map(|entry| entry.unwrap().path())
                    .filter(|path| path.is_dir()),
            ),
        }
    }
    crates
}

/// Every public type and every module, with the folder of its crate, and the file and line of each definition.
fn definitions() -> BTreeMap<Located, Vec<(bool, String)>> {
    let mut all = BTreeMap::<_, Vec<_>>::new();
    for folder in crates() {
        let name = folder.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let mut files = Vec::new();
        sources(&folder.join("src"), &mut files);
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let file = file.strip_prefix(root()).unwrap().display();
            for (line, definition) in (1..).zip(text.lines().map(Definition::parse)) {
                let Some(definition) = definition else { continue };
                let key = (definition.name().to_owned(), name.clone());
                all.entry(key).or_default().push((definition.is_vague(), format!("{file}:{line}")));
            }
        }
    }
    all
}

fn exceptions() -> BTreeSet<Located> {
    let lines = EXCEPTIONS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| line.split_once(' ').unwrap())
        .map(|(name, folder)| (name.to_owned(), folder.to_owned()))
        .collect()
}

#[test]
fn no_public_type_and_no_module_has_a_vague_name() {
    let exceptions = exceptions();
    let vague: Vec<String> = definitions()
        .into_iter()
        .filter(|(located, _)| !exceptions.contains(located))
        .flat_map(|((name, folder), at)| {
            let vague = at.into_iter().filter(|(vague, _)| *vague);
            vague.map(move |(_, line)| format!("{name} {folder}  ({line})")).collect::<Vec<_>>()
        })
        .collect();
    assert!(vague.is_empty(), "names that say nothing of the thing:\n{}", vague.join("\n"));
}

#[test]
fn a_name_of_a_public_type_is_defined_once_in_the_workspace() {
    let exceptions = exceptions();
    let mut by_name = BTreeMap::<String, Vec<String>>::new();
    for ((name, folder), at) in definitions() {
        let is_type = name.starts_with(|c: char| c.is_ascii_uppercase());
        if is_type && !exceptions.contains(&(name.clone(), folder.clone())) {
            let lines = at.into_iter().map(|(_, line)| format!("{name} {folder}  ({line})"));
            by_name.entry(name.clone()).or_default().extend(lines);
        }
    }
    let twice: Vec<String> = by_name.into_values().filter(|at| at.len() > 1).flatten().collect();
    assert!(twice.is_empty(), "names with more than one definition:\n{}", twice.join("\n"));
}

#[test]
fn every_exception_is_still_needed() {
    let definitions = definitions();
    let folders = |name: &String| definitions.keys().filter(|(other, _)| other == name).count();
    let over: Vec<String> = exceptions()
        .into_iter()
        .filter(|located @ (name, _)| {
            definitions.get(located).is_none_or(|at| {
                let vague = at.iter().any(|(vague, _)| *vague);
                !vague && at.len() == 1 && folders(name) == 1
            })
        })
        .map(|(name, folder)| format!("{name} {folder}"))
        .collect();
    assert!(over.is_empty(), "lines of exceptions.txt that nothing needs:\n{}", over.join("\n"));
}
