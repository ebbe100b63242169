//! `unskew check A --with B...`: a verdict with reasons.

use crate::args::{Check, Global};
use crate::exit::{CallStatus, Ending};
use crate::{print, sides};

pub fn run(args: &Check, global: &Global) -> anyhow::Result<CallStatus> {
    let options = sides::options(args.running).verifying(args.verify).used(args.usage.into());
    let a = unskew_verbs::side(&args.a, &options)?;
    let mut report = unskew_verbs::check_sides(a, &args.with, &options, global.context())?;
    print::report(&mut report, args.format.into())?;
    let verdicts = report.pairs.iter().map(|pair| &pair.verdict);
    let ending = Ending::for_report(&report, report.pairs.len(), global);
    Ok(ending.requiring(args.require, verdicts).into())
}
