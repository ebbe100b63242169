//! Rules that no definition of an op holds, and rules of loaders: what real TensorFlow does with graphs is what we
//! say of them, in the same phase and with the same words.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use unskew_core::{Finding, Phase, Severity};
use unskew_source::{BytesSource, FileSource, Source, SourceExt as _};
use unskew_tensorflow::convert::{GraphConvertOptions, VersionOptions, convert};
use unskew_tensorflow::read::{TensorFlowFileKind, transcode_whole};
use unskew_tensorflow::{GraphFile, TensorFlowFile, TensorFlowRuntime, findings, read_file};

use crate::graphs;

/// The interpreter that has this TensorFlow, if real releases are run.
fn python(version: &str) -> Option<PathBuf> {
    let there = unskew_peers::there(&format!("tensorflow-{version}"));
    there.then(|| unskew_peers::Peer::named("tensorflow", version).unwrap().python)
}

fn runtime(version: &str) -> TensorFlowRuntime {
    graphs::runtime(version)
}

fn judged(source: Arc<dyn Source>, runtime: &TensorFlowRuntime) -> (Option<Phase>, Vec<Finding>) {
    let Some(TensorFlowFile::Graphs(file)) = read_file(&source).unwrap() else {
        panic!("no graph")
    };
    let file: GraphFile = file;
    let found = findings(&file.graphs[0], &file, runtime);
    let errors = found.iter().filter(|finding| finding.severity == Severity::Error);
    (errors.filter_map(|finding| finding.phase).min(), found)
}

/// A command that starts a Python of the corpus. Cargo puts the folder of a stand-in for TensorFlow's library, which
/// the SDK for devices is linked with, into the loader's path of every test; the real one must find its own.
fn interpreter(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.env_remove("LD_LIBRARY_PATH");
    command
}

/// What a release said of each case: the phase in which it failed, and its words.
fn told(version: &str, folder: &Path) -> Option<BTreeMap<String, (String, String)>> {
    let python = python(version)?;
    let mut listing = String::new();
    for (name, text) in graphs::ALL {
        let path = folder.join(format!("{name}.pbtxt"));
        std::fs::write(&path, text).unwrap();
        listing += &format!("{name}\t{}\n", path.display());
    }
    std::fs::write(folder.join("listing"), listing).unwrap();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/driver.py");
    let mut command = interpreter(&python);
    command.arg(driver).arg(folder.join("listing"));
    if runtime(version).loads_objects() {
        command.arg(folder.join("models"));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        Some((parts.next()?, (parts.next()?, parts.next()?)))
    };
    Some(text.lines().filter_map(line).collect())
}

/// Where a release does something else than is said of it; nothing where no real releases are run.
fn disagreements(version: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let Some(told) = told(version, folder.path()) else { return Vec::new() };
    let runtime = runtime(version);
    let models = if runtime.loads_objects() { 5 } else { 0 };
    assert_eq!(told.len(), graphs::ALL.len() + models, "{told:?}");
    let mut wrong = Vec::new();
    for (name, (phase, words)) in &told {
        let text = graphs::ALL.iter().find(|(case, _)| case == name).map(|(_, text)| *text);
        let source: Arc<dyn Source> = match text {
            Some(text) => {
                let text = text.replace("@own@", &runtime.graph_def.version.to_string());
                Arc::new(BytesSource::new(format!("{name}.pbtxt"), text.into_bytes()))
            }
            None => {
                let path = folder.path().join("models").join(name).join("saved_model.pb");
                Arc::new(FileSource::open(&path).unwrap())
            }
        };
        let (expected, found) = judged(source, &runtime);
        let expected = expected.map_or("ok", Phase::as_str);
        // Endless recursion kills the process, wherever it is.
        let agrees = phase == expected || phase == "died" && expected != "ok";
        let say = |f: &Finding| format!("{} {:?} {:?}", f.rule.code, f.phase, f.symptom);
        let judged: Vec<String> = found.iter().map(say).collect();
        if !agrees {
            wrong.push(format!(
                "{version}: {name}: {phase} ({words}), judged {expected}: {judged:?}"
            ));
        }
        // Releases up to 2.4 say some of it in other words.
        if phase != "ok" && phase != "died" && runtime.ignores_unknown_attributes() {
            let symptom = |finding: &Finding| {
                let symptom = finding.symptom.as_deref().unwrap_or_default();
                finding.severity == Severity::Error && words.contains(symptom)
            };
            if !found.iter().any(symptom) {
                wrong.push(format!("{version}: {name}: {words}; judged {judged:?}"));
            }
        }
    }
    wrong
}

#[test]
fn tensorflow_2_15_does_what_is_said_of_it() {
    assert_eq!(disagreements("2.15.1"), Vec::<String>::new());
}

#[test]
fn tensorflow_2_21_does_what_is_said_of_it() {
    assert_eq!(disagreements("2.21.0"), Vec::<String>::new());
}

