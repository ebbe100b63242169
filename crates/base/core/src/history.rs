//! Dated histories: which version of an axis was there on which day.

use jiff::civil::Date;
use serde::Deserialize;

use crate::{Axis, Version, VersionRange, Window, WindowError};

/// One step of a history: a version and the day from which it was in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The version that came into force.
    pub version: Version,
    /// The day on which it was really there; windows are computed from this one.
    pub landed: Date,
    /// The day that its makers wrote down, if it is another.
    pub header: Option<Date>,
    /// What changed with the version, in one sentence.
    pub change: String,
    /// The types or parts that changed, if the history names them.
    pub parts: Vec<String>,
}

/// From `landed` on, nothing below `version` is read any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
    /// The lowest version that is still read.
    pub version: Version,
    /// The day on which older ones were dropped.
    pub landed: Date,
}

/// The dated history of one axis, as data.
///
/// Entries stand in the order in which they landed. A number may go *down*: the PJRT C API was
/// rolled back six times (56 to 55, 61 to 60, …), and a window that spans a rollback must cover
/// both numbers. "In force" on a day is therefore what landed last, not what is highest.
///
/// ```
/// use unskew_core::{Date, History, Version, Window};
/// let history: History = serde_json::from_str(r#"{
///     "axis": "ifrt.serdes",
///     "title": "IFRT SerDes version",
///     "version": [
///         {"number": 3, "landed": "2026-04-15", "change": "mixed StableHLO serialization"},
///         {"number": 4, "landed": "2026-06-15", "change": "output bundle slice sizes"}
///     ]
/// }"#).unwrap();
/// let today = Date::constant(2026, 7, 1);
/// assert_eq!(history.as_of(today), Some(Version::number(4)));
/// // What IFRT types in by hand as `week_4_old`, computed:
/// assert_eq!(history.at_least_old(&Window::weeks(4), today).unwrap(), Version::number(3));
/// ```
///
/// It is read with serde: `axis`, `title`, `version` (rows of `number`, `landed`, `change` and optionally `header` and
/// `types`) and optionally `floor` (rows of `number` and `landed`), `releases`, the days that windows counted in
/// releases refer to, and `window`, the one that its makers promise. Days are text. The crates of Unskew write histories
/// in TOML and embed them with `unskew-tables`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "HistoryFile")]
pub struct History {
    /// The axis whose history this is.
    pub axis: Axis,
    /// The axis in words.
    pub title: String,
    entries: Vec<HistoryEntry>,
    floors: Vec<Floor>,
    releases: Vec<Date>,
    window: Option<Window>,
}

/// Why a history could not be read, or has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// The file is not a history.
    #[error("not a history: {0}")]
    Malformed(String),
    /// A history without a version has no current one.
    #[error("history of {0}: no version; add one [[version]]")]
    Empty(Axis),
    /// Entries stand in the order in which they landed.
    #[error("history of {axis}: version {version} landed on {landed}, before its predecessor")]
    OutOfOrder {
        /// The version line that the history belongs to.
        axis: Axis,
        /// The entry out of order.
        version: Version,
        /// The day on which that version landed.
        landed: Date,
    },
    /// Nothing had landed on that day.
    #[error("{axis} had no version yet on {day}; the first landed on {first}")]
    NothingYet {
        /// The version line that the history belongs to.
        axis: Axis,
        /// The day asked for.
        day: Date,
        /// The day of the first version.
        first: Date,
    },
    /// The window has no beginning that can be computed.
    #[error(transparent)]
    Window(#[from] WindowError),
}

impl History {
    /// A history from its entries, in the order in which they landed, and the steps by which its
    /// lowest readable version was raised.
    ///
    /// # Errors
    /// If there is no entry, or the days of entries or floors go backwards.
    pub fn new(
        axis: impl Into<Axis>,
        title: impl Into<String>,
        entries: Vec<HistoryEntry>,
        floors: Vec<Floor>,
    ) -> Result<Self, HistoryError> {
        let axis = axis.into();
        if entries.is_empty() {
            return Err(HistoryError::Empty(axis));
        }
        let steps = entries.windows(2).map(|w| (w[0].landed, w[1].version, w[1].landed));
        let raised = floors.windows(2).map(|w| (w[0].landed, w[1].version, w[1].landed));
        for (before, version, landed) in steps.chain(raised) {
            if landed < before {
                return Err(HistoryError::OutOfOrder { axis, version, landed });
            }
        }
        let (title, releases) = (title.into(), Vec::new());
        Ok(Self { axis, title, entries, floors, releases, window: None })
    }

