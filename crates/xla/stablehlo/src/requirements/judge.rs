//! Judgement of the answers of a plug-in for a program.

use std::sync::LazyLock;

use unskew_core::{Finding, Judgement, Places, Unjudged, aspect};

use super::call_uses::CallRetention;
use super::gather::{Call, CompilerDemands};
use super::{Compiler, TrialAnswer, TrialProgram, TrialReport};
use crate::rules;

/// An addition: what a plug-in does not compile as text tells nothing of custom calls.
const ADDITION: &str = "module {\n  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n    %0 = \
    \"stablehlo.add\"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n    \"func.return\"(%0) : \
    (tensor<4xf32>) -> ()\n  }\n}\n";

/// More partitions than any plug-in has devices: a program that is read is refused for them.
const TOO_MANY_PARTITIONS: i64 = 1 << 20;

/// How XLA begins to say that there is no handler, by the interface that the handler would have.
const NO_HANDLER: [&str; 3] = [
    "No FFI handler registered for",
    "No registered implementation for",
    "Unknown custom-call API version",
];

/// How long a text of a plug-in is quoted, in characters.
const QUOTED: usize = 240;

/// What is asked, in the order of the trials.
enum Question<'a> {
    Addition,
    /// The addition with too many partitions.
    AdditionSplit,
    /// The whole program with too many partitions.
    Whole,
    Sizes,
    Call(&'a Call),
    /// An addition of these numbers.
    Rare(&'static str),
}

/// Asks the compiler of the plug-in of this name what the program needs, and judges the answers. `whole` is the program,
/// if it is small enough to be handed over. A program that `is_exported` is called by JAX, which gives the sizes of its
/// parameters before the plug-in sees it.
pub(crate) fn judge(
    asks: &CompilerDemands,
    whole: Option<&[u8]>,
    compiler: &Compiler,
    reader: &str,
    is_exported: bool,
) -> Judgement {
    let mut judgement = Judgement::default();
    if is_exported && !asks.unknown_sizes.is_empty() {
        let why = "JAX gives the program the sizes of its parameters when it is called";
        let places = asks.unknown_sizes.iter().collect();
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(places));
        return judgement;
    }
    let (questions, trials) = questions(asks, whole);
    let answers = match compiler.ask(&trials) {
        Ok(answers) if answers.answers.len() == trials.len() => answers,
        Ok(_) => return unasked(asks, "it did not answer to the end"),
        Err(cause) => return unasked(asks, &cause),
    };
    let answer = |wanted: fn(&Question<'_>) -> bool| {
        let mut pairs = questions.iter().zip(&answers.answers);
        pairs.find(|(question, _)| wanted(question)).map(|(_, answer)| answer)
    };
    if let Some(TrialAnswer::Refused(said) | TrialAnswer::Ended(said)) =
        answer(|question| matches!(question, Question::Addition))
    {
        return unasked(asks, &format!("it does not compile an addition: {}", quoted(said)));
    }
    let split = answer(|question| matches!(question, Question::AdditionSplit));
    for (question, answer) in questions.iter().zip(&answers.answers) {
        match question {
            Question::Addition | Question::AdditionSplit => {}
            Question::Whole => read_whole(asks, split, answer, reader, &mut judgement),
            Question::Sizes => sizes(asks, answer, reader, &mut judgement),
            Question::Call(call) => of_call(call, answer, reader, &mut judgement),
            Question::Rare(name) => rare(name, answer, &mut judgement),
        }
    }
    if whole.is_none() && asks.others {
        let why = "the program is too large to be handed to the plug-in on trial, which tells whether it reads its dialects";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
    }
    beside(asks, &answers, reader, &mut judgement);
    judgement
}

fn questions<'a>(
    asks: &'a CompilerDemands,
    whole: Option<&[u8]>,
) -> (Vec<Question<'a>>, Vec<TrialProgram>) {
    let trial = |program: &[u8], partitions| TrialProgram { program: program.to_vec(), partitions };
    let addition = ADDITION.as_bytes();
    let mut questions = vec![Question::Addition, Question::AdditionSplit];
    let mut trials = vec![trial(addition, 1), trial(addition, TOO_MANY_PARTITIONS)];
    if let Some(whole) = whole {
        questions.push(Question::Whole);
        trials.push(trial(whole, TOO_MANY_PARTITIONS));
    }
    if let Some(taking) = &asks.taking {
        questions.push(Question::Sizes);
        trials.push(trial(taking.as_bytes(), 1));
    }
    for call in &asks.calls {
        if let Some(program) = call.program.as_ref().filter(|_| call.kept == CallRetention::Always)
        {
            questions.push(Question::Call(call));
            trials.push(trial(program.as_bytes(), 1));
        }
    }
    for name in &asks.rare {
        questions.push(Question::Rare(name));
        trials.push(trial(ADDITION.replace("f32", name).as_bytes(), 1));
    }
    (questions, trials)
}

