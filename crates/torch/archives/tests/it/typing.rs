//! Types in the code of real archives: what 24 releases wrote, and the models of the corpus.

use unskew_core::{Outcome, Phase};
use unskew_script::typing::{Typing, infer};
use unskew_torch::{Callable, TorchModel, read};

use crate::corpus::{files, history, models, party, runtimes, source, verdict};

fn typed(model: &TorchModel) -> Option<Typing> {
    Some(infer(model.program.as_ref()?, &Callable(history())))
}

#[test]
fn every_operator_call_of_every_archive_is_resolved() {
    let (mut all, _) = files();
    all.extend(models());
    let (mut programs, mut calls, mut unresolved) = (0, 0, Vec::new());
    for (path, bytes) in &all {
        let model = read(&source(path, bytes)).unwrap().unwrap();
        let Some(typing) = typed(&model) else { continue };
        programs += 1;
        calls += typing.calls.len();
        let problems = typing.problems(model.program.as_ref().unwrap());
        unresolved.extend(problems.into_iter().map(|problem| format!("{path}: {problem}")));
    }
    println!("{} of {calls} calls unresolved in {programs} programs", unresolved.len());
    assert!(unresolved.is_empty(), "{}", unresolved.join("\n"));
    assert!(programs > 500 && calls > 9_000);
}

#[test]
fn interpolate_needs_a_new_operator_only_in_a_branch_that_never_runs() {
    let (files, _) = files();
    let runtimes = runtimes();
    let mut nets = 0;
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with("/Net.pt")) {
        let file = party("Net.pt", bytes);
        let verdict = verdict(&file, &runtimes["2.11.0"]);
        if verdict.findings.iter().all(|finding| finding.rule.code != "OP001") {
            continue;
        }
        nets += 1;
        // As it is it does not load; without the branch it does.
        assert_eq!(verdict.first_failure(), Some(Phase::Load), "{path}");
        assert_eq!(verdict.outcome, Outcome::Adaptable(vec!["prune-dead-branch".into()]), "{path}");
        let finding = verdict.findings.iter().find(|f| f.rule.code == "OP001").unwrap();
        assert!(finding.message.contains("aten::_upsample_lanczos2d_aa"), "{}", finding.message);
        assert!(finding.places.to_string().contains("(never runs)"), "{}", finding.places);
        let typing = typed(&read(&source(path, bytes)).unwrap().unwrap()).unwrap();
        let lanczos =
            |call: &&unskew_script::typing::ResolvedCall| call.operator.contains("lanczos");
        let call = typing.calls.iter().find(lanczos).unwrap();
        assert!(call.removable && !call.live && call.loaded);
    }
    assert_eq!(nets, 4);
}
