//! Verdicts against what real TensorFlows said: 26 graphs on 24 releases, and single cases.

use std::sync::Arc;

use unskew_core::{Context, Date, Outcome, Party, Phase, Severity, Verdict, check};
use unskew_lab_tensorflow::battery;
use unskew_lab_tensorflow::battery::proto::{self, GraphBuilder, dtype, int, node, shapes};
use unskew_releases::find;
use unskew_source::{BytesSource, Source};

/// What was said, case by case; `=` is what the release before said.
const WORDS: &str = include_str!("../data/tensorflow/battery-words.tsv");

const BATTERY: &str = include_str!("../data/tensorflow/battery.txt");

fn party(graph: &GraphBuilder) -> Party {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("graph.pb", graph.bytes()));
    unskew_tensorflow::party(&source).unwrap().unwrap()
}

fn verdict(graph: &GraphBuilder, release: &str) -> Verdict {
    let release = find(&format!("tensorflow@{release}")).unwrap();
    let today = Context::on(Date::constant(2026, 11, 21));
    check(&party(graph), &release.party(), &today)
}

fn graph_def(release: &str) -> i64 {
    let row = find(&format!("tensorflow@{release}")).unwrap();
    unskew_releases::tensorflow::runtime(row.row()).unwrap().graph_def.version
}

fn codes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.findings.iter().map(|finding| finding.rule.code).collect()
}

#[test]
fn verdicts_agree_with_what_real_releases_said_of_the_battery() {
    let mut lines = BATTERY.lines().filter(|line| !line.starts_with('#'));
    let releases: Vec<&str> = lines.next().unwrap().split(' ').skip(1).collect();
    let (mut cells, mut agreed) = (0, 0);
    for line in lines {
        let (case, measured) = line.split_once(' ').unwrap();
        for (release, measured) in releases.iter().zip(measured.chars()) {
            let graph = battery::graph(case, graph_def(release)).unwrap();
            let verdict = verdict(&graph, release);
            let said = match verdict.first_failure() {
                Some(Phase::Load) => 'i',
                Some(Phase::FirstUse) => 'r',
                Some(Phase::Silent) | None => '.',
            };
            cells += 1;
            agreed += usize::from(said == measured);
            if said != measured {
                println!("{case} on {release}: said {said}, was {measured}: {:?}", codes(&verdict));
            }
        }
    }
    println!("agreement {agreed}/{cells}");
    assert_eq!(cells, 624);
    assert!(agreed * 100 >= cells * 99);
}

