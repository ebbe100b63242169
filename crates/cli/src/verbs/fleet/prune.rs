//! `unskew fleet prune`: takes away what nothing refers to.

use std::fmt::Write as _;

use unskew_core::Date;
use unskew_fleet::store::Retire;
use unskew_fleet::{Digest, Fleet, Prune, Pruned};
use unskew_report::Plain;

use crate::args::FleetPrune;
use crate::exit::CallStatus;
use crate::print;

pub fn run(args: &FleetPrune, fleet: &mut Fleet, day: Date) -> anyhow::Result<CallStatus> {
    let before = args.retire_before.map(|day| day.to_string());
    let retire = Retire { keep: args.keep, before };
    let prune = Prune { retire, grace: args.grace, dry_run: args.dry_run };
    let pruned = fleet.prune(&prune, day)?;
    print::out(told(&pruned, args))?;
    Ok(CallStatus::Clean)
}

/// What was done, or would be.
fn told(pruned: &Pruned, args: &FleetPrune) -> String {
    let would = if args.dry_run { "would be " } else { "" };
    let mut text = String::new();
    for (model, number) in &pruned.retired {
        let _ = writeln!(text, "{would}retired: {} version {number}", Plain(model));
    }
    let listed = |text: &mut String, what: &str, all: &[(Digest, u64)]| {
        for (digest, size) in all {
            let size = if *size > 0 { format!(", {size} bytes") } else { String::new() };
            let _ = writeln!(text, "{would}{what}: {digest}{size}");
        }
    };
    listed(&mut text, "marked", &pruned.marked);
    listed(&mut text, "removed", &pruned.removed);
    if pruned.swept > 0 {
        let _ = writeln!(text, "leftovers of interrupted writers removed: {}", pruned.swept);
    }
    let days = format!("{} day{}", args.grace, if args.grace == 1 { "" } else { "s" });
    let _ = match pruned.waiting {
        0 if text.is_empty() => writeln!(text, "everything is referred to"),
        0 => Ok(()),
        waiting => writeln!(text, "marked and there for {days}: {waiting}"),
    };
    text
}
