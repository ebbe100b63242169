//! A verdict with reasons.

use std::ffi::{OsStr, OsString};

use unskew_artifact::OpenOptions;
use unskew_core::{Context, Outcome, Verdict};
use unskew_report::{CheckedPair, Report};

use crate::adapt::name_plugin;
use crate::conversion_hint::name_conversion;
use crate::sides::{ResolvedParty, ResolvedSide};
use crate::{VerbError, artifact_side, same_role, side};

/// The most pairs for which conversions are tried: of a whole folder the command is asked model by model.
const MOST_HINTS: usize = 16;

/// Judges what `a` names with what each of `with` names.
///
/// # Errors
/// If something cannot be opened, or two of one kind are given, which cannot be judged.
pub fn check(
    a: &OsStr,
    with: &[OsString],
    options: &OpenOptions,
    context: Context,
) -> Result<Report, VerbError> {
    check_sides(artifact_side(a, options)?, with, options, context)
}

/// The same for a side that was opened already.
///
/// # Errors
/// As [`check`].
pub fn check_sides(
    a: ResolvedSide,
    with: &[OsString],
    options: &OpenOptions,
    context: Context,
) -> Result<Report, VerbError> {
    let mut report = Report::new(context);
    report.failures.extend(a.failures.iter().cloned());
    let others = with.iter().map(|name| side(name, options));
    let others = others.collect::<Result<Vec<ResolvedSide>, VerbError>>()?;
    let mut judged: Vec<(&ResolvedParty, &ResolvedParty, Verdict)> = Vec::new();
    for b in &others {
        judged.extend(pairs(&a, b, &report.context));
        report.failures.extend(b.failures.iter().cloned());
    }
    let outcomes = judged.iter().map(|(one, other, verdict)| (*one, *other, &verdict.outcome));
    if let Some(why) = same_role::refusal(outcomes) {
        return Err(VerbError::Question(why));
    }
    if judged.len() <= MOST_HINTS {
        for (one, other, verdict) in &mut judged {
            name_conversion(verdict, [one, other], &report.context);
        }
    }
    report.pairs.extend(judged.into_iter().map(|(one, other, verdict)| CheckedPair {
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
    a: &'a ResolvedSide,
    b: &'a ResolvedSide,
    context: &Context,
) -> Vec<(&'a ResolvedParty, &'a ResolvedParty, Verdict)> {
    let all = a.members.iter().flat_map(|one| b.members.iter().map(move |other| (one, other)));
    let mut pairs: Vec<_> = all
        .map(|(one, other)| {
            let mut verdict = unskew_core::check(&one.party, &other.party, context);
            name_plugin(&mut verdict, [one, other]);
            (one, other, verdict)
        })
        .collect();
    let related = |(_, _, verdict): &(_, _, Verdict)| verdict.outcome != Outcome::Unrelated;
    if pairs.iter().any(related) {
        pairs.retain(related);
    }
    pairs
}
