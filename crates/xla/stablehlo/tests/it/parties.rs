//! What files become, and what is said about them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_core::{
    Context, Date, Outcome, Party, PromiseState, Provision, Role, Severity, Verdict, Version,
    VersionRange, check,
};
use unskew_source::{BytesSource, FileSource, Source};
use unskew_stablehlo::{AXIS, Mlir, PortableArtifact};

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file)
}

fn source(file: &str) -> Arc<dyn Source> {
    Arc::new(FileSource::open(&data(file)).unwrap())
}

fn party(file: &str) -> Party {
    unskew_stablehlo::party(&source(file)).unwrap().unwrap()
}

fn read(file: &str) -> PortableArtifact {
    match Mlir::read(&*source(file)).unwrap() {
        Some(Mlir::Artifact(artifact)) => artifact,
        other => panic!("{other:?}"),
    }
}

fn fact<'p>(party: &'p Party, label: &str) -> &'p str {
    &party.facts.iter().find(|fact| fact.label == label).unwrap().value
}

fn plugin(min: (i64, i64), max: (i64, i64)) -> Party {
    let version = |(major, minor)| Version::triple(major, minor, 0);
    let range = VersionRange::between(version(min), version(max));
    Party::new("libplugin.so", Role::Plugin, "PJRT plug-in").provide(Provision::new(AXIS, range))
}

fn today() -> Context {
    Context::for_tests()
}

#[test]
fn an_artifact_says_its_version_and_what_it_uses() {
    let artifact = read("several-1.7.0.stablehlo");
    assert_eq!(artifact.version, Version::triple(1, 7, 0));
    assert_eq!(artifact.bytecode.version, 6);
    assert_eq!(artifact.needs(), Some(Version::triple(1, 6, 0)));
    let vhlo = &artifact.bytecode.dialects[1];
    assert_eq!(vhlo.name, "vhlo");
    assert_eq!(
        vhlo.operations,
        ["dot_general_v2", "func_v1", "return_v1", "tan_v1", "transpose_v1"]
    );
    let party = party("several-1.7.0.stablehlo");
    assert_eq!(party.provision(&AXIS.into()).unwrap().versions.to_string(), "1.7.0");
    assert_eq!(fact(&party, "producer"), "StableHLO_v1.7.0");
    assert!(fact(&party, "needs").starts_with("StableHLO 1.6.0, for "));
    assert!(party.notes.is_empty());
}

/// Bytecode 0 to 6: the operations of an artifact are listed in each.
#[test]
fn every_version_of_the_format_is_read() {
    for (file, version) in [
        ("add-0.9.0.stablehlo", 0),
        ("add-0.12.0.stablehlo", 3),
        ("add-0.17.0.stablehlo", 6),
        ("add-1.22.0.stablehlo", 6),
    ] {
        let bytecode = read(file).bytecode;
        assert_eq!(bytecode.version, version, "{file}");
        assert_eq!(bytecode.dialects[1].operations, ["add_v1", "func_v1", "return_v1"], "{file}");
    }
}

#[test]
fn other_bytecode_and_text_are_parties_without_a_version() {
    let (bytecode, text) = (party("plain.mlirbc"), party("plain.mlir"));
    assert_eq!(bytecode.notes[0].rule.code, "SH003");
    assert_eq!(text.notes[0].rule.code, "SH004");
    assert_eq!(fact(&text, "dialects"), "stablehlo, func");
    assert_eq!(
        fact(&text, "operations"),
        "builtin.module, vhlo.add_v1, vhlo.func_v1, vhlo.return_v1"
    );
    for (party, outcome) in [(bytecode, Outcome::Unrelated), (text, Outcome::Unjudged)] {
        assert!(party.provision(&AXIS.into()).is_none());
        let verdict = check(&party, &plugin((0, 9), (1, 10)), &today());
        assert_eq!(verdict.outcome, outcome);
        assert!(
            verdict.unjudged.iter().all(|one| one.aspect == "syntax"),
            "{:?}",
            verdict.unjudged
        );
    }
}

