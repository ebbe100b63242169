//! `unskew releases --axis [AXIS] [--released DATE] [--weeks N]`: the dated histories.

use std::fmt::Write as _;

use anyhow::Context as _;
use unskew_core::{Context, Date, History, HistoryEntry, Window};
use unskew_report::{DIM, EMPHASIS};

/// The history of `axis`, or a line for every axis; with the day of a release and the weeks of its window,
/// what that must support.
pub(super) fn text(
    axis: Option<&str>,
    window: Option<(Date, u32)>,
    context: &Context,
) -> anyhow::Result<String> {
    let histories = unskew_releases::histories();
    let Some(axis) = axis else {
        anyhow::ensure!(window.is_none(), "--released needs the name of an axis: --axis pjrt.api");
        return Ok(list(&histories));
    };
    let history = histories.iter().find(|history| history.axis.as_str() == axis);
    let names: Vec<&str> = histories.iter().map(|history| history.axis.as_str()).collect();
    let known = names.join(", ");
    let history =
        history.with_context(|| format!("no axis {axis} in the database; it has: {known}"))?;
    match window {
        Some((released, weeks)) => supported(history, released, weeks),
        None => Ok(one(history, context)),
    }
}

/// What was in force in the weeks before a release.
fn supported(history: &History, released: Date, weeks: u32) -> anyhow::Result<String> {
    let window = Window::weeks(weeks);
    let range = history.supported(released, &window)?;
    let from = window.start(released, &[])?;
    let mut text = String::new();
    let axis = &history.axis;
    let _ = writeln!(
        text,
        "{EMPHASIS}{axis}{EMPHASIS:#}: a release of {released} must support {range} ({window} back to {from})"
    );
    let entries = history.entries();
    let opening = entries.iter().rposition(|entry| entry.landed <= from).unwrap_or(0);
    for entry in entries.iter().skip(opening).take_while(|entry| entry.landed <= released) {
        let HistoryEntry { version, landed, change, .. } = entry;
        let _ = writeln!(text, "  {version:8}  {landed}  {change}");
    }
    Ok(text)
}

fn list(histories: &[History]) -> String {
    let mut text = String::new();
    for history in histories {
        let History { axis, title, .. } = history;
        let (minimum, current) = (history.minimum(), history.current());
        let _ = writeln!(text, "{EMPHASIS}{axis:20}{EMPHASIS:#}  {title}: {minimum} to {current}");
    }
    text
}

fn one(history: &History, context: &Context) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{EMPHASIS}{}{EMPHASIS:#}, {}", history.axis, history.title);
    for entry in history.entries() {
        let HistoryEntry { version, landed, header, change, parts } = entry;
        let _ = write!(text, "  {version:8}  {landed}  {change}");
        if !parts.is_empty() {
            let _ = write!(text, ": {}", parts.join(", "));
        }
        if let Some(header) = header.filter(|header| header != landed) {
            let _ = write!(text, "  {DIM}dated {header} by its makers{DIM:#}");
        }
        text.push('\n');
    }
    let day = context.as_of;
    let _ = writeln!(text, "\non {day}");
    let said = history.as_of(day).map_or_else(|| "none yet".to_owned(), |v| v.to_string());
    let _ = writeln!(text, "  {DIM}current{DIM:#}                {said}");
    let _ = writeln!(text, "  {DIM}minimum{DIM:#}                {}", history.minimum_as_of(day));
    for weeks in [4, 12] {
        let old = history.at_least_old(&Window::weeks(weeks), day);
        let old = old.map_or_else(|_| "none yet".to_owned(), |version| version.to_string());
        let _ = writeln!(text, "  {DIM}at least {weeks:2} weeks old{DIM:#}  {old}");
    }
    text
}
