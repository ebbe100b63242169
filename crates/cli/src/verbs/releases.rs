//! `unskew releases [NAME[@VERSION]] [--op PATTERN] [--axis AXIS]`: the built-in database.

mod axes;

use std::fmt::Write as _;

use anyhow::bail;
use unskew_core::{Fact, Padded, column};
use unskew_releases::named_parties::NamedBasis;
use unskew_releases::{
    Family, Operator, Release, ReleaseRow, carrier, named_parties, select, vendor_docs,
};
use unskew_report::{DIM, EMPHASIS, Plain};

use crate::args::{Global, ReleasesArgs};
use crate::exit::CallStatus;
use crate::print;

/// More operators than this are counted, not listed.
const LISTED: usize = 2_000;

pub fn run(args: &ReleasesArgs, global: &Global) -> anyhow::Result<CallStatus> {
    if let Some(axis) = &args.axis {
        let window = args.released.map(|day| (day, args.weeks));
        print::out(&axes::text(axis.as_deref(), window, &global.context())?)?;
        return Ok(CallStatus::Clean);
    }
    let text = match (&args.name, &args.op) {
        (None, _) => families(),
        (Some(name), Some(pattern)) => operators(name, pattern)?,
        (Some(name), None) => match named_parties::select(name) {
            Some(stated) => documented(&stated?),
            None => match select(name)?.as_slice() {
                [release] => one(*release),
                many => list(many),
            },
        },
    };
    print::out(&text)?;
    Ok(CallStatus::Clean)
}

/// A line for each name that a release can be asked of, and how it is judged.
fn families() -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    for family in Family::ALL {
        let rows = family.rows();
        if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
            let span = format!(
                "{:3} releases, {} ({}) to {} ({})",
                rows.len(),
                family.version(first.version),
                first.released,
                family.version(last.version),
                last.released
            );
            lines.push((family.to_string(), span));
        }
    }
    for name in carrier::names() {
        let all = select(name).unwrap_or_default();
        let numbered =
            |one: &&Release| one.carrier().is_some_and(|carrier| carrier.version().is_some());
        let which = match (all.first().filter(numbered), all.last()) {
            (Some(first), Some(last)) => {
                format!("{first} to {last}, judged as the onnxruntime inside")
            }
            _ => "judged as the onnxruntime of the same version".to_owned(),
        };
        lines.push((name.to_owned(), which));
    }
    for (name, basis) in named_parties::names() {
        let Some(Ok(stated)) = named_parties::select(name) else { continue };
        let (Some((first, _)), Some((last, _))) = (stated.first(), stated.last()) else { continue };
        let which = if first == last { String::new() } else { format!("{first} to {last}, ") };
        let how = match basis {
            NamedBasis::Stated => "by what is stated of it",
            NamedBasis::Asked => "by what its plug-in said",
            NamedBasis::Read => "by the programs that it reads",
            NamedBasis::Classes => "by the classes that files name",
        };
        lines.push((name.to_owned(), which + how));
    }
    let width = column(lines.iter().map(|(name, _)| name.len()));
    let line = |(name, text): (String, String)| {
        format!("{EMPHASIS}{}{EMPHASIS:#}  {text}\n", Padded(name, width))
    };
    lines.into_iter().map(line).collect()
}

/// Runtimes of which documents tell the operators.
fn documented(runtimes: &vendor_docs::NamedParties) -> String {
    let mut text = String::new();
    for (name, party) in runtimes {
        let origin = party.side().origin;
        let _ = writeln!(text, "{EMPHASIS}{name:24}{EMPHASIS:#}  {DIM}{origin}{DIM:#}");
    }
    text
}

fn list(releases: &[Release]) -> String {
    let mut text = String::new();
    for release in releases {
        let name = release.to_string();
        let _ = write!(text, "{EMPHASIS}{name:18}{EMPHASIS:#}");
        // A server says no day of its own.
        let day = if release.carrier().is_some() {
            release.released()
        } else {
            Some(release.row().released)
        };
        if let Some(day) = day {
            let _ = write!(text, "  {day}");
        }
        if release.carrier().is_some() {
            let _ = write!(text, "  {DIM}inside{DIM:#} {}", release.alone());
        }
        for fact in release.family().axes(release.row()) {
            let _ = write!(text, "  {DIM}{}{DIM:#} {}", fact.label, fact.value);
        }
        text.push('\n');
    }
    text
}

fn one(release: Release) -> String {
    let mut text = String::new();
    let ReleaseRow { released, .. } = release.row();
    let _ = match (release.stand_in(), release.released()) {
        (None, None) if release.carrier().is_some() => {
            writeln!(text, "{EMPHASIS}{release}{EMPHASIS:#}")
        }
        (None, _) => writeln!(text, "{EMPHASIS}{release}{EMPHASIS:#}, released {released}"),
        (Some(why), None) => writeln!(text, "{EMPHASIS}{release}{EMPHASIS:#}, {why}"),
        (Some(why), Some(day)) => {
            writeln!(text, "{EMPHASIS}{release}{EMPHASIS:#}, released {day}; {why}")
        }
    };
    let mut said = release.promised();
    said.extend(
        release.carrier().map(|carrier| Fact {
            label: "judged as".to_owned(),
            value: carrier.judged_as(release),
        }),
    );
    let others: Vec<String> = release.stands_for().iter().map(ToString::to_string).collect();
    if release.stand_in().is_none() && !others.is_empty() {
        said.push(Fact { label: "stands for".to_owned(), value: others.join(", ") });
    }
    let axes = release.family().axes(release.row());
    let facts = || axes.iter().chain(&said);
    let width = column(facts().map(|fact| fact.label.len()));
    for fact in facts() {
        let _ = writeln!(text, "  {DIM}{}{DIM:#}  {}", Padded(&fact.label, width), fact.value);
    }
    text
}

/// The operators that are meant: by a part of the name, or by a pattern with `*`, `?` and `[…]` for the whole of it.
fn matching(release: Release, pattern: &str) -> anyhow::Result<Vec<Operator>> {
    if !pattern.contains(['*', '?', '[']) {
        return Ok(release.operators(pattern));
    }
    let glob = glob::Pattern::new(pattern)?;
    let mut operators = release.operators("");
    operators.retain(|operator| glob.matches(&operator.name));
    Ok(operators)
}

fn operators(name: &str, pattern: &str) -> anyhow::Result<String> {
    // Of several, the newest.
    let Some(release) = select(name)?.last().copied() else {
        bail!("the database has no release of {name}");
    };
    let operators = matching(release, pattern)?;
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
