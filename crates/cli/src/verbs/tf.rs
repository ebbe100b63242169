//! `unskew tf TASK`: what concerns those who change TensorFlow.

mod evolve;

use crate::args::{Global, Task, Tf};
use crate::exit::CallStatus;

pub fn run(args: &Tf, global: &Global) -> anyhow::Result<CallStatus> {
    match &args.task {
        Task::Evolve(args) => evolve::run(args, global),
    }
}
