//! `torch.export` archives that real releases wrote, converted for other releases.

use std::sync::Arc;

use crate::corpus::{self, files, runtime, runtimes, source, split, verdict};
use unskew_core::Severity;
use unskew_source::{Archive, ArchiveOutput, ConvertedArtifact, SourceExt};
use unskew_torch::{TorchConvertOptions, convert};

/// The archives of the corpus, by release and name.
fn archives() -> Vec<(String, Vec<u8>)> {
    files().0.into_iter().filter(|(name, _)| name.ends_with(".pt2")).collect()
}

fn file(output: ConvertedArtifact) -> Arc<unskew_source::Assembly> {
    match output {
        ConvertedArtifact::File(file) => file,
        ConvertedArtifact::Folder(_) => panic!("a folder"),
    }
}

#[test]
fn every_archive_becomes_one_that_2_15_accepts() {
    let newest = runtime("2.15.0");
    let party = newest.party();
    let mut converted = 0;
    for (name, bytes) in archives() {
        let (plan, output) =
            convert(&source(&name, &bytes), &newest, &TorchConvertOptions::default())
                .unwrap()
                .unwrap();
        assert!(plan.is_possible(), "{name}: {:?}", plan.blockers);
        let (release, ..) = split(&name);
        assert_eq!(plan.changes_nothing(), release >= "2.6".parse().unwrap(), "{name}");
        let result = file(output).all().unwrap();
        if plan.changes_nothing() {
            assert_eq!(result, bytes, "{name}");
        } else {
            converted += 1;
        }
        let found = verdict(&corpus::party(&name, &result), &party);
        assert!(found.severity() < Some(Severity::Error), "{name}: {found:?}");
    }
    assert!(converted >= 24, "{converted}");
}

