//! Mobile archives that real releases wrote, converted for other releases.

use crate::corpus::{self, converted, files, party, runtime, source, verdict};
use unskew_core::Severity;
use unskew_source::{ConvertedArtifact, SourceExt};
use unskew_torch::{TorchConvertOptions, TorchRuntime, convert, read};

/// Converts a file that has an exact form; gives its bytecode version and its operator version.
fn versions(name: &str, bytes: &[u8], to: &TorchRuntime) -> (i64, i64) {
    let (plan, result) = converted(name, bytes, to);
    assert!(plan.is_possible(), "{name}: {:?}", plan.blockers);
    let found = verdict(&party(name, &result), &to.party());
    assert!(found.severity() < Some(Severity::Error), "{name}: {found:?}");
    let model = read(&source(name, &result)).unwrap().unwrap();
    (model.bytecode.unwrap().version.major(), model.file_format.unwrap().version.major())
}

#[test]
fn upgraders_of_the_release_find_every_argument_that_they_take() {
    let (files, _) = files();
    let newest = runtime("2.15.0");
    for name in ["linspace", "linspace_default", "logspace_default"] {
        let name = format!("1.10.2/{name}.ptl");
        let (plan, _) = converted(&name, &files[&name], &newest);
        assert_eq!(plan.rewrites[0].adaptation, "materialize-defaults", "{name}: {plan:?}");
        assert_eq!(versions(&name, &files[&name], &newest), (7, 3));
    }
}

#[test]
fn bytecode_without_a_version_gets_one() {
    let (files, _) = files();
    let newest = runtime("2.15.0");
    for name in ["1.4.0/div_float.ptl", "1.6.0/conv.ptl", "1.6.0/loop.ptl"] {
        assert_eq!(versions(name, &files[name], &newest).0, 4, "{name}");
    }
    // gelu takes more since 1.12: it is said how many values the file gives.
    assert_eq!(versions("1.6.0/gelu.ptl", &files["1.6.0/gelu.ptl"], &newest).0, 7);
}

#[test]
fn bytecode_of_1_4_stays_as_it_is_for_1_4() {
    let (files, _) = files();
    let oldest = runtime("1.4.0");
    let own = files.iter().filter(|(name, _)| name.starts_with("1.4.0/") && name.ends_with("ptl"));
    for (name, bytes) in own.clone() {
        let (plan, result) = converted(name, bytes, &oldest);
        assert!(plan.is_possible() && plan.changes_nothing(), "{name}: {plan:?}");
        assert_eq!(result, *bytes, "{name}");
    }
    assert_eq!(own.count(), 16);
    // 1.6 makes tuples by an instruction of its own.
    let (plan, _) = converted("hs.ptl", &files["1.6.0/hs.ptl"], &oldest);
    assert!(!plan.is_possible());
}

#[test]
fn gelu_of_2_15_goes_back_with_bytecode_operators_and_version() {
    let (files, _) = files();
    for (release, wanted) in [("1.10.2", (7, 6)), ("1.9.1", (5, 6)), ("1.8.1", (4, 3))] {
        let found = versions("Gelu.ptl", &files["2.15.0/Gelu.ptl"], &runtime(release));
        assert_eq!(found.0, wanted.0, "{release}");
        assert!(found.1 <= wanted.1, "{release}: {found:?}");
    }
}

#[test]
fn loops_and_conditions_go_back_to_bytecode_5() {
    let (files, _) = files();
    let target = runtime("1.9.1");
    for name in ["2.15.0/Ctl.ptl", "2.15.0/Lstm.ptl", "1.12.1/loop.ptl", "1.12.1/conv.ptl"] {
        assert_eq!(versions(name, &files[name], &target).0, 5, "{name}");
    }
}

#[test]
fn floor_divide_of_1_10_rounds_as_it_did() {
    let (files, _) = files();
    for release in ["1.7.1", "1.9.1", "1.10.2"] {
        let name = format!("{release}/qdiv.ptl");
        let (plan, result) = converted(&name, &files[&name], &runtime("2.15.0"));
        assert!(plan.is_possible(), "{name}: {:?}", plan.blockers);
        let model = read(&source(&name, &result)).unwrap().unwrap();
        let uses: Vec<String> = model.uses.keys().map(|one| one.full_name()).collect();
        assert!(uses.contains(&"aten::div.Tensor_mode".to_owned()), "{uses:?}");
        assert!(!uses.contains(&"aten::floor_divide".to_owned()), "{uses:?}");
    }
}

