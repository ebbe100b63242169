//! Files that real Keras wrote, and what four releases made of them, against the verdicts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::sync::Arc;

use unskew_core::Phase;
use unskew_keras::{Model, judge};
use unskew_source::{FileSource, Source};

#[test]
fn verdicts_say_what_load_model_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tensorflow/keras/tests/data");
    let loads = std::fs::read_to_string(folder.join("loads.tsv")).unwrap();
    assert_eq!(loads.lines().count(), 28);
    for line in loads.lines() {
        let [file, release, came] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&folder.join(file)).unwrap());
        let model = Model::read(&source).unwrap().unwrap();
        let keras = unskew_releases::keras::of_tensorflow(release.parse().unwrap()).unwrap();
        let judgement = judge(&model, &keras);
        let fails = judgement.findings.iter().any(|one| one.rule.phase == Some(Phase::Load));
        assert_eq!(fails, came == "fails", "{line}: {:?}", judgement.findings);
    }
}
