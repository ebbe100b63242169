//! One file per verb.

#[cfg(not(all(feature = "fleet", feature = "run", feature = "scan", feature = "serve")))]
mod absent;
mod adapt;
mod check;
mod conform;
mod convert;
mod diff;
mod environment;
mod error_text;
mod explain;
#[cfg(feature = "fleet")]
mod fleet;
mod history;
mod inspect;
mod lint;
mod matrix;
mod ops;
mod probe;
mod releases;
#[cfg(feature = "run")]
mod run;
#[cfg(feature = "scan")]
mod scan;
#[cfg(feature = "serve")]
mod serve;
mod shell;
mod tf;

use crate::args::{Args, Verb};
use crate::exit::CallStatus;

/// Carries out what was asked.
///
/// # Errors
/// If it could not be done.
pub fn run(args: &Args) -> anyhow::Result<CallStatus> {
    match &args.verb {
        Verb::Inspect(inspect) => inspect::run(inspect, &args.global),
        Verb::Check(check) => check::run(check, &args.global),
        Verb::Matrix(matrix) => matrix::run(matrix, &args.global),
        Verb::Env(env) => environment::env(env, &args.global),
        Verb::Lock(lock) => environment::lock(lock, &args.global),
        Verb::Diff(diff) => diff::run(diff, &args.global),
        Verb::Lint(lint) => lint::run(lint, &args.global),
        Verb::Tf(tf) => tf::run(tf, &args.global),
        Verb::Explain(explain) => explain::run(explain, &args.global),
        Verb::Completions(completions) => shell::completions(completions),
        Verb::Man(man) => shell::man(man),
        Verb::Releases(releases) => releases::run(releases, &args.global),
        Verb::Ops(ops) => ops::run(ops),
        Verb::History(history) => history::run(history, &args.global),
        Verb::Convert(convert) => convert::run(convert, &args.global),
        #[cfg(not(feature = "fleet"))]
        Verb::Fleet(absent) => absent::run(absent, "fleet", "fleet"),
        #[cfg(not(feature = "run"))]
        Verb::Run(absent) => absent::run(absent, "run", "run"),
        #[cfg(not(feature = "scan"))]
        Verb::Scan(absent) => absent::run(absent, "scan", "scan"),
        #[cfg(not(feature = "serve"))]
        Verb::Serve(absent) => absent::run(absent, "serve", "serve"),
        #[cfg(not(feature = "serve"))]
        Verb::Proxy(absent) => absent::run(absent, "proxy", "serve"),
        #[cfg(feature = "fleet")]
        Verb::Fleet(fleet) => fleet::run(fleet, &args.global),
        #[cfg(feature = "scan")]
        Verb::Scan(scan) => scan::run(scan, &args.global),
        Verb::Adapt(adapt) => adapt::run(adapt, &args.global),
        Verb::Conform(conform) => conform::run(conform, &args.global),
        Verb::ConformChild { path, from, to } => conform::child(path, *from, *to),
        #[cfg(feature = "run")]
        Verb::Run(run) => run::run(run, &args.global),
        #[cfg(feature = "serve")]
        Verb::Serve(serve) => serve::run(serve),
        #[cfg(feature = "serve")]
        Verb::Proxy(proxy) => serve::proxy(proxy),
        #[cfg(feature = "fleet")]
        Verb::InspectionChild { memory, seconds } => {
            let allowance = unskew_fleet::Allowance { memory: *memory, seconds: *seconds };
            unskew_fleet::inspection_main(allowance)
        }
        #[cfg(feature = "scan")]
        Verb::JudgeProcess { memory, seconds } => {
            let allowance = unskew_scan::Allowance { memory: *memory, seconds: *seconds };
            unskew_scan::judge_process_main(allowance)
        }
        Verb::Probe { path, programs: Some(programs), from, .. } => {
            probe::compile(path, programs, *from)
        }
        Verb::Probe { path, seconds, .. } => probe::run(path, *seconds),
    }
}

/// This very program, also when another was put in its place since it began.
#[cfg(any(feature = "fleet", feature = "scan"))]
fn this_program() -> std::path::PathBuf {
    match cfg!(target_os = "linux") {
        true => "/proc/self/exe".into(),
        // Without a name no program is run: one of that name may lie anywhere.
        false => std::env::current_exe().unwrap_or_default(),
    }
}