#[test]
fn what_is_converted_for_any_release_is_accepted_by_it_or_has_a_named_blocker() {
    let runtimes = runtimes();
    for (name, bytes) in archives() {
        for version in ["2.1.2", "2.2.2", "2.3.1", "2.4.1", "2.5.1", "2.6.0", "2.8.0", "2.9.1"] {
            let to = runtime(version);
            let (plan, output) =
                convert(&source(&name, &bytes), &to, &TorchConvertOptions::default())
                    .unwrap()
                    .unwrap();
            for blocker in &plan.blockers {
                assert!(!blocker.places.is_empty(), "{name} for {version}: {blocker:?}");
            }
            if plan.is_possible() {
                let result = file(output).all().unwrap();
                let found = verdict(&corpus::party(&name, &result), &runtimes[version]);
                assert!(
                    found.severity() < Some(Severity::Error),
                    "{name} for {version}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn a_release_without_torch_export_is_named_as_one() {
    let (name, bytes) = archives().remove(0);
    let (plan, _) =
        convert(&source(&name, &bytes), &runtime("1.4.0"), &TorchConvertOptions::default())
            .unwrap()
            .unwrap();
    let messages: Vec<&str> = plan.blockers.iter().map(|it| it.message.as_str()).collect();
    let [message] = messages[..] else { panic!("{messages:?}") };
    assert!(message.ends_with(".pt2: torch 1.4.0 has no torch.export"), "{message}");
}

#[test]
fn a_converted_archive_converted_again_does_not_change() {
    let newest = runtime("2.15.0");
    for (name, bytes) in archives().into_iter().take(12) {
        let (_, output) = convert(&source(&name, &bytes), &newest, &TorchConvertOptions::default())
            .unwrap()
            .unwrap();
        let once = file(output).all().unwrap();
        let (plan, _) = convert(&source(&name, &once), &newest, &TorchConvertOptions::default())
            .unwrap()
            .unwrap();
        assert!(plan.changes_nothing(), "{name}: {:?}", plan.rewrites);
    }
}

/// An archive with something else in one of its records.
fn edited(bytes: &[u8], record: &str, edit: impl Fn(String) -> String) -> Vec<u8> {
    let archive = Archive::open(source("old.pt2", bytes)).unwrap();
    let mut new = ArchiveOutput::new("new.pt2");
    for entry in archive.entries() {
        if entry.name.ends_with(record) {
            let text = String::from_utf8(archive.read(entry).unwrap()).unwrap();
            new.add(&entry.name, edit(text).into_bytes(), false).unwrap();
        } else {
            new.copy(&entry.name, &archive.raw(entry).unwrap()).unwrap();
        }
    }
    new.finish().unwrap().all().unwrap()
}

#[test]
fn a_node_of_a_removed_operator_calls_what_computes_the_same() {
    let (name, bytes) = archives().into_iter().find(|(name, _)| name == "2.9.1/Gelu.pt2").unwrap();
    let old = edited(&bytes, "models/model.json", |text| {
        text.replace("torch.ops.aten.gelu.default", "torch.ops.aten.cholesky.default")
    });
    let (plan, output) =
        convert(&source(&name, &old), &runtime("2.15.0"), &TorchConvertOptions::default())
            .unwrap()
            .unwrap();
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    let result = Archive::open(file(output)).unwrap();
    let model = result.entries().iter().find(|one| one.name.ends_with("models/model.json"));
    let text = String::from_utf8(result.read(model.unwrap()).unwrap()).unwrap();
    assert!(text.contains("torch.ops.aten.linalg_cholesky.default"), "{text}");
    // What no argument says is left to its default, which is the same.
    assert!(!text.contains("aten.cholesky.default"), "{text}");
}

#[test]
fn a_node_without_an_exact_form_is_a_blocker_that_names_it() {
    let (name, bytes) = archives().into_iter().find(|(name, _)| name == "2.9.1/Gelu.pt2").unwrap();
    let old = edited(&bytes, "models/model.json", |text| {
        text.replace("torch.ops.aten.gelu.default", "torch.ops.aten._fused_rms_norm.default")
    });
    let (plan, _) =
        convert(&source(&name, &old), &runtime("2.6.0"), &TorchConvertOptions::default())
            .unwrap()
            .unwrap();
    let places: Vec<String> = plan.blockers.iter().map(|one| one.places.to_string()).collect();
    assert!(places.iter().any(|place| place.contains("graph_module.graph.nodes[0]")), "{places:?}");
}

/// What 2.4 and later write for `Dim("batch")` ends the load in 2.1 to 2.3 with `KeyError: 's0'`.
#[test]
fn a_size_without_a_least_value_begins_at_2_for_releases_before_2_4() {
    let program = |least: i64| {
        format!(
            r#"{{"graph_module": {{"graph": {{"inputs": [], "outputs": [], "nodes": [], "tensor_values": {{}},
            "sym_int_values": {{}}, "sym_bool_values": {{}}}}, "signature": {{"input_specs": [], "output_specs": []}},
            "module_call_graph": []}}, "opset_version": {{"aten": 10}},
            "range_constraints": {{"s0": {{"min_val": {least}, "max_val": 64}}}},
            "schema_version": {{"major": 5, "minor": 3}}, "dialect": "ATEN"}}"#
        )
    };
    let of_least = |least: i64| {
        let mut archive = unskew_source::ArchiveOutput::new("net.pt2");
        archive
            .add("serialized_exported_program.json", program(least).into_bytes(), false)
            .unwrap();
        for (name, bytes) in [
            ("version", "5.3"),
            ("serialized_state_dict.pt", ""),
            ("serialized_constants.pt", ""),
            ("serialized_example_inputs.pt", ""),
        ] {
            archive.add(name, bytes.as_bytes().to_vec(), false).unwrap();
        }
        archive.finish().unwrap().all().unwrap()
    };
    let codes = |bytes: &[u8], release: &str| {
        let found = verdict(&corpus::party("net.pt2", bytes), &runtime(release).party());
        found.findings.iter().map(|one| one.rule.code).collect::<Vec<_>>()
    };
    assert_eq!(
        (codes(&of_least(0), "2.3.1"), codes(&of_least(0), "2.4.1")),
        (vec!["PT207"], vec![])
    );
    assert_eq!(codes(&of_least(2), "2.3.1"), Vec::<&str>::new());
    let older = runtime("2.3.1");
    let (plan, output) =
        convert(&source("net.pt2", &of_least(0)), &older, &TorchConvertOptions::default())
            .unwrap()
            .unwrap();
    assert!(plan.is_possible() && !plan.changes_nothing(), "{plan:?}");
    let result = self::file(output).all().unwrap();
    assert_eq!(codes(&result, "2.3.1"), Vec::<&str>::new());
}
