//! Histories as data: `[[version]]` and `[[floor]]`, or `[[release]]`.
//!
//! A file with faults is read as far as it goes: what is no TOML, no number or no day is a problem with its
//! line, and the entries around it count.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use unskew_core::{Date, Version};

use crate::{Chronicle, ChronicleFormat, ChronicleProblem, ChronicleVersion, Raised, constants};

type Value<'i> = Spanned<DeValue<'i>>;

/// Reads a history; none if the file has neither versions nor releases.
pub(crate) fn read(file: &str, text: &str) -> Option<Chronicle> {
    let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let lines = newlines.map(|(at, _)| at).collect();
    let mut reader = TomlReader { text, lines, problems: Vec::new() };
    // What stands behind it is not read, and said not to be.
    let deep = unskew_core::nested_too_deep(text);
    if let Some(at) = deep {
        let what = "nests deeper than 256 brackets; not read from here on".to_owned();
        reader.problems.push(ChronicleProblem { line: reader.line(at), what, day: false });
    }
    let (table, errors) = DeTable::parse_recoverable(deep.map_or(text, |at| &text[..at]));
    let table = table.get_ref();
    for error in errors {
        let line = error.span().map_or(1, |span| reader.line(span.start));
        reader.problems.push(ChronicleProblem {
            line,
            what: error.message().to_owned(),
            day: false,
        });
    }
    let rows = |key: &str| table.get(key).map(Spanned::get_ref).and_then(DeValue::as_array);
    let (form, entries, number, landed) = match (rows("version"), rows("release")) {
        (Some(entries), _) => (ChronicleFormat::Toml, entries, "number", "landed"),
        (None, Some(entries)) => (ChronicleFormat::Releases, entries, "version", "released"),
        (None, None) => return None,
    };
    let mut steps: Vec<ChronicleVersion> =
        entries.iter().filter_map(|row| reader.step(row, number, landed)).collect();
    let floors = rows("floor").into_iter().flatten().filter_map(|row| reader.floor(row)).collect();
    let days = rows("releases").into_iter().flatten();
    let releases = match form {
        ChronicleFormat::Releases => steps.iter().filter_map(ChronicleVersion::day).collect(),
        _ => days.filter_map(|day| reader.day(day)).collect(),
    };
    let word = |key: &str| {
        let value = table.get(key).and_then(|value| value.get_ref().as_str());
        value.unwrap_or_default().to_owned()
    };
    let window = reader.window(table);
    if form == ChronicleFormat::Releases {
        constants::oldest_first(&mut steps);
    }
    let TomlReader { problems, .. } = reader;
    let (file, axis, title) = (file.to_owned(), word("axis"), word("title"));
    let stated = Vec::new();
    Some(Chronicle { file, form, axis, title, steps, floors, stated, releases, window, problems })
}

struct TomlReader<'t> {
    text: &'t str,
    lines: Vec<usize>,
    problems: Vec<ChronicleProblem>,
}

impl TomlReader<'_> {
    fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|end| *end < offset) + 1
    }

    fn problem(&mut self, at: &Value<'_>, what: &str, day: bool) {
        let span = at.span();
        let line = self.line(span.start);
        let shown = self.text.get(span).unwrap_or_default().lines().next().unwrap_or_default();
        self.problems.push(ChronicleProblem { line, what: format!("{what}: {shown}"), day });
    }

    fn step(&mut self, row: &Value<'_>, number: &str, landed: &str) -> Option<ChronicleVersion> {
        let Some(table) = row.get_ref().as_table() else {
            self.problem(row, "no table", false);
            return None;
        };
        let version = match table.get(number) {
            Some(value) => self.version(value)?,
            None => {
                self.problem(row, &format!("an entry without `{number}`"), false);
                return None;
            }
        };
        let line = table.get(number).map_or(1, |value| self.line(value.span().start));
        let change = table.get("change").and_then(|v| v.get_ref().as_str()).unwrap_or_default();
        let types = table.get("types").and_then(|v| v.get_ref().as_array());
        let parts = types.into_iter().flatten().filter_map(|v| v.get_ref().as_str());
        Some(ChronicleVersion {
            version,
            line,
            header: table.get("header").and_then(|value| self.day(value)),
            landed: table.get(landed).and_then(|value| self.day(value)),
            change: change.to_owned(),
            parts: parts.map(str::to_owned).collect(),
        })
    }

    fn floor(&mut self, row: &Value<'_>) -> Option<Raised> {
        let table = row.get_ref().as_table()?;
        let number = table.get("number")?;
        let version = self.version(number)?;
        let landed = table.get("landed").and_then(|value| self.day(value));
        Some(Raised { version, landed, line: self.line(number.span().start) })
    }

    fn version(&mut self, value: &Value<'_>) -> Option<Version> {
        let text: Cow<'_, str> = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().into(),
            DeValue::String(text) => text.as_ref().into(),
            _ => "".into(),
        };
        let version = text.parse().ok();
        if version.is_none() {
            self.problem(value, "no version", false);
        }
        version
    }

    fn day(&mut self, value: &Value<'_>) -> Option<Date> {
        let date = match value.get_ref() {
            DeValue::Datetime(time) => time.date.filter(|_| time.time.is_none()),
            _ => None,
        };
        let day = date.and_then(|date| {
            let (month, day) = (i8::try_from(date.month).ok()?, i8::try_from(date.day).ok()?);
            Date::new(i16::try_from(date.year).ok()?, month, day).ok()
        });
        if day.is_none() {
            self.problem(value, "no day", true);
        }
        day
    }

    /// `window = "4 weeks"`, or `window = { forward = "4 weeks" }`.
    fn window(&mut self, table: &DeTable<'_>) -> Option<unskew_core::Window> {
        let value = table.get("window")?;
        let inner = match value.get_ref().as_table() {
            Some(sides) => sides.get("forward").or_else(|| sides.get("backward"))?,
            None => value,
        };
        let window = inner.get_ref().as_str().and_then(|text| text.parse().ok());
        if window.is_none() {
            self.problem(inner, "no window", false);
        }
        window
    }
}
