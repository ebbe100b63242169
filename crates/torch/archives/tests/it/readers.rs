//! What the readers say about real files, against what the releases that wrote them say.

use std::collections::{BTreeMap, BTreeSet};

use crate::corpus::{files, history, source, split};
use unskew_core::Version;
use unskew_torch::{GivenArguments, ProducerReleases, TorchFormat, TorchModel, read};

fn models() -> BTreeMap<String, TorchModel> {
    let (files, _) = files();
    let model = |(path, bytes): (String, Vec<u8>)| {
        let model = read(&source(&path, &bytes)).unwrap_or_else(|e| panic!("{e}")).unwrap();
        (path, model)
    };
    files.into_iter().map(model).collect()
}

#[test]
fn every_file_is_recognized_for_what_it_is() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, model) in models() {
        let (release, _, _, extension) = split(&path);
        let want = match extension {
            "pt" if release < Version::pair(1, 3) => TorchFormat::LegacyScript,
            "pt" => TorchFormat::Script,
            "ptl" => TorchFormat::Mobile,
            "ff" => TorchFormat::MobileFlatbuffer,
            "pt2" if release < Version::pair(2, 8) => TorchFormat::ExportedJson,
            _ => TorchFormat::ExportedArchive,
        };
        assert_eq!(model.format, want, "{path}");
        assert!(!model.uses.is_empty(), "{path}");
        *counts.entry(model.format.as_str()).or_default() += 1;
    }
    println!("{counts:?}");
    assert_eq!(counts.values().sum::<usize>(), models().len());
}

#[test]
fn the_writer_lies_in_the_bracket_that_layout_and_operators_give() {
    let history = history();
    let (mut by_layout, mut by_both, mut all) = (0, 0, 0);
    for (path, model) in models() {
        let (release, ..) = split(&path);
        let minor = Version::pair(release.major(), release.minor());
        let above = Version::pair(minor.major(), minor.minor() + 1);
        let told = |producer: &ProducerReleases| {
            assert!(!producer.before(minor), "{path}: {producer} {:?}", producer.signs);
            assert!(!producer.at_least(above), "{path}: {producer} {:?}", producer.signs);
            usize::from(producer.since == producer.until && producer.since.is_some())
        };
        by_layout += told(&model.producer);
        by_both += told(&model.producer_by(&history));
        all += 1;
    }
    println!(
        "writer in the bracket {all}/{all}, told to the minor by layout {by_layout}, with operators {by_both}"
    );
    assert!(by_layout > 150 && by_both >= by_layout);
}

/// The operators of a mobile file with the number of arguments, as its release lists them: the
/// overload's own number where the file gives all.
fn operators(model: &TorchModel) -> BTreeSet<(String, Option<u64>)> {
    let given = |one: &unskew_torch::OperatorUse| match &one.given {
        GivenArguments::Overload(_, given) => *given,
        _ => None,
    };
    model.uses.keys().map(|one| (one.full_name(), given(one))).collect()
}

#[test]
fn versions_and_operators_are_those_that_the_releases_report() {
    let models = models();
    let (_, facts) = files();
    let (mut agreed, mut cells) = (0, 0);
    let mut reported: BTreeMap<String, BTreeSet<(String, u64)>> = BTreeMap::new();
    for line in facts.lines() {
        let cell: Vec<&str> = line.split('\t').collect();
        match cell.as_slice() {
            ["bytecode", release, name, pickle, flat] => {
                for (extension, want) in [("ptl", pickle), ("ff", flat)] {
                    let Some(model) = models.get(&format!("{release}/{name}.{extension}")) else {
                        continue;
                    };
                    cells += 1;
                    let found = model.bytecode.as_ref().unwrap().version.to_string();
                    agreed += usize::from(found == **want);
                }
            }
            ["operator", release, name, operator, count] => {
                let path = format!("{release}/{name}");
                let count = count.parse().unwrap_or(0);
                reported.entry(path).or_default().insert(((*operator).to_owned(), count));
            }
            ["schema", release, schema] if *schema != "-" => {
                let schema = schema.trim_matches(['(', ')']).replace(", ", ".");
                let schema: Version = schema.parse().unwrap();
                let of = models.iter().filter(|(path, model)| {
                    path.starts_with(&format!("{release}/")) && model.format.is_exported()
                });
                for (_, model) in of {
                    cells += 1;
                    agreed += usize::from(model.exported.as_ref().unwrap().version == schema);
                }
            }
            _ => {}
        }
    }
    for (path, want) in &reported {
        for extension in ["ptl", "ff"] {
            let Some(model) = models.get(&format!("{path}.{extension}")) else { continue };
            let found = operators(model);
            let names = |set: BTreeSet<&String>| set.into_iter().cloned().collect::<Vec<_>>();
            assert_eq!(
                names(found.iter().map(|(name, _)| name).collect()),
                names(want.iter().map(|(name, _)| name).collect()),
                "{path}.{extension}"
            );
            cells += want.len();
            agreed += want.iter().filter(|(name, _)| found.iter().any(|(n, _)| n == name)).count();
        }
    }
    println!("agreement {agreed}/{cells}");
    assert_eq!(agreed, cells);
    assert!(cells > 1000);
}

#[test]
fn both_forms_of_mobile_bytecode_hold_the_same_operators() {
    let models = models();
    let mut pairs = 0;
    for (path, flat) in models.iter().filter(|(path, _)| path.ends_with(".ff")) {
        let pickle = &models[&path.replace(".ff", ".ptl")];
        assert_eq!(operators(flat), operators(pickle), "{path}");
        // Where no operator needs more, an archive says 3 and a flatbuffer 1.
        let least = flat.operator_version().map(|version| version.max(3));
        assert_eq!(least, pickle.operator_version(), "{path}");
        pairs += 1;
    }
    println!("agreement {pairs}/{pairs}");
    assert!(pairs > 100);
}
