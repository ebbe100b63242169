//! `unskew inspect FILE...`: what a file is and every version it carries.

use crate::args::{Global, Inspect};
use crate::exit::{Ending, Status};
use crate::{print, sides};

pub fn run(args: &Inspect, global: &Global) -> anyhow::Result<Status> {
    let options = sides::options(args.running).inferring().verifying(args.verify);
    let mut report = unskew_verbs::inspect(&args.files, &options, global.context());
    print::report(&mut report, args.format.into())?;
    Ok(Ending::of(&report, report.looks.len(), global).into())
}
