//! What a program asks of the compiler of a plug-in, with plug-ins that answer as real ones do.

use std::sync::{Arc, Mutex};

use unskew_core::{Context, Outcome, Party, Role, Verdict, Version, check};
use unskew_source::{BytesSource, Source};
use unskew_stablehlo::requirements::{Compiler, TrialAnswer, TrialProgram, TrialReport};

const CALLS: &[u8] = include_bytes!("../data/calls-1.10.0.stablehlo");
const SIZES: &[u8] = include_bytes!("../data/unknown-sizes-1.10.0.stablehlo");
const TANH: &[u8] = include_bytes!("../data/tanh-1.10.0.stablehlo");

/// What a plug-in says of more partitions than it has devices.
const TOO_MANY: &str = "INVALID_ARGUMENT: too many partitions";

fn text(trial: &TrialProgram) -> String {
    String::from_utf8_lossy(&trial.program).into_owned()
}

/// Judges a program with a plug-in that has this many devices and refuses programs for these words.
fn judged(
    program: &[u8],
    devices: usize,
    refuses: impl Fn(&TrialProgram) -> Option<TrialAnswer> + Send + Sync + 'static,
) -> (Verdict, Vec<String>) {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("net.stablehlo", program.to_vec()));
    let artifact = unskew_stablehlo::party(&source).unwrap().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let compiler = Compiler::new(move |trials: &[TrialProgram]| {
        seen.lock().unwrap().extend(trials.iter().map(text));
        let answer = |trial: &TrialProgram| match refuses(trial) {
            Some(answer) => answer,
            None if trial.partitions > 8 => TrialAnswer::Refused(TOO_MANY.to_owned()),
            None => TrialAnswer::Compiles,
        };
        let answers = trials.iter().map(answer).collect();
        Ok(TrialReport { devices, memories: vec!["device".to_owned()], answers })
    });
    let plugin = Party::new("plugin.so", Role::Plugin, "PJRT plug-in");
    let plugin = unskew_stablehlo::reader(plugin, Version::triple(1, 13, 3));
    let plugin = plugin.with_capability(Arc::new(compiler));
    let verdict = check(&artifact, &plugin, &Context::for_tests());
    let asked = asked.lock().unwrap().clone();
    (verdict, asked)
}

fn codes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.findings.iter().map(|finding| finding.rule.code).collect()
}

fn missing(
    target: &'static str,
) -> impl Fn(&TrialProgram) -> Option<TrialAnswer> + Send + Sync + 'static {
    move |trial| {
        let refused = trial.partitions == 1 && text(trial).contains(target);
        refused.then(|| {
            TrialAnswer::Refused(format!("NOT_FOUND: No FFI handler registered for {target}"))
        })
    }
}

#[test]
fn a_program_of_nothing_but_stablehlo_asks_nothing() {
    let (verdict, asked) = judged(TANH, 1, |_| None);
    assert_eq!(asked, Vec::<String>::new());
    assert!(verdict.works() && verdict.unjudged.is_empty());
}

#[test]
fn a_call_that_is_kept_and_has_no_handler_is_an_error() {
    let (verdict, asked) = judged(CALLS, 2, missing("kept"));
    assert_eq!(codes(&verdict), ["SH010"]);
    let finding = &verdict.findings[0];
    assert!(finding.symptom.as_deref().unwrap().contains("No FFI handler registered for kept"));
    let alone = asked.iter().find(|text| text.contains("call_target_name = \"kept\"")).unwrap();
    assert!(
        alone.contains("func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>)"),
        "{alone}"
    );
    for other in ["never", "unused", "in_a_branch", "Sharding"] {
        assert!(!asked.iter().any(|text| text.contains(&format!("\"{other}\""))), "{other}");
    }
}

#[test]
fn a_call_that_the_compiler_may_drop_is_not_judged() {
    let (verdict, _) = judged(CALLS, 2, |_| None);
    assert_eq!((codes(&verdict), verdict.outcome), (Vec::new(), Outcome::Unjudged));
    let open: Vec<String> =
        verdict.unjudged.iter().map(|open| format!("{}: {}", open.places, open.reason)).collect();
    assert_eq!(open.len(), 2, "{open:?}");
    assert!(open.iter().any(|text| text.starts_with("unused: nothing uses")), "{open:?}");
    assert!(open.iter().any(|text| text.starts_with("in_a_branch: ")), "{open:?}");
}

#[test]
fn a_program_for_more_devices_than_there_are_is_an_error() {
    assert_eq!(codes(&judged(CALLS, 1, |_| None).0), ["SH012"]);
}

#[test]
fn a_refusal_in_other_words_than_for_the_options_is_one_of_the_program() {
    let whole = |trial: &TrialProgram| {
        let is_whole = trial.program.starts_with(b"ML\xefR");
        is_whole.then(|| TrialAnswer::Refused("UNKNOWN: Failed to parse".to_owned()))
    };
    assert_eq!(codes(&judged(CALLS, 2, whole).0), ["SH009"]);
}

#[test]
fn a_plug_in_that_compiles_no_addition_tells_nothing_of_calls() {
    let none = |_: &TrialProgram| Some(TrialAnswer::Refused("UNIMPLEMENTED: text".to_owned()));
    let (verdict, _) = judged(CALLS, 2, none);
    assert_eq!((codes(&verdict), verdict.outcome), (Vec::new(), Outcome::Unjudged));
    assert!(
        verdict.unjudged[0].reason.contains("does not compile an addition: UNIMPLEMENTED: text")
    );
}

#[test]
fn a_refusal_for_another_reason_leaves_the_call_unjudged_and_an_end_of_the_process_is_an_error() {
    let call = |answer: TrialAnswer| {
        move |trial: &TrialProgram| text(trial).contains("\"kept\"").then(|| answer.clone())
    };
    let (verdict, _) = judged(CALLS, 2, call(TrialAnswer::Refused("INTERNAL: odd".to_owned())));
    assert_eq!(codes(&verdict), Vec::<&str>::new());
    assert!(verdict.unjudged.iter().any(|open| open.reason.ends_with("INTERNAL: odd")));
    let (verdict, _) = judged(CALLS, 2, call(TrialAnswer::Ended("SIGSEGV".to_owned())));
    assert_eq!(codes(&verdict), ["SH010"]);
}

#[test]
fn arrays_of_unknown_size_are_asked_as_parameters() {
    let dynamic = |trial: &TrialProgram| {
        let unbounded = trial.partitions == 1 && text(trial).contains('?');
        unbounded.then(|| TrialAnswer::Refused("Unbounded dynamism is disabled".to_owned()))
    };
    let (verdict, _) = judged(SIZES, 1, dynamic);
    assert_eq!(codes(&verdict), ["SH011"]);
    assert!(verdict.findings[0].message.contains("parameter 0, tensor<?xf32>"));
    assert!(judged(SIZES, 1, |_| None).0.works());
}

#[test]
fn any_bytes_are_asked_or_refused_without_a_panic() {
    for at in 0..CALLS.len() {
        for change in [1_u8, 0x7f, 0xff] {
            let mut bytes = CALLS.to_vec();
            bytes[at] ^= change;
            let source: Arc<dyn Source> = Arc::new(BytesSource::new("net.stablehlo", bytes));
            if let Ok(Some(_)) = unskew_stablehlo::party(&source) {
                let bytes = source_bytes(&source);
                judged(&bytes, 1, |_| None);
            }
        }
    }
}

fn source_bytes(source: &Arc<dyn Source>) -> Vec<u8> {
    use unskew_source::SourceExt as _;
    source.bytes(0, source.size()).unwrap()
}
