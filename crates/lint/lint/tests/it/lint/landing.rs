//! Days in a list, and the days on which a repository got them.

use unskew_core::PromiseState;

use crate::lint::repository::{Repository, codes, finding, lint_at};

const LIST: &str = "[[boundary]]\nname = \"api\"\nkind = \"history\"\npaths = [\"CHANGELOG.md\"]\nforward = \"12 weeks\"\n";

fn entry(minor: u32, day: &str) -> String {
    format!("## 0.{minor} ({day})\n\n* Change {minor}.\n\n")
}

fn list(entries: &[(u32, &str)]) -> String {
    let newest_first = entries.iter().rev().map(|(minor, day)| entry(*minor, day));
    "# Changes\n\n".to_owned() + &newest_first.collect::<String>()
}

fn promises(more: &str) -> String {
    format!("baseline = \"git:HEAD\"\n{LIST}{more}")
}

/// Version 2 was written on the day on which it landed, version 3 eleven days before.
fn repository() -> Repository {
    let made = Repository::new();
    let mut entries = vec![(1, "2026-01-05")];
    made.commit("CHANGELOG.md", &list(&entries), "2026-01-05");
    entries.push((2, "2026-02-01"));
    made.commit("CHANGELOG.md", &list(&entries), "2026-02-01");
    entries.push((3, "2026-03-01"));
    made.commit("CHANGELOG.md", &list(&entries), "2026-03-12");
    made
}

const THREE: [(u32, &str); 3] = [(1, "2026-01-05"), (2, "2026-02-01"), (3, "2026-03-01")];

#[test]
fn a_version_that_landed_after_its_day_is_told_with_its_commit_while_its_window_is_open() {
    let made = repository();
    let outcome = made.lint(&promises(""), "2026-04-01");
    assert_eq!(codes(&outcome), ["HI022"]);
    let found = finding(&outcome, "HI022");
    let hash = made.git(&["rev-parse", "--short=12", "HEAD"], "2026-04-01");
    let wanted = format!(
        "version 0.3 is dated 2026-03-01; commit {hash} brought it on 2026-03-12, 11 days later"
    );
    assert_eq!(found.message, wanted);
    assert_eq!(found.places.named(), ["CHANGELOG.md:3"]);
    assert_eq!(codes(&made.lint(&promises(""), "2026-09-01")), [""; 0], "it left its window");
}

#[test]
fn what_was_reworded_moved_or_renamed_landed_when_it_came() {
    let made = repository();
    let text = list(&THREE).replace("Change 2.", "Change 2, in other words.");
    made.commit("CHANGELOG.md", &text, "2026-03-20");
    made.git(&["mv", "CHANGELOG.md", "changes.md"], "2026-03-21");
    made.git(&["commit", "--quiet", "--message", "move"], "2026-03-21");
    let promises = promises("").replace("CHANGELOG", "changes");
    let outcome = made.lint(&promises, "2026-04-01");
    assert_eq!(codes(&outcome), ["HI022"], "0.3 alone");
    assert!(finding(&outcome, "HI022").message.contains("2026-03-12"));
}

#[test]
fn a_change_landed_when_its_branch_was_merged() {
    let made = repository();
    made.git(&["checkout", "--quiet", "-b", "work"], "2026-03-13");
    let mut entries = THREE.to_vec();
    entries.push((4, "2026-03-14"));
    made.commit("CHANGELOG.md", &list(&entries), "2026-03-14");
    made.git(&["checkout", "--quiet", "main"], "2026-03-25");
    made.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "work"], "2026-03-25");
    let outcome = made.lint(&promises("options = { drift = \"10 days\" }\n"), "2026-04-01");
    let messages: Vec<&str> =
        outcome.judged.iter().flat_map(|j| &j.findings).map(|f| f.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages.iter().any(|m| m.contains("0.4") && m.contains("on 2026-03-25")));
}

#[test]
fn what_has_not_landed_cannot_be_dated_in_the_past() {
    let made = repository();
    let mut entries = THREE.to_vec();
    entries.push((4, "2026-03-15"));
    made.write("CHANGELOG.md", &list(&entries));
    let old = promises("severity = { HI022 = \"off\" }\n");
    assert_eq!(codes(&made.lint(&old, "2026-03-15")), [""; 0]);
    assert_eq!(codes(&made.lint(&old, "2026-03-16")), [""; 0], "a day is given for time zones");
    let outcome = made.lint(&old, "2026-03-30");
    assert_eq!(codes(&outcome), ["HI023"]);
    assert!(finding(&outcome, "HI023").message.contains("has not landed on 2026-03-30, 15 days"));
    // Committed on a branch, it has not landed either.
    made.git(&["checkout", "--quiet", "-b", "work"], "2026-03-15");
    made.commit("CHANGELOG.md", &list(&entries), "2026-03-15");
    let fork = old.replace("git:HEAD", "git:main...");
    assert_eq!(codes(&made.lint(&fork, "2026-03-30")), ["HI023"]);
}

