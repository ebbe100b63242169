//! Parties: what stands on one side of a boundary, what it provides and what it requires.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use jiff::civil::Date;

use crate::{Axis, Finding, Places, Promise, Side, Unjudged, Version, VersionRange};

/// What a party is to the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Data: a model file, a checkpoint, a serialized value.
    Artifact,
    /// A shared object that a host loads.
    Plugin,
    /// Something that reads artifacts.
    Runtime,
    /// Something that loads plug-ins.
    Host,
}

impl Role {
    /// The word that users see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Artifact => "artifact",
            Self::Plugin => "plug-in",
            Self::Runtime => "runtime",
            Self::Host => "host",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A version, or a range of versions, that a party has on an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provision {
    /// The version line that the number is of.
    pub axis: Axis,
    /// The versions: one for data, often several for a reader.
    pub versions: VersionRange,
    /// Where in the party it is written (record, field), empty if nowhere.
    pub place: String,
}

impl Provision {
    /// What is provided, without a place.
    pub fn new(axis: impl Into<Axis>, versions: VersionRange) -> Self {
        Self { axis: axis.into(), versions, place: String::new() }
    }

    /// One version, without a place.
    pub fn version(axis: impl Into<Axis>, version: Version) -> Self {
        Self::new(axis, VersionRange::exactly(version))
    }

    /// With the place where it is written.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = place.into();
        self
    }
}

/// Something to know about a party that is no version: shown by `inspect`, never judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is: `producer bracket`, `operators`, `extensions`.
    pub label: String,
    /// As it is printed by `unskew inspect`.
    pub value: String,
}

/// The day on which the question is asked, and nothing else: no clock is hidden in a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Promises are judged as of this day.
    pub as_of: Date,
}

impl Context {
    /// The context of a question asked on `day`.
    pub fn on(day: Date) -> Self {
        Self { as_of: day }
    }

    /// The context of most tests: the day of most of their data, 1 November 2026.
    pub fn for_tests() -> Self {
        Self::on(Date::constant(2026, 11, 1))
    }
}

/// What a [`Matcher`] has to say about one pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// Reasons; none if it fits.
    pub findings: Vec<Finding>,
    /// What the makers promise about this pair.
    pub promises: Vec<Promise>,
    /// What it did not look at.
    pub unjudged: Vec<Unjudged>,
}

impl Judgement {
    /// Adds what was judged of another aspect.
    fn add(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.promises.extend(other.promises);
        self.unjudged.extend(other.unjudged);
    }
}

impl FromIterator<Self> for Judgement {
    fn from_iter<I: IntoIterator<Item = Self>>(aspects: I) -> Self {
        let mut all = Self::default();
        aspects.into_iter().for_each(|one| all.add(one));
        all
    }
}

impl From<Vec<Finding>> for Judgement {
    fn from(findings: Vec<Finding>) -> Self {
        Self { findings, ..Self::default() }
    }
}

impl From<Vec<Promise>> for Judgement {
    fn from(promises: Vec<Promise>) -> Self {
        Self { promises, ..Self::default() }
    }
}

impl From<Vec<Unjudged>> for Judgement {
    fn from(unjudged: Vec<Unjudged>) -> Self {
        Self { unjudged, ..Self::default() }
    }
}

/// Judges what only a boundary understands: does this call fit that operator schema, does this node
/// fit that OpDef, does this struct fit that era.
pub trait Matcher: Send + Sync {
    /// Judges `owner`, whose requirement this is, against `other`. None if `other` does not carry
    /// what is needed to judge: then the requirement counts as not checked.
    fn judge(&self, owner: &Party, other: &Party, context: &Context) -> Option<Judgement>;
}

