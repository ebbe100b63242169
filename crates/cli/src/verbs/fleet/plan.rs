//! `unskew fleet plan MODEL`: which artifacts a fleet needs.

use std::fmt::Write as _;

use unskew_fleet::{
    DeliveryCandidate, DeliveryMode, DeliveryPolicy, Fleet, Plan, PlanOptions, Served, documents,
};
use unskew_report::{BAD, DIM, EMPHASIS, GOOD, Plain};

use super::columns::{columns, devices};
use super::page;
use crate::args::{FleetPlan, PlanFormat};
use crate::exit::CallStatus;
use crate::print::{self, Printable};

/// How many names of runtimes a line shows.
const SHOWN: usize = 6;

pub fn run(
    args: &FleetPlan,
    fleet: &mut Fleet,
    policy: &DeliveryPolicy,
) -> anyhow::Result<CallStatus> {
    let options = PlanOptions {
        most: args.max.unwrap_or(usize::MAX),
        any_version: args.any_version,
        ..PlanOptions::default()
    };
    let now = fleet.plan(&args.model, policy, &options)?;
    let mut runtimes = fleet.runtimes()?;
    for what_if in &args.what_if {
        what_if.apply(&mut runtimes)?;
    }
    let then = match args.what_if.is_empty() {
        true => None,
        false => Some(fleet.plan_for(&args.model, &runtimes, policy, &options)?),
    };
    let what_if: Vec<String> = args.what_if.iter().map(ToString::to_string).collect();
    let plan = then.as_ref().unwrap_or(&now);
    let before = then.as_ref().map(|_| &now);
    let page = |fleet: &mut Fleet, plan: &Plan| {
        page::render(fleet, plan, before, &runtimes, &args.what_if, policy)
    };
    let text = match args.format {
        PlanFormat::Json => match &then {
            None => Printable::json(&now.to_json()),
            Some(then) => {
                let text = documents::text(&documents::Compared::new(what_if, &now, then))?;
                Printable::json(&text)
            }
        },
        PlanFormat::Text => {
            let mut text = String::new();
            if then.is_some() {
                let _ =
                    writeln!(text, "{EMPHASIS}if {}{EMPHASIS:#}", Plain(&what_if.join(" and ")));
            }
            text.push_str(&in_words(plan));
            if then.is_some() {
                text.push_str(&compared(&now, plan));
            }
            text.into()
        }
        PlanFormat::Html => Printable::document(&page(fleet, plan)?),
        PlanFormat::Svg => Printable::document(&unskew_fleet_pages::svg(plan)),
    };
    if let Some(place) = &args.html {
        print::file(place, Printable::document(&page(fleet, plan)?))?;
    }
    if let Some(place) = &args.svg {
        print::file(place, Printable::document(&unskew_fleet_pages::svg(plan)))?;
    }
    match &args.output {
        Some(path) => print::file(path, text)?,
        None => print::out(text)?,
    }
    let served = plan.choice().map_or(0, |point| point.devices);
    Ok(if served == plan.devices { CallStatus::Clean } else { CallStatus::Found })
}

/// A plan for people.
fn in_words(plan: &Plan) -> String {
    let mut text = String::new();
    let (runtimes, all) = (plan.runtimes.len(), devices(plan.devices));
    let _ = writeln!(
        text,
        "{EMPHASIS}{}{EMPHASIS:#} on {runtimes} runtimes, {all}, as of {}\n",
        Plain(&plan.model),
        plan.as_of
    );
    curve(plan, &mut text);
    proposed(plan, &mut text);
    unserved(plan, &mut text);
    if !plan.unrelated.is_empty() {
        let _ = writeln!(text, "nothing in common with {}\n", shortened(&plan.unrelated));
    }
    for block in &plan.blocks {
        let name = |one: &unskew_fleet::Needing| match one.falls_back_to {
            Some(version) => format!("{} (else version {version})", one.name),
            None => format!("{} (else nothing)", one.name),
        };
        let names: Vec<String> = block.runtimes.iter().map(name).collect();
        let (version, names) = (block.version, shortened(&names));
        let _ =
            writeln!(text, "version {version} is needed by {}: {names}", devices(block.devices));
    }
    text
}

