//! `unskew check A B...`, `unskew check A --with B...`: a verdict with reasons. `unskew check A` alone asks with which releases
//! it works.

use std::ffi::OsString;

use unskew_core::{Outcome, Severity};
use unskew_report::CheckedPair;

use crate::args::{Check, Global};
use crate::exit::{CallStatus, Ending};
use crate::{print, sides};

/// Every release of every family; those that have nothing in common with the file are left out.
const EVERY_RELEASE: &str = "all";

pub fn run(args: &Check, global: &Global) -> anyhow::Result<CallStatus> {
    let options = sides::options(args.running).verifying(args.verify).used(args.usage.into());
    let mut with = sides::each(args.others.iter().chain(&args.with));
    let is_alone = with.is_empty();
    let a = unskew_verbs::artifact_side(&args.a, &options)?;
    if is_alone {
        with.push(OsString::from(EVERY_RELEASE));
        with.extend(unskew_verbs::packages_looked_up(&a).into_iter().map(OsString::from));
    }
    let mut report = unskew_verbs::check_sides(a, &with, &options, global.context())?;
    let is_related = |pair: &CheckedPair| pair.verdict.outcome != Outcome::Unrelated;
    if is_alone && report.pairs.iter().any(is_related) {
        // What no family of releases reads may be judged for packages all the same.
        report.pairs.retain(is_related);
    }
    print::report(&mut report, args.format.into())?;
    let verdicts = report.pairs.iter().map(|pair| &pair.verdict);
    let mut ending = Ending::for_report(&report, report.pairs.len(), global);
    if is_alone {
        // Which releases refuse it is the answer here, not an error, if one does not.
        let severities = report.pairs.iter().map(|pair| pair.verdict.severity());
        let accepted = severities.filter(|severity| *severity < Some(Severity::Error)).max();
        ending.worst = accepted.unwrap_or(ending.worst);
    }
    Ok(ending.requiring(args.require, verdicts).into())
}
