//! `unskew check A --with B...`: a verdict with reasons.

use unskew_core::{Context, Outcome};
use unskew_report::{Pair, Report};

use crate::args::{Check, Global};
use crate::exit::{Ending, Status};
use crate::sides::Side;
use crate::{print, sides};

pub fn run(args: &Check, global: &Global) -> anyhow::Result<Status> {
    let mut report = Report::new(global.context());
    let options = sides::options(args.running).verifying(args.verify);
    let a = sides::side(&args.a, &options)?;
    report.failures.extend(a.failures.iter().cloned());
    for name in &args.with {
        let b = sides::side(name, &options)?;
        report.pairs.extend(pairs(&a, &b, &report.context));
        report.failures.extend(b.failures);
    }
    print::out(&report.render(args.format.into()))?;
    for failure in &report.failures {
        print::failure(&failure.message);
    }
    let (done, failed) = (report.pairs.len(), report.failures.len());
    Ok(Ending {
        done,
        failed,
        worst: report.severity(),
        deny: global.deny(),
        unjudged: global.unjudged(report.unjudged().count()),
    }
    .into())
}

/// Every member of one side with every member of the other. Where at least one pair has something
/// in common, those that have nothing are left out: a folder of models holds more than what is meant
/// for PyTorch.
fn pairs(a: &Side, b: &Side, context: &Context) -> Vec<Pair> {
    let all = a.members.iter().flat_map(|one| b.members.iter().map(move |other| (one, other)));
    let mut pairs: Vec<Pair> = all
        .map(|(one, other)| Pair {
            a: one.subject(),
            b: other.subject(),
            verdict: unskew_core::check(&one.party, &other.party, context),
        })
        .collect();
    let related = |pair: &Pair| pair.verdict.outcome != Outcome::Unrelated;
    if pairs.iter().any(related) {
        pairs.retain(related);
    }
    pairs
}
