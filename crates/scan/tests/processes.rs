//! A scan whose artifacts are read by other processes. This program is both sides: with an argument it is one of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

#[path = "it/table.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod table;

use std::path::Path;
use std::process::Command;

use unskew_scan::{
    Allowance, ArtifactJudge, JudgeProcesses, ScanSettings, Summary, VerdictTable, inventory,
    judge_process_main, scan,
};

/// Types that double: in 60 lines they stand for more than any memory holds.
fn bomb() -> String {
    let types = (1..60).map(|n| format!("!t{n} = tuple<!t{}, !t{}>\n", n - 1, n - 1));
    let types: String = types.collect();
    format!(
        "!t0 = f32\n{types}module {{ func.func @main(%a: !t59) -> !t59 {{ return %a : !t59 }} }}"
    )
}

fn run(source: &Path, out: &Path) -> Summary {
    let question = table::question();
    let program = std::env::current_exe().unwrap();
    let processes = JudgeProcesses::new(move |allowance: &Allowance| {
        let mut command = Command::new(&program);
        command.args(["child", &allowance.memory.to_string(), &allowance.seconds.to_string()]);
        command
    });
    let judge = ArtifactJudge::in_processes(&question, processes).unwrap();
    let table = VerdictTable::open(out.to_str().unwrap(), &question).unwrap();
    let sources = [inventory(source.to_str().unwrap()).unwrap()];
    scan(&sources, &judge, &table, &ScanSettings::default(), &|_| {}).unwrap()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [child, memory, seconds] = arguments.as_slice()
        && child == "child"
    {
        let allowance =
            Allowance { memory: memory.parse().unwrap(), seconds: seconds.parse().unwrap() };
        judge_process_main(allowance);
    }
    let outs = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [here, apart, bombs] = &outs;
    let examples = table::examples();
    let told = table::run(&examples, here.path(), &ScanSettings::default());
    let also = run(&examples, apart.path());
    assert_eq!((told.artifacts, &told.verdicts), (also.artifacts, &also.verdicts));
    assert_eq!(table::lines(here.path()), table::lines(apart.path()));

    let models = tempfile::tempdir().unwrap();
    std::fs::write(models.path().join("bomb.mlir"), bomb()).unwrap();
    std::fs::copy(examples.join("add-cast.pb"), models.path().join("add-cast.pb")).unwrap();
    let first = run(models.path(), bombs.path());
    assert_eq!((first.artifacts, first.unread), (2, 1), "{first:?}");
    assert_eq!(first.verdicts["over budget"], 1);
    let lines = table::lines(bombs.path());
    let over = lines.iter().find(|line| line.verdict == "over budget").unwrap();
    let error = over.error.as_deref().unwrap();
    assert!(error.contains("over the budget of 400") && error.contains(" nodes "), "{error}");
    // It has a row, so it is not read again.
    let again = run(models.path(), bombs.path());
    assert_eq!((again.artifacts, again.done_before), (0, 2));
    println!("processes: passed");
}
