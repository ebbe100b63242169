//! Every recorded file of 24 releases gives what the release gave that wrote it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use unskew_interpreter::{Interpreter, ReleaseSemantics, RunProblem, RunnableProgram};
use unskew_torch_schemas::OperatorHistory;

use crate::corpus::{self, difference, files, recorded, source};

/// Types and shapes are exact; floats may differ by what the order of a sum of 32-bit floats changes.
const TOLERANCE: f64 = 2e-6;

static HISTORY: LazyLock<Arc<OperatorHistory>> = LazyLock::new(|| {
    let file =
        Path::new(env!("UNSKEW_ROOT")).join("crates/judging/releases/data/torch/operators.tsv");
    Arc::new(OperatorHistory::from_text(std::fs::read_to_string(file).unwrap()).unwrap())
});

/// What became of a file, by its code or by its bytecode.
fn outcome(bytes: &[u8], name: &str, recorded: &corpus::Recorded, by_bytecode: bool) -> String {
    let (release, _) = name.split_once('/').unwrap();
    let release = release.parse().unwrap();
    let mut semantics = ReleaseSemantics::for_release(release);
    if by_bytecode || name.ends_with(".ff") {
        // How many values an operator takes from the stack is what the release says.
        semantics = semantics.with_operators(Arc::new(HISTORY.table(release).unwrap()));
    }
    let interpreter = Interpreter::new(semantics);
    let open = if by_bytecode { RunnableProgram::open_bytecode } else { RunnableProgram::open };
    let program = match open(&source(name, bytes)) {
        Ok(Some(program)) => program,
        Ok(None) => return "no program".to_owned(),
        Err(error) => return format!("not read: {error}"),
    };
    let result = interpreter.method(&program, "forward", recorded.inputs.clone());
    match (&recorded.output, result) {
        (Some(wanted), Ok(found)) => match difference(wanted, &found, TOLERANCE) {
            None => "equal".to_owned(),
            Some(difference) => format!("differs: {difference}"),
        },
        (None, Err(error)) if matches!(error.problem, RunProblem::Refused(_)) => {
            "refused as then".into()
        }
        (None, Ok(_)) => "runs, and the release refused".to_owned(),
        (_, Err(error)) => format!("stops: {error}"),
    }
}

#[test]
fn every_recorded_file_gives_what_its_release_gave() {
    let files = files();
    let mut table: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for recorded in recorded() {
        for extension in ["pt", "ptl", "ff", "pt2"] {
            let name = format!("{}.{extension}", recorded.model);
            let Some(bytes) = files.get(&name) else { continue };
            table.entry(outcome(bytes, &name, &recorded, false)).or_default().push(name.clone());
            if extension == "ptl" {
                let outcome = outcome(bytes, &name, &recorded, true);
                table.entry(outcome).or_default().push(format!("{name} (bytecode)"));
            }
        }
    }
    for (outcome, names) in &table {
        println!("{:4} {outcome}: {} {} ...", names.len(), names[0], names[names.len() - 1]);
    }
    // `torch.full([n], True)` is written as `torch.full([n], 1)`: a release that reads its own file gives
    // integers too (2.4.1 and 2.15.0 were asked), but recorded what the module gave before it was saved.
    let written_otherwise =
        table.remove("differs: int64[3] instead of bool[3]").unwrap_or_default();
    assert!(written_otherwise.iter().all(|name| name.contains("/Full.")), "{written_otherwise:?}");
    assert_eq!(written_otherwise.len(), 40);
    let count = |outcome: &str| table.get(outcome).map_or(0, Vec::len);
    let rest = ["equal", "refused as then"];
    let others: Vec<_> = table.iter().filter(|(outcome, _)| !rest.contains(&&***outcome)).collect();
    assert!(others.is_empty(), "{others:#?}");
    // 755 files, of which 250 run twice: by their code and by their bytecode.
    assert_eq!((count("equal"), count("refused as then")), (923, 42));
}
