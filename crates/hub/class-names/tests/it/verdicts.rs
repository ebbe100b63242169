//! What a release makes of what a file looks up.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use unskew_class_names::{PackageClasses, PackageRelease, party};
use unskew_core::{Context, Date, Outcome, Party, Verdict, check};
use unskew_source::{BytesSource, Source};

const TABLE: &str = "= pack 1.0 1.1 2.0 2.1
pack.old:Net\t1.0..1.1
pack.old:Loss\t1.0
pack.old:Late?\t1.1
pack.new:Net\t2.0..
pack._fast:*\t1.0..
pack._fast:Tree\t1.1..
pack._fast:_unpickle_tree\t2.0..
pack.old>pack.new\t2.1..
";

fn release(version: &str) -> Party {
    let classes = Arc::new(PackageClasses::from_section(TABLE).unwrap());
    PackageRelease::new(classes, version).unwrap().party(version)
}

/// A compressed pickle that looks up these classes.
fn file(names: &[(&str, &str)]) -> Party {
    let mut bytes = b"\x80\x02(".to_vec();
    for (module, name) in names {
        bytes.extend(format!("c{module}\n{name}\n").into_bytes());
    }
    bytes.extend(b"t.");
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&bytes).unwrap();
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("a.pkl", packed.finish().unwrap()));
    party(&source).unwrap().unwrap()
}

fn verdict(names: &[(&str, &str)], version: &str) -> Verdict {
    check(&file(names), &release(version), &Context::on(Date::constant(2026, 11, 30)))
}

fn codes(names: &[(&str, &str)], version: &str) -> Vec<&'static str> {
    verdict(names, version).findings.iter().map(|one| one.rule.code).collect()
}

#[test]
fn a_class_is_there_under_the_module_that_the_release_has() {
    assert!(codes(&[("pack.old", "Net")], "1.1").is_empty());
    assert_eq!(codes(&[("pack.old", "Net")], "2.0"), ["CN001"]);
    assert_eq!(codes(&[("pack.new", "Net")], "1.0"), ["CN001"]);
    assert!(codes(&[("pack.new", "Net")], "2.1").is_empty());
}

#[test]
fn a_module_and_a_class_are_missing_with_the_words_of_python() {
    let symptom = |names: &[(&str, &str)], version: &str| {
        verdict(names, version).findings[0].symptom.clone().unwrap()
    };
    assert_eq!(symptom(&[("pack.old", "Net")], "2.0"), "No module named 'pack.old'");
    let class = symptom(&[("pack.old", "Loss")], "1.1");
    assert_eq!(class, "Can't get attribute 'Loss' on <module 'pack.old'");
}

#[test]
fn the_fix_names_the_releases_that_have_all_classes() {
    let fix = |names: &[(&str, &str)], version: &str| {
        verdict(names, version).findings[0].fix.clone().unwrap()
    };
    assert_eq!(fix(&[("pack.old", "Net")], "2.0"), "Install pack 1.0 to 1.1, or 2.1 or later.");
    let both = [("pack.old", "Loss"), ("pack.new", "Net")];
    assert_eq!(
        fix(&both, "2.0"),
        "Load the file with the pack that wrote it, and save what you need of it in a format without classes."
    );
}

#[test]
fn a_name_that_a_loader_maps_is_a_warning() {
    assert_eq!(codes(&[("pack.old", "Net")], "2.1"), ["CN002"]);
    // Mapped to a class that is not there.
    assert_eq!(codes(&[("pack.old", "Loss")], "2.1"), ["CN001"]);
}

#[test]
fn what_the_sources_do_not_say_is_not_judged() {
    let reasons = |names: &[(&str, &str)], version: &str| -> Vec<String> {
        let verdict = verdict(names, version);
        assert!(verdict.findings.is_empty());
        verdict.unjudged.iter().map(|one| one.reason.to_string()).collect()
    };
    for names in [[("pack.old", "Late")], [("pack._fast", "Leaf")]] {
        assert!(reasons(&names, "1.1").iter().any(|one| one.contains("do not say")), "{names:?}");
    }
    assert!(reasons(&[("pack.own", "X")], "1.1").iter().any(|one| one.contains("no release")));
    // A class in a class is judged by the outer one.
    assert!(codes(&[("pack.old", "Net.Inner")], "1.0").is_empty());
}

#[test]
fn an_extension_module_is_known_to_lack_only_functions_that_rebuild_objects() {
    assert!(codes(&[("pack._fast", "Tree")], "1.0").is_empty());
    assert_eq!(codes(&[("pack._fast", "_unpickle_tree")], "1.1"), ["CN001"]);
    let there = verdict(&[("pack._fast", "_unpickle_tree")], "2.0");
    assert!(there.findings.is_empty());
    assert!(there.unjudged.iter().any(|one| one.reason.contains("arguments")));
}

#[test]
fn a_file_without_a_class_of_the_package_has_nothing_in_common_with_it() {
    assert_eq!(verdict(&[("packed", "X")], "1.0").outcome, Outcome::Unrelated);
}
