//! Verdicts against what released jaxlib really did with 33 small artifacts.

use std::path::Path;
use std::sync::Arc;

use unskew_core::{Context, Party, Role, Verdict, Version, check};
use unskew_source::{FileSource, Source};

/// One row of `measured.tsv`.
struct Row {
    artifact: &'static str,
    jaxlib: &'static str,
    stablehlo: Version,
    reads: bool,
    said: &'static str,
}

fn rows() -> Vec<Row> {
    let lines = include_str!("../data/measured.tsv").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [artifact, jaxlib, stablehlo, reads, said] = cells[..] else { panic!("{line}") };
        Row { artifact, jaxlib, stablehlo: stablehlo.parse().unwrap(), reads: reads == "yes", said }
    };
    lines.map(row).collect()
}

fn artifact(file: &str) -> Party {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    let source: Arc<dyn Source> = Arc::new(FileSource::open(&path).unwrap());
    unskew_stablehlo::party(&source).unwrap().unwrap()
}

fn verdict(row: &Row) -> Verdict {
    let reader = Party::new(format!("jaxlib {}", row.jaxlib), Role::Runtime, "jaxlib release");
    let reader = unskew_stablehlo::reader(reader, row.stablehlo);
    let today = Context::for_tests();
    check(&artifact(&format!("{}.stablehlo", row.artifact)), &reader, &today)
}

#[test]
fn verdicts_are_what_released_jaxlib_did() {
    let rows = rows();
    let mut agreed = 0;
    for row in &rows {
        let works = verdict(row).works();
        if works == row.reads {
            agreed += 1;
        } else {
            println!("{} with jaxlib {}: works {works}", row.artifact, row.jaxlib);
        }
    }
    println!("agreement {agreed}/{}", rows.len());
    assert_eq!((agreed, rows.len()), (198, 198));
}

#[test]
fn a_refusal_names_what_the_runtime_names() {
    let refused: Vec<Row> = rows().into_iter().filter(|row| !row.reads).collect();
    for row in &refused {
        let verdict = verdict(row);
        let symptom = verdict.findings[0].symptom.as_deref().unwrap();
        assert!(symptom.contains(row.said), "{}: {symptom} / {}", row.artifact, row.said);
    }
    println!("agreement {0}/{0} messages", refused.len());
    assert_eq!(refused.len(), 24);
}

/// Comparing the numbers would refuse what is read, and that is most of what is newer.
#[test]
fn the_number_in_the_header_alone_is_wrong_about_many() {
    let newer = |row: &&Row| {
        let version = row.artifact.rsplit_once('-').unwrap().1.parse::<Version>().unwrap();
        version > row.stablehlo
    };
    let rows = rows();
    let read = rows.iter().filter(newer).filter(|row| row.reads).count();
    let all = rows.iter().filter(newer).count();
    println!("{read} of {all} artifacts newer than their reader are read");
    assert!(read * 2 > all);
}
