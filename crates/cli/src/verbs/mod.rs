//! One file per verb.

mod adapt;
mod check;
mod conform;
mod convert;
mod diff;
mod explain;
mod fleet;
mod history;
mod inspect;
mod lint;
mod matrix;
mod ops;
mod probe;
mod releases;
mod run;
mod scan;
mod serve;
mod tf;

use crate::args::{Args, Verb};
use crate::exit::Status;

/// Carries out what was asked.
///
/// # Errors
/// If it could not be done.
pub fn run(args: &Args) -> anyhow::Result<Status> {
    match &args.verb {
        Verb::Inspect(inspect) => inspect::run(inspect, &args.global),
        Verb::Check(check) => check::run(check, &args.global),
        Verb::Matrix(matrix) => matrix::run(matrix, &args.global),
        Verb::Diff(diff) => diff::run(diff, &args.global),
        Verb::Lint(lint) => lint::run(lint, &args.global),
        Verb::Tf(tf) => tf::run(tf, &args.global),
        Verb::Explain(explain) => explain::run(explain),
        Verb::Releases(releases) => releases::run(releases, &args.global),
        Verb::Ops(ops) => ops::run(ops),
        Verb::History(history) => history::run(history, &args.global),
        Verb::Convert(convert) => convert::run(convert, &args.global),
        Verb::Fleet(fleet) => fleet::run(fleet, &args.global),
        Verb::Scan(scan) => scan::run(scan, &args.global),
        Verb::Adapt(adapt) => adapt::run(adapt, &args.global),
        Verb::Conform(conform) => conform::run(conform, &args.global),
        Verb::ConformChild { path, from, to } => conform::child(path, *from, *to),
        Verb::Run(run) => run::run(run, &args.global),
        Verb::Serve(serve) => serve::run(serve),
        Verb::InspectionChild { memory, seconds } => {
            let allowance = unskew_fleet::Allowance { memory: *memory, seconds: *seconds };
            unskew_fleet::inspection_main(allowance)
        }
        Verb::Probe { path, seconds } => probe::run(path, *seconds),
    }
}