/// The error that a user sees is the error that a verdict announces.
#[test]
fn the_symptom_of_a_refusal_is_in_the_words_of_the_release() {
    let (mut cells, mut wrong) = (0, Vec::new());
    let mut before = "";
    for line in WORDS.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.splitn(3, '\t');
        let (Some(case), Some(release), Some(said)) = (parts.next(), parts.next(), parts.next())
        else {
            unreachable!("{line}")
        };
        before = if said == "=" { before } else { said };
        let verdict = verdict(&battery::graph(case, graph_def(release)).unwrap(), release);
        let first = verdict.first_failure();
        let errors = verdict.findings.iter().filter(|it| it.severity == Severity::Error);
        let symptoms: Vec<&str> =
            errors.filter(|it| it.phase == first).filter_map(|it| it.symptom.as_deref()).collect();
        cells += 1;
        // Some words differ from machine to machine, and only so many are kept.
        let within = |symptom: &&str| {
            let mut parts =
                symptom.split('…').map(|part| part.chars().take(60).collect::<String>());
            parts.all(|part| before.contains(&part) || part.starts_with("' The binary"))
        };
        if !symptoms.iter().any(within) {
            wrong.push(format!("{case} on {release}: {symptoms:?} is not in: {before}"));
        }
    }
    println!("symptoms {}/{cells}", cells - wrong.len());
    assert!(cells > 300, "{cells}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `CTCGreedyDecoder` with `blank_index` 0: TensorFlow 2.5 took class 2 for the blank and answered
/// `[0, 1, 0]`, releases that know the attribute answered `[1]`.
#[test]
fn an_ignored_attribute_whose_value_matters_is_a_silent_error() {
    let decoder = |blank: i64| {
        let attrs = [("T", dtype(1)), ("blank_index", int(blank))];
        let input = |name: &str, of: i64| node(name, "Placeholder", &[], &[("dtype", dtype(of))]);
        GraphBuilder::new(800).with(input("x", 1)).with(input("n", 3)).with(node(
            "d",
            "CTCGreedyDecoder",
            &["x", "n"],
            &attrs,
        ))
    };
    let old = verdict(&decoder(0), "2.5.3");
    assert_eq!(old.outcome, Outcome::Incompatible);
    assert_eq!(codes(&old)[0], "TF202");
    assert_eq!(old.findings[0].phase, Some(Phase::Silent));
    assert!(old.findings[0].message.ends_with("(set to 0 here, default -1)"));
    assert_eq!(verdict(&decoder(-1), "2.5.3").severity(), Some(Severity::Note));
    assert!(verdict(&decoder(0), "2.9.3").works());
    // Up to 2.4 the same node is refused at import.
    assert_eq!(verdict(&decoder(0), "2.4.4").first_failure(), Some(Phase::Load));
}

#[test]
fn other_attributes_that_were_ignored_with_a_wrong_answer_are_silent_errors() {
    let attrs = [("T", dtype(1)), ("index_type", dtype(9)), ("sorted", proto::boolean(true))];
    let input = |name: &str, of: i64| node(name, "Placeholder", &[], &[("dtype", dtype(of))]);
    let top = GraphBuilder::new(1500).with(input("x", 1)).with(input("k", 3)).with(node(
        "t",
        "TopKV2",
        &["x", "k"],
        &attrs,
    ));
    assert_eq!(codes(&verdict(&top, "2.9.3")), ["TF202"]);
    assert!(verdict(&top, "2.15.1").works());
}

#[test]
fn shapes_noted_on_gradients_of_batch_norms_stop_the_import_from_2_4_on() {
    let inputs = ["a", "a", "s", "s", "s"];
    let noted = |reserve: i64| {
        let attrs = [
            ("T", dtype(1)),
            ("_output_shapes", shapes(&[&[8, 4, 4, 64], &[64], &[64], &[reserve], &[reserve]])),
        ];
        let input = |name: &str| node(name, "Placeholder", &[], &[("dtype", dtype(1))]);
        GraphBuilder::new(22).with(input("a")).with(input("s")).with(node(
            "g",
            "FusedBatchNormGrad",
            &inputs,
            &attrs,
        ))
    };
    for release in ["2.4.4", "2.15.1", "2.21.0"] {
        let found = verdict(&noted(64), release);
        assert_eq!(codes(&found), ["TF303"], "{release}");
        assert_eq!(found.first_failure(), Some(Phase::Load));
        assert!(verdict(&noted(0), release).works());
    }
    assert!(verdict(&noted(64), "1.15.0").works());
}

#[test]
fn a_graph_far_newer_than_its_reader_gets_the_words_of_the_forward_window() {
    let graph = |above: i64| battery::graph("unknown_op", 1645 + above).unwrap();
    let symptom = |above: i64| {
        let verdict = verdict(&graph(above), "2.15.1");
        verdict.findings[0].symptom.clone().unwrap()
    };
    assert!(symptom(22).starts_with("Converting GraphDef to Graph has failed with an error: "));
    assert!(symptom(22).contains("GraphDef version was 1667"));
    assert!(symptom(21).starts_with("Op type not registered 'NoSuchOpXyz'"));
}

#[test]
fn what_is_promised_depends_on_the_major_version_and_the_window() {
    use unskew_core::PromiseState::{Expired, NotPromised, Promised};
    let states = |producer: i64, release: &str| -> Vec<_> {
        verdict(&GraphBuilder::new(producer).with(node("n", "NoOp", &[], &[])), release)
            .promises
            .iter()
            .map(|promise| promise.state)
            .collect()
    };
    assert_eq!(states(561, "2.15.1"), [Promised]);
    assert_eq!(states(134, "2.15.1"), [NotPromised]);
    // 134 is 1.15.0, newer by number than 2.0.4 and older by release.
    assert_eq!(states(134, "2.0.4"), [NotPromised, Promised]);
    assert_eq!(states(2474, "2.15.1"), [NotPromised, Expired]);
}

#[test]
fn two_graphs_in_one_have_the_lower_producer_whichever_comes_first() {
    let graph =
        |producer: i64| party(&GraphBuilder::new(producer).with(node("n", "NoOp", &[], &[])));
    let today = Context::on(Date::constant(2026, 11, 21));
    let (a, b) = (graph(38), GraphBuilder { min_consumer: 12, ..GraphBuilder::new(1645) });
    let b = party(&b.with(node("n", "NoOp", &[], &[])));
    let there = check(&a, &b, &today);
    let back = check(&b, &a, &today);
    assert_eq!(there.outcome, Outcome::Compatible);
    assert_eq!(there.outcome, back.outcome);
    assert_eq!(codes(&there), ["TF502", "TF501"]);
    assert_eq!(codes(&back), ["TF502", "TF501"]);
    assert!(there.findings[1].message.contains("producer 38, min_consumer 12"));
}