/// Nothing is known of what would have been asked.
fn unasked(asks: &CompilerDemands, cause: &str) -> Judgement {
    let mut judgement = Judgement::default();
    let targets = asks.calls.iter().map(|call| &call.target).chain(&asks.more_calls);
    let calls: Places = targets.collect();
    let why = format!("the plug-in could not be asked: {cause}");
    let aspect = if calls.is_empty() { aspect::CONTENTS } else { aspect::CUSTOM_CALLS };
    judgement.unjudged.push(Unjudged::new(aspect, why).at(calls));
    judgement
}

/// Whether the plug-in reads the whole program: it refuses it for the options, as it does an addition.
fn read_whole(
    asks: &CompilerDemands,
    split: Option<&TrialAnswer>,
    answer: &TrialAnswer,
    reader: &str,
    judgement: &mut Judgement,
) {
    let Some(TrialAnswer::Refused(for_options)) = split else {
        if asks.others {
            let why = "the plug-in takes any number of partitions, so it does not show whether it reads the dialects";
            judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        }
        return;
    };
    let said = match answer {
        TrialAnswer::Refused(said) if said == for_options => return,
        TrialAnswer::Refused(said) | TrialAnswer::Ended(said) => said,
        TrialAnswer::Compiles | TrialAnswer::NotTried => {
            let why = "the plug-in did not say whether it reads the program";
            judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
            return;
        }
    };
    let rule = rules::NotReadOnTrial { reader: &reader, said: &quoted(said) };
    judgement.findings.push(rule.finding().with_symptom(quoted(said)));
}

fn sizes(asks: &CompilerDemands, answer: &TrialAnswer, reader: &str, judgement: &mut Judgement) {
    let places: Places = asks.unknown_sizes.iter().collect();
    match answer {
        TrialAnswer::Compiles => {}
        TrialAnswer::Refused(said) | TrialAnswer::Ended(said) => {
            let rule = rules::SizesNotKnown { reader: &reader, parameters: &places };
            judgement.findings.push(rule.finding().with_symptom(quoted(said)).at(places.clone()));
        }
        TrialAnswer::NotTried => {
            let why = "the plug-in was not asked whether it takes arrays of unknown size";
            judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(places));
        }
    }
}

fn of_call(call: &Call, answer: &TrialAnswer, reader: &str, judgement: &mut Judgement) {
    let target = &call.target;
    let open = |why: String| {
        Unjudged::new(aspect::CUSTOM_CALLS, why).at([target.as_str()].into_iter().collect())
    };
    match answer {
        TrialAnswer::Compiles => {}
        TrialAnswer::Refused(said) if NO_HANDLER.iter().any(|begin| said.contains(begin)) => {
            judgement.findings.push(not_compiled(target, said, reader));
        }
        TrialAnswer::Ended(how) => judgement.findings.push(not_compiled(target, how, reader)),
        TrialAnswer::Refused(said) => judgement.unjudged.push(open(format!(
            "the plug-in refuses the call alone, which may be for what it stands in: {}",
            quoted(said)
        ))),
        TrialAnswer::NotTried => {
            let why = "the plug-in was not asked, because it had ended its process too often";
            judgement.unjudged.push(open(why.to_owned()));
        }
    }
}

fn not_compiled(target: &str, said: &str, reader: &str) -> Finding {
    let said = quoted(said);
    let finding = rules::CallNotCompiled { reader: &reader, target: &target }.finding();
    let finding = finding.with_symptom(said).at([target].into_iter().collect());
    match origin(target) {
        Some(origin) => finding.with_fix(origin),
        None => finding,
    }
}

fn rare(name: &str, answer: &TrialAnswer, judgement: &mut Judgement) {
    if let TrialAnswer::Refused(said) | TrialAnswer::Ended(said) = answer {
        let why = format!("the plug-in does not add numbers of this type: {}", quoted(said));
        let place = [name].into_iter().collect();
        judgement.unjudged.push(Unjudged::new(aspect::KERNELS, why).at(place));
    }
}

