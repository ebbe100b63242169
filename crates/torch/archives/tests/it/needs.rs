//! The lowest versions that real models need, against what their writers and other releases did.

use std::sync::Arc;

use crate::corpus::{files, history, source, split};
use unskew_core::Version;
use unskew_tables::toml_as_json;
use unskew_torch::{LowestVersions, ReleaseCalendar, read};

fn calendar() -> ReleaseCalendar {
    serde_json::from_str(toml_as_json!("../../judging/releases/data/torch/releases.toml")).unwrap()
}

fn needs(path: &str, bytes: &[u8]) -> LowestVersions {
    LowestVersions::from_model(
        &read(&source(path, bytes)).unwrap().unwrap(),
        &Arc::new(history()),
        &calendar(),
    )
}

#[test]
fn gelu_at_its_default_needs_no_version_and_the_oldest_release_that_has_it_will_do() {
    let (files, _) = files();
    // The file says 10; real 1.4.0 runs it once its record says 2.
    let gelu = needs("Gelu.pt", &files["2.15.0/Gelu.pt"]);
    assert_eq!(gelu.operator_version.unwrap().version, Version::number(0));
    assert_eq!(gelu.file_format.unwrap().version, Version::number(2));
    assert!(gelu.release.unwrap().version <= "1.4.0".parse().unwrap());
}

#[test]
fn a_division_needs_the_version_in_which_it_changed_and_names_its_place() {
    let (files, _) = files();
    let div = needs("Div.pt", &files["2.15.0/Div.pt"]);
    let need = div.operator_version.unwrap();
    assert_eq!(need.version, Version::number(4));
    assert!(need.because.as_ref().unwrap().contains("code/__torch__.py:"), "{need:?}");
    assert_eq!(div.at_most, None);
    // What was written before the change means what it was before.
    let old = needs("div_int.pt", &files["1.4.0/div_int.pt"]);
    assert_eq!(old.operator_version.unwrap().version, Version::number(0));
    assert_eq!(old.at_most.unwrap().version, Version::number(3));
}

#[test]
fn what_never_runs_forces_nothing() {
    let (files, _) = files();
    let net = needs("Net.pt", &files["2.15.0/Net.pt"]);
    assert!(net.release.unwrap().version < "2.0".parse().unwrap());
    assert_eq!(net.release_as_it_is.unwrap().version, "2.12.1".parse().unwrap());
}

#[test]
fn no_file_needs_more_than_it_says_or_a_later_release_than_its_writer() {
    let (files, _) = files();
    let (history, calendar) = (Arc::new(history()), calendar());
    let mut seen = 0;
    for (path, bytes) in &files {
        let model = read(&source(path, bytes)).unwrap().unwrap();
        let (writer, ..) = split(path);
        let needs = LowestVersions::from_model(&model, &history, &calendar);
        let Some(release) = &needs.release else { panic!("{path}: no release") };
        assert!(
            release.version <= writer || writer < "1.3".parse().unwrap(),
            "{path}: {release:?}"
        );
        if let (Some(need), Some(stamp)) = (&needs.file_format, &model.file_format) {
            assert!(need.version <= stamp.version, "{path}: {need:?}");
        }
        if let (Some(need), Some(stamp)) = (&needs.bytecode, &model.bytecode) {
            assert!(need.version <= stamp.version, "{path}: {need:?}");
        }
        seen += 1;
    }
    assert!(seen > 600);
}
