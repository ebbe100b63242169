//! Compatibility windows: how long a promise holds.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use serde::Deserialize;

/// The longest window in years. A longer one is a slip of the pen, and leads out of the calendar.
const LONGEST_YEARS: u32 = 1000;

/// One measure of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Span {
    /// Days of the calendar, without times of day.
    Days(u32),
    /// Weeks of seven days each.
    Weeks(u32),
    /// Months of the calendar.
    Months(u32),
    /// To the same day of another year; 29 February becomes the 28th.
    Years(u32),
    /// Releases of the project that makes the promise.
    Releases(u32),
}

impl Span {
    /// The day this span after `date`; for releases, the day of the n-th release after it.
    /// None if that release has not happened, or the day is past the calendar.
    fn after(self, date: Date, releases: &[Date]) -> Option<Date> {
        match self {
            Self::Days(n) => date.checked_add(calendar().try_days(n).ok()?).ok(),
            Self::Weeks(n) => date.checked_add(calendar().try_weeks(n).ok()?).ok(),
            Self::Months(n) => date.checked_add(calendar().try_months(n).ok()?).ok(),
            Self::Years(n) => date.checked_add(calendar().try_years(n).ok()?).ok(),
            Self::Releases(0) => Some(date),
            Self::Releases(n) => {
                let mut later: Vec<Date> = releases.iter().copied().filter(|d| *d > date).collect();
                later.sort_unstable();
                later.get(n as usize - 1).copied()
            }
        }
    }

    fn is_too_long(self) -> bool {
        match self {
            Self::Days(n) => n / 366 >= LONGEST_YEARS,
            Self::Weeks(n) => n / 53 >= LONGEST_YEARS,
            Self::Months(n) => n / 12 > LONGEST_YEARS,
            Self::Years(n) => n > LONGEST_YEARS,
            Self::Releases(_) => false,
        }
    }

    /// The day this span before `date`; for releases, the day of the n-th release before it.
    fn before(self, date: Date, releases: &[Date]) -> Option<Date> {
        match self {
            Self::Days(n) => date.checked_sub(calendar().try_days(n).ok()?).ok(),
            Self::Weeks(n) => date.checked_sub(calendar().try_weeks(n).ok()?).ok(),
            Self::Months(n) => date.checked_sub(calendar().try_months(n).ok()?).ok(),
            Self::Years(n) => date.checked_sub(calendar().try_years(n).ok()?).ok(),
            Self::Releases(0) => Some(date),
            Self::Releases(n) => {
                let mut earlier: Vec<Date> =
                    releases.iter().copied().filter(|d| *d < date).collect();
                earlier.sort_unstable_by(|a, b| b.cmp(a));
                earlier.get(n as usize - 1).copied()
            }
        }
    }
}

/// No time; the calendar refuses more of it than it has, instead of ending the program.
fn calendar() -> jiff::Span {
    jiff::Span::new()
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, unit) = match *self {
            Self::Days(n) => (n, "day"),
            Self::Weeks(n) => (n, "week"),
            Self::Months(n) => (n, "month"),
            Self::Years(n) => (n, "year"),
            Self::Releases(n) => (n, "release"),
        };
        write!(f, "{n} {unit}{}", if n == 1 { "" } else { "s" })
    }
}

/// A compatibility window: one span, or several of which the longest counts.
///
/// Written as people write it: `"12 weeks"`, `"180 days or 1 release"` (whichever is longer).
///
/// ```
/// use unskew_core::{Date, Window};
/// let window: Window = "180 days or 1 release".parse().unwrap();
/// let releases = [Date::constant(2025, 4, 23), Date::constant(2025, 8, 6), Date::constant(2026, 3, 1)];
/// // 180 days after 2025-04-23 are later than the next release.
/// assert_eq!(window.end(releases[0], &releases).unwrap(), Some(Date::constant(2025, 10, 20)));
/// // Here the next release is the later one.
/// assert_eq!(window.end(releases[1], &releases).unwrap(), Some(Date::constant(2026, 3, 1)));
/// // The newest release has no successor yet: the window is still open.
/// assert_eq!(window.end(releases[2], &releases).unwrap(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Window {
    spans: Vec<Span>,
}

/// Why a window could not be read or computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// The window is longer than any promise.
    #[error("a window of more than {years} years: {0:?}", years = LONGEST_YEARS)]
    TooLong(String),
    /// The text is no window.
    #[error("not a window such as \"4 weeks\" or \"180 days or 1 release\": {0:?}")]
    Text(String),
    /// The window counts releases, and not enough of them are known.
    #[error("the window {window} counts releases, of which too few before {before} are known")]
    UnknownReleases {
        /// The window as it was written: `180 days or 1 release`.
        window: String,
        /// The day from which was counted back.
        before: Date,
    },
    /// The end of the calendar.
    #[error("the window {0} reaches beyond the calendar")]
    Calendar(String),
}

