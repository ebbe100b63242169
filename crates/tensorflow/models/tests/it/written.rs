//! Files that TensorFlow 2.21.0 itself wrote: a matrix product, a sum and a loop over one variable.

use std::path::Path;
use std::sync::Arc;

use unskew_core::{Axis, Party, Version, VersionRange};
use unskew_source::{FileSource, Source};

fn read(name: &str) -> Party {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let source: Arc<dyn Source> = Arc::new(FileSource::open(&path).unwrap());
    unskew_tensorflow::party(&source).unwrap().unwrap()
}

#[test]
fn a_graph_as_text_reads_like_the_same_graph_as_bytes() {
    let (bytes, text) = (read("graph.pb"), read("graph.pbtxt"));
    assert_eq!((&*bytes.kind, &*text.kind), ("GraphDef", "GraphDef as text"));
    assert_eq!(bytes.facts, text.facts);
    let axis = Axis::from("tf.graph_def");
    let versions = |party: &Party| party.provision(&axis).map(|provision| provision.versions);
    assert_eq!(versions(&bytes), Some(VersionRange::exactly(Version::number(2474))));
    assert_eq!(versions(&bytes), versions(&text));
}

#[test]
fn a_checkpoint_of_the_first_format_says_its_version() {
    let checkpoint = read("v1.ckpt");
    assert_eq!(checkpoint.kind, "checkpoint, format 1");
    let provision = checkpoint.provision(&Axis::from("tf.checkpoint")).unwrap();
    assert_eq!(provision.versions, VersionRange::exactly(Version::number(1)));
}