#[test]
fn floor_divide_of_1_12_rounds_as_it_did_if_its_writer_is_stated() {
    let (files, _) = files();
    let (name, newest) = ("1.12.1/qdiv.ptl", runtime("2.15.0"));
    let uses = |bytes: &[u8]| {
        let model = read(&source(name, bytes)).unwrap().unwrap();
        model.uses.keys().map(|one| one.full_name()).collect::<Vec<String>>()
    };
    let (_, kept) = converted(name, &files[name], &newest);
    assert!(uses(&kept).contains(&"aten::floor_divide".to_owned()), "{:?}", uses(&kept));
    let options = TorchConvertOptions {
        written_by: Some("1.12.1".parse().unwrap()),
        ..TorchConvertOptions::default()
    };
    let (plan, output) = convert(&source(name, &files[name]), &newest, &options).unwrap().unwrap();
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    let ConvertedArtifact::File(file) = output else { panic!("a folder") };
    let uses = uses(&file.all().unwrap());
    assert!(uses.contains(&"aten::div.Tensor_mode".to_owned()), "{uses:?}");
    assert!(!uses.contains(&"aten::floor_divide".to_owned()), "{uses:?}");
}

#[test]
fn a_file_whose_writer_is_stated_leaves_no_doubt_when_it_is_judged() {
    let (files, _) = files();
    let (name, newest) = ("1.12.1/qdiv.ptl", runtime("2.15.0"));
    let doubts = |party: &unskew_core::Party| {
        let verdict = corpus::verdict(party, &newest.party());
        verdict.findings.iter().filter(|finding| finding.rule.code == "OP102").count()
    };
    assert_eq!(doubts(&corpus::party(name, &files[name])), 1);
    // As it would be if 1.13 had written it: it stays as it is.
    let options = TorchConvertOptions {
        written_by: Some("1.13.1".parse().unwrap()),
        ..TorchConvertOptions::default()
    };
    let before = source(name, &files[name]);
    let converted = unskew_torch::convert_with_origin(&before, &newest, &options);
    let (plan, output, origin) = converted.unwrap().unwrap();
    assert!(plan.is_possible() && plan.changes_nothing());
    let ConvertedArtifact::File(file) = output else { panic!("a folder") };
    let file: std::sync::Arc<dyn unskew_source::Source> = file;
    let party = unskew_torch::party_converted(&file, &origin).unwrap().unwrap();
    assert_eq!(doubts(&party), 0);
}

#[test]
fn full_with_an_integer_gives_floats_where_the_release_has_no_upgrader_for_bytecode() {
    let (files, _) = files();
    let newest = runtime("2.15.0");
    let (plan, _) = converted("1.4.0/full_int.ptl", &files["1.4.0/full_int.ptl"], &newest);
    let by = |plan: &unskew_core::Conversion| {
        plan.rewrites.iter().any(|rewrite| rewrite.what.contains("full_0_4"))
    };
    assert!(plan.is_possible() && by(&plan), "{plan:?}");
    // A type is given, so nothing is to be done.
    let (plan, _) = converted("1.4.0/full_dtype.ptl", &files["1.4.0/full_dtype.ptl"], &newest);
    assert!(plan.is_possible() && !by(&plan), "{plan:?}");
}

#[test]
fn interpolate_of_2_15_leaves_out_what_never_runs() {
    let (files, _) = files();
    for (name, release) in
        [("2.15.0/Net.ptl", "2.5.1"), ("2.15.0/Net.ff", "2.5.1"), ("2.15.0/Net.ptl", "1.10.2")]
    {
        let target = runtime(release);
        let (plan, result) = converted(name, &files[name], &target);
        assert!(plan.is_possible(), "{name} for {release}: {:?}", plan.blockers);
        let model = read(&source("Net.ptl", &result)).unwrap().unwrap();
        let lanczos = |one: &unskew_torch::OperatorUse| one.full_name().contains("lanczos");
        assert!(!model.uses.keys().any(lanczos), "{name} for {release}");
    }
}

#[test]
fn a_flatbuffer_becomes_an_archive_that_1_10_accepts() {
    let (files, _) = files();
    let target = runtime("1.10.2");
    let mut archives = 0;
    for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".ff")) {
        let (plan, result) = converted(name, bytes, &target);
        for blocker in &plan.blockers {
            assert!(!blocker.places.is_empty(), "{name}: {blocker:?}");
        }
        if plan.is_possible() {
            archives += 1;
            assert!(result.starts_with(b"PK"), "{name}");
            let (bytecode, _) = versions(name, &result, &target);
            assert_eq!(bytecode, 7, "{name}");
        }
    }
    assert_eq!(archives, 136);
}
