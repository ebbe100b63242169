//! Verdicts against what real jaxlibs did with artifacts that were made at random: one of each class of what a reader
//! refuses, and whatever a verdict was ever wrong about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_core::{
    Context, Outcome, Party, Provision, Role, Verdict, Version, VersionRange, check,
};
use unskew_source::{FileSource, Source};
use unskew_stablehlo::AXIS;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/differential")
}

fn artifact(file: &str) -> Party {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(&folder().join(file)).unwrap());
    unskew_stablehlo::party(&source).unwrap().unwrap()
}

fn verdict(file: &str, reader: Version) -> Verdict {
    let party = Party::new(format!("StableHLO {reader}"), Role::Host, "JAX release");
    let today = Context::for_tests();
    check(&artifact(file), &unskew_stablehlo::reader(party, reader), &today)
}

#[test]
fn verdicts_are_what_real_readers_did() {
    let (mut agreed, mut unjudged, mut count) = (0, 0, 0);
    let table = include_str!("../data/differential/measured.tsv");
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [file, reader, reads] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let verdict = verdict(file, reader.parse().unwrap());
        count += 1;
        match verdict.outcome {
            Outcome::Unjudged => unjudged += 1,
            _ if verdict.works() == (reads == "yes") => agreed += 1,
            _ => println!("{file} with {reader}: {:?}", verdict.outcome),
        }
    }
    println!("agreement {agreed}/{count}, {unjudged} not judged");
    assert_eq!(agreed + unjudged, count);
    assert!(unjudged * 10 < count && count > 100, "{unjudged} of {count}");
}

#[test]
fn every_artifact_is_in_the_table() {
    let table = include_str!("../data/differential/measured.tsv");
    for entry in folder().read_dir().unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".bc") {
            assert!(table.contains(&format!("{name}\t")), "{name}");
        }
    }
}

#[test]
fn a_constraint_names_the_version_that_lifted_it() {
    let found = |file: &str, reader| verdict(file, reader).findings.remove(0);
    let refused = found("reduce-wider@1.13.0.bc", Version::triple(0, 16, 1));
    assert_eq!(refused.rule.code, "SH001");
    let fix = refused.fix.unwrap();
    assert!(fix.ends_with("0.17.0 or later; nothing before has a result of another element type in vhlo.reduce_v1."), "{fix}");
}

#[test]
fn a_plug_in_may_lack_the_handler_of_a_custom_call() {
    let range = VersionRange::between(Version::triple(0, 9, 0), Version::triple(1, 30, 0));
    let plugin =
        Party::new("p.so", Role::Plugin, "PJRT plug-in").provide(Provision::new(AXIS, range));
    let today = Context::for_tests();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/callffi-1.22.0.stablehlo");
    let source: Arc<dyn Source> = Arc::new(FileSource::open(&path).unwrap());
    let call = unskew_stablehlo::party(&source).unwrap().unwrap();
    let verdict = check(&call, &plugin, &today);
    assert_eq!(verdict.unjudged[0].aspect, "custom calls");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/add-1.22.0.stablehlo");
    let source: Arc<dyn Source> = Arc::new(FileSource::open(&path).unwrap());
    let add = unskew_stablehlo::party(&source).unwrap().unwrap();
    assert!(check(&add, &plugin, &today).unjudged.is_empty());
}
