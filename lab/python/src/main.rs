//! `cargo lab`, what there is about environments of Python and native extensions.
#![forbid(unsafe_code)]

mod drifted;
mod environments;
mod extensions;
mod generated;
mod held_out;
mod locked_names;

use unskew_lab_harness::Subject;

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml"))
        .with("drifted-environments", drifted::run)
        .with("environments", environments::run)
        .with("extensions", extensions::run)
        .with("generated", generated::run)
        .with("held-out-environments", held_out::run)
        .with("locked-names", locked_names::run)
        .run()
}