/// What a party needs of whoever stands opposite.
#[derive(Clone)]
pub enum Need {
    /// One of these versions; if the other side has several, one in common is enough.
    Within(VersionRange),
    /// One of this set.
    OneOf(Vec<Version>),
    /// None of these. A side that has other versions too is fine.
    NoneOf(Vec<Version>),
    /// A feature that the other side must have by this name.
    Feature(String),
    /// Whatever the boundary says.
    Matches(Arc<dyn Matcher>),
}

impl Need {
    /// Whether a side with `versions` meets this need; matchers and features are not numbers and
    /// are met by any.
    pub(crate) fn met_by(&self, versions: VersionRange) -> bool {
        match self {
            Self::Within(range) => !range.intersection(versions).is_empty(),
            Self::OneOf(set) => set.iter().any(|v| versions.contains(*v)),
            Self::NoneOf(set) => versions.single().is_none_or(|v| !set.contains(&v)),
            Self::Feature(_) | Self::Matches(_) => true,
        }
    }
}

impl fmt::Debug for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |set: &[Version]| set.iter().map(Version::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Self::Within(range) => write!(f, "{range}"),
            Self::OneOf(set) => write!(f, "one of {}", list(set)),
            Self::NoneOf(set) => write!(f, "not {}", list(set)),
            Self::Feature(name) => write!(f, "feature {name}"),
            Self::Matches(_) => write!(f, "a match"),
        }
    }
}

/// What it means if the other side does not have the axis of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbsentAxis {
    /// The requirement could not be checked, and the verdict says so.
    NotChecked,
    /// The requirement is about something that the other side is not: a runtime's demand on
    /// checkpoints does not concern a graph.
    Irrelevant,
}

/// A numeric need that is not met, handed to whoever words the finding.
pub struct Clash<'a> {
    /// Whose requirement it is.
    pub owner: &'a Party,
    /// Who does not meet it.
    pub other: &'a Party,
    /// What the other has on the axis.
    pub found: VersionRange,
    /// Where the other has it.
    pub found_at: &'a str,
    /// The need that the other side does not meet.
    pub need: &'a Need,
}

/// Words the finding of a clash.
type Wording = Arc<dyn Fn(&Clash<'_>) -> Finding + Send + Sync>;

/// One requirement of a party.
#[derive(Clone)]
pub struct Requirement {
    /// The version line that the number is of.
    pub axis: Axis,
    /// What is needed on it.
    pub need: Need,
    /// What it means if the other side has no such axis.
    pub absent: AbsentAxis,
    pub(crate) wording: Option<Wording>,
}

impl Requirement {
    /// A requirement on versions or a feature; `wording` makes the finding if it is not met.
    pub fn new(
        axis: impl Into<Axis>,
        need: Need,
        wording: impl Fn(&Clash<'_>) -> Finding + Send + Sync + 'static,
    ) -> Self {
        let wording: Wording = Arc::new(wording);
        Self { axis: axis.into(), need, absent: AbsentAxis::NotChecked, wording: Some(wording) }
    }

    /// A requirement that the boundary judges itself.
    pub fn matches(axis: impl Into<Axis>, matcher: impl Matcher + 'static) -> Self {
        let need = Need::Matches(Arc::new(matcher));
        Self { axis: axis.into(), need, absent: AbsentAxis::NotChecked, wording: None }
    }

    /// The same, of no concern to a side that does not have the axis.
    #[must_use]
    pub fn irrelevant_if_absent(mut self) -> Self {
        self.absent = AbsentAxis::Irrelevant;
        self
    }
}

impl fmt::Debug for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.axis, self.need)
    }
}

