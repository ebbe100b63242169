//! Remarks of comments about a declaration that count as part of the contract.

use unskew_core::Date;

/// What the comments on a declaration say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remark {
    /// That it is deprecated.
    pub deprecated: Option<DeprecationRemark>,
    /// That it may be left out.
    pub optional: bool,
    /// That it must be given.
    pub required: bool,
    /// That 0 or NULL does nothing, so that zeros can take it out of use.
    pub no_op: bool,
}

/// Until when something deprecated stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeprecationRemark {
    /// What the comment says about it.
    pub until: Option<Deadline>,
}

/// The end of a deprecation as a comment announces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// "Will be removed in version 2.0": not before it.
    Version(i64, i64),
    /// "Remove after 2026-03-01": not before it.
    Day(Date),
}

/// The length of the shortest word that counts.
const SHORTEST: usize = "optional".len();

impl Remark {
    /// What these comments say, together.
    pub fn from_comments<'a>(comments: impl IntoIterator<Item = &'a str>) -> Self {
        let mut remark = Self::default();
        for comment in comments.into_iter().filter(|comment| comment.len() >= SHORTEST) {
            let text = comment.to_ascii_lowercase();
            // What a comment says about others ("use X, which is not deprecated") is rare; what it says
            // first is about its own declaration.
            let first = find(&text, "deprecat").filter(|at| !negated(&text, *at));
            if first.is_some() && remark.deprecated.is_none() {
                remark.deprecated = Some(DeprecationRemark { until: deadline(&text) });
            }
            let has = |word: &str| find(&text, word).is_some_and(|at| !negated(&text, at));
            remark.optional |= has("optional") || text.contains("may be null");
            remark.required |= has("required") || text.contains("must not be null");
            remark.no_op |= text.contains("is no-op") || text.contains("is a no-op");
        }
        remark
    }
}

/// Where a word stands. Most comments have none of those that count, which `contains` sees faster.
fn find(text: &str, word: &str) -> Option<usize> {
    text.contains(word).then(|| text.find(word)).flatten()
}

/// Whether the word before `at` turns what follows into its opposite.
fn negated(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end();
    before.ends_with("not") || before.ends_with("no longer") || before.ends_with("never")
}

/// The version or day that stands behind "removed" in a comment.
fn deadline(text: &str) -> Option<Deadline> {
    let behind = text.split_once("remove").map(|(_, behind)| behind)?;
    for word in behind.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')) {
        let word = word.trim_matches(|c| c == '.' || c == '-');
        if let Ok(day) = word.parse::<Date>() {
            return Some(Deadline::Day(day));
        }
        let mut numbers = word.split('.').map(str::parse::<i64>);
        if let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) {
            return Some(Deadline::Version(major, minor));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_say_what_counts() {
        let of = |text: &str| Remark::from_comments([text]);
        assert!(of("NULL is no-op.").no_op);
        assert!(of("[Optional]\nName of it.").optional);
        assert!(!of("Not optional.").optional);
        assert!(of("Required.").required);
        assert!(of("DEPRECATED: use `memory`.").deprecated.is_some());
        assert!(of("Not deprecated.").deprecated.is_none());
        let until = |text: &str| of(text).deprecated.and_then(|d| d.until);
        assert_eq!(
            until("Deprecated. Will be removed in version 2.0. Please use X."),
            Some(Deadline::Version(2, 0))
        );
        assert_eq!(
            until("Deprecated, to be removed after 2026-03-01."),
            Some(Deadline::Day(Date::constant(2026, 3, 1)))
        );
        assert_eq!(until("Deprecated since 1.2."), None);
    }
}
