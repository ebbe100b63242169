//! A verdict with reasons.

use std::ffi::{OsStr, OsString};

use unskew_artifact::Options;
use unskew_core::{Context, Outcome, Verdict};
use unskew_report::{Pair, Report};

use crate::sides::{Member, Side};
use crate::{Error, one_kind, side};

/// Judges what `a` names with what each of `with` names.
///
/// # Errors
/// If something cannot be opened, or two of one kind are given, which cannot be judged.
pub fn check(
    a: &OsStr,
    with: &[OsString],
    options: &Options,
    context: Context,
) -> Result<Report, Error> {
    check_sides(side(a, options)?, with, options, context)
}

/// The same for a side that was opened already.
///
/// # Errors
/// As [`check`].
pub fn check_sides(
    a: Side,
    with: &[OsString],
    options: &Options,
    context: Context,
) -> Result<Report, Error> {
    let mut report = Report::new(context);
    report.failures.extend(a.failures.iter().cloned());
    let others = with.iter().map(|name| side(name, options));
    let others = others.collect::<Result<Vec<Side>, Error>>()?;
    let mut judged = Vec::new();
    for b in &others {
        judged.extend(pairs(&a, b, &report.context));
        report.failures.extend(b.failures.iter().cloned());
    }
    let outcomes = judged.iter().map(|(one, other, verdict)| (*one, *other, &verdict.outcome));
    if let Some(why) = one_kind::refusal(outcomes) {
        return Err(Error::Question(why));
    }
    report.pairs.extend(judged.into_iter().map(|(one, other, verdict)| Pair {
        a: one.subject(),
        b: other.subject(),
        verdict,
    }));
    Ok(report)
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