/// Anything that stands on one side of a boundary: a model file, a plug-in, a released runtime.
#[derive(Clone)]
pub struct Party {
    /// The name that the user knows it by: a file name, `torch 2.15.0`.
    pub name: String,
    /// What it is to the other side.
    pub role: Role,
    /// What it is: `TorchScript archive`, `PJRT plug-in`, `PyTorch release`.
    pub kind: String,
    /// Where it came from, as far as it can be told: `written by torch 2.4`, `released 2026-10-07`.
    pub origin: String,
    /// The day on which it was made or released, if that is known.
    pub dated: Option<Date>,
    /// The versions that it has.
    pub provides: Vec<Provision>,
    /// What it needs of the other side.
    pub requires: Vec<Requirement>,
    /// The features that it has by name, for [`Need::Feature`].
    pub features: Vec<String>,
    /// What else `inspect` shows.
    pub facts: Vec<Fact>,
    /// What is to be said about it whoever stands opposite.
    pub notes: Vec<Finding>,
    /// What nobody can judge about it, or did not, whoever stands opposite.
    pub unjudged: Vec<Unjudged>,
    capabilities: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Party {
    /// A party that provides and requires nothing yet.
    pub fn new(name: impl Into<String>, role: Role, kind: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            role,
            kind: kind.into(),
            origin: String::new(),
            dated: None,
            provides: Vec::new(),
            requires: Vec::new(),
            features: Vec::new(),
            facts: Vec::new(),
            notes: Vec::new(),
            unjudged: Vec::new(),
            capabilities: Vec::new(),
        }
    }

    /// With where it came from.
    #[must_use]
    pub fn from_origin(mut self, origin: impl Into<String>) -> Self {
        self.origin = origin.into();
        self
    }

    /// With the day on which it was made.
    #[must_use]
    pub fn dated(mut self, day: Date) -> Self {
        self.dated = Some(day);
        self
    }

    /// With one more version.
    #[must_use]
    pub fn provide(mut self, provision: Provision) -> Self {
        self.provides.push(provision);
        self
    }

    /// With one more requirement.
    #[must_use]
    pub fn require(mut self, requirement: Requirement) -> Self {
        self.requires.push(requirement);
        self
    }

    /// With one more fact.
    #[must_use]
    pub fn fact(mut self, label: impl Into<String>, value: impl fmt::Display) -> Self {
        self.add_fact(label.into(), &value);
        self
    }

    fn add_fact(&mut self, label: String, value: &dyn fmt::Display) {
        self.facts.push(Fact { label, value: value.to_string() });
    }

    /// With one more remark about the party itself. An error about a plug-in is an error in each of its pairs.
    #[must_use]
    pub fn note(mut self, finding: Finding) -> Self {
        self.notes.push(finding.about(self.side()));
        self
    }

    /// With one more aspect that is judged in none of its pairs.
    #[must_use]
    pub fn not_judged(mut self, unjudged: Unjudged) -> Self {
        self.unjudged.push(unjudged);
        self
    }

    /// With what matchers of the same boundary look for: an operator table, an op registry. At most
    /// one of each type.
    #[must_use]
    pub fn with_capability<T: Any + Send + Sync>(mut self, capability: Arc<T>) -> Self {
        self.capabilities.push(capability);
        self
    }

    /// The capability of this type, if the party has it; of several the one that was given last.
    pub fn capability<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.capabilities.iter().rev().find_map(|capability| capability.downcast_ref())
    }

    /// What the party has on `axis`.
    pub fn provision(&self, axis: &Axis) -> Option<&Provision> {
        self.provides.iter().find(|provision| provision.axis == *axis)
    }

    /// The party as one side of a finding.
    pub fn side(&self) -> Side {
        let origin = if self.origin.is_empty() {
            self.kind.clone()
        } else {
            format!("{}, {}", self.kind, self.origin)
        };
        Side { role: self.role, name: self.name.clone(), origin }
    }
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Party")
            .field("name", &self.name)
            .field("role", &self.role)
            .field("kind", &self.kind)
            .field("provides", &self.provides)
            .field("requires", &self.requires)
            .finish_non_exhaustive()
    }
}

/// A finding's place from a provision's place, if it has one.
impl From<&Provision> for Places {
    fn from(provision: &Provision) -> Self {
        Some(&provision.place).filter(|place| !place.is_empty()).into_iter().collect()
    }
}
