//! Files of `torch.export` that the main corpus has none of: those of 2.3 give what 2.3.1 gave when they are converted,
//! and so do graphs of 2.15 that write to their arguments, for releases that take none.

use std::sync::Arc;

use crate::corpus::{difference, runtime, source};
use unskew_interpreter::{Interpreter, ReleaseSemantics, RunnableProgram, ScriptValue};
use unskew_source::{ConvertedArtifact, Source};
use unskew_torch::{TorchConvertOptions, TorchRuntime};
use unskew_torch_matrix::recorded::{SingleFile, TOLERANCE, exported, in_place, value};

/// A graph takes what its module takes one by one: the items of lists are inputs of their own.
fn flat(values: Vec<ScriptValue>) -> Vec<ScriptValue> {
    let items = |value: ScriptValue| value.items().map_or_else(|| vec![value], flat);
    values.into_iter().flat_map(items).collect()
}

/// What a converted file gives by the operators of the release that it is for.
fn converted(one: &SingleFile, to: &TorchRuntime) -> Result<ScriptValue, Vec<String>> {
    let semantics = ReleaseSemantics::for_release(to.release.version);
    let semantics = semantics.with_operators(Arc::new(to.operators.clone()));
    let file = source(&one.name, &one.bytes);
    let (plan, output) =
        unskew_torch::convert(&file, to, &TorchConvertOptions::default()).unwrap().unwrap();
    if !plan.is_possible() {
        return Err(plan.blockers.into_iter().map(|one| one.message).collect());
    }
    let ConvertedArtifact::File(result) = output else { panic!("{}: a folder", one.name) };
    let result: Arc<dyn Source> = result;
    let program = RunnableProgram::open(&result).unwrap().unwrap();
    let given = one.inputs.iter().chain(one.named.values());
    let given = given.map(|input| value(input).unwrap()).collect();
    let found = Interpreter::new(semantics).method(&program, "forward", flat(given));
    Ok(found.unwrap_or_else(|error| panic!("{} for {}: {error}", one.name, to.name())))
}

#[test]
fn files_of_2_3_give_on_later_and_earlier_releases_what_they_gave() {
    let all = exported().unwrap();
    assert_eq!(all.len(), 9);
    for to in ["2.15.0", "2.6.0", "2.5.1", "2.4.1"].map(runtime) {
        for one in &all {
            let found = converted(one, &to).unwrap();
            let different = difference(&one.output, &found, TOLERANCE);
            assert_eq!(different, None, "{} for {}", one.name, to.name());
        }
    }
}

#[test]
fn graphs_that_write_to_their_arguments_give_the_same_without_or_are_refused() {
    let all = in_place().unwrap();
    assert_eq!(all.len(), 12);
    for to in ["2.15.0", "2.5.1", "2.4.1", "2.3.1", "2.2.2", "2.1.2"].map(runtime) {
        let writes = to.release.version >= "2.5".parse().unwrap();
        // Up to 2.2 no signature says that an input of the caller is written.
        let keeps_inputs = to.release.version < "2.3".parse().unwrap();
        // The interpreter's tensors do not become views of themselves.
        let runs = |one: &&SingleFile| !(writes && one.name.ends_with("/Turned.pt2"));
        for one in all.iter().filter(runs) {
            let refused = one.name.contains("Refused") && !writes;
            match converted(one, &to) {
                Ok(found) => {
                    assert!(!refused, "{} for {}", one.name, to.name());
                    let different = difference(&one.output, &found, TOLERANCE);
                    assert_eq!(different, None, "{} for {}", one.name, to.name());
                }
                Err(why) => {
                    let input = keeps_inputs && one.name.ends_with("/Input.pt2");
                    assert!(refused || input, "{} for {}: {why:?}", one.name, to.name());
                }
            }
        }
    }
}
