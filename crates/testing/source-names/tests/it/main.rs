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

/// A definition as the rules see it.
struct DefinitionLine {
    is_vague: bool,
    is_public_type: bool,
    line: String,
}

/// Every type, every module and every function called `of`, with the folder of its crate, and where each is defined.
fn definitions() -> BTreeMap<Located, Vec<DefinitionLine>> {
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
                all.entry(key).or_default().push(DefinitionLine {
                    is_vague: definition.is_vague(),
                    is_public_type: matches!(definition, Definition::PublicType(_)),
                    line: format!("{file}:{line}"),
                });
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
fn no_type_no_module_and_no_function_has_a_vague_name() {
    let exceptions = exceptions();
    let vague: Vec<String> = definitions()
        .into_iter()
        .filter(|(located, _)| !exceptions.contains(located))
        .flat_map(|((name, folder), at)| {
            let vague = at.into_iter().filter(|at| at.is_vague);
            vague.map(move |at| format!("{name} {folder}  ({})", at.line)).collect::<Vec<_>>()
        })
        .collect();
    assert!(vague.is_empty(), "names that say nothing of the thing:\n{}", vague.join("\n"));
}

#[test]
fn a_name_of_a_public_type_is_defined_once_in_the_workspace() {
    let exceptions = exceptions();
    let mut by_name = BTreeMap::<String, Vec<String>>::new();
    for ((name, folder), at) in definitions() {
        if !exceptions.contains(&(name.clone(), folder.clone())) {
            let public = at.into_iter().filter(|at| at.is_public_type);
            let lines = public.map(|at| format!("{name} {folder}  ({})", at.line));
            by_name.entry(name.clone()).or_default().extend(lines);
        }
    }
    let twice: Vec<String> = by_name.into_values().filter(|at| at.len() > 1).flatten().collect();
    assert!(twice.is_empty(), "names with more than one definition:\n{}", twice.join("\n"));
}

#[test]
fn every_exception_is_still_needed() {
    let definitions = definitions();
    let public_lines = |name: &String| {
        let all = definitions.iter().filter(|((other, _), _)| other == name).flat_map(|(_, at)| at);
        all.filter(|at| at.is_public_type).count()
    };
    let over: Vec<String> = exceptions()
        .into_iter()
        .filter(|located @ (name, _)| {
            definitions.get(located).is_none_or(|at| {
                let is_public = at.iter().any(|at| at.is_public_type);
                let is_one_of_several = is_public && public_lines(name) > 1;
                !at.iter().any(|at| at.is_vague) && !is_one_of_several
            })
        })
        .map(|(name, folder)| format!("{name} {folder}"))
        .collect();
    assert!(over.is_empty(), "lines of exceptions.txt that nothing needs:\n{}", over.join("\n"));
}
