//! `unskew env ENVIRONMENT` and `unskew lock FILE`: what breaks at import, and which pins fix it.

use unskew_verbs::{EnvironmentAnswer, Machine, Target};

use crate::args::{Env, Global, Lock, LockMachine, ReportFormat};
use crate::exit::{Ending, Status};
use crate::print;

pub fn env(args: &Env, global: &Global) -> anyhow::Result<Status> {
    print_answer(&unskew_verbs::env(&args.path, global.context())?, args.format, global)
}

pub fn lock(args: &Lock, global: &Global) -> anyhow::Result<Status> {
    let machine = match args.machine {
        LockMachine::X86 => Machine::X86,
        LockMachine::Arm => Machine::Arm,
    };
    let target = Target { python: args.python, machine };
    let index = args.fetch.then_some(args.index.as_str());
    let answer = unskew_verbs::lock(&args.path, target, index, global.context())?;
    print_answer(&answer, args.format, global)
}

fn print_answer(
    answer: &EnvironmentAnswer,
    format: ReportFormat,
    global: &Global,
) -> anyhow::Result<Status> {
    print::out(&answer.render(format.into()))?;
    Ok(Ending::of(&answer.report, answer.environment.packages.len(), global).into())
}
