//! `unskew inspect FILE...`: what a file is and every version it carries.

use unskew_report::{Failure, Look, Report};

use crate::args::{Global, Inspect};
use crate::exit::{Ending, Status};
use crate::{print, sides};

pub fn run(args: &Inspect, global: &Global) -> anyhow::Result<Status> {
    let mut report = Report::new(global.context());
    let options = sides::options(args.running).inferring().verifying(args.verify);
    for file in &args.files {
        match sides::side(file, &options) {
            Ok(side) => {
                let looks =
                    side.members.into_iter().map(|m| Look { path: m.label, party: m.party });
                report.looks.extend(looks);
                report.failures.extend(side.failures);
            }
            Err(error) => report
                .failures
                .push(Failure { path: file.display().to_string(), message: print::chain(&error) }),
        }
    }
    print::report(&report, args.format.into())?;
    Ok(Ending::of(&report, report.looks.len(), global).into())
}