/// What needs no trial: devices, memories, and the calls that were not tried.
fn beside(asks: &CompilerDemands, answers: &TrialReport, reader: &str, judgement: &mut Judgement) {
    let there = answers.devices;
    if asks.devices > (there as u64).max(1) {
        let rule =
            rules::MoreDevicesThanThere { reader: &reader, devices: &asks.devices, there: &there };
        judgement.findings.push(rule.finding());
    }
    let absent: Places =
        asks.memories.iter().filter(|kind| !answers.memories.contains(kind)).collect();
    if !absent.is_empty() {
        let why = "the devices of the plug-in do not name these kinds of memory, in which the program wants arrays";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(absent));
    }
    let of = |kept: CallRetention| {
        let calls = asks.calls.iter().filter(move |call| call.kept == kept);
        calls.map(|call| &call.target).collect::<Places>()
    };
    let without_words = asks
        .calls
        .iter()
        .filter(|call| call.kept == CallRetention::Always && call.program.is_none());
    let without_words: Places = without_words.map(|call| &call.target).collect();
    let open = [
        (
            of(CallRetention::Unused),
            "nothing uses what these calls give, so the compiler may drop them",
        ),
        (of(CallRetention::Perhaps), "these calls stand in branches that the compiler may drop"),
        (
            without_words,
            "these calls have attributes or sizes with which they cannot be asked alone",
        ),
        (asks.more_calls.iter().collect(), "the program has more calls than are asked"),
    ];
    for (calls, why) in open {
        if !calls.is_empty() {
            judgement.unjudged.push(Unjudged::new(aspect::CUSTOM_CALLS, why).at(calls));
        }
    }
}

/// The beginning of what a plug-in says, in one line.
fn quoted(said: &str) -> String {
    let line: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// What helps with a custom call of this target, by who has its handler.
fn origin(target: &str) -> Option<&'static str> {
    let rows = origins().iter();
    let fits = |pattern: &str| match pattern.split_once('*') {
        Some((begin, end)) => target.strip_prefix(begin).is_some_and(|rest| rest.ends_with(end)),
        None => target == pattern,
    };
    rows.clone().find(|(pattern, _)| fits(pattern)).and_then(|(_, origin)| fix(origin))
}

/// What helps where the handlers of this origin are missing.
fn fix(origin: &str) -> Option<&'static str> {
    Some(match origin {
        "jaxlib" => {
            "Call `unskew_jax.register()` before the program is compiled, or serve the plug-in with `unskew serve PLUGIN \
             --handlers PYTHON`: jaxlib has this handler for CPUs."
        }
        "jaxlib-before-ffi" => {
            "Export the function again with JAX 0.4.36 or later: this handler of older JAX has no form that can be \
             handed to a plug-in."
        }
        "cuda" | "rocm" | "tpu" => {
            "Export the function for the platform of the plug-in: `jax.export.export(f, platforms=[\"cpu\"])`."
        }
        "callback" => {
            "Call the function with JAX in the process that has the Python function, after `unskew_jax.register()`: no file \
             has the function that is called back."
        }
        "memories" => {
            "Export the function without memory kinds: this XLA does not move arrays between memories of a CPU."
        }
        "jax" => {
            "Call the function with JAX, which replaces this call before the plug-in sees the program."
        }
        _ => return None,
    })
}

/// Targets, or how they begin, with whose they are; the first that fits counts.
fn origins() -> &'static [(&'static str, &'static str)] {
    static ROWS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        let lines = include_str!("../../data/targets.tsv").lines();
        lines
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('\t'))
            .collect()
    });
    &ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_targets_has_a_fix() {
        let text = include_str!("../../data/targets.tsv");
        let rows = text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(origins().len(), rows);
        for (target, origin) in origins() {
            assert!(fix(origin).is_some(), "{target}");
        }
    }

    #[test]
    fn a_target_is_found_by_its_name_or_by_how_it_begins() {
        assert!(origin("lapack_sgetrf_ffi").unwrap().contains("unskew_jax.register()"));
        assert!(origin("lapack_sgetrf").unwrap().contains("again with JAX"));
        assert!(origin("cusolver_getrf_ffi").unwrap().contains("platforms"));
        assert!(origin("xla_ffi_python_cpu_callback").unwrap().contains("no file"));
        assert_eq!(origin("my_kernel"), None);
    }

    #[test]
    fn a_long_text_is_cut_at_a_letter() {
        let long = "ä ".repeat(QUOTED);
        assert_eq!(quoted(&long).chars().count(), QUOTED + 1);
        assert_eq!(quoted("one\n  two"), "one two");
    }
}