    /// With the days of releases, to which windows counted in releases refer.
    #[must_use]
    pub fn with_releases(mut self, releases: Vec<Date>) -> Self {
        self.releases = releases;
        self
    }

    /// Every entry, in the order in which they landed.
    pub fn entries(&self) -> &[HistoryEntry] {
        &self.entries
    }

    /// The steps by which the lowest readable version was raised.
    pub fn floors(&self) -> &[Floor] {
        &self.floors
    }

    /// The days of releases.
    pub fn releases(&self) -> &[Date] {
        &self.releases
    }

    /// The window that the history itself names.
    pub fn window(&self) -> Option<&Window> {
        self.window.as_ref()
    }

    /// The newest version: what landed last.
    pub fn current(&self) -> Version {
        self.entries[self.entries.len() - 1].version
    }

    /// The lowest version that is read today: the last floor, or the first version if none was set.
    pub fn minimum(&self) -> Version {
        self.floors.last().map_or_else(|| self.lowest(), |floor| floor.version)
    }

    /// The lowest version that was read on `day`.
    pub fn minimum_as_of(&self, day: Date) -> Version {
        let floor = self.floors.iter().rev().find(|floor| floor.landed <= day);
        floor.map_or_else(|| self.lowest(), |floor| floor.version)
    }

    fn lowest(&self) -> Version {
        self.entries.iter().map(|e| e.version).min().unwrap_or(self.entries[0].version)
    }

    /// The version in force on `day`; none if nothing had landed.
    pub fn as_of(&self, day: Date) -> Option<Version> {
        self.entries.iter().rev().find(|entry| entry.landed <= day).map(|entry| entry.version)
    }

    /// The day on which `version` landed first.
    pub fn landed(&self, version: Version) -> Option<Date> {
        self.entries.iter().find(|entry| entry.version == version).map(|entry| entry.landed)
    }

    /// The last day on which `version` was in force: the day before its successor landed. None if
    /// it never was, or still is.
    pub fn superseded(&self, version: Version) -> Option<Date> {
        let last = self.entries.iter().rposition(|entry| entry.version == version)?;
        self.entries.get(last + 1)?.landed.yesterday().ok()
    }

    /// The newest version that every build of the last `window` reads: the lowest of those that
    /// were in force on any day from `today - window` to `today`.
    ///
    /// # Errors
    /// [`HistoryError::NothingYet`] if the window begins before the first version.
    pub fn at_least_old(&self, window: &Window, today: Date) -> Result<Version, HistoryError> {
        let range = self.in_force(window.start(today, &self.releases)?, today)?;
        Ok(range.min.unwrap_or_else(|| self.current()))
    }

    /// The versions that a release made on `released` promises to work with: everything that was
    /// in force between `released - window` and `released` (the PJRT document's rule). A window
    /// that begins before the first version begins with it.
    ///
    /// # Errors
    /// [`HistoryError::NothingYet`] if nothing had landed on `released`.
    pub fn supported(&self, released: Date, window: &Window) -> Result<VersionRange, HistoryError> {
        let first = self.entries[0].landed;
        let start = window.start(released, &self.releases)?;
        self.in_force(start.max(first), released)
    }

