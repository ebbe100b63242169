//! `unskew check A --with B...`: a verdict with reasons.

use anyhow::bail;
use unskew_core::{Context, Outcome, Verdict};
use unskew_report::{Pair, Report};

use crate::args::{Check, Global};
use crate::exit::{Ending, Status};
use crate::sides::{Member, Side};
use crate::{one_kind, print, sides};

pub fn run(args: &Check, global: &Global) -> anyhow::Result<Status> {
    let mut report = Report::new(global.context());
    let options = sides::options(args.running).verifying(args.verify);
    let a = sides::side(&args.a, &options)?;
    report.failures.extend(a.failures.iter().cloned());
    let others = args.with.iter().map(|name| sides::side(name, &options));
    let others = others.collect::<anyhow::Result<Vec<Side>>>()?;
    let mut judged = Vec::new();
    for b in &others {
        judged.extend(pairs(&a, b, &report.context));
        report.failures.extend(b.failures.iter().cloned());
    }
    let outcomes = judged.iter().map(|(one, other, verdict)| (*one, *other, &verdict.outcome));
    if let Some(why) = one_kind::refusal(outcomes) {
        bail!(why);
    }
    report.pairs.extend(judged.into_iter().map(|(one, other, verdict)| Pair {
        a: one.subject(),
        b: other.subject(),
        verdict,
    }));
    print::report(&report, args.format.into())?;
    Ok(Ending::of(&report, report.pairs.len(), global).into())
}

/// Every member of one side with every member of the other. Where at least one pair has something
/// in common, those that have nothing are left out: a folder of models holds more than what is meant
/// for PyTorch.
fn pairs<'a>(
    a: &'a Side,
    b: &'a Side,
    context: &Context,
) -> Vec<(&'a Member, &'a Member, Verdict)> {
    let all = a.members.iter().flat_map(|one| b.members.iter().map(move |other| (one, other)));
    let mut pairs: Vec<_> = all
        .map(|(one, other)| (one, other, unskew_core::check(&one.party, &other.party, context)))
        .collect();
    let related = |(_, _, verdict): &(_, _, Verdict)| verdict.outcome != Outcome::Unrelated;
    if pairs.iter().any(related) {
        pairs.retain(related);
    }
    pairs
}
