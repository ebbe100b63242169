//! Files of `torch.export` of 2.3, of which the main corpus has none: converted, they give what 2.3.1 gave.

use std::sync::Arc;

use crate::corpus::{difference, runtime, source};
use unskew_interpreter::{Interpreter, Program, Semantics, Value};
use unskew_source::{Output, Source};
use unskew_torch::Options;
use unskew_torch_matrix::recorded::{TOLERANCE, exported, value};

/// A graph takes what its module takes one by one: the items of lists are inputs of their own.
fn flat(values: Vec<Value>) -> Vec<Value> {
    let items = |value: Value| value.items().map_or_else(|| vec![value], flat);
    values.into_iter().flat_map(items).collect()
}

#[test]
fn files_of_2_3_give_on_later_and_earlier_releases_what_they_gave() {
    let all = exported().unwrap();
    assert_eq!(all.len(), 9);
    for to in ["2.15.0", "2.6.0", "2.5.1", "2.4.1"].map(runtime) {
        let operators = Arc::new(to.operators.clone());
        let semantics = Semantics::of(to.release.version).with_operators(operators);
        for one in &all {
            let file = source(&one.name, &one.bytes);
            let (plan, output) =
                unskew_torch::convert(&file, &to, &Options::default()).unwrap().unwrap();
            assert!(plan.is_possible(), "{} for {}: {:?}", one.name, to.name(), plan.blockers);
            let Output::File(result) = output else { panic!("{}: a folder", one.name) };
            let result: Arc<dyn Source> = result;
            let program = Program::open(&result).unwrap().unwrap();
            let given = one.inputs.iter().chain(one.named.values());
            let given = given.map(|input| value(input).unwrap()).collect();
            let found =
                Interpreter::new(semantics.clone()).method(&program, "forward", flat(given));
            let found = found.unwrap_or_else(|error| panic!("{}: {error}", one.name));
            let different = difference(&one.output, &found, TOLERANCE);
            assert_eq!(different, None, "{} for {}", one.name, to.name());
        }
    }
}
