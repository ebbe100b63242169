//! `fingerprint.pb` of SavedModels that three releases wrote: a variable, two functions of which one calls the
//! other, an assertion with a text.

use std::path::Path;
use std::sync::Arc;

use unskew_core::{Conversion, DataConsumer, Date};
use unskew_source::wire::WireMessage;
use unskew_source::{Assembly, BytesSource, ConvertedArtifact, FileSource, Source, SourceExt as _};
use unskew_tensorflow::convert::VersionOptions;
use unskew_tensorflow::{
    GraphConvertOptions, OpHistory, OpRegistry, TensorFlowRuntime, convert_saved_model,
};

/// The first release with fingerprints, the first with those of today, and one of today.
const RELEASES: [&str; 3] = ["2.11.0", "2.12.1", "2.21.0"];

type Folder = Vec<(String, Arc<dyn Source>)>;

fn folder(release: &str) -> Folder {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/saved_models").join(release);
    ["saved_model.pb", "fingerprint.pb"]
        .map(|name| {
            let file: Arc<dyn Source> = Arc::new(FileSource::open(&place.join(name)).unwrap());
            (name.to_owned(), file)
        })
        .into()
}

/// A release that knows no op, so that nothing but what is asked for changes.
fn runtime() -> TensorFlowRuntime {
    let version = "2.15.1".parse().unwrap();
    let history =
        Arc::new(OpHistory::from_text("#releases\t2.15.1\nNothing() -> ()\t2.15.1\n").unwrap());
    TensorFlowRuntime {
        version,
        released: Date::constant(2024, 3, 8),
        graph_def: DataConsumer { version: 1645, min_producer: 0 },
        checkpoint: DataConsumer { version: 1, min_producer: 0 },
        ops: OpRegistry::new(history, version, false),
        known: Arc::new([]),
        kernels: None,
        usage: unskew_tensorflow::RuntimeUsage::default(),
    }
}

fn with_producer(folder: &Folder, producer: i64) -> (Conversion, Vec<(String, Arc<Assembly>)>) {
    let versions = VersionOptions { producer: Some(producer), ..VersionOptions::default() };
    let options = GraphConvertOptions { versions, ..GraphConvertOptions::default() };
    let (plan, output) = convert_saved_model(folder, &runtime(), &options).unwrap().unwrap();
    let ConvertedArtifact::Folder(files) = output else { panic!("a folder becomes a folder") };
    (plan, files)
}

/// The numbers and names of a fingerprint, by their fields.
fn fields(file: &dyn Source) -> Vec<(u32, u64)> {
    let mut message = WireMessage::whole(file);
    let mut fields = Vec::new();
    while let Some(field) = message.next().unwrap() {
        fields.push((field.number, field.varint().unwrap_or(0)));
    }
    fields
}

fn of(fields: &[(u32, u64)], number: u32) -> Option<u64> {
    fields.iter().find(|(known, _)| *known == number).map(|(_, hash)| *hash)
}

fn file<'f>(files: &'f [(String, Arc<Assembly>)], name: &str) -> Option<&'f Arc<Assembly>> {
    files.iter().find(|(path, _)| path == name).map(|(_, file)| file)
}

fn adaptations(plan: &Conversion) -> Vec<&str> {
    plan.rewrites.iter().map(|rewrite| rewrite.adaptation).collect()
}

#[test]
fn hashes_that_the_writer_computed_are_known_and_computed_anew() {
    for release in RELEASES {
        let (plan, files) = with_producer(&folder(release), 1000);
        assert!(adaptations(&plan).contains(&"update-fingerprint"), "{release}: {plan:?}");
        let before = fields(&*folder(release)[1].1);
        let after = fields(&**file(&files, "fingerprint.pb").unwrap());
        assert_ne!(of(&before, 1), of(&after, 1), "{release}");
        // A program has no versions, and the rest does not change.
        for number in 2..=6 {
            assert_eq!(of(&before, number), of(&after, number), "{release}: {number}");
        }
        assert_eq!(of(&after, 7), None, "{release}");
    }
}

#[test]
fn changing_a_graph_there_and_back_gives_the_hashes_that_the_writer_computed() {
    for (release, producer) in [("2.11.0", 1286), ("2.12.1", 1395), ("2.21.0", 2474)] {
        let there = with_producer(&folder(release), 1000).1;
        let there: Folder =
            there.into_iter().map(|(path, file)| (path, file as Arc<dyn Source>)).collect();
        let back = with_producer(&there, producer).1;
        let wanted = fields(&*folder(release)[1].1);
        let found = fields(&**file(&back, "fingerprint.pb").unwrap());
        assert_eq!(of(&found, 1), of(&wanted, 1), "{release}");
        let before = folder(release)[0].1.all().unwrap();
        assert_eq!(file(&back, "saved_model.pb").unwrap().all().unwrap(), before, "{release}");
    }
}

#[test]
fn a_fingerprint_of_another_folder_is_left_out() {
    let mut mixed = folder("2.21.0");
    mixed[1].1 = folder("2.12.1")[1].1.clone();
    let (plan, files) = with_producer(&mixed, 1000);
    assert!(adaptations(&plan).contains(&"drop-fingerprint"), "{plan:?}");
    assert!(file(&files, "fingerprint.pb").is_none());
}

#[test]
fn a_folder_that_does_not_change_keeps_its_fingerprint_byte_for_byte() {
    let folder = folder("2.21.0");
    let (plan, output) =
        convert_saved_model(&folder, &runtime(), &GraphConvertOptions::default()).unwrap().unwrap();
    assert!(plan.changes_nothing());
    let ConvertedArtifact::Folder(files) = output else { panic!("a folder becomes a folder") };
    let kept = file(&files, "fingerprint.pb").unwrap().all().unwrap();
    assert_eq!(kept, folder[1].1.all().unwrap());
}

#[test]
fn a_torn_fingerprint_is_an_error() {
    let mut torn = folder("2.21.0");
    torn[1].1 = Arc::new(BytesSource::new("fingerprint.pb", vec![0x0a, 0x7f]));
    let versions = VersionOptions { producer: Some(1), ..VersionOptions::default() };
    let options = GraphConvertOptions { versions, ..GraphConvertOptions::default() };
    assert!(convert_saved_model(&torn, &runtime(), &options).is_err());
}