#[test]
fn a_day_that_is_corrected_to_that_of_the_commit_is_no_rewriting() {
    let made = repository();
    let mut entries = THREE;
    entries[2].1 = "2026-03-12";
    made.write("CHANGELOG.md", &list(&entries));
    assert_eq!(codes(&made.lint(&promises(""), "2026-04-01")), [""; 0]);
    entries[2].1 = "2026-03-11";
    made.write("CHANGELOG.md", &list(&entries));
    assert_eq!(codes(&made.lint(&promises(""), "2026-04-01")), ["HI016"]);
}

#[test]
fn constants_are_held_against_landings_and_not_against_written_days() {
    let text = |week: u32| {
        format!(
            "// 1: 2026-01-05, first.\n// 2: 2026-03-01, second.\nint current() {{ return 2; }}\n\
             int week_4_old() {{ return {week}; }}\n"
        )
    };
    let made = Repository::new();
    made.commit("v.h", "// 1: 2026-01-05, first.\nint current() { return 1; }\n", "2026-01-05");
    made.commit("v.h", &text(1), "2026-03-12");
    made.commit("v.h", &text(2), "2026-03-30");
    let promises = "baseline = \"git:HEAD\"\n[[boundary]]\nname = \"v\"\nkind = \"history\"\n\
        paths = [\"v.h\"]\nseverity = { HI022 = \"off\" }\n";
    assert_eq!(codes(&made.lint(promises, "2026-03-31")), ["HI014"], "four weeks after 2026-03-12");
    let believed = format!("{promises}options = {{ landed = \"off\" }}\n");
    assert_eq!(codes(&made.lint(&believed, "2026-03-31")), [""; 0]);
}

#[test]
fn a_list_that_came_whole_or_from_a_clone_that_is_cut_off_says_nothing_of_its_first_versions() {
    let made = Repository::new();
    made.commit("CHANGELOG.md", &list(&THREE), "2026-03-20");
    assert_eq!(codes(&made.lint(&promises(""), "2026-04-01")), [""; 0]);

    let (whole, cut) = (repository(), tempfile::tempdir().unwrap());
    let from = format!("file://{}", whole.path().display());
    let to = cut.path().join("clone").display().to_string();
    whole.git(&["clone", "--quiet", "--depth=1", &from, &to], "2026-03-20");
    let cut = Repository(cut);
    let below = promises("").replace("CHANGELOG.md", "clone/CHANGELOG.md");
    let config = crate::lint::repository::config(&below.replace("clone/", "")).unwrap();
    let outcome = lint_at(&cut.path().join("clone"), &config, "2026-04-01");
    assert_eq!(codes(&outcome), [""; 0]);
    let promise = &outcome.judged[0].promises[0];
    assert_eq!(promise.state, PromiseState::Unknown);
    assert!(promise.statement.contains("fetch-depth: 0"), "{}", promise.statement);
}

#[test]
fn a_list_of_ours_is_held_against_git_only_if_that_is_asked() {
    let list = |landed: &str| {
        format!(
            "[[version]]\nnumber = 1\nlanded = 2026-01-05\n[[version]]\nnumber = 2\nlanded = {landed}\n"
        )
    };
    let made = Repository::new();
    made.commit("a.toml", "[[version]]\nnumber = 1\nlanded = 2026-01-05\n", "2026-01-05");
    made.commit("a.toml", &list("2026-03-01"), "2026-03-12");
    let ours = "baseline = \"git:HEAD\"\n[[boundary]]\nname = \"a\"\nkind = \"history\"\npaths = [\"a.toml\"]\n";
    assert_eq!(codes(&made.lint(ours, "2026-04-01")), [""; 0]);
    let asked = format!("{ours}options = {{ landed = \"git\" }}\n");
    assert_eq!(codes(&made.lint(&asked, "2026-04-01")), ["HI022"]);
}

#[test]
fn landings_that_are_asked_for_and_not_known_are_no_pass() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("CHANGELOG.md"), list(&THREE)).unwrap();
    std::fs::create_dir(folder.path().join("old")).unwrap();
    std::fs::write(folder.path().join("old/CHANGELOG.md"), list(&THREE)).unwrap();
    let judge = |options: &str| {
        let promises = format!("baseline = \"old\"\n{LIST}options = {options}\n");
        let config = crate::lint::repository::config(&promises).unwrap();
        lint_at(folder.path(), &config, "2026-04-01")
    };
    let asked = judge("{ landed = \"git\" }");
    assert_eq!(asked.failures.len(), 1);
    assert!(asked.failures[0].why.contains("no repository"), "{:?}", asked.failures);
    assert!(judge("{ landed = \"off\" }").failures.is_empty());
    assert!(judge("{ landed = \"blame\" }").failures[0].why.contains("\"git\" or \"off\""));
    assert!(judge("{ drift = \"soon\", landed = \"git\" }").failures.len() == 1);
}
