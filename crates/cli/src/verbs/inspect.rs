//! `unskew inspect FILE...`: what a file is and every version it carries.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use unskew_source::{FileSource, Source};
use unskew_stablehlo::print::{PrintError, PrintOptions};
use unskew_stablehlo::{Mlir, TextProgram};

use crate::args::{Global, Inspect, ProgramTextLength};
use crate::exit::{CallStatus, Ending};
use crate::{print, sides};

/// Constants with more elements than this are left out of a short text.
const SHORT: usize = 16;

pub fn run(args: &Inspect, global: &Global) -> anyhow::Result<CallStatus> {
    if let Some(form) = args.text {
        for file in &args.files {
            text(Path::new(file), form)?;
        }
        return Ok(CallStatus::Clean);
    }
    let options = sides::options(args.running).inferring().verifying(args.verify);
    let mut report = unskew_verbs::inspect(&args.files, &options, global.context());
    print::report(&mut report, args.format.into())?;
    Ok(Ending::for_report(&report, report.looks.len(), global).into())
}

/// Prints the program of a file.
fn text(path: &Path, form: ProgramTextLength) -> anyhow::Result<()> {
    let file: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let program: Arc<dyn Source> = match unskew_jax_export::Exported::read(&file)? {
        Some((_, program)) => Arc::new(program),
        None => file,
    };
    let program = match Mlir::read(&*program)? {
        Some(Mlir::Text(_)) => TextProgram::read(&*program)?.bytecode,
        Some(_) => program,
        None => bail!(
            "{} is no StableHLO artifact; --text prints the programs of those",
            path.display()
        ),
    };
    let elide = (form == ProgramTextLength::Short).then_some(SHORT);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let printed = unskew_stablehlo::print::text(&program, &PrintOptions { elide }, &mut out);
    match printed.and_then(|()| Ok(out.flush()?)) {
        // A reader that has seen enough is no error.
        Err(PrintError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed.with_context(|| format!("cannot print {}", path.display())),
    }
}
