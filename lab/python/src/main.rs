//! `cargo lab`, what there is about environments of Python and native extensions.
#![forbid(unsafe_code)]

mod environments;
mod extensions;
mod generated;
mod locked_names;

use unskew_lab_harness::Subject;

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml"))
        .with("environments", environments::run)
        .with("extensions", extensions::run)
        .with("generated", generated::run)
        .with("locked-names", locked_names::run)
        .run()
}
