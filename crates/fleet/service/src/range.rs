//! The arithmetic of `Range` (RFC 9110, section 14).
//!
//! One range of bytes is given: `bytes=0-99`, `bytes=100-`, `bytes=-100`. Several at once are refused: they make an answer
//! of many parts, of which a few bytes of a request can ask for a great many. What is no range of bytes at all is not
//! looked at, and the whole is given, as the document asks for.

/// What is given of a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteRange {
    /// The whole content: no range was asked for.
    Whole,
    /// So many bytes from this one on.
    Part {
        /// The offset of the first byte.
        start: u64,
        /// The number of bytes.
        length: u64,
    },
    /// Nothing: what is asked for is not there, or there are several ranges.
    Unsatisfiable,
}

/// What a `Range` asks for of `size` bytes.
///
/// ```
/// use unskew_fleet_service::range::{ByteRange, wanted};
/// assert_eq!(wanted("bytes=0-0", 10), ByteRange::Part { start: 0, length: 1 });
/// assert_eq!(wanted("bytes=-3", 10), ByteRange::Part { start: 7, length: 3 });
/// assert_eq!(wanted("bytes=10-", 10), ByteRange::Unsatisfiable);
/// assert_eq!(wanted("lines=1-2", 10), ByteRange::Whole);
/// ```
pub fn wanted(range: &str, size: u64) -> ByteRange {
    let Some((unit, set)) = range.split_once('=') else { return ByteRange::Whole };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return ByteRange::Whole;
    }
    if set.contains(',') {
        return ByteRange::Unsatisfiable;
    }
    let Some((first, last)) = set.trim().split_once('-') else { return ByteRange::Whole };
    // Numbers too large for 64 bits are positions behind every end.
    let number = |text: &str| match text.trim() {
        "" => Some(None),
        text if text.bytes().all(|b| b.is_ascii_digit()) => {
            Some(Some(text.parse().unwrap_or(u64::MAX)))
        }
        _ => None,
    };
    let (start, end) = match (number(first), number(last)) {
        (Some(Some(first)), Some(Some(last))) if first > last => return ByteRange::Whole,
        (Some(Some(first)), Some(Some(last))) => (first, last.saturating_add(1).min(size)),
        (Some(Some(first)), Some(None)) => (first, size),
        (Some(None), Some(Some(count))) => (size - count.min(size), size),
        _ => return ByteRange::Whole,
    };
    match end.checked_sub(start) {
        None | Some(0) => ByteRange::Unsatisfiable,
        Some(length) => ByteRange::Part { start, length },
    }
}

/// Whether one of the names in an `If-None-Match` or `If-Match` is `etag`, or any is meant. What follows `W/` is a weak
/// name, which counts only where `weak` says so.
pub fn names(list: &str, etag: &str, weak: bool) -> bool {
    let same = |name: &str| match name.strip_prefix("W/") {
        Some(name) => weak && name == etag,
        None => name == etag || name == "*",
    };
    list.split(',').any(|name| same(name.trim()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_the_document_shows() {
        let part = |start, length| ByteRange::Part { start, length };
        for (range, wants) in [
            ("bytes=0-499", part(0, 500)),
            ("bytes=500-999", part(500, 500)),
            ("bytes=-500", part(9500, 500)),
            ("bytes=9500-", part(9500, 500)),
            ("bytes=0-0", part(0, 1)),
            ("bytes=9999-20000", part(9999, 1)),
            ("bytes=-20000", part(0, 10000)),
            ("Bytes = 1-1", part(1, 1)),
            ("bytes=10000-", ByteRange::Unsatisfiable),
            ("bytes=-0", ByteRange::Unsatisfiable),
            ("bytes=99999999999999999999-", ByteRange::Unsatisfiable),
            ("bytes=0-0,-1", ByteRange::Unsatisfiable),
            ("bytes=5-4", ByteRange::Whole),
            ("bytes=-", ByteRange::Whole),
            ("bytes=a-b", ByteRange::Whole),
            ("bytes=+1-2", ByteRange::Whole),
            ("items=0-5", ByteRange::Whole),
            ("", ByteRange::Whole),
        ] {
            assert_eq!(wanted(range, 10000), wants, "{range}");
        }
        assert_eq!(wanted("bytes=0-", 0), ByteRange::Unsatisfiable);
    }

    #[test]
    fn a_weak_name_is_enough_only_where_that_is_said() {
        assert!(names("\"a\", \"b\"", "\"b\"", false));
        assert!(names("*", "\"b\"", false));
        assert!(names("W/\"b\"", "\"b\"", true));
        assert!(!names("W/\"b\"", "\"b\"", false));
        assert!(!names("\"bb\"", "\"b\"", true));
    }

    proptest! {
        #[test]
        fn a_part_lies_inside_and_is_what_was_asked_for(first: u64, last: u64, size: u64) {
            match wanted(&format!("bytes={first}-{last}"), size) {
                ByteRange::Part { start, length } => {
                    prop_assert_eq!(start, first);
                    prop_assert!(length >= 1 && start + length <= size);
                    prop_assert_eq!(start + length, size.min(last.saturating_add(1)));
                }
                ByteRange::Unsatisfiable => prop_assert!(first >= size && first <= last),
                ByteRange::Whole => prop_assert!(first > last),
            }
        }

        #[test]
        fn parts_one_after_the_other_are_the_whole(size in 1_u64..100_000, step in 1_u64..9_999) {
            let mut at = 0;
            while at < size {
                match wanted(&format!("bytes={at}-{}", at + step - 1), size) {
                    ByteRange::Part { start, length } => {
                        prop_assert_eq!(start, at);
                        at += length;
                    }
                    other => prop_assert!(false, "{:?}", other),
                }
            }
            prop_assert_eq!(at, size);
        }

        #[test]
        fn the_last_bytes_end_at_the_end(count: u64, size: u64) {
            match wanted(&format!("bytes=-{count}"), size) {
                ByteRange::Part { start, length } => prop_assert_eq!((start + length, length), (size, count.min(size))),
                other => prop_assert!(other == ByteRange::Unsatisfiable && (count == 0 || size == 0)),
            }
        }

        #[test]
        fn nothing_that_is_sent_makes_a_part_outside(range in ".{0,40}", size: u64) {
            if let ByteRange::Part { start, length } = wanted(&range, size) {
                prop_assert!(start.checked_add(length).is_some_and(|end| end <= size));
            }
        }
    }
}
