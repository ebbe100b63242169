//! What a verb says that this build does not have.

use anyhow::bail;

use crate::args::Absent;
use crate::exit::Status;

pub fn run(args: &Absent, verb: &str, feature: &str) -> anyhow::Result<Status> {
    let mut asked = format!("unskew {verb}");
    for argument in &args.arguments {
        asked.push(' ');
        asked.push_str(&argument.to_string_lossy());
    }
    bail!(
        "this build of Unskew has no `{verb}`, so this was not done: {asked}\n\
         build one that has it: cargo build --release --features {feature} (`full`: every verb)"
    )
}
