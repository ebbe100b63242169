//! Fields, values and ranges by what they are looked up by: a message may have as many as it likes, and each is
//! compared with the one that it was.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use crate::model::{ProtoField, ProtoMessage, Range};

pub(crate) fn first<'i, T, K: Eq + Hash>(
    items: &'i [T],
    key: impl Fn(&'i T) -> K,
) -> HashMap<K, &'i T> {
    let mut found = HashMap::with_capacity(items.len());
    for item in items {
        found.entry(key(item)).or_insert(item);
    }
    found
}

/// Ranges of numbers, which may overlap.
pub(crate) struct Ranges {
    /// By their first numbers: the last number of those that begin here or before.
    reach: Vec<(i64, i64)>,
    /// What they cover together, neighbours joined.
    joined: Vec<(i64, i64)>,
}

impl Ranges {
    pub(crate) fn new(ranges: &[Range]) -> Self {
        Self::from_ranges(ranges.iter().map(|range| (range.first, range.last)))
    }

    pub(crate) fn from_ranges(ranges: impl Iterator<Item = (i64, i64)>) -> Self {
        let mut reach: Vec<(i64, i64)> = ranges.filter(|(first, last)| first <= last).collect();
        reach.sort_unstable();
        let mut joined: Vec<(i64, i64)> = Vec::new();
        let mut furthest = i64::MIN;
        for (first, last) in &mut reach {
            match joined.last_mut() {
                Some(open) if *first <= open.1.saturating_add(1) => open.1 = open.1.max(*last),
                _ => joined.push((*first, *last)),
            }
            furthest = furthest.max(*last);
            *last = furthest;
        }
        Self { reach, joined }
    }

    pub(crate) fn hold(&self, number: i64) -> bool {
        self.surround(number, number)
    }

    /// Whether one of them holds all these numbers.
    pub(crate) fn surround(&self, first: i64, last: i64) -> bool {
        let before = self.reach.partition_point(|(start, _)| *start <= first);
        before.checked_sub(1).and_then(|at| self.reach.get(at)).is_some_and(|(_, end)| last <= *end)
    }

    /// Whether they hold all these numbers together.
    pub(crate) fn span(&self, first: i64, last: i64) -> bool {
        let before = self.joined.partition_point(|(start, _)| *start <= first);
        let open = before.checked_sub(1).and_then(|at| self.joined.get(at));
        open.is_some_and(|(_, end)| last <= *end)
    }
}

/// A message, looked up.
pub(crate) struct Index<'m> {
    by_number: HashMap<i64, &'m ProtoField>,
    by_name: HashMap<&'m str, &'m ProtoField>,
    numbers: BTreeSet<i64>,
    reserved_names: HashSet<&'m str>,
    pub(crate) reserved: Ranges,
    pub(crate) extensions: Ranges,
}

impl<'m> Index<'m> {
    pub(crate) fn new(message: &'m ProtoMessage) -> Self {
        Self {
            by_number: first(&message.fields, |field| field.number),
            by_name: first(&message.fields, |field| field.name.as_str()),
            numbers: message.fields.iter().map(|field| field.number).collect(),
            reserved_names: message.reserved_names.iter().map(String::as_str).collect(),
            reserved: Ranges::new(&message.reserved),
            extensions: Ranges::new(&message.extension_ranges),
        }
    }

    pub(crate) fn number(&self, number: i64) -> Option<&'m ProtoField> {
        self.by_number.get(&number).copied()
    }

    pub(crate) fn name(&self, name: &str) -> Option<&'m ProtoField> {
        self.by_name.get(name).copied()
    }

    /// Whether a name may not be used again.
    pub(crate) fn is_reserved(&self, name: &str) -> bool {
        self.reserved_names.contains(name)
    }

    /// Whether a field has a number of the range.
    pub(crate) fn uses(&self, range: &Range) -> bool {
        range.first <= range.last && self.numbers.range(range.first..=range.last).next().is_some()
    }
}

/// The cases of each choice that are fields of the other side as well.
pub(crate) fn cases<'m>(
    message: &'m ProtoMessage,
    other: &Index<'_>,
) -> HashMap<&'m str, Vec<&'m ProtoField>> {
    let mut found: HashMap<&str, Vec<&ProtoField>> = HashMap::new();
    for field in message.fields.iter().filter(|field| other.number(field.number).is_some()) {
        if let Some(oneof) = field.oneof.as_deref() {
            found.entry(oneof).or_default().push(field);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn indexed_ranges_say_what_a_search_says(
            ranges in prop::collection::vec((-5..40_i64, -2..9_i64), 0..8),
            first in -6..50_i64,
            length in 0..12_i64,
        ) {
            let ranges: Vec<Range> = ranges
                .into_iter()
                .map(|(first, length)| Range { first, last: first + length, line: 0 })
                .collect();
            let (index, last) = (Ranges::new(&ranges), first + length);
            let hold = |number| ranges.iter().any(|range| range.holds(number));
            prop_assert_eq!(index.hold(first), hold(first));
            let surround = ranges.iter().any(|range| range.first <= first && last <= range.last);
            prop_assert_eq!(index.surround(first, last), surround);
            prop_assert_eq!(index.span(first, last), (first..=last).all(hold));
        }
    }
}
