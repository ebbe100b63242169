//! Timeline as it is drawn: a bar for every version, of the days on which it was in force and the window after them.

use unskew_core::{Date, Version};

use crate::{EndOfSupport, HistoryAnswers};

/// What becomes of a version on the day of the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionStatus {
    /// It is in force.
    Current,
    /// It was, and its window is open.
    Supported,
    /// It was, and no window is known.
    Replaced,
    /// Its window has closed, and it is still read.
    Removable,
    /// It is no longer read.
    Removed,
    /// It lands after the day.
    Ahead,
}

impl VersionStatus {
    pub(crate) const ALL: [Self; 6] = [
        Self::Current,
        Self::Supported,
        Self::Replaced,
        Self::Removable,
        Self::Removed,
        Self::Ahead,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "in force",
            Self::Supported => "in its window",
            Self::Replaced => "replaced",
            Self::Removable => "may be removed",
            Self::Removed => "no longer read",
            Self::Ahead => "not yet there",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) version: Version,
    pub(crate) state: VersionStatus,
    /// First and last days in force; the last is open for what is in force. More than one after a rollback.
    pub(crate) spans: Vec<(Date, Option<Date>)>,
    /// The last day of its window, if that is known.
    pub(crate) until: Option<Date>,
    pub(crate) change: String,
}

/// The bars by version, from the first day to be drawn on, and the days between which they lie.
pub(crate) struct Drawing {
    pub(crate) bars: Vec<Bar>,
    pub(crate) from: Date,
    pub(crate) to: Date,
    /// How many versions lie before.
    pub(crate) before: usize,
}

impl Drawing {
    /// What is to be drawn; versions that neither were in force nor counted since `since` are left out.
    pub(crate) fn new(answers: &HistoryAnswers, since: Option<Date>) -> Self {
        let entries = answers.history.entries();
        let mut bars: Vec<Bar> = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let next = entries.get(at + 1).map(|next| next.landed);
            let last = next.map(|day| day.yesterday().unwrap_or(day).max(entry.landed));
            match bars.iter_mut().find(|bar| bar.version == entry.version) {
                Some(bar) => bar.spans.push((entry.landed, last)),
                None => bars.push(Bar {
                    version: entry.version,
                    state: VersionStatus::Current,
                    spans: vec![(entry.landed, last)],
                    until: None,
                    change: entry.change.clone(),
                }),
            }
        }
        let mut to = answers.day;
        for bar in &mut bars {
            let fall = answers.fall(bar.version).unwrap_or(EndOfSupport::Open);
            if let (EndOfSupport::Last(last), Some(_)) = (fall, &answers.window) {
                bar.until = Some(last);
                to = to.max(last);
            }
            bar.state = state(answers, bar);
        }
        let open = |bar: &Bar| bar.spans.last().is_none_or(|(_, last)| last.is_none());
        let end = |bar: &Bar| bar.until.or_else(|| bar.spans.last().and_then(|(_, last)| *last));
        let all = bars.len();
        if let Some(since) = since {
            bars.retain(|bar| open(bar) || end(bar).is_some_and(|end| end >= since));
        }
        let first = bars.iter().filter_map(|bar| bar.spans.first()).map(|(from, _)| *from).min();
        let from = since.or(first).unwrap_or(answers.day);
        for bar in &bars {
            to = bar.spans.iter().map(|(from, last)| last.unwrap_or(*from)).fold(to, Date::max);
        }
        Self { before: all - bars.len(), bars, from, to }
    }

    /// Where a day lies between the first and the last, from 0 to 1.
    pub(crate) fn place(&self, day: Date) -> f64 {
        let days = |a: Date, b: Date| f64::from((b - a).get_days());
        let all = days(self.from, self.to).max(1.0);
        (days(self.from, day) / all).clamp(0.0, 1.0)
    }

    /// Days at which the scale is marked: the first of months, quarters or years, so that at most `most` are.
    pub(crate) fn marks(&self, most: usize) -> Vec<Date> {
        let months = |step: i16| -> Vec<Date> {
            let first = i32::from(self.from.year()) * 12 + i32::from(self.from.month()) - 1;
            let last = i32::from(self.to.year()) * 12 + i32::from(self.to.month()) - 1;
            let first = first.div_euclid(i32::from(step)) * i32::from(step);
            (first..=last)
                .step_by(usize::from(step.unsigned_abs()))
                .filter_map(|month| {
                    let year = i16::try_from(month.div_euclid(12)).ok()?;
                    let month = i8::try_from(month.rem_euclid(12) + 1).ok()?;
                    Date::new(year, month, 1).ok()
                })
                .filter(|day| *day >= self.from && *day <= self.to)
                .collect()
        };
        let steps = [1, 2, 3, 6, 12, 24, 60, 120, 600];
        steps.into_iter().map(months).find(|marks| marks.len() <= most).unwrap_or_default()
    }
}

fn state(answers: &HistoryAnswers, bar: &Bar) -> VersionStatus {
    let landed = bar.spans.first().map_or(answers.day, |(from, _)| *from);
    if landed > answers.day {
        VersionStatus::Ahead
    } else if Some(bar.version) == answers.current {
        VersionStatus::Current
    } else if bar.version < answers.minimum {
        VersionStatus::Removed
    } else if answers.removable.iter().any(|(version, _)| *version == bar.version) {
        VersionStatus::Removable
    } else if answers.window.is_none() {
        VersionStatus::Replaced
    } else {
        VersionStatus::Supported
    }
}
