//! Outline of a tree of objects, such as JSON: which keys there are, and some values. Of a list, the first elements stand for all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// How many elements of a list are looked at.
pub(crate) const LOOKED_AT: usize = 4;

/// A list of which all elements count: one feature of many may be categorical.
pub(crate) const WHOLE_LIST: &str = "learner.feature_types";

/// How many keys are kept.
const KEYS: usize = 2_048;

/// How many values of one key are kept, and how long they may be.
const VALUES: usize = 8;
const LONGEST_VALUE: usize = 64;

/// The longest key that is followed: others are names of features.
pub(crate) const LONGEST_KEY: usize = 64;

/// Keys and values of a file.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// `learner.objective.name`.
    pub(crate) keys: BTreeSet<String>,
    values: BTreeMap<String, Vec<String>>,
}

impl Outline {
    /// Notes a key.
    pub(crate) fn key(&mut self, path: &str) {
        if self.keys.len() < KEYS {
            self.keys.insert(path.to_owned());
        }
    }

    /// Notes a value that stands at this path.
    pub(crate) fn value(&mut self, path: &str, value: &str) {
        if value.len() > LONGEST_VALUE || !self.keys.contains(path) {
            return;
        }
        let values = self.values.entry(path.to_owned()).or_default();
        let is_known = is_whole(path) && values.iter().any(|one| one == value);
        if values.len() < VALUES && !is_known {
            values.push(value.to_owned());
        }
    }

    /// The values at this path; those of a list are the first ones.
    pub(crate) fn values(&self, path: &str) -> &[String] {
        self.values.get(path).map_or(&[], Vec::as_slice)
    }

    /// The only value at this path.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.values(path).first().map(String::as_str)
    }
}

/// Whether all elements of the list at this path are looked at.
pub(crate) fn is_whole(path: &str) -> bool {
    path.ends_with(WHOLE_LIST)
}

/// The path of a key below another.
pub(crate) fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Reads JSON into an outline.
pub(crate) struct OutlineSeed<'o> {
    pub(crate) outline: &'o mut Outline,
    pub(crate) path: String,
}

impl<'de> DeserializeSeed<'de> for OutlineSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OutlineSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.outline.value(&self.path, &value.to_string());
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.outline.value(&self.path, &value.to_string());
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.outline.value(&self.path, &value.to_string());
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.outline.value(&self.path, &value.to_string());
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.outline.value(&self.path, value);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let count = if is_whole(&self.path) { usize::MAX } else { LOOKED_AT };
        for _ in 0..count {
            let seed = OutlineSeed { outline: &mut *self.outline, path: self.path.clone() };
            if elements.next_element_seed(seed)?.is_none() {
                return Ok(());
            }
        }
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(key) = entries.next_key::<String>()? {
            if key.len() > LONGEST_KEY {
                entries.next_value::<IgnoredAny>()?;
                continue;
            }
            let path = below(&self.path, &key);
            self.outline.key(&path);
            entries.next_value_seed(OutlineSeed { outline: &mut *self.outline, path })?;
        }
        Ok(())
    }
}
