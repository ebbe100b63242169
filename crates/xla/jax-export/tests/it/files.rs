//! What files hold.

use std::sync::Arc;

use unskew_core::Version;
use unskew_jax_export::Exported;
use unskew_source::{BytesSource, FileSource, Source};

/// A file of `tests/data`.
pub(crate) fn file(name: &str) -> Arc<dyn Source> {
    let path = format!("{}/tests/data/{name}.jaxexp", env!("CARGO_MANIFEST_DIR"));
    Arc::new(FileSource::open(path.as_ref()).unwrap())
}

fn exported(name: &str) -> Exported {
    Exported::read(&file(name)).unwrap().unwrap().0
}

#[test]
fn the_format_version_is_told_by_the_fields() {
    let format = |name| exported(name).oldest_format();
    assert_eq!(format("plain-0.4.30"), Version::number(2));
    assert_eq!(format("sharded-0.8.3"), Version::number(5));
    assert_eq!(format("sharded-0.10.2"), Version::number(11));
    assert_eq!(format("plain-0.12.0"), Version::number(12));
}

#[test]
fn a_file_says_what_it_is_for() {
    let sharded = exported("sharded-0.10.2");
    assert_eq!((sharded.device_count(), sharded.named_shardings, sharded.hlo_shardings), (2, 2, 0));
    assert_eq!(sharded.platforms, ["cpu"]);
    let old = exported("sharded-0.8.3");
    assert_eq!((old.device_count(), old.named_shardings, old.hlo_shardings_only), (2, 0, 2));
    let newest = exported("plain-0.12.0");
    assert_eq!((newest.jax.as_deref(), newest.stored), (Some("0.12.0"), 12));
    assert_eq!(newest.calling_convention, 10);
    assert!(exported("custom_node-0.12.0").classes.contains("unskew.Pair"));
}

#[test]
fn the_program_is_a_stablehlo_artifact() {
    let (_, program) = Exported::read(&file("plain-0.12.0")).unwrap().unwrap();
    let program: Arc<dyn Source> = Arc::new(program);
    let party = unskew_stablehlo::party(&program).unwrap().unwrap();
    assert_eq!(party.kind, "StableHLO portable artifact");
}

#[test]
fn another_flatbuffer_is_no_file_of_jax_export() {
    // A root table with one field of four bytes.
    let bytes = [12, 0, 0, 0, 6, 0, 8, 0, 4, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0];
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("seven", bytes.to_vec()));
    assert!(Exported::read(&source).unwrap().is_none());
    let text: Arc<dyn Source> =
        Arc::new(BytesSource::new("text", b"no flatbuffer at all".to_vec()));
    assert!(Exported::read(&text).unwrap().is_none());
}
