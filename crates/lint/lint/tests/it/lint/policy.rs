//! Levels, directions, weights, acceptances; and what is no pass.

use unskew_core::Severity;

use crate::lint::repository::{Repository, codes, finding};

const BASE: &str = "baseline = 'git:HEAD'\n[[boundary]]\nname = 'device'\n";

fn header(minor: u32, fields: &str, last: &str) -> String {
    format!(
        "#define DEVICE_API_MAJOR 1\n#define DEVICE_API_MINOR {minor}\n\
         struct Thing {{ size_t struct_size; {fields} }};\n#define T_STRUCT_SIZE SIZE(Thing, {last})\n"
    )
}

fn repository() -> Repository {
    let repository = Repository::new();
    repository.commit("api/device.h", &header(1, "int a; int b;", "b"), "2026-01-05");
    repository
}

fn promises(more: &str) -> String {
    format!("{BASE}kind='headers'\npolicy='pjrt'\npaths=['api/**']\n{more}")
}

#[test]
fn each_level_has_everything_of_those_before_it() {
    let repository = repository();
    // A swap without a raise, and a function that only comes along.
    let text = header(1, "int b; int a;", "a") + "void Thing_Open(void);\n";
    repository.write("api/device.h", &text);
    let mut before = Vec::new();
    for level in ["off", "wire", "source", "promise", "all"] {
        let found = codes(&repository.lint(&promises(&format!("level='{level}'")), "2026-01-06"));
        assert!(before.iter().all(|code| found.contains(code)), "{level}: {found:?}");
        before = found;
    }
    assert_eq!(before, ["HD105", "HD001", "HD208"]);
    let wire = repository.lint(&promises("level='wire'"), "2026-01-06");
    assert_eq!(codes(&wire), ["HD105"]);
}

#[test]
fn some_paths_may_have_another_level_and_some_rules_another_weight() {
    let repository = repository();
    repository.write("api/device.h", &header(1, "int b; int a;", "a"));
    let scope =
        |path: &str| promises(&format!("[[boundary.scope]]\npaths=['{path}']\nlevel='off'"));
    assert!(codes(&repository.lint(&scope("api/device*"), "2026-01-06")).is_empty());
    assert_eq!(codes(&repository.lint(&scope("api/new/*"), "2026-01-06")).len(), 2);
    let weight = promises("severity = { HD105 = 'warning', HD001 = 'off' }");
    let found = repository.lint(&weight, "2026-01-06");
    assert_eq!(codes(&found), ["HD105"]);
    assert_eq!(finding(&found, "HD105").severity, Severity::Warning);
}

#[test]
fn a_direction_that_is_not_promised_breaks_nothing() {
    let repository = Repository::new();
    repository.commit("a.names", "add\ndiv\n", "2026-01-05");
    repository.write("a.names", "add\nmul\n");
    let promises =
        |direction: &str| format!("{BASE}kind='names'\npaths=['*.names']\ndirection='{direction}'");
    let messages = |direction: &str| -> Vec<String> {
        let outcome = repository.lint(&promises(direction), "2026-01-06");
        let findings = outcome.judged.iter().flat_map(|judged| &judged.findings);
        findings.map(|finding| finding.message.clone()).collect()
    };
    assert_eq!(messages("backward"), ["the function `div` was removed"]);
    assert_eq!(messages("forward"), ["the function `mul` was removed"]);
    assert_eq!(messages("both").len(), 2);
}

#[test]
fn an_acceptance_holds_for_one_finding_until_its_day_wherever_its_lines_move() {
    let repository = repository();
    repository.write("api/device.h", &header(1, "int b; int a;", "a"));
    let found = repository.lint(&promises(""), "2026-01-06");
    let mark = finding(&found, "HD105").fingerprint.clone().unwrap();
    let accept = promises(&format!(
        "[[accept]]\nfinding='{mark}'\nreason='nobody has built against it'\nuntil=2026-02-01"
    ));
    let moved = format!("// A line more.\n\n{}", header(1, "int b; int a;", "a"));
    repository.write("api/device.h", &moved);
    let accepted = repository.lint(&accept, "2026-02-01");
    assert_eq!(codes(&accepted), ["HD001"], "the other finding stays");
    assert!(finding(&accepted, "HD105").accepted.is_some());
    let over = repository.lint(&accept, "2026-02-02");
    assert_eq!(codes(&over), ["HD105", "HD001", "PO001"]);
    assert_eq!(finding(&over, "PO001").places.to_string(), "unskew.toml:7");

    // Another change of the same struct is another finding.
    repository.write("api/device.h", &header(1, "float a; int b;", "b"));
    assert_eq!(codes(&repository.lint(&accept, "2026-01-06")), ["HD106", "HD001", "PO002"]);
}

#[test]
fn what_could_not_be_checked_is_no_pass() {
    let repository = repository();
    let failure = |text: &str| {
        let outcome = repository.lint(text, "2026-01-06");
        assert_eq!(outcome.checked, 0);
        outcome.failures[0].why.clone()
    };
    let no_such = failure(&promises("baseline='git:nothing'"));
    assert!(
        no_such.contains("no such revision")
            && no_such.ends_with("(actions/checkout: fetch-depth: 0)")
    );
    assert!(failure(&promises("baseline='gone/'")).contains("no such file or folder"));
    assert!(
        failure(&format!("{BASE}kind='headers'\npaths=['include/**']"))
            .contains("matches: include/**")
    );
    assert!(
        failure(&promises("").replace("baseline = 'git:HEAD'", ""))
            .contains("--baseline git:main...")
    );
    assert!(failure(&promises("policy='calver'").replace("policy='pjrt'", "")).contains("calver"));
    assert!(
        failure(&promises("[boundary.reader-first]\nwriters=['x']")).contains("needs a window")
    );
    std::fs::create_dir(repository.path().join("empty")).unwrap();
    let elsewhere = failure(&promises("baseline='empty'"));
    assert_eq!(elsewhere, "boundary device: no file in empty matches: api/**");
}

#[test]
fn a_boundary_that_is_new_says_so() {
    let repository = repository();
    repository.write("new/device.h", &header(1, "int a;", "a"));
    let promises = format!("{BASE}kind='headers'\npaths=['new/**']");
    let found = repository.lint(&promises, "2026-01-06");
    assert_eq!(codes(&found), ["PO009"]);
}

#[test]
fn a_baseline_is_a_revision_a_folder_or_an_archive() {
    let repository = repository();
    repository.git(&["archive", "HEAD", "--output", "old.tar.gz"], "2026-01-05");
    repository.git(&["archive", "HEAD", "--output", "old.zip", "--prefix=sdk/"], "2026-01-05");
    repository.git(&["branch", "other"], "2026-01-05");
    repository.write("was/api/device.h", &header(1, "int a; int b;", "b"));
    repository.write("api/device.h", &header(1, "int b; int a;", "a"));
    for baseline in ["git:HEAD", "git:other...", "was", "old.tar.gz", "old.zip!sdk"] {
        let found = repository.lint(&promises(&format!("baseline='{baseline}'")), "2026-01-06");
        assert_eq!(codes(&found), ["HD105", "HD001"], "{baseline}");
    }
}

#[test]
fn files_that_git_ignores_are_not_linted() {
    let repository = repository();
    repository.write(".gitignore", "api/made.h\n");
    repository.write("api/made.h", "struct Half {");
    assert!(codes(&repository.lint(&promises(""), "2026-01-06")).is_empty());
}
