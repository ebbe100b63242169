//! What holds for the ABI data at every minor, and the few places where it does not, with their reasons.

use std::collections::BTreeSet;

use unskew_pjrt::history;
use unskew_pjrt::layout::{FLOOR, StructHistory, slots, structs, table_size};

/// The newest minor that has been seen.
const NEWEST: i32 = 116;

/// The two structs that had a `struct_size` inserted at their beginning, which moved everything: what they
/// were before cannot be told from the fields of today. No minor says it: extensions grew in 0.45, the
/// process information in the middle of 0.75.
const INSERTED: [&str; 2] = ["PJRT_Extension_Base", "PJRT_ProcessInfo"];

fn end(history: &StructHistory, minor: i32) -> Option<usize> {
    history.size(minor, None).map(|size| size.end)
}

fn names_and_minors(found: impl Iterator<Item = (&'static str, i32)>) -> BTreeSet<String> {
    found.map(|(name, minor)| format!("{name} 0.{minor}")).collect()
}

/// Every struct at every minor that has it.
fn everywhere() -> impl Iterator<Item = (&'static StructHistory, i32)> {
    structs()
        .iter()
        .flat_map(|history| (history.since.max(FLOOR)..=NEWEST).map(move |minor| (history, minor)))
}

#[test]
fn a_struct_has_one_size_at_every_minor_since_it_is_there_and_none_before() {
    for history in structs() {
        for minor in FLOOR..history.since {
            assert_eq!(end(history, minor), None, "{} 0.{minor}", history.name);
        }
    }
    for (history, minor) in everywhere() {
        let size = history.size(minor, None).unwrap();
        assert!(size.declared <= size.end, "{} 0.{minor}", history.name);
    }
}

#[test]
fn structs_only_grow() {
    let smaller =
        everywhere().filter(|(history, minor)| end(history, minor - 1) > end(history, *minor));
    let smaller = names_and_minors(smaller.map(|(history, minor)| (history.name, minor)));
    assert_eq!(smaller, BTreeSet::new());
}

#[test]
fn in_the_order_of_days_structs_shrank_only_when_a_change_was_rolled_back() {
    let entries = history().unwrap().entries();
    let back = entries.windows(2).filter(|pair| pair[1].version < pair[0].version);
    let back: BTreeSet<_> = back.map(|pair| pair[1].landed).collect();
    let mut shrank = 0;
    for history in structs() {
        for pair in history.sizes.windows(2) {
            assert!(pair[0].landed <= pair[1].landed, "{}", history.name);
            if pair[1].end < pair[0].end {
                assert!(back.contains(&pair[1].landed), "{}: {}", history.name, pair[1].landed);
                shrank += 1;
            }
        }
    }
    assert_eq!(shrank, 3, "Client_Create once, DeserializeAndLoad twice");
}

#[test]
fn on_whatever_day_a_build_was_made_its_size_is_one_that_its_minor_had() {
    for (history, minor) in everywhere() {
        let days =
            history.sizes.iter().flat_map(|size| [size.landed, size.landed.yesterday().unwrap()]);
        for day in days {
            let size = history.size(minor, Some(day)).unwrap();
            let held = size.since <= minor && size.until.is_none_or(|until| minor <= until);
            assert!(held, "{} 0.{minor} {day}", history.name);
        }
    }
}

#[test]
fn a_struct_ends_with_the_last_field_that_its_minor_has() {
    let ends = |(history, minor): &(&'static StructHistory, i32)| {
        let there = history.fields.iter().filter(|field| field.since <= *minor);
        there.map(|field| field.at + field.bytes).max() == end(history, *minor)
    };
    let other = everywhere().filter(|at| !ends(at)).map(|(history, minor)| (history.name, minor));
    let moved = [41, 42, 43, 44].map(|minor| (INSERTED[0], minor)).into_iter();
    let moved = moved.chain([73, 74].map(|minor| (INSERTED[1], minor)));
    assert_eq!(names_and_minors(other), names_and_minors(moved));
}

#[test]
fn fields_follow_each_other_without_overlap_and_none_is_older_than_the_one_before() {
    let mut younger_first = BTreeSet::new();
    for history in structs() {
        for pair in history.fields.windows(2) {
            assert!(pair[0].at + pair[0].bytes <= pair[1].at, "{}", history.name);
            if pair[1].since < pair[0].since {
                younger_first.insert(history.name);
            }
        }
    }
    assert_eq!(younger_first, BTreeSet::new(), "a field was inserted");
}

#[test]
fn every_later_size_of_today_is_the_end_of_a_field() {
    for (history, minor) in everywhere().filter(|(history, _)| !INSERTED.contains(&history.name)) {
        let size = history.size(minor, None).unwrap();
        let ends = |bytes| history.fields.iter().any(|field| field.at + field.bytes == bytes);
        assert!(ends(size.declared), "{} 0.{minor}: {size:?}", history.name);
    }
}

#[test]
fn functions_are_appended_and_the_table_only_grows() {
    for pair in slots().windows(2) {
        let appended = pair[1].since >= pair[0].since || pair[1].since <= FLOOR;
        assert!(appended, "{} before {}", pair[0].name, pair[1].name);
    }
    for minor in FLOOR..NEWEST {
        let (one, next) = (table_size(minor).unwrap(), table_size(minor + 1).unwrap());
        assert!(one.end <= next.end && one.declared <= one.end, "0.{minor}");
    }
}
