//! `unskew releases [NAME[@VERSION]] [--op PATTERN] [--axis AXIS]`: the built-in database.

mod axes;

use std::fmt::Write as _;

use anyhow::bail;
use unskew_releases::{Family, Operator, Release, Row, find, select};
use unskew_report::{DIM, EMPHASIS, Plain};

use crate::args::{Global, Releases};
use crate::exit::Status;
use crate::print;

/// More operators than this are counted, not listed.
const LISTED: usize = 2_000;

pub fn run(args: &Releases, global: &Global) -> anyhow::Result<Status> {
    if let Some(axis) = &args.axis {
        let window = args.released.map(|day| (day, args.weeks));
        print::out(&axes::text(axis.as_deref(), window, &global.context())?)?;
        return Ok(Status::Clean);
    }
    let text = match (&args.name, &args.op) {
        (None, _) => families(),
        (Some(name), Some(pattern)) => operators(name, pattern)?,
        (Some(name), None) if name.contains('@') => one(find(name)?),
        (Some(name), None) => list(&select(name)?),
    };
    print::out(&text)?;
    Ok(Status::Clean)
}

fn families() -> String {
    let mut text = String::new();
    for family in Family::ALL {
        let rows = family.rows();
        if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
            let _ = writeln!(
                text,
                "{EMPHASIS}{family:10}{EMPHASIS:#}  {:3} releases, {} ({}) to {} ({})",
                rows.len(),
                first.version,
                first.released,
                last.version,
                last.released
            );
        }
    }
    text
}

fn list(releases: &[Release]) -> String {
    let mut text = String::new();
    for release in releases {
        let Row { released, axes, .. } = release.row();
        let name = release.to_string();
        let _ = write!(text, "{EMPHASIS}{name:18}{EMPHASIS:#}  {released}");
        for fact in axes {
            let _ = write!(text, "  {DIM}{}{DIM:#} {}", fact.label, fact.value);
        }
        text.push('\n');
    }
    text
}

fn one(release: Release) -> String {
    let mut text = String::new();
    let Row { released, axes, .. } = release.row();
    let _ = writeln!(text, "{EMPHASIS}{release}{EMPHASIS:#}, released {released}");
    let promised = release.promised();
    let facts = || axes.iter().chain(&promised);
    let width = facts().map(|fact| fact.label.len()).max().unwrap_or(0);
    for fact in facts() {
        let _ = writeln!(text, "  {DIM}{:width$}{DIM:#}  {}", fact.label, fact.value);
    }
    text
}

fn operators(name: &str, pattern: &str) -> anyhow::Result<String> {
    let release = if name.contains('@') {
        find(name)?
    } else {
        match select(name)?.last() {
            Some(newest) => *newest,
            None => bail!("the database has no release of {name}"),
        }
    };
    let operators = release.operators(pattern);
    if operators.is_empty() {
        bail!("{release} has no operator whose name contains: {pattern}");
    }
    let mut text = String::new();
    for Operator { text: schema, since, until, .. } in operators.iter().take(LISTED) {
        let _ = write!(text, "{}  {DIM}since {since}", Plain(schema));
        if let Some(until) = until {
            let _ = write!(text, ", until {until}");
        }
        let _ = writeln!(text, "{DIM:#}");
    }
    if operators.len() > LISTED {
        let _ = writeln!(text, "and {} more", operators.len() - LISTED);
    }
    Ok(text)
}