    /// From the lowest to the highest version that was in force on any day from `from` to `to`.
    fn in_force(&self, from: Date, to: Date) -> Result<VersionRange, HistoryError> {
        let opening = self.entries.iter().rposition(|entry| entry.landed <= from);
        let opening = opening.filter(|_| from <= to).ok_or_else(|| HistoryError::NothingYet {
            axis: self.axis.clone(),
            day: from.min(to),
            first: self.entries[0].landed,
        })?;
        let in_force = || {
            self.entries[opening..].iter().take_while(|entry| entry.landed <= to).map(|e| e.version)
        };
        Ok(VersionRange { min: in_force().min(), max: in_force().max() })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryFile {
    axis: String,
    title: String,
    version: Vec<EntryRow>,
    #[serde(default)]
    floor: Vec<FloorRow>,
    #[serde(default)]
    releases: Vec<Date>,
    window: Option<Window>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryRow {
    number: NumberCell,
    landed: Date,
    header: Option<Date>,
    #[serde(default)]
    change: String,
    #[serde(default)]
    types: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FloorRow {
    number: NumberCell,
    landed: Date,
}

/// A version in a data file: a number, or a text for one with dots.
#[derive(Deserialize)]
#[serde(untagged)]
enum NumberCell {
    Number(i64),
    Text(String),
}

impl NumberCell {
    fn version(&self) -> Result<Version, HistoryError> {
        match self {
            Self::Number(n) => Ok(Version::number(*n)),
            Self::Text(text) => {
                text.parse().map_err(|e| HistoryError::Malformed(format!("number: {e}")))
            }
        }
    }
}

impl TryFrom<HistoryFile> for History {
    type Error = HistoryError;

    fn try_from(file: HistoryFile) -> Result<Self, HistoryError> {
        let entries =
            file.version.into_iter().map(HistoryEntry::try_from).collect::<Result<_, _>>()?;
        let floor =
            |floor: FloorRow| Ok(Floor { version: floor.number.version()?, landed: floor.landed });
        let floors = file.floor.into_iter().map(floor).collect::<Result<_, HistoryError>>()?;
        let mut history = Self::new(Axis::new(file.axis), file.title, entries, floors)?;
        history.releases = file.releases;
        history.window = file.window;
        Ok(history)
    }
}

impl TryFrom<EntryRow> for HistoryEntry {
    type Error = HistoryError;

    fn try_from(row: EntryRow) -> Result<Self, Self::Error> {
        Ok(Self {
            version: row.number.version()?,
            landed: row.landed,
            header: row.header,
            change: row.change,
            parts: row.types,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: i64, year: i16, month: i8, day: i8) -> HistoryEntry {
        HistoryEntry {
            version: Version::number(number),
            landed: Date::constant(year, month, day),
            header: None,
            change: String::new(),
            parts: Vec::new(),
        }
    }

    /// The real PJRT minors around their rollback of November 2024.
    fn rolled_back() -> History {
        let entries = vec![
            entry(55, 2024, 10, 3),
            entry(56, 2024, 10, 23),
            entry(55, 2024, 10, 24),
            entry(56, 2024, 11, 14),
            entry(57, 2024, 11, 15),
        ];
        History::new("pjrt.api", "PJRT C API", entries, vec![]).unwrap()
    }

    #[test]
    fn a_window_over_a_rollback_covers_both_numbers() {
        let history = rolled_back();
        let released = Date::constant(2024, 11, 20);
        let supported = history.supported(released, &Window::weeks(4)).unwrap();
        assert_eq!(supported, VersionRange::between(Version::number(55), Version::number(57)));
        assert_eq!(history.as_of(Date::constant(2024, 10, 25)), Some(Version::number(55)));
    }

    #[test]
    fn a_version_that_was_rolled_back_is_not_old_enough() {
        let history = rolled_back();
        let today = Date::constant(2024, 10, 30);
        assert_eq!(history.at_least_old(&Window::weeks(1), today).unwrap(), Version::number(55));
    }

    #[test]
    fn before_the_first_version_there_is_nothing_that_old() {
        let error = rolled_back().at_least_old(&Window::weeks(4), Date::constant(2024, 10, 4));
        assert!(matches!(error, Err(HistoryError::NothingYet { .. })));
    }

    #[test]
    fn the_last_day_of_a_version_is_the_day_before_its_successor() {
        let history = rolled_back();
        assert_eq!(history.superseded(Version::number(55)), Some(Date::constant(2024, 11, 13)));
        assert_eq!(history.superseded(Version::number(57)), None);
    }

    #[test]
    fn floors_rise_on_their_day() {
        let floors =
            vec![Floor { version: Version::number(56), landed: Date::constant(2025, 1, 1) }];
        let mut history = rolled_back();
        history.floors = floors;
        assert_eq!(history.minimum_as_of(Date::constant(2024, 12, 31)), Version::number(55));
        assert_eq!(history.minimum(), Version::number(56));
    }

    #[test]
    fn a_history_whose_days_go_backwards_is_refused() {
        let entries = vec![entry(1, 2025, 1, 2), entry(2, 2025, 1, 1)];
        let error = History::new("x", "x", entries, vec![]).unwrap_err();
        assert!(matches!(error, HistoryError::OutOfOrder { .. }));
        assert!(matches!(History::new("x", "x", vec![], vec![]), Err(HistoryError::Empty(_))));
    }

    #[test]
    fn unknown_keys_in_a_history_file_are_refused() {
        let error = serde_json::from_str::<History>(
            r#"{"axis":"x","title":"x","version":[{"number":1,"landde":"2025-01-01"}]}"#,
        );
        assert!(error.unwrap_err().to_string().contains("landde"));
    }
}
