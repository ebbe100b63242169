//! The text of a file: its members as they are written, and the form of a vocabulary that is not taken apart.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object in their order, each as it is written.
pub(crate) struct WrittenMembers<'t>(pub(crate) Vec<(String, &'t RawValue)>);

impl<'t> WrittenMembers<'t> {
    /// The members of a text that is an object.
    ///
    /// # Errors
    /// If it is none.
    pub(crate) fn parse(text: &'t str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The last member of this name: readers take that one.
    pub(crate) fn get(&self, name: &str) -> Option<&'t str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.get())
    }
}

/// Where a part of `text` stands in it.
pub(crate) fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

impl<'de: 't, 't> Deserialize<'de> for WrittenMembers<'t> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                /// A component has a dozen fields.
                const MOST: usize = 10_000;
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &RawValue>()? {
                    members.push(member);
                    if members.len() > MOST {
                        return Err(A::Error::custom("an object of more than 10000 members"));
                    }
                }
                Ok(members)
            }
        }
        from.deserialize_map(Members).map(Self)
    }
}

/// How the merges of a BPE model are written, each as the word of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MergesForm {
    /// There are none.
    Empty,
    /// `"a b"`.
    Texts,
    /// `["a", "b"]`, of which none has a space.
    Pairs,
    /// The same, and a text for one of them would have three parts.
    PairsWithSpaces,
    /// Some are texts and some are pairs, or something else.
    Other,
}

impl MergesForm {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Texts => "texts",
            Self::Pairs => "pairs",
            Self::PairsWithSpaces => "pairs with spaces",
            Self::Other => "Other",
        }
    }

    /// The form of a member `merges`.
    pub(crate) fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or(Self::Other)
    }
}

/// One merge: whether it is a pair, and whether a part of it has a space.
struct OneMerge {
    is_pair: bool,
    has_space: bool,
}

impl<'de> Deserialize<'de> for OneMerge {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = OneMerge;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a merge")
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<OneMerge, E> {
                Ok(OneMerge { is_pair: false, has_space: false })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<OneMerge, A::Error> {
                let mut has_space = false;
                while let Some(part) = parts.next_element::<std::borrow::Cow<'_, str>>()? {
                    has_space |= part.contains(' ');
                }
                Ok(OneMerge { is_pair: true, has_space })
            }
        }
        from.deserialize_any(One)
    }
}

impl<'de> Deserialize<'de> for MergesForm {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = MergesForm;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("merges")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<MergesForm, A::Error> {
                let mut form = MergesForm::Empty;
                while let Some(one) = all.next_element::<OneMerge>()? {
                    let found = match (one.is_pair, one.has_space) {
                        (false, _) => MergesForm::Texts,
                        (true, false) => MergesForm::Pairs,
                        (true, true) => MergesForm::PairsWithSpaces,
                    };
                    form = match (form, found) {
                        (MergesForm::Empty, found) => found,
                        (form, found) if form == found => form,
                        (
                            MergesForm::Pairs | MergesForm::PairsWithSpaces,
                            MergesForm::Pairs | MergesForm::PairsWithSpaces,
                        ) => MergesForm::PairsWithSpaces,
                        _ => {
                            while all.next_element::<IgnoredAny>()?.is_some() {}
                            return Ok(MergesForm::Other);
                        }
                    };
                }
                Ok(form)
            }
        }
        from.deserialize_seq(All)
    }
}

/// Merges as texts: `["a", "b"]` as `"a b"`. None if one is no pair, or a part of it has a space.
pub(crate) fn merges_as_texts(merges: &str) -> Option<String> {
    let pairs: Vec<(String, String)> = serde_json::from_str(merges).ok()?;
    let texts: Option<Vec<String>> = pairs
        .into_iter()
        .map(|(left, right)| {
            let is_plain = !left.contains(' ') && !right.contains(' ');
            is_plain.then(|| format!("{left} {right}"))
        })
        .collect();
    serde_json::to_string(&texts?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_merges_is_that_of_all_of_them() {
        assert_eq!(MergesForm::from_json("[]"), MergesForm::Empty);
        assert_eq!(MergesForm::from_json(r#"["a b", "c d"]"#), MergesForm::Texts);
        assert_eq!(MergesForm::from_json(r#"[["a", "b"]]"#), MergesForm::Pairs);
        assert_eq!(
            MergesForm::from_json(r#"[["a", "b"], ["a", " "]]"#),
            MergesForm::PairsWithSpaces
        );
        assert_eq!(MergesForm::from_json(r#"["a b", ["c", "d"]]"#), MergesForm::Other);
        assert_eq!(MergesForm::from_json("7"), MergesForm::Other);
    }

    #[test]
    fn pairs_become_texts_where_that_says_the_same() {
        assert_eq!(merges_as_texts(r#"[["a", "\u00e9"]]"#).as_deref(), Some(r#"["a é"]"#));
        assert_eq!(merges_as_texts(r#"[["a", " "]]"#), None);
        assert_eq!(merges_as_texts(r#"[["a", "b", "c"]]"#), None);
    }

    #[test]
    fn a_part_is_found_where_it_stands() {
        let text = r#"{"a": [1, 2], "a": 3}"#;
        let members = WrittenMembers::parse(text).unwrap();
        assert_eq!(&text[range_in(text, members.get("a").unwrap())], "3");
    }
}
