//! What a real PyTorch gives of files that were converted for it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::time::Duration;

use unskew_releases::find;
use unskew_torch_matrix::{BARS, Came, Fate, Host, Selection, trials};

const RELEASE: &str = "2.15.0";

const LIMIT: Duration = Duration::from_secs(480);

/// Every recorded file that is rewritten for the newest release runs on it and gives what its writer gave.
#[test]
fn every_rewritten_file_gives_on_a_real_release_what_its_writer_gave() {
    let Ok(host) = Host::named(RELEASE) else {
        println!("skipped: run cargo xtask corpus");
        return;
    };
    let release = find(&format!("torch@{RELEASE}")).unwrap();
    let trials = trials(&host, release, Selection::Rewritten, LIMIT).unwrap();
    let rewritten: Vec<_> = trials.iter().filter(|trial| trial.fate == Fate::Rewritten).collect();
    assert!(rewritten.len() >= 100, "{}", rewritten.len());
    let unequal: BTreeSet<String> = rewritten
        .iter()
        .filter(|trial| !matches!(trial.after, Some(Came::Equal | Came::Accepted)))
        .map(|trial| format!("{}: {:?}", trial.file, trial.after))
        .collect();
    assert!(unequal.is_empty(), "{unequal:#?}");
    // 1.6 alone refused to divide integers, and to fill with one without a type: by the version of its files the
    // operators are those of later releases, which do both.
    for trial in trials.iter().filter(|trial| trial.after == Some(Came::Accepted)) {
        assert!(trial.file.starts_with("1.6.0/"), "{}", trial.file);
    }
    // Nothing has to be left as it is for want of an exact form.
    assert!(trials.iter().all(|trial| !matches!(trial.fate, Fate::Blocked(_))));
    for bar in BARS.iter().filter(|bar| bar.on == RELEASE) {
        let count = bar.count(&trials);
        let kept = trials.iter().filter(|trial| trial.fate == Fate::Unchanged).count();
        // Those that stay as they are were not run here.
        assert!(count.all > 0 && count.equal <= count.all && kept > 0, "{}: {count:?}", bar.what);
    }
}
