//! `unskew ops ...`: operators. One file per subcommand.

mod bisect;
mod closure;
mod release;
mod run;
mod table;
mod values;

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use unskew_source::{FileSource, Source};
use unskew_torch::Model;

use crate::args::{Ops, OpsVerb};
use crate::exit::Status;
use crate::print;

pub fn run(args: &Ops) -> anyhow::Result<Status> {
    match &args.what {
        OpsVerb::Table(table) => table::run(table),
        OpsVerb::Closure(closure) => closure::run(closure),
        OpsVerb::Run(args) => run::run(args),
        OpsVerb::Bisect(args) => bisect::run(args),
    }
}

/// The PyTorch file at `path`.
fn model(path: &Path) -> anyhow::Result<(Arc<dyn Source>, Model)> {
    let shown = path.display();
    let source: Arc<dyn Source> =
        Arc::new(FileSource::open(path).with_context(|| format!("cannot read {shown}"))?);
    let model = unskew_torch::read(&source)?;
    let model = model.with_context(|| format!("no PyTorch model with operators: {shown}"))?;
    Ok((source, model))
}

/// Prints a text, or writes it to a file.
fn put(text: &str, output: Option<&Path>) -> anyhow::Result<Status> {
    match output {
        Some(path) => print::file(path, text)?,
        None => print::out(text)?,
    }
    Ok(Status::Clean)
}
