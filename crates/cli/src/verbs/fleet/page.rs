//! A plan as a page: the curve of coverage, what is proposed, and the matrix of every candidate with every
//! runtime, whose reasons the page of `unskew matrix` explains.

use std::fmt::Write as _;
use std::sync::Arc;

use indicatif::ProgressBar;
use unskew_artifact::Options;
use unskew_core::Context;
use unskew_fleet::store::KeptRuntime;
use unskew_fleet::{Candidate, Fleet, Plan, Policy, Served};
use unskew_report::Failure;

use super::plan::{label, share};
use crate::grid::{Escaped, Grid, Row};
use crate::sides::Member;

/// The size of the drawing, and the room for its words.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const MARGIN: f64 = 48.0;

/// What the drawing needs besides the style of every page.
const STYLE: &str = "\
svg text { font: 12px system-ui, sans-serif; fill: currentColor; }
svg .axis { stroke: currentColor; opacity: .4; }
svg .bar { fill: #2f7d4f; }
svg .limit { stroke: #a3120a; stroke-width: 2; }
.plan { border-collapse: collapse; margin: .5rem 0 1rem; }
.plan th { writing-mode: horizontal-tb; position: static; }
.plan td { white-space: normal; }
";

/// The page of a plan.
pub(super) fn render(
    fleet: &mut Fleet,
    plan: &Plan,
    runtimes: &[KeptRuntime],
    what_if: &[String],
    policy: &Policy,
) -> anyhow::Result<String> {
    let mut rows = Vec::new();
    for candidate in &plan.candidates {
        rows.extend(row(fleet, candidate));
    }
    let mut columns = Vec::new();
    for kept in runtimes.iter().filter(|kept| !plan.unrelated.contains(&kept.name)) {
        let runtime = fleet.built(kept)?;
        let release = runtime.profile.is_release().then_some(runtime.profile.release);
        let label = format!("{} ({})", kept.name, kept.devices);
        columns.push(Member { path: None, label, release, party: runtime.party.clone() });
    }
    let grid = Grid::judge(rows, columns, Context::on(policy.as_of), &ProgressBar::hidden());
    let mut head = String::new();
    let _ = write!(head, "<style>\n{STYLE}</style>\n<h1>{}</h1>\n", Escaped(&plan.model));
    if !what_if.is_empty() {
        let _ = writeln!(head, "<p>If {}.</p>", Escaped(&what_if.join(" and ")));
    }
    let served = plan.choice().map_or(0, |point| point.devices);
    let _ = writeln!(
        head,
        "<p>{served} of {} devices on {} runtimes are served; artifacts: {} ({}).</p>",
        plan.devices,
        plan.runtimes.len(),
        plan.choice().map_or(0, |point| point.artifacts.len()),
        share(served, plan.devices)
    );
    drawing(plan, &mut head);
    proposed(plan, &mut head);
    needed(plan, &mut head);
    let judge = &plan.judge;
    let _ = writeln!(
        head,
        "<p>As of {}; unskew {}, database up to {}, {}.</p>",
        plan.as_of,
        Escaped(&judge.tool_version),
        Escaped(&judge.newest_release),
        Escaped(&judge.fingerprint)
    );
    Ok(grid.html_below(&head))
}

/// A candidate as rows of the matrix: one for each part of it that can be judged.
fn row(fleet: &Fleet, candidate: &Candidate) -> Vec<Row> {
    let name = label(candidate);
    let content = fleet.depot().content(&candidate.artifact, &candidate.file);
    let parties = content.and_then(|content| Ok(content.parties(&Options::default())?));
    match parties {
        Ok(parties) => {
            let many = parties.len() > 1;
            let member = |party: Arc<unskew_core::Party>| {
                let label = if many { format!("{name}: {}", party.name) } else { name.clone() };
                Ok(Member { path: None, label, release: None, party })
            };
            parties.into_iter().map(member).collect()
        }
        Err(error) => vec![Err(Failure { path: name, message: error.to_string() })],
    }
}

/// The curve as bars: devices served by 1, 2, ... artifacts, and what no as many exceed.
fn drawing(plan: &Plan, page: &mut String) {
    let points = plan.curve.len();
    if points == 0 || plan.devices == 0 {
        return;
    }
    let _ = writeln!(
        page,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" \
         aria-label=\"devices served by the number of artifacts\">"
    );
    let (left, top) = (MARGIN, 16.0);
    let (width, height) = (WIDTH - MARGIN - 16.0, HEIGHT - 16.0 - MARGIN);
    let y = |devices: u64| top + height * (1.0 - devices as f64 / plan.devices as f64);
    for percent in [0, 50, 100] {
        let at = top + height * (1.0 - f64::from(percent) / 100.0);
        let (right, text) = (left + width, at + 4.0);
        let _ = writeln!(
            page,
            "<line class=\"axis\" x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{percent} %</text>",
            left - 6.0
        );
    }
    let slot = (width / points as f64).min(80.0);
    for (at, point) in plan.curve.iter().enumerate() {
        let x = left + slot * at as f64 + slot * 0.15;
        let (bar, up) = (slot * 0.7, y(point.devices));
        let below = top + height;
        let _ = writeln!(
            page,
            "<rect class=\"bar\" x=\"{x:.1}\" y=\"{up:.1}\" width=\"{bar:.1}\" height=\"{:.1}\">\
             <title>{} devices, {} more than before</title></rect>",
            below - up,
            point.devices,
            point.adds
        );
        if !point.optimal {
            let limit = y(point.at_most);
            let end = x + bar;
            let _ = writeln!(
                page,
                "<line class=\"limit\" x1=\"{x:.1}\" y1=\"{limit:.1}\" x2=\"{end:.1}\" y2=\"{limit:.1}\"/>"
            );
        }
        if points <= 30 {
            let (middle, text) = (x + bar / 2.0, below + 16.0);
            let _ = writeln!(
                page,
                "<text x=\"{middle:.1}\" y=\"{text:.1}\" text-anchor=\"middle\">{}</text>",
                at + 1
            );
        }
    }
    let _ = writeln!(
        page,
        "<text x=\"{left}\" y=\"{:.1}\">artifacts; a red line is what no as many can exceed, where the \
         best is not proven</text>\n</svg>",
        HEIGHT - 8.0
    );
}

fn proposed(plan: &Plan, page: &mut String) {
    page.push_str("<h2>Proposed</h2>\n<table class=\"plan\">\n<tr><th>artifact</th><th>digest</th><th>bytes</th><th>serves</th></tr>\n");
    for place in plan.choice().map_or(&[][..], |point| &point.artifacts) {
        let Some(candidate) = plan.candidates.get(*place) else { continue };
        let served = plan.runtimes.iter().filter(|one| one.served_by == Some(*place));
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
            Escaped(&label(candidate)),
            candidate.artifact.short(),
            candidate.size,
            Escaped(&names(served))
        );
    }
    page.push_str("</table>\n");
    let left = names(plan.runtimes.iter().filter(|one| one.served_by.is_none()));
    if !left.is_empty() {
        let _ = writeln!(page, "<p class=\"unread\">Left out: {}</p>", Escaped(&left));
    }
}

fn names<'a>(served: impl Iterator<Item = &'a Served>) -> String {
    served.map(|one| format!("{} ({})", one.name, one.devices)).collect::<Vec<_>>().join(", ")
}

fn needed(plan: &Plan, page: &mut String) {
    if plan.blocks.is_empty() {
        return;
    }
    page.push_str("<h2>Versions that cannot be dropped</h2>\n<ul>\n");
    for block in &plan.blocks {
        let name = |one: &unskew_fleet::Needing| match one.falls_back_to {
            Some(version) => format!("{} ({}; else version {version})", one.name, one.devices),
            None => format!("{} ({}; else nothing)", one.name, one.devices),
        };
        let names: Vec<String> = block.runtimes.iter().map(name).collect();
        let _ = writeln!(
            page,
            "<li>version {}, {} devices: {}</li>",
            block.version,
            block.devices,
            Escaped(&names.join(", "))
        );
    }
    page.push_str("</ul>\n");
}
