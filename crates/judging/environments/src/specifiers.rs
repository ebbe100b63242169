//! Version specifiers, the ranges of requirements: `>=1.2,!=1.3.*`.
//!
//! The rules are those of the [specification](https://packaging.python.org/en/latest/specifications/version-specifiers/);
//! versions and their order are of `pep440_rs`. Its own comparison takes 1 for `==1.1.*`, and `<2rc2` for one that
//! refuses 2rc1.

use std::str::FromStr as _;

use pep440_rs::Version;

/// The operators; one that begins like another stands before it.
const OPERATORS: [(&str, Operator); 8] = [
    ("===", Operator::Same),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("~=", Operator::Compatible),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Same,
    Equal,
    NotEqual,
    Compatible,
    AtMost,
    AtLeast,
    Less,
    Greater,
}

/// One of them: `!=1.3.*`.
#[derive(Clone, Debug)]
struct Specifier {
    operator: Operator,
    version: Version,
    /// The version as it is written, which `===` compares.
    text: String,
    /// Whether it is the beginning of versions: `1.3.*`.
    is_prefix: bool,
}

/// A range of versions: what all of them allow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Specifiers(Vec<Specifier>);

impl Specifiers {
    /// Reads a list with commas; none if one of them is none that the specification has. An empty list allows all.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let all = text.split(',').map(str::trim).filter(|one| !one.is_empty());
        all.map(Specifier::read).collect::<Option<Vec<_>>>().map(Self)
    }

    /// Whether it allows a version. A pre-release that is installed is allowed where the range has it.
    pub(crate) fn allow(&self, version: &Version) -> bool {
        self.0.iter().all(|one| one.allows(version))
    }
}

impl Specifier {
    fn read(text: &str) -> Option<Self> {
        let (sign, operator) = OPERATORS.into_iter().find(|(sign, _)| text.starts_with(sign))?;
        let text = text[sign.len()..].trim();
        if operator == Operator::Same && !text.is_empty() {
            // It compares texts, which need not be versions.
            let (version, text) = (Version::new([0]), text.to_lowercase());
            return Some(Self { operator, version, text, is_prefix: false });
        }
        let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        let prefix = text.strip_suffix(".*").filter(|_| is_equality);
        let version = Version::from_str(prefix.unwrap_or(text)).ok()?;
        // Only a version that is compared as a whole may say how it was built.
        let may_be_local = prefix.is_none() && is_equality;
        let is_valid = (may_be_local || version.local().is_empty())
            && (operator != Operator::Compatible || version.release().len() > 1)
            && (prefix.is_none() || !(version.any_prerelease() || version.is_post()));
        let (text, is_prefix) = (text.to_lowercase(), prefix.is_some());
        is_valid.then_some(Self { operator, version, text, is_prefix })
    }

    fn allows(&self, version: &Version) -> bool {
        let bound = &self.version;
        let public = || version.clone().without_local();
        match self.operator {
            Operator::Same => version.to_string().to_lowercase() == self.text,
            Operator::Equal => self.equals(version),
            Operator::NotEqual => !self.equals(version),
            Operator::Compatible => {
                let kept = bound.release().len().saturating_sub(1);
                public() >= *bound && begins_with(version, bound, kept)
            }
            Operator::AtMost => public() <= *bound,
            Operator::AtLeast => public() >= *bound,
            // A pre-release of 2 does not come before 2, unless the bound is one itself.
            Operator::Less if bound.any_prerelease() => version < bound,
            Operator::Less => *version < bound.clone().with_dev(Some(0)),
            // Another build of 2 and what was repaired in its publication do not come behind it.
            Operator::Greater => {
                public() > *bound && public().with_post(None).with_dev(None) != *bound
            }
        }
    }

    fn equals(&self, version: &Version) -> bool {
        let bound = &self.version;
        if self.is_prefix {
            return begins_with(version, bound, bound.release().len());
        }
        match bound.local().is_empty() {
            true => version.clone().without_local() == *bound,
            false => version == bound,
        }
    }
}

/// The number at a place of a release; what is not written is 0.
fn number(version: &Version, at: usize) -> u64 {
    version.release().get(at).copied().unwrap_or_default()
}

/// Whether the first numbers of two releases are the same.
fn begins_with(version: &Version, bound: &Version, count: usize) -> bool {
    version.epoch() == bound.epoch()
        && (0..count).all(|at| number(version, at) == number(bound, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allow(range: &str, version: &str) -> bool {
        Specifiers::read(range).unwrap().allow(&Version::from_str(version).unwrap())
    }

    #[test]
    fn versions_are_held_against_ranges_as_the_specification_says() {
        for (range, inside, outside) in [
            ("", &["1", "1.0rc1", "1+cpu"][..], &[][..]),
            ("==2.1.0", &["2.1", "2.1.0+cu121"], &["2.1.1", "2.1.0.post1", "2.1rc1"]),
            ("==2.1.0+cpu", &["2.1.0+cpu"], &["2.1.0", "2.1.0+cu121"]),
            ("==1.1.*", &["1.1", "1.1.7", "1.1rc1", "1.1.post2"], &["1", "1.10", "1!1.1"]),
            ("!=1.3.*,>=1", &["1.2", "1.4", "1"], &["1.3", "1.3.9"]),
            ("~=1.4.5", &["1.4.5", "1.4.99", "1.4.5+cpu"], &["1.5", "1.4.4", "1.4.5rc1"]),
            ("~=2.0rc1", &["2.0rc1", "2.9"], &["2.0b1", "3.0"]),
            ("<2", &["1.9", "1.99.post1"], &["2.0rc1", "2.dev0", "2", "2+cpu"]),
            ("<2rc2", &["2rc1", "1"], &["2rc2", "2"]),
            ("<1.post2", &["1", "1rc1", "1.post1"], &["1.post2.dev0", "1.post2"]),
            ("<=2", &["2+cpu", "2rc1"], &["2.post1", "2.0.1"]),
            (">1.7", &["1.7.1", "1.8.post1"], &["1.7", "1.7.post1", "1.7+cpu", "1.7.0.post1"]),
            (">2a1", &["2.post1", "2+cpu"], &["2a1.post1", "2a1+cpu"]),
            ("==1!1.*", &["1!1.2"], &["1.2"]),
            (">1.7.post1", &["1.7.post2"], &["1.7.post1", "1.7"]),
            (">=1.7", &["1.7", "1.7+cpu", "1.7.post1"], &["1.7rc1", "1.7.dev0"]),
            ("===1.0+CPU", &["1.0+cpu"], &["1.0", "1.0.0+cpu"]),
            ("===any", &[], &["1.0"]),
            (">=1!1", &["1!2"], &["3"]),
        ] {
            for version in inside {
                assert!(allow(range, version), "{range:?} refuses {version}");
            }
            for version in outside {
                assert!(!allow(range, version), "{range:?} allows {version}");
            }
        }
    }

    #[test]
    fn what_the_specification_does_not_have_is_no_range() {
        for text in [">=2.0.*", "~=1", "=1", "1.0", ">=1+cpu", "==", "==1.x", ">1;", "== 1 2"] {
            assert!(Specifiers::read(text).is_none(), "{text}");
        }
        assert!(Specifiers::read(" >= 1 , < 2, ").is_some());
    }
}