fn curve(plan: &Plan, text: &mut String) {
    let head = ["artifacts", "devices", "share", "adds", ""];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (at, point) in plan.curve.iter().enumerate() {
        let note = match point.optimal {
            true => "the most".to_owned(),
            false => format!("at most {}", point.at_most),
        };
        let share = share(point.devices, plan.devices);
        let adds = format!("+{}", point.adds);
        rows.push(vec![(at + 1).to_string(), point.devices.to_string(), share, adds, note]);
    }
    if plan.curve.is_empty() {
        let _ = writeln!(text, "{BAD}no artifact serves any device{BAD:#}");
    } else {
        text.push_str(&columns(&rows));
    }
    text.push('\n');
}

fn proposed(plan: &Plan, text: &mut String) {
    let Some(point) = plan.choice() else { return };
    for place in &point.artifacts {
        let Some(candidate) = plan.candidates.get(*place) else { continue };
        let served: Vec<&Served> =
            plan.runtimes.iter().filter(|one| one.served_by == Some(*place)).collect();
        let names: Vec<String> = served.iter().map(|one| one.name.clone()).collect();
        let count = served.iter().map(|one| one.devices).sum();
        let (label, names) = (label(candidate), shortened(&names));
        let _ = writeln!(text, "{GOOD}{label}{GOOD:#}  {}: {names}", devices(count));
        let (artifact, size) = (candidate.artifact, candidate.size);
        let file = Plain(&candidate.file);
        let _ = writeln!(text, "  {DIM}{artifact}, {size} bytes, {file}{DIM:#}");
    }
    text.push('\n');
}

fn unserved(plan: &Plan, text: &mut String) {
    let left = plan.runtimes.iter().filter(|one| one.served_by.is_none());
    let (mut names, mut count) = (Vec::new(), 0);
    for one in left {
        let why = if one.version.is_none() { "nothing fits" } else { "not among the chosen" };
        names.push(format!("{} ({why})", one.name));
        count += one.devices;
    }
    if !names.is_empty() {
        let names = shortened(&names);
        let _ = writeln!(text, "{BAD}left out{BAD:#}: {}: {names}\n", devices(count));
    }
}

fn compared(now: &Plan, then: &Plan) -> String {
    let mut text = String::new();
    let served = |plan: &Plan| plan.choice().map_or(0, |point| point.devices);
    let count = |plan: &Plan| plan.choice().map_or(0, |point| point.artifacts.len());
    let _ = writeln!(
        text,
        "\nagainst the fleet as it is: {} of {} devices served, before {} of {}; artifacts {}, before {}",
        served(then),
        then.devices,
        served(now),
        now.devices,
        count(then),
        count(now)
    );
    let how = |plan: &Plan, name: &str| {
        let runtime = plan.runtimes.iter().find(|one| one.name == name)?;
        Some(match runtime.served_by.and_then(|place| plan.candidates.get(place)) {
            Some(candidate) => label(candidate),
            None => "nothing".to_owned(),
        })
    };
    let mut names: Vec<&str> =
        now.runtimes.iter().chain(&then.runtimes).map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let (before, after) = (how(now, name), how(then, name));
        if before != after {
            let shown = |how: Option<String>| how.unwrap_or_else(|| "not there".to_owned());
            let _ = writeln!(text, "  {name}: {}, before {}", shown(after), shown(before));
        }
    }
    text
}

/// What a candidate is called.
fn label(candidate: &DeliveryCandidate) -> String {
    let version = candidate.version;
    match (candidate.way, &candidate.made_for) {
        (DeliveryMode::Converted, Some(runtime)) => {
            format!("version {version} converted for {runtime}")
        }
        (DeliveryMode::Converted, None) => format!("version {version} converted"),
        (DeliveryMode::AsIs, _) => format!("version {version} as it is"),
    }
}

fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.1} %", part as f64 * 100.0 / whole as f64),
    }
}

fn shortened(names: &[String]) -> String {
    let more = names.len().saturating_sub(SHOWN);
    let shown =
        Plain(&names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ")).to_string();
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