#[test]
fn tensorflow_refuses_checkpoints_that_shut_it_out_and_reads_the_others() {
    let Some(python) = python("2.21.0") else { return };
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/variables");
    let folder = tempfile::tempdir().unwrap();
    let index: Arc<dyn Source> = Arc::new(FileSource::open(&from.join("v2.index")).unwrap());
    let none = VersionOptions::default();
    let cases = [
        ("new", VersionOptions { producer: Some(99), ..none.clone() }, "ok"),
        ("none", VersionOptions { clear: true, ..none.clone() }, "ok"),
        (
            "min",
            VersionOptions { min_consumer: Some(2), ..none.clone() },
            "Checkpoint min consumer version 2 above current version 1",
        ),
        (
            "bad",
            VersionOptions { bad_consumers: [1].into(), ..none },
            "Checkpoint disallows consumer version 1.",
        ),
    ];
    let mut lines = String::new();
    for (name, versions, _) in &cases {
        let options =
            GraphConvertOptions { versions: versions.clone(), ..GraphConvertOptions::default() };
        let made = convert(&index, &runtime("2.21.0"), &options).unwrap().unwrap();
        let place = folder.path().join(name);
        made.1.write(&place.with_extension("index")).unwrap();
        let data = format!("{name}.data-00000-of-00001");
        std::fs::copy(from.join("v2.data-00000-of-00001"), folder.path().join(data)).unwrap();
        lines += &format!("{}\n", place.display());
    }
    let told = script(&python, &["checkpoint.py"], &lines);
    assert_eq!(told.lines().count(), cases.len(), "{told}");
    for ((name, _, words), line) in cases.iter().zip(told.lines()) {
        assert!(line.contains(words), "{name}: {line}");
    }
}

/// Runs a script beside this file with these lines, and returns what it says.
fn script(python: &Path, args: &[&str], lines: &str) -> String {
    let mut command = interpreter(python);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real").join(args[0]);
    command.arg(script).args(&args[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_text_that_becomes_bytes_is_the_same_message_to_tensorflow() {
    let Some(python) = python("2.21.0") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (folder, corpus) = (tempfile::tempdir().unwrap(), root.join("../../../corpus"));
    let files = [
        ("graph", TensorFlowFileKind::Graph, root.join("tests/data/graph.pb")),
        ("meta", TensorFlowFileKind::MetaGraph, root.join("tests/data/variables/v2.meta")),
        (
            "saved_model",
            TensorFlowFileKind::SavedModel,
            corpus.join("guesslang-2.2.1/saved_model.pb"),
        ),
        (
            "saved_model",
            TensorFlowFileKind::SavedModel,
            corpus.join("basic-pitch-0.4.0/saved_model.pb"),
        ),
    ];
    let (mut to_print, mut to_compare) = (String::new(), String::new());
    for (at, (name, _, path)) in files.iter().enumerate() {
        let out = folder.path().join(at.to_string()).display().to_string();
        to_print += &format!("{name}\t{}\t{out}.pbtxt\n", path.display());
        to_compare += &format!("{name}\t{}\t{out}.pb\n", path.display());
    }
    script(&python, &["text.py", "print"], &to_print);
    for (at, (_, kind, _)) in files.iter().enumerate() {
        let out = folder.path().join(at.to_string());
        let text = FileSource::open(&out.with_extension("pbtxt")).unwrap();
        let bytes = transcode_whole(&text, *kind).unwrap();
        std::fs::write(out.with_extension("pb"), bytes.all().unwrap()).unwrap();
    }
    let told = script(&python, &["text.py", "compare"], &to_compare);
    assert_eq!(told.matches("\tsame\n").count(), files.len(), "{told}");
}

#[test]
#[ignore = "takes minutes, and the environments of `cargo xtask corpus --all-tensorflow`"]
fn every_tensorflow_does_what_is_said_of_it() {
    let mut versions = unskew_peers::Peer::versions("tensorflow");
    assert!(versions.len() > 20, "only {} environments are made", versions.len());
    versions.sort();
    let wrong: Vec<String> = versions.iter().flat_map(|version| disagreements(version)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_a_saved_model_with_objects_is_loaded_by_does_not_look_at_the_graph_itself() {
    let text = graphs::ALL.iter().find(|(name, _)| *name == "colocated").unwrap().1;
    let text = text.replace("@own@", "1645");
    let text = format!("meta_graphs {{ graph_def {{ {text} }} object_graph_def {{ }} }}");
    let source: Arc<dyn Source> =
        Arc::new(BytesSource::new("saved_model.pbtxt", text.into_bytes()));
    let (phase, found) = judged(source, &runtime("2.15.1"));
    assert_eq!(phase, None);
    assert!(found.iter().any(|f| f.rule.code == "TF307" && f.severity == Severity::Warning));
}

#[test]
fn a_release_that_imports_no_functions_looks_at_none() {
    for name in ["function_named_as_op", "gradient_of_nothing"] {
        let text = graphs::ALL.iter().find(|(case, _)| *case == name).unwrap().1;
        let source = |own: &str| -> Arc<dyn Source> {
            let text = text.replace("@own@", own);
            Arc::new(BytesSource::new("graph.pbtxt", text.into_bytes()))
        };
        assert_eq!(judged(source("21"), &runtime("1.0.1")).0, None, "{name}");
        assert!(judged(source("1645"), &runtime("2.15.1")).0.is_some(), "{name}");
    }
}
