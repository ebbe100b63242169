//! The operators of the interpreter are operators of PyTorch: each schema is one that some release has.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use unskew_torch_schemas::OperatorHistory;

fn history() -> Arc<OperatorHistory> {
    let file =
        Path::new(env!("UNSKEW_ROOT")).join("crates/judging/releases/data/torch/operators.tsv");
    Arc::new(OperatorHistory::from_text(std::fs::read_to_string(file).unwrap()).unwrap())
}

#[test]
fn every_operator_is_one_of_pytorch() {
    let history = history();
    let mut strangers = BTreeSet::new();
    let mut all = 0;
    // The tables are those of PyTorch: operators of other packages are in none.
    let own =
        unskew_interpreter::operators().filter(|schema| !schema.name.starts_with("torchvision::"));
    for schema in own {
        all += 1;
        let names = |of: &unskew_torch_schemas::FunctionSchema| -> Vec<String> {
            of.arguments.iter().map(|argument| argument.name.clone()).collect()
        };
        let known = history.releases().iter().any(|release| {
            let table = history.table(*release).unwrap();
            table
                .overloads(&schema.name)
                .any(|other| other.overload == schema.overload && names(&other) == names(schema))
        });
        if !known {
            strangers.insert(schema.full_name());
        }
    }
    println!("{all} overloads; {} in no table: {strangers:?}", strangers.len());
    assert!(all >= 600);
    assert!(strangers.is_empty(), "{strangers:#?}");
}
