//! Windows, and what was announced with a day.

use crate::lint::repository::{Repository, codes, finding};

const BASE: &str = "baseline = 'git:HEAD'\n[[boundary]]\nname = 'device'\n";
const PATHS: &str = "paths = ['api/**']\n";

fn colors(minor: u32, values: &str) -> String {
    format!(
        "#define DEVICE_API_MAJOR 1\n#define DEVICE_API_MINOR {minor}\nenum Color {{ {values} }};\n"
    )
}

/// A value is taken away, and comes back with another number: the second step fits the one before it, and not
/// the one before that.
fn reused() -> Repository {
    let repository = Repository::new();
    repository.commit("api/device.h", &colors(1, "RED = 0, BLUE = 1"), "2026-01-05");
    repository.commit("api/device.h", &colors(2, "RED = 0"), "2026-03-02");
    repository.write("api/device.h", &colors(3, "RED = 0, BLUE = 2"));
    repository
}

#[test]
fn a_version_within_the_window_counts_and_one_outside_does_not() {
    let repository = reused();
    let promises = |against: &str| {
        format!(
            "{BASE}{PATHS}kind='headers'\nforward='12 weeks'\ndirection='forward'\nagainst='{against}'"
        )
    };
    assert!(codes(&repository.lint(&promises("last"), "2026-03-10")).is_empty());
    let found = repository.lint(&promises("window"), "2026-03-10");
    assert!(!codes(&found).is_empty(), "the first version was in force 12 weeks before");
    let other = found.judged[0].findings[0].other.as_ref().unwrap();
    assert!(other.origin.contains("2026-01-05"), "{other:?}");
    // In July the second version has been in force for longer than twelve weeks.
    assert!(codes(&repository.lint(&promises("window"), "2026-07-01")).is_empty());
    assert_eq!(codes(&repository.lint(&promises("all"), "2026-07-01")), codes(&found));
}

#[test]
fn a_clone_that_is_cut_off_within_the_window_is_no_pass() {
    let repository = reused();
    let shallow = tempfile::tempdir().unwrap();
    let (from, to) = (repository.path().display().to_string(), shallow.path().join("r"));
    let from = format!("file://{from}");
    repository
        .git(&["clone", "--quiet", "--depth", "1", &from, &to.display().to_string()], "2026-03-10");
    let text = format!("{BASE}{PATHS}preset='pjrt'");
    let config = crate::lint::repository::config(&text).unwrap();
    let outcome = crate::lint::repository::lint_at(&to, &config, "2026-03-10");
    assert_eq!(outcome.checked, 0);
    assert!(outcome.failures[0].why.contains("fetch-depth: 0"), "{:?}", outcome.failures);
}

fn thing(major: u32, field: &str) -> String {
    format!(
        "#define DEVICE_API_MAJOR {major}\n#define DEVICE_API_MINOR 0\n\
         struct Thing {{ size_t struct_size; {field} a; }};\n#define T_STRUCT_SIZE SIZE(Thing, a)\n"
    )
}

#[test]
fn a_major_needs_notice_and_a_year() {
    let repository = Repository::new();
    repository.commit("api/device.h", &thing(1, "int"), "2025-01-01");
    repository.write("api/device.h", &thing(2, "float"));
    let promises = |more: &str| format!("{BASE}{PATHS}preset='pjrt'\n{more}");
    let told = |on: &str| promises(&format!("[[boundary.announced]]\nversion='2.0'\non={on}"));
    let found = repository.lint(&promises(""), "2026-03-10");
    assert_eq!(codes(&found), ["PO004"]);
    assert!(finding(&found, "PO004").fix.as_ref().unwrap().contains("2026-04-07"));
    assert_eq!(finding(&found, "PO004").places.to_string(), "api/device.h:1");
    assert_eq!(codes(&repository.lint(&told("2026-03-01"), "2026-03-10")), ["PO004"]);
    assert!(codes(&repository.lint(&told("2026-02-10"), "2026-03-10")).is_empty());

    // The same again half a year later: the repository knows the day of the major before.
    repository.commit("api/device.h", &thing(2, "float"), "2026-03-10");
    repository.write("api/device.h", &format!("// Of the device.\n\n{}", thing(3, "double")));
    let told = promises("[[boundary.announced]]\nversion='3.0'\non=2026-07-01");
    let found = repository.lint(&told, "2026-09-10");
    assert_eq!(codes(&found), ["PO003"]);
    assert!(finding(&found, "PO003").message.contains("2026-03-10"));
    assert_eq!(finding(&found, "PO003").places.to_string(), "api/device.h:3");
    assert!(finding(&found, "PO003").fix.as_ref().unwrap().contains("2027-03-10"));
    assert!(codes(&repository.lint(&told, "2027-03-11")).is_empty());
}

const OPERATORS: &str = "kind = 'names'\npaths = ['readers.names']\n";

#[test]
fn a_writer_comes_a_forward_window_after_its_reader() {
    let repository = Repository::new();
    repository.commit("readers.names", "add\n", "2026-01-01");
    repository.commit("writers.names", "add\n", "2026-01-02");
    repository.commit("readers.names", "add\ndiv\n", "2026-03-02");
    repository.write("writers.names", "add\ndiv\n");
    let promises = format!(
        "{BASE}{OPERATORS}forward='2 weeks'\n[boundary.reader-first]\nwriters=['writers.names']"
    );
    let early = repository.lint(&promises, "2026-03-10");
    assert_eq!(codes(&early), ["PO005"]);
    let found = finding(&early, "PO005");
    assert_eq!(found.places.to_string(), "writers.names:2");
    assert!(found.fix.as_ref().unwrap().contains("2026-03-16"), "{:?}", found.fix);
    assert!(codes(&repository.lint(&promises, "2026-03-16")).is_empty());
}

