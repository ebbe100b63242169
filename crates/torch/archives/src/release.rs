//! PyTorch releases besides their operators: numbers and a day.

use serde::Deserialize;
use unskew_core::{Date, Version, VersionError, VersionRange};

/// A PyTorch release, with the versions that it reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorchRelease {
    /// With its patch number: 1.12.1.
    pub version: Version,
    /// The day on which it was released.
    pub released: Date,
    /// The file format versions that it reads.
    pub file_format: VersionRange,
    /// The file format version that it writes where no operator needs a higher one.
    pub produces: i64,
    /// The bytecode versions that its mobile interpreter reads; none if it has none.
    pub bytecode: Option<VersionRange>,
    /// The bytecode version that it writes.
    pub bytecode_produces: Option<i64>,
    /// The schema version of its `torch.export`; none if it has none.
    pub exported: Option<Version>,
    /// Whether it refuses the archives of 1.1 and 1.2.
    pub legacy_refused: bool,
}

/// All releases, oldest first, with the days of older ones that have no row.
///
/// It is read with serde: `release`, rows of `version`, `released`, `file_format`, `produces` and optionally `bytecode`,
/// `bytecode_produces`, `exported` and `legacy_refused`; and optionally `before`, rows of `version`
/// and `released`. Days are text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "File")]
pub struct ReleaseCalendar {
    releases: Vec<TorchRelease>,
    before: Vec<(Version, Date)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    before: Vec<EarlierRow>,
    release: Vec<ReleaseRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EarlierRow {
    version: String,
    released: Date,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleaseRow {
    version: String,
    released: Date,
    file_format: [i64; 2],
    produces: i64,
    bytecode: Option<[i64; 2]>,
    bytecode_produces: Option<i64>,
    exported: Option<String>,
    #[serde(default)]
    legacy_refused: bool,
}

fn range([min, max]: [i64; 2]) -> VersionRange {
    VersionRange::between(Version::number(min), Version::number(max))
}

impl TryFrom<File> for ReleaseCalendar {
    type Error = VersionError;

    fn try_from(file: File) -> Result<Self, VersionError> {
        let release = |row: ReleaseRow| {
            Ok(TorchRelease {
                version: row.version.parse()?,
                released: row.released,
                file_format: range(row.file_format),
                produces: row.produces,
                bytecode: row.bytecode.map(range),
                bytecode_produces: row.bytecode_produces,
                exported: row.exported.as_deref().map(str::parse).transpose()?,
                legacy_refused: row.legacy_refused,
            })
        };
        let mut releases = file.release.into_iter().map(release).collect::<Result<Vec<_>, _>>()?;
        releases.sort_by_key(|release| release.version);
        let before = file.before.into_iter().map(|row| Ok((row.version.parse()?, row.released)));
        Ok(Self { releases, before: before.collect::<Result<_, _>>()? })
    }
}

impl TorchRelease {
    /// `major.minor`.
    pub fn minor(&self) -> Version {
        Version::pair(self.version.major(), self.version.minor())
    }
}

impl ReleaseCalendar {
    /// Every release, oldest first.
    pub fn releases(&self) -> &[TorchRelease] {
        &self.releases
    }

    /// The versions and days of all releases, also of those without a row, oldest first.
    pub fn days(&self) -> Vec<(Version, Date)> {
        let rows = self.releases.iter().map(|release| (release.version, release.released));
        let mut days: Vec<_> = self.before.iter().copied().chain(rows).collect();
        days.sort_unstable_by_key(|(version, _)| *version);
        days
    }

    /// The first release for which `holds` is true.
    pub fn first(&self, holds: impl Fn(&TorchRelease) -> bool) -> Option<&TorchRelease> {
        self.releases.iter().find(|release| holds(release))
    }

    /// The last release for which `holds` is true.
    pub fn last(&self, holds: impl Fn(&TorchRelease) -> bool) -> Option<&TorchRelease> {
        self.releases.iter().rev().find(|release| holds(release))
    }

    /// The releases for which `holds` is true, in words: `2.6.0 to 2.15.0`, or `no known release`.
    pub fn span(&self, holds: impl Fn(&TorchRelease) -> bool) -> String {
        match (self.first(&holds), self.last(&holds)) {
            (Some(first), Some(last)) if first.version == last.version => first.version.to_string(),
            (Some(first), Some(last)) => format!("{} to {}", first.version, last.version),
            _ => "of a release that is not in the database".to_owned(),
        }
    }
}
