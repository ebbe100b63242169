//! The other side: a release of a package, with what was measured of it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use unskew_definitions::SpanTable;

use crate::model::version_numbers;

/// What becomes of a model in a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MeasuredOutcome {
    /// It does not load, or cannot be asked.
    Load,
    /// It answers otherwise than in the release that wrote it.
    Differs,
    /// It answers the same: the release knows the property.
    Same,
}

impl MeasuredOutcome {
    const ALL: [Self; 3] = [Self::Load, Self::Differs, Self::Same];

    /// As it is written in the table.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Differs => "differs",
            Self::Same => "same",
        }
    }
}

/// A line of the table: models with all of these properties do this in a release:
/// `format=JSON & objective=reg:absoluteerror => load: Unknown objective function`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeasuredProperty {
    /// The properties.
    pub properties: Vec<String>,
    /// What happens.
    pub outcome: MeasuredOutcome,
    /// The error; empty if there is none.
    pub error: String,
}

impl fmt::Display for MeasuredProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} => {}", self.properties.join(" & "), self.outcome.as_str())?;
        if self.error.is_empty() { Ok(()) } else { write!(f, ": {}", self.error) }
    }
}

impl FromStr for MeasuredProperty {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (properties, rest) = text.split_once(" => ").ok_or(())?;
        let (outcome, error) = rest.split_once(": ").unwrap_or((rest, ""));
        let outcome =
            MeasuredOutcome::ALL.into_iter().find(|one| one.as_str() == outcome).ok_or(())?;
        let properties = properties.split(" & ").map(str::to_owned).collect();
        Ok(Self { properties, outcome, error: error.to_owned() })
    }
}

/// A release of XGBoost, LightGBM or CatBoost. A capability of its party.
#[derive(Clone, Debug)]
pub struct BoosterRelease {
    package: String,
    table: Arc<SpanTable>,
    /// Its place among the releases of the table, or that of the release that stands for it.
    at: usize,
    /// The places of the measured releases before and after it, if it was not measured and both are there.
    around: Option<(usize, usize)>,
    /// The version that was asked for.
    asked: String,
}

impl BoosterRelease {
    /// A release of the package that has these lines. One that was not measured is judged as the newest before it that has the
    /// same major and minor version, or else as the oldest after it. None if there is none.
    pub fn select(lines: &str, version: &str) -> Option<Self> {
        let table = Arc::new(SpanTable::read(lines)?);
        let package = lines.split([' ', '\n']).nth(1)?.to_owned();
        let asked = version_numbers(version);
        let is_near = |one: &[u32]| one.iter().take(2).eq(asked.iter().take(2));
        let near = || {
            let all = table.releases.iter().enumerate().map(|(at, one)| (at, version_numbers(one)));
            all.filter(|(_, one)| is_near(one))
        };
        let at = near().rfind(|(_, one)| *one <= asked).or_else(|| near().next())?.0;
        let before = table.releases.iter().rposition(|one| version_numbers(one) < asked);
        let after = table.releases.iter().position(|one| version_numbers(one) > asked);
        let is_measured = table.releases.iter().any(|one| one == version);
        let around = before.zip(after).filter(|_| !is_measured);
        Some(Self { package, table, at, around, asked: version.to_owned() })
    }

    /// The release whose measurements stand for it, if that is another one.
    pub(crate) fn stand_in(&self) -> Option<&str> {
        self.table.releases.get(self.at).map(String::as_str).filter(|one| *one != self.asked)
    }

    pub(crate) fn package(&self) -> &str {
        &self.package
    }

    pub(crate) fn version(&self) -> &str {
        &self.asked
    }

    /// The measured releases before and after it, if it was not measured and both are there.
    pub(crate) fn around(&self) -> Option<[Self; 2]> {
        let (before, after) = self.around?;
        Some([self.measured_at(before)?, self.measured_at(after)?])
    }

    /// Every measured release, the oldest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = Self> + '_ {
        (0..self.table.releases.len()).filter_map(|at| self.measured_at(at))
    }

    fn measured_at(&self, at: usize) -> Option<Self> {
        let asked = self.table.releases.get(at)?.clone();
        Some(Self {
            at,
            asked,
            around: None,
            package: self.package.clone(),
            table: self.table.clone(),
        })
    }

    /// What was measured of the release.
    pub(crate) fn measured(&self) -> impl Iterator<Item = MeasuredProperty> + '_ {
        let holds = |spans: &[(usize, usize)]| {
            spans.iter().any(|(first, last)| (*first..=*last).contains(&self.at))
        };
        let rows = self.table.rows().filter(move |(_, spans)| holds(spans));
        rows.filter_map(|(text, _)| text.parse().ok())
    }
}
