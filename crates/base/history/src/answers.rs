//! Answers of a history on a day.

use unskew_core::{Date, History, HistoryError, Version, VersionRange, Window, WindowError};

use crate::Chronicle;

/// What a release must support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supported {
    /// From the first day of the window on.
    pub from: Date,
    /// Every version that was in force since.
    pub range: VersionRange,
}

/// Until when a version counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndOfSupport {
    /// It is in force: its window has not begun.
    InForce,
    /// The last day of its window.
    Last(Date),
    /// Its window waits for a release that has not happened.
    Open,
}

/// The answers of a history on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryAnswers {
    /// The day for which the rest was computed.
    pub day: Date,
    /// The part of the history that can be dated.
    pub history: History,
    /// What was in force; none if nothing had landed.
    pub current: Option<Version>,
    /// The lowest version that was read.
    pub minimum: Version,
    /// The window, if one is known.
    pub window: Option<Window>,
    /// What a release of the day must support; none without a window, or before the first version.
    pub supported: Option<Supported>,
    /// Versions that may be removed, and the first day on which they might have been, oldest first.
    pub removable: Vec<(Version, Date)>,
    /// How many versions stand after the last day of the list, and say nothing.
    pub undated: usize,
}

impl HistoryAnswers {
    /// The answers of `chronicle` on `day`. The window is that of the file if none is given.
    ///
    /// # Errors
    /// If no version has a day, the days go backwards, or the window counts releases of which too few are known.
    pub fn for_day(
        chronicle: &Chronicle,
        day: Date,
        window: Option<&Window>,
    ) -> Result<Self, HistoryError> {
        let window = window.or(chronicle.window.as_ref());
        let mut answers = Self::on(chronicle.dated()?, day, window)?;
        answers.undated = chronicle.steps.len() - answers.history.entries().len();
        answers.reach_undated(chronicle)?;
        answers.removable = answers.find_removable()?;
        Ok(answers)
    }

    /// The answers of a history of which every version has its day.
    ///
    /// # Errors
    /// If the window counts releases of which too few are known.
    pub fn on(history: History, day: Date, window: Option<&Window>) -> Result<Self, HistoryError> {
        let supported = match window {
            Some(window) if history.as_of(day).is_some() => {
                let from = window.start(day, history.releases())?;
                Some(Supported { from, range: history.supported(day, window)? })
            }
            _ => None,
        };
        let mut answers = Self {
            day,
            current: history.as_of(day),
            minimum: history.minimum_as_of(day),
            window: window.cloned(),
            supported,
            removable: Vec::new(),
            undated: 0,
            history,
        };
        answers.removable = answers.find_removable()?;
        Ok(answers)
    }

    /// A version without a day was in force up to the day of the next one, as far as anybody knows, and so it must be
    /// supported for as long.
    fn reach_undated(&mut self, chronicle: &Chronicle) -> Result<(), WindowError> {
        for version in chronicle.undated().map(|step| step.version) {
            let there = self.history.landed(version).is_some_and(|day| day <= self.day);
            let counts =
                matches!(self.fall(version)?, EndOfSupport::Last(last) if last >= self.day);
            if let (true, true, Some(supported)) = (there, counts, &mut self.supported) {
                supported.range.min = supported.range.min.map(|least| least.min(version));
            }
        }
        Ok(())
    }

    /// The versions that no build needs any more from which releases of this day promise anything, and that are
    /// still read.
    fn find_removable(&self) -> Result<Vec<(Version, Date)>, WindowError> {
        let Some(least) = self.supported.and_then(|supported| supported.range.min) else {
            return Ok(Vec::new());
        };
        let mut found: Vec<(Version, Date)> = Vec::new();
        for entry in self.history.entries() {
            let version = entry.version;
            let gone = version < self.minimum || version >= least;
            if gone || found.iter().any(|(other, _)| *other == version) {
                continue;
            }
            if let EndOfSupport::Last(last) = self.fall(version)?
                && last < self.day
            {
                // A number that is still counted keeps all below it.
                let before =
                    found.last().map_or(last, |(_, day)| last.max(day.yesterday().unwrap_or(last)));
                found.push((version, before.tomorrow().unwrap_or(before)));
            }
        }
        Ok(found)
    }

    /// Until when `version` counts: so long after its last day in force as the window lasts.
    ///
    /// # Errors
    /// If the window reaches beyond the calendar.
    pub fn fall(&self, version: Version) -> Result<EndOfSupport, WindowError> {
        let Some(window) = &self.window else { return Ok(EndOfSupport::Open) };
        match self.history.superseded(version) {
            None => Ok(EndOfSupport::InForce),
            Some(last) => {
                let end = window.end(last, self.history.releases())?;
                Ok(end.map_or(EndOfSupport::Open, EndOfSupport::Last))
            }
        }
    }

    /// The versions that count today and will not for ever: each with the last day of its window, soonest first.
    pub fn falling(&self) -> Vec<(Version, Date)> {
        let mut found: Vec<(Version, Date)> = Vec::new();
        for entry in self.history.entries().iter().filter(|entry| entry.landed <= self.day) {
            let known = found.iter().any(|(version, _)| *version == entry.version);
            let fall = self.fall(entry.version);
            if let (false, Ok(EndOfSupport::Last(last))) = (known, fall)
                && last >= self.day
            {
                found.push((entry.version, last));
            }
        }
        found.sort_by_key(|(_, last)| *last);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_without_a_day_counts_as_long_as_it_may_have_been_in_force() {
        let text = "# Changes\n\n## 0.2 (Mar 14, 2026)\n\n## 0.1 (Feb 29, 2026)\n";
        let chronicle = Chronicle::read("a.md", text.as_bytes()).unwrap();
        let on = |day| HistoryAnswers::for_day(&chronicle, day, Some(&Window::weeks(12))).unwrap();
        let open = on(Date::constant(2026, 5, 1));
        assert_eq!(open.supported.unwrap().range.to_string(), "0.1 to 0.2");
        assert_eq!(open.removable, []);
        let closed = on(Date::constant(2026, 7, 1));
        assert_eq!(closed.supported.unwrap().range.to_string(), "0.2");
        assert_eq!(closed.removable.len(), 1);
    }
}