impl Window {
    /// A window of weeks, the commonest kind.
    pub fn weeks(weeks: u32) -> Self {
        Self { spans: vec![Span::Weeks(weeks)] }
    }

    /// A window of days.
    pub fn days(days: u32) -> Self {
        Self { spans: vec![Span::Days(days)] }
    }

    /// The spans, of which the longest counts.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The last day of the window that opens on `opened`, given the days of all releases. None:
    /// the window is still open because it counts a release that has not happened yet.
    ///
    /// # Errors
    /// [`WindowError::Calendar`] if the end lies beyond the year 9999.
    pub fn end(&self, opened: Date, releases: &[Date]) -> Result<Option<Date>, WindowError> {
        let mut end = opened;
        for span in &self.spans {
            match (span.after(opened, releases), span) {
                (Some(day), _) => end = end.max(day),
                (None, Span::Releases(_)) => return Ok(None),
                (None, _) => return Err(WindowError::Calendar(self.to_string())),
            }
        }
        Ok(Some(end))
    }

    /// The first day of the window that closes on `closed`: everything from that day on is covered.
    ///
    /// # Errors
    /// [`WindowError::UnknownReleases`] if it counts back over releases that are not given.
    pub fn start(&self, closed: Date, releases: &[Date]) -> Result<Date, WindowError> {
        let mut start = closed;
        for span in &self.spans {
            match (span.before(closed, releases), span) {
                (Some(day), _) => start = start.min(day),
                (None, Span::Releases(_)) => {
                    return Err(WindowError::UnknownReleases {
                        window: self.to_string(),
                        before: closed,
                    });
                }
                (None, _) => return Err(WindowError::Calendar(self.to_string())),
            }
        }
        Ok(start)
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spans: Vec<String> = self.spans.iter().map(Span::to_string).collect();
        f.pad(&spans.join(" or "))
    }
}

impl FromStr for Window {
    type Err = WindowError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let span = |piece: &str| {
            let (count, unit) = piece.trim().split_once(' ')?;
            let n: u32 = count.parse().ok()?;
            match unit.trim() {
                "day" | "days" => Some(Span::Days(n)),
                "week" | "weeks" => Some(Span::Weeks(n)),
                "month" | "months" => Some(Span::Months(n)),
                "year" | "years" => Some(Span::Years(n)),
                "release" | "releases" => Some(Span::Releases(n)),
                _ => None,
            }
        };
        let spans: Option<Vec<Span>> = text.split(" or ").map(span).collect();
        match spans {
            Some(spans) if spans.iter().any(|span| span.is_too_long()) => {
                Err(WindowError::TooLong(text.to_owned()))
            }
            Some(spans) if !spans.is_empty() => Ok(Self { spans }),
            _ => Err(WindowError::Text(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Window {
    type Error = WindowError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_read_as_people_write_them() {
        for text in ["6 weeks", "1 day", "6 months", "180 days or 1 release", "5 years"] {
            assert_eq!(text.parse::<Window>().unwrap().to_string(), text);
        }
        for text in ["", "weeks", "4 moons", "-1 weeks", "4 weeks or"] {
            assert_eq!(text.parse::<Window>(), Err(WindowError::Text(text.to_owned())));
        }
    }

    #[test]
    fn a_span_beyond_the_calendar_is_an_error_in_both_directions() {
        let today = Date::constant(2026, 11, 21);
        for unit in ["days", "weeks", "months", "years"] {
            for count in ["1043498", "7304485", "4294967295"] {
                let text = format!("{count} {unit}");
                assert_eq!(text.parse::<Window>(), Err(WindowError::TooLong(text)));
            }
        }
        for span in [
            Span::Days(u32::MAX),
            Span::Weeks(u32::MAX),
            Span::Months(u32::MAX),
            Span::Years(u32::MAX),
        ] {
            let window = Window { spans: vec![span] };
            let beyond = WindowError::Calendar(window.to_string());
            assert_eq!(window.end(today, &[]), Err(beyond.clone()));
            assert_eq!(window.start(today, &[]), Err(beyond));
        }
        assert!("1000 years".parse::<Window>().is_ok());
        // One release more than there can be is a release that is not known.
        let window = Window { spans: vec![Span::Releases(u32::MAX)] };
        assert_eq!(window.end(today, &[today]), Ok(None));
        assert!(matches!(window.start(today, &[]), Err(WindowError::UnknownReleases { .. })));
    }

    #[test]
    fn counting_back_over_unknown_releases_is_an_error_not_a_guess() {
        let window: Window = "2 releases".parse().unwrap();
        let today = Date::constant(2026, 11, 21);
        let one = [Date::constant(2026, 10, 1)];
        assert!(matches!(window.start(today, &one), Err(WindowError::UnknownReleases { .. })));
        let two = [Date::constant(2026, 10, 1), Date::constant(2026, 7, 1)];
        assert_eq!(window.start(today, &two), Ok(Date::constant(2026, 7, 1)));
    }
}