#[test]
fn what_is_no_mlir_is_left_to_others() {
    for (name, bytes) in [("a.pb", "\x0a\x03abc"), ("a.mlir", "hello"), ("module.txt", "module {}")]
    {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new(name, bytes.as_bytes().to_vec()));
        assert!(unskew_stablehlo::party(&source).unwrap().is_none(), "{name}");
    }
}

#[test]
fn a_plug_in_is_a_reader_by_its_own_range() {
    let tanh = party("tanh-1.10.0.stablehlo");
    let refused = check(&tanh, &plugin((0, 9), (1, 9)), &today());
    assert_eq!(refused.findings[0].rule.code, "SH001");
    let message = &refused.findings[0].message;
    assert!(message.ends_with("uses what came with 1.10.0: vhlo.tanh_v2"), "{message}");
    assert!(check(&tanh, &plugin((0, 9), (1, 10)), &today()).works());
    let fix = |verdict: Verdict| verdict.findings[0].fix.clone().unwrap();
    assert!(fix(refused).starts_with("Export again for StableHLO 1.9.0 with"));
    let f4 = check(&party("f4-1.8.0.stablehlo"), &plugin((0, 9), (1, 7)), &today());
    assert!(fix(f4).ends_with("StableHLO 1.8.0 or later; nothing before has type f4E2M1FN."));
    let raised = check(&tanh, &plugin((1, 11), (1, 30)), &today());
    assert_eq!(raised.findings[0].rule.code, "SH002");
    assert!(!raised.works());
}

#[test]
fn a_newer_number_alone_is_a_note() {
    let verdict = check(&party("add-1.22.0.stablehlo"), &plugin((0, 9), (1, 8)), &today());
    assert_eq!(verdict.findings[0].rule.code, "SH005");
    assert_eq!(verdict.findings[0].severity, Severity::Note);
    assert!(verdict.works());
}

/// An operation that nobody knows yet came after everything that is known here.
#[test]
fn what_is_not_known_is_refused_below_what_is_known_and_doubted_above() {
    let mut bytes = std::fs::read(data("add-1.22.0.stablehlo")).unwrap();
    let at = bytes.windows(6).position(|name| name == b"add_v1").unwrap();
    bytes[at + 5] = b'9';
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("add_v9", bytes));
    let party = unskew_stablehlo::party(&source).unwrap().unwrap();
    let finding = |minor| {
        let verdict = check(&party, &plugin((0, 9), (1, minor)), &today());
        verdict.findings.first().map(|finding| (finding.rule.code, finding.severity))
    };
    assert_eq!(finding(20), Some(("SH001", Severity::Error)));
    assert_eq!(finding(21), Some(("SH005", Severity::Warning)));
    assert_eq!(finding(22), None);
}

#[test]
fn promises_are_five_years_back_and_two_ahead() {
    let promise = |file: &str, reader: &Party| {
        let verdict = check(&party(file), reader, &today());
        let codes: Vec<&str> = verdict.findings.iter().map(|f| f.rule.code).collect();
        (verdict.promises[0].state, codes.contains(&"SH007"))
    };
    let reader = |minor| plugin((0, 9), (1, minor));
    let of = |year| reader(30).dated(Date::constant(year, 1, 1));
    assert_eq!(promise("add-1.10.0.stablehlo", &of(2030)), (PromiseState::Promised, false));
    assert_eq!(promise("add-1.10.0.stablehlo", &of(2031)), (PromiseState::Expired, true));
    assert_eq!(promise("add-1.22.0.stablehlo", &reader(8)), (PromiseState::Promised, false));
    assert_eq!(promise("add-1.22.0.stablehlo", &reader(7)), (PromiseState::Expired, true));
    assert_eq!(promise("tanh-1.10.0.stablehlo", &reader(9)), (PromiseState::NotPromised, false));
    let old = plugin((0, 9), (0, 20));
    assert_eq!(promise("add-0.12.0.stablehlo", &old), (PromiseState::NotPromised, false));
}

#[test]
fn two_artifacts_have_nothing_to_do_with_each_other() {
    let (a, b) = (party("add-1.0.0.stablehlo"), party("tanh-1.10.0.stablehlo"));
    assert_eq!(check(&a, &b, &today()).outcome, Outcome::Unrelated);
}
