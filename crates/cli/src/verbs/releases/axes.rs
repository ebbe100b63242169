//! `unskew releases --axis [AXIS]`: the dated histories.

use std::fmt::Write as _;

use anyhow::Context as _;
use unskew_core::{Context, Entry, History, Window};
use unskew_report::{DIM, EMPHASIS};

/// The history of `axis`, or a line for every axis.
pub(super) fn text(axis: Option<&str>, context: &Context) -> anyhow::Result<String> {
    let histories = unskew_releases::histories();
    let Some(axis) = axis else { return Ok(list(&histories)) };
    let history = histories.iter().find(|history| history.axis.as_str() == axis);
    let names: Vec<&str> = histories.iter().map(|history| history.axis.as_str()).collect();
    let known = names.join(", ");
    let history =
        history.with_context(|| format!("no axis {axis} in the database; it has: {known}"))?;
    Ok(one(history, context))
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
        let Entry { version, landed, header, change, parts } = entry;
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
