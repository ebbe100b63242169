//! Guards: a change without a new version is found, with the edit to make.

use jiff::civil::Date;
use unskew_serdes::guard::{
    GuardError, SchemaLock, check_days, check_golden, check_window, removable,
};
use unskew_serdes::{Format, family};

family!(Specs = "tests/specs.history.toml");

mod before {
    #[derive(Debug, PartialEq, unskew_serdes::Format)]
    #[format(family = super::Specs)]
    pub struct Spec {
        pub name: String,
        pub kind: Kind,
    }

    #[derive(Debug, PartialEq, unskew_serdes::Format)]
    #[format(family = super::Specs, plain)]
    pub enum Kind {
        #[format(id = 1)]
        F32,
    }
}

mod after {
    #[derive(Debug, PartialEq, unskew_serdes::Format)]
    #[format(family = super::Specs)]
    pub struct Spec {
        pub name: String,
        pub kind: Kind,
    }

    /// A kind was added without a version: in IFRT such a change reached readers as "invalid".
    #[derive(Debug, PartialEq, unskew_serdes::Format)]
    #[format(family = super::Specs, plain)]
    pub enum Kind {
        #[format(id = 1)]
        F32,
        #[format(id = 2)]
        S1,
    }
}

mod right {
    #[derive(Debug, PartialEq, unskew_serdes::Format)]
    #[format(family = super::Specs)]
    pub struct Spec {
        pub name: String,
        pub kind: Kind,
    }

    #[derive(Debug, PartialEq, unskew_serdes::Format)]
    #[format(family = super::Specs, plain)]
    pub enum Kind {
        #[format(id = 1)]
        F32,
        #[format(id = 2, since = 2)]
        S1,
    }
}

/// What `before` looked like when there were two versions.
const LOCK: &str = "# written by an earlier build
Kind 0 enum { 1 F32 { }, }
Kind 1 enum { 1 F32 { }, }
Spec 0 struct { name: text, kind: Kind, }
Spec 1 struct { name: text, kind: Kind, }
";

fn lock_file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

fn check<T: Format<Specs>>(text: &str) -> Result<(), GuardError> {
    SchemaLock::<Specs>::new().with::<T>().check(lock_file(text).path())
}

#[test]
fn an_enumeration_value_without_a_version_is_found_in_whatever_embeds_it() {
    let error = check::<after::Spec>(LOCK).unwrap_err();
    let GuardError::Changed { type_name, version, next, .. } = &error else { panic!("{error}") };
    // Nothing is locked at version 2: it was added, and nothing says yet what it is for.
    assert_eq!((type_name.as_str(), *version, *next), ("Kind", 0, 2));
    assert_eq!(
        error.to_string(),
        "Kind is no longer what specs version 0 says it is\n  was: enum { 1 F32 { }, }\n  \
         now: enum { 1 F32 { }, 2 S1 { }, }\nThe history of the family has version 2 already: \
         mark what is new `since = 2` and what is gone `until = 1`."
    );
}

#[test]
fn a_test_that_unwraps_prints_the_edit() {
    let locked = format!("{LOCK}Kind 2 enum {{ 1 F32 {{ }}, }}\n");
    let caught = std::panic::catch_unwind(|| check::<after::Spec>(&locked).unwrap());
    let printed = *caught.unwrap_err().downcast::<String>().unwrap();
    let wanted = "Kind is no longer what specs version 0 says it is\n  \
         was: enum { 1 F32 { }, }\n  now: enum { 1 F32 { }, 2 S1 { }, }\n\
         Add version 3 to the history of the family, mark what is new `since = 3` \
         and what is gone `until = 2`.";
    assert!(printed.ends_with(wanted), "{printed}");
    assert!(!printed.contains("Changed {"), "{printed}");
}

#[test]
fn a_change_with_a_version_passes_for_the_versions_before_it() {
    let error = check::<right::Spec>(LOCK).unwrap_err();
    // Version 2 is new, and only has to be recorded.
    assert!(matches!(&error, GuardError::NotLocked { version: 2, .. }), "{error}");
    let complete = format!(
        "{LOCK}Kind 2 enum {{ 1 F32 {{ }}, 2 S1 {{ }}, }}\nSpec 2 struct {{ name: text, kind: Kind, }}\n"
    );
    check::<right::Spec>(&complete).unwrap();
    assert!(matches!(
        check::<before::Spec>(&complete),
        Err(GuardError::Changed { version: 2, .. })
    ));
}

#[test]
fn a_type_that_is_no_longer_checked_is_named() {
    let complete = format!("{LOCK}Kind 2 enum {{ 1 F32 {{ }}, }}\n");
    let error = check::<before::Kind>(&complete).unwrap_err();
    assert!(matches!(&error, GuardError::NotChecked { type_name, .. } if type_name == "Spec"));
}

#[test]
fn days_in_the_future_are_found() {
    check_days::<Specs>(Date::constant(2026, 5, 20)).unwrap();
    let error = check_days::<Specs>(Date::constant(2026, 5, 19)).unwrap_err();
    assert!(matches!(error, GuardError::InTheFuture { version: 2, .. }));
}