#[test]
fn of_two_windows_the_longer_one_counts() {
    let repository = Repository::new();
    repository.commit("readers.names", "add\n", "2026-01-01");
    repository.git(&["tag", "v1"], "2026-01-10");
    repository.commit("readers.names", "add\ndiv\n", "2026-03-02");
    repository.write("writers.names", "div\n");
    let promises = format!(
        "release-tags='v*'\n{BASE}{OPERATORS}forward='2 weeks or 1 release'\n\
         [boundary.reader-first]\nwriters=['writers.names']"
    );
    // Two weeks are over, but the last release was made before the reader came.
    assert_eq!(codes(&repository.lint(&promises, "2026-03-20")), ["PO005"]);
    repository.git(&["tag", "v2"], "2026-03-21");
    assert!(codes(&repository.lint(&promises, "2026-03-31")).is_empty());
}

#[test]
fn what_was_announced_to_go_may_go_on_its_day_and_that_day_may_not_come_nearer() {
    let repository = Repository::new();
    repository.commit("readers.names", "add\ndiv\n", "2026-01-01");
    let promises = |removed: &str| {
        format!(
            "{BASE}{OPERATORS}backward='180 days'\n[[boundary.sunset]]\nwhat='div'\n\
             announced=2026-01-01\nremoved={removed}"
        )
    };
    repository.commit("unskew.toml", &promises("2026-09-01"), "2026-01-02");
    repository.write("readers.names", "add\n");
    assert_eq!(codes(&repository.lint(&promises("2026-09-01"), "2026-08-31")), ["HD207", "PO006"]);
    assert!(codes(&repository.lint(&promises("2026-09-01"), "2026-09-01")).is_empty());
    assert_eq!(codes(&repository.lint(&promises("2026-08-01"), "2026-09-01")), ["PO007"]);
    let near = repository.lint(&promises("2026-05-01"), "2026-09-01");
    assert_eq!(codes(&near), ["PO007", "PO008"]);
    assert!(finding(&near, "PO008").fix.as_ref().unwrap().contains("2026-06-30"));
}

#[test]
fn a_day_that_comes_nearer_is_told_where_only_the_other_direction_is_promised() {
    let repository = Repository::new();
    repository.commit("readers.names", "add\ndiv\n", "2026-01-01");
    let promises = |what: &str, removed: &str| {
        format!(
            "{BASE}{OPERATORS}direction='forward'\nforward='14 days'\n[[boundary.sunset]]\nwhat='{what}'\n\
             announced=2026-01-01\nremoved={removed}"
        )
    };
    repository.commit("unskew.toml", &promises("div", "2026-09-01"), "2026-01-02");
    assert!(codes(&repository.lint(&promises("div", "2026-09-01"), "2026-08-30")).is_empty());
    assert!(
        codes(&repository.lint(&promises("div", "2026-08-01"), "2026-09-01")).contains(&"PO007")
    );
}

#[test]
fn what_goes_before_its_day_is_told_where_only_the_other_direction_is_promised() {
    let repository = Repository::new();
    repository.commit("readers.names", "add\ndiv\nmul\n", "2026-01-01");
    let promises = |more: &str| {
        format!(
            "{BASE}{OPERATORS}direction='forward'\nforward='14 days'\n{more}\n[[boundary.sunset]]\n\
             what='div'\nannounced=2026-01-01\nremoved=2026-09-01"
        )
    };
    // Nobody promised that `mul` stays.
    repository.write("readers.names", "add\ndiv\n");
    assert!(codes(&repository.lint(&promises(""), "2026-08-30")).is_empty());
    repository.write("readers.names", "add\n");
    let early = repository.lint(&promises(""), "2026-08-30");
    assert_eq!(codes(&early), ["PO006"]);
    assert!(finding(&early, "PO006").message.contains("`div`"));
    assert_eq!(finding(&early, "PO006").places.to_string(), "unskew.toml:9");
    assert!(codes(&repository.lint(&promises(""), "2026-09-01")).is_empty());
    assert!(codes(&repository.lint(&promises("level='off'"), "2026-08-30")).is_empty());
    // A note for who wants to hear everything, and not twice.
    let all = repository.lint(&promises("level='all'"), "2026-08-30");
    assert_eq!(codes(&all), ["HD207", "HD207", "PO006"]);

    // It went with an earlier commit, and that is within the window.
    repository.commit("readers.names", "add\n", "2026-08-25");
    let window = promises("against='window'");
    assert_eq!(codes(&repository.lint(&window, "2026-08-30")), ["PO006"]);
}

#[test]
fn a_sunset_that_names_nothing_is_an_error_until_its_day() {
    let repository = Repository::new();
    repository.commit("readers.names", "add\ndivide\n", "2026-01-01");
    let promises = |what: &str| {
        format!(
            "{BASE}{OPERATORS}backward='14 days'\n[[boundary.sunset]]\nwhat='{what}'\n\
             announced=2026-01-01\nremoved=2026-09-01"
        )
    };
    // Neither another word nor a part of one is the name.
    for what in ["sub", "div", "aten::div"] {
        let outcome = repository.lint(&promises(what), "2026-08-31");
        assert_eq!(outcome.checked, 0, "{what}");
        let why = &outcome.failures[0].why;
        assert!(why.contains("unskew.toml:7: neither the baseline nor the files have"), "{why}");
        assert!(why.ends_with(&format!("what the sunset names: {what}")), "{why}");
    }
    assert!(codes(&repository.lint(&promises("divide"), "2026-08-31")).is_empty());
    // What went on its day stands in no file, and its entry may stay.
    assert!(codes(&repository.lint(&promises("sub"), "2026-09-01")).is_empty());
}
