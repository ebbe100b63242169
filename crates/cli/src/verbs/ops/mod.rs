//! `unskew ops ...`: operators. One file per subcommand.

#[cfg(feature = "run")]
mod bisect;
mod closure;
#[cfg(feature = "run")]
mod release;
#[cfg(feature = "run")]
mod run;
mod table;
#[cfg(feature = "run")]
mod values;

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use unskew_source::{FileSource, Source};
use unskew_torch::TorchModel;

use crate::args::{Ops, OpsVerb};
use crate::exit::CallStatus;
use crate::print;

pub fn run(args: &Ops) -> anyhow::Result<CallStatus> {
    match &args.what {
        OpsVerb::Table(table) => table::run(table),
        OpsVerb::Closure(closure) => closure::run(closure),
        #[cfg(feature = "run")]
        OpsVerb::Run(args) => run::run(args),
        #[cfg(feature = "run")]
        OpsVerb::Bisect(args) => bisect::run(args),
        #[cfg(not(feature = "run"))]
        OpsVerb::Run(absent) => super::absent::run(absent, "ops run", "run"),
        #[cfg(not(feature = "run"))]
        OpsVerb::Bisect(absent) => super::absent::run(absent, "ops bisect", "run"),
    }
}

/// The PyTorch file at `path`.
fn model(path: &Path) -> anyhow::Result<(Arc<dyn Source>, TorchModel)> {
    let shown = path.display();
    let source: Arc<dyn Source> =
        Arc::new(FileSource::open(path).with_context(|| format!("cannot read {shown}"))?);
    let model = unskew_torch::read(&source)?;
    let model = model.with_context(|| format!("no PyTorch model with operators: {shown}"))?;
    Ok((source, model))
}

/// Prints a text, or writes it to a file.
fn put(text: impl Into<print::Printable>, output: Option<&Path>) -> anyhow::Result<CallStatus> {
    match output {
        Some(path) => print::file(path, text)?,
        None => print::out(text)?,
    }
    Ok(CallStatus::Clean)
}
