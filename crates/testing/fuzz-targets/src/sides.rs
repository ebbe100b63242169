//! Two sides of a comparison out of the bytes of one input, and what every kind of files is asked about them.

use unskew_core::{Date, Window};
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_source::Files;

/// The day on which is judged.
pub const TODAY: Date = Date::constant(2026, 6, 1);

/// What stands between the sides; an input without it is both.
const BETWEEN: &[u8] = b"\n=====\n";

/// The side before and the side after.
pub fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN);
    match at.and_then(|at| Some((bytes.get(..at)?, bytes.get(at + BETWEEN.len()..)?))) {
        Some(sides) => sides,
        None => (bytes, bytes),
    }
}

/// Compares the sides as files of this name, in both directions, and asks what they define.
pub fn compare(kind: &dyn InterfaceKind, name: &str, bytes: &[u8]) {
    let (old, new) = split(bytes);
    let side = |bytes: &[u8]| Files::from_iter([(name, bytes.to_vec())]);
    let (old, new) = (side(old), side(new));
    let window = Window::weeks(4);
    let terms =
        CompareOptions { as_of: Some(TODAY), forward: Some(&window), ..CompareOptions::default() };
    for (before, after) in [(&old, &new), (&new, &old)] {
        if let Ok(found) = kind.compare(before, after, &terms) {
            for change in &found.changes {
                assert!(!change.finding.message.is_empty());
            }
        }
    }
    let _ = kind.items(&new, &terms);
}
