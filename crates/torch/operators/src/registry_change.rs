//! Registry changes: the changes of one operator, and the functions that bridge them.

use std::fmt;

use unskew_core::Version;
use unskew_torch_schemas::{FunctionSchema, SchemaArgument, is_same_type};

use crate::condition::ArgumentCondition;

/// One change of an operator.
#[derive(Debug)]
pub struct RegistryChange {
    /// From where on it holds.
    pub since: ChangeStart,
    /// What a call meant before, and what it is replaced by.
    pub upgrader: Option<Bridge>,
    /// What a call means since, and what it is replaced by for older releases: one for each range of them.
    pub downgraders: Vec<Bridge>,
    /// Calls that mean the same on both sides: all conditions hold. None if there is no such call.
    pub same: Option<Vec<ArgumentCondition>>,
    /// Why old calls need no upgrader.
    pub compatible: Option<String>,
    /// Why there is no upgrader, or what else there is to say.
    pub note: Option<String>,
    /// Whether the mobile interpreter of PyTorch has the upgrader.
    pub mobile: bool,
    /// The first release of PyTorch without the upgrader.
    pub gone_in: Option<Version>,
    /// The line of the registry, from 1.
    pub line: usize,
}

/// From where on a change holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeStart {
    /// An operator version: files that carry a lower one mean what was before, whoever runs them.
    Version(u32),
    /// The first release without this form of the operator.
    Removed(Version),
    /// The first release that has another schema, to which old calls need not fit.
    Broken(Version),
    /// The first release that computes something else under the same schema. No number of a file shows it;
    /// the release that wrote the file does.
    Meaning(Version),
    /// The first release with the operator.
    Added(Version),
}

impl ChangeStart {
    /// The release, for a change that is dated by one.
    pub fn release(self) -> Option<Version> {
        match self {
            Self::Version(_) => None,
            Self::Removed(x) | Self::Broken(x) | Self::Meaning(x) | Self::Added(x) => Some(x),
        }
    }

    /// The operator version, for a change that has one.
    pub fn version(self) -> Option<u32> {
        match self {
            Self::Version(version) => Some(version),
            _ => None,
        }
    }
}

impl fmt::Display for ChangeStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => write!(f, "changed at operator version {version}"),
            Self::Removed(release) => write!(f, "removed in {release}"),
            Self::Broken(release) => write!(f, "another schema since {release}"),
            Self::Meaning(release) => write!(f, "another result since {release}"),
            Self::Added(release) => write!(f, "new in {release}"),
        }
    }
}

/// A function that does with the operators of one side what a call meant on the other.
#[derive(Debug)]
pub struct Bridge {
    /// The schema of the calls that it replaces, whose arguments it takes.
    pub schema: FunctionSchema,
    /// The name of the function.
    pub function: String,
    /// The releases that run it.
    pub on: ReleaseSpan,
    /// What must hold of a call's arguments for it to be exact; nothing for every call.
    pub only: Vec<ArgumentCondition>,
    /// Whether the schema was taken from the signature of the function: what that leaves out, defaults and results, is not known.
    pub is_from_function: bool,
}

impl Bridge {
    /// Whether it stands for a schema.
    pub(crate) fn stands_for(&self, schema: &FunctionSchema) -> bool {
        if !self.is_from_function {
            return self.schema == *schema;
        }
        let same = |one: &SchemaArgument, other: &SchemaArgument| {
            one.name == other.name
                && is_same_type(&one.ty, &other.ty)
                && (one.default.is_none() || one.default == other.default)
        };
        let (own, others) = (&self.schema.arguments, &schema.arguments);
        own.len() == others.len() && own.iter().zip(others).all(|(one, other)| same(one, other))
    }
}

/// Minor releases: `1.6-1.13`, `2.0-`, `1.9`.
///
/// ```
/// use unskew_torch_operators::ReleaseSpan;
/// let releases: ReleaseSpan = "1.6-1.13".parse().unwrap();
/// assert!(releases.contains("1.13.1".parse().unwrap()));
/// assert!(!releases.contains("2.0.0".parse().unwrap()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleaseSpan {
    /// The first of them.
    pub since: Version,
    /// The last of them; none for every later one.
    pub until: Option<Version>,
}

impl ReleaseSpan {
    /// Whether a release, or the minor release that it belongs to, is one of them.
    pub fn contains(&self, release: Version) -> bool {
        let minor = minor(release);
        self.since <= minor && self.until.is_none_or(|until| minor <= until)
    }
}

/// The minor release: `1.13` of `1.13.1`.
pub(crate) fn minor(release: Version) -> Version {
    Version::pair(release.major(), release.minor())
}

impl std::str::FromStr for ReleaseSpan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("not releases, such as 1.6-1.13 or 2.0-: {text}");
        let one = |text: &str| text.parse::<Version>().map(minor).map_err(|_| wrong());
        let (since, until) = match text.split_once('-') {
            Some((since, "")) => (one(since)?, None),
            Some((since, until)) => (one(since)?, Some(one(until)?)),
            None => (one(text)?, Some(one(text)?)),
        };
        if until.is_some_and(|until| until < since) {
            Err(wrong())
        } else {
            Ok(Self { since, until })
        }
    }
}

impl fmt::Display for ReleaseSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.until {
            Some(until) if until == self.since => write!(f, "{until}"),
            Some(until) => write!(f, "{} to {until}", self.since),
            None => write!(f, "{} and later", self.since),
        }
    }
}