#[test]
fn golden_bytes_are_read_and_must_not_be_written_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let value = before::Spec { name: "w".into(), kind: before::Kind::F32 };
    let error = check_golden::<Specs, _>(folder.path(), "spec", &value).unwrap_err();
    assert!(matches!(error, GuardError::NoGolden { version: 0, .. }));
    for version in 0..=2 {
        let path = folder.path().join(format!("spec.{version}.bin"));
        // Format 0, three bytes: "w", F32.
        std::fs::write(path, [0, 3, 1, b'w', 1]).unwrap();
    }
    check_golden::<Specs, _>(folder.path(), "spec", &value).unwrap();
    let other = before::Spec { name: "v".into(), ..value };
    let error = check_golden::<Specs, _>(folder.path(), "spec", &other).unwrap_err();
    assert!(matches!(error, GuardError::OtherValue { .. }));
}

mod changed {
    #[derive(Debug, PartialEq, unskew_serdes::Format)]
    #[format(family = super::Specs)]
    pub struct Sharding {
        pub axes: Vec<u32>,
        #[format(until = 1)]
        pub legacy: u32,
        #[format(since = 2)]
        pub unreduced: Vec<u32>,
    }
}

#[test]
fn golden_files_exercise_every_format_of_a_value_that_uses_nothing_new() {
    let folder = tempfile::tempdir().unwrap();
    let value = changed::Sharding { axes: vec![5], legacy: 0, unreduced: vec![] };
    let check = |value| check_golden::<Specs, _>(folder.path(), "sharding", value);
    let put = |file: &str, bytes: &[u8]| std::fs::write(folder.path().join(file), bytes).unwrap();
    // By default it is of format 0 for every version.
    for version in 0..=2 {
        put(&format!("sharding.{version}.bin"), &[0, 4, 1, 1, 5, 0]);
    }
    let error = check(&value).unwrap_err();
    assert!(matches!(error, GuardError::NoGolden { version: 2, .. }), "{error}");
    assert!(error.to_string().contains("sharding.2.newest.bin: sharding of version 2"), "{error}");
    put("sharding.2.newest.bin", &[2 << 1, 4, 1, 1, 5, 0]);
    check(&value).unwrap();
    // What another build would have written in format 2.
    put("sharding.2.newest.bin", &[2 << 1, 5, 1, 1, 5, 0, 0]);
    let error = check(&value).unwrap_err().to_string();
    assert!(error.contains("sharding of version 2 does not read: "), "{error}");
    put("sharding.2.newest.bin", &[2 << 1, 4, 1, 1, 6, 0]);
    let error = check(&value).unwrap_err().to_string();
    assert!(error.contains("sharding of version 2 reads as another value"), "{error}");
}

#[test]
fn a_golden_value_that_is_held_by_nothing_or_no_longer_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let check = |value| check_golden::<Specs, _>(folder.path(), "sharding", value);
    let both = changed::Sharding { axes: vec![], legacy: 7, unreduced: vec![1] };
    let error = check(&both).unwrap_err();
    assert!(matches!(error, GuardError::NothingHolds { .. }), "{error}");
    assert!(error.to_string().starts_with("sharding: no version"), "{error}");
    let legacy = changed::Sharding { axes: vec![5], legacy: 7, unreduced: vec![] };
    for version in 0..=1 {
        let path = folder.path().join(format!("sharding.{version}.bin"));
        std::fs::write(path, [0, 4, 1, 1, 5, 7]).unwrap();
    }
    check(&legacy).unwrap();
    std::fs::write(folder.path().join("sharding.2.bin"), [0, 4, 1, 1, 5, 7]).unwrap();
    let error = check(&legacy).unwrap_err().to_string();
    assert!(error.contains("sharding of version 2 can no longer be written: legacy: "), "{error}");
}

#[test]
fn a_floor_that_was_raised_before_its_window_was_over_is_found() {
    // Its floor is 1, which landed on 2026-03-02.
    family!(Raised = "examples/raised.history.toml");
    check_window::<Raised>(12, Date::constant(2026, 5, 25)).unwrap();
    let error = check_window::<Raised>(12, Date::constant(2026, 5, 24)).unwrap_err();
    assert!(matches!(error, GuardError::WindowBroken { minimum: 1, needed: 0, .. }));
    check_window::<Specs>(400, Date::constant(2026, 5, 24)).unwrap();
}

#[test]
fn what_no_build_within_the_window_needs_can_be_removed() {
    let numbers = |weeks, day| {
        removable::<Specs>(weeks, day).iter().map(|entry| entry.number).collect::<Vec<_>>()
    };
    assert_eq!(numbers(4, Date::constant(2026, 6, 16)), [0]);
    assert_eq!(numbers(4, Date::constant(2026, 6, 17)), [0, 1]);
    assert!(numbers(400, Date::constant(2026, 6, 17)).is_empty());
}
