//! `unskew matrix A... --with B...`: every pair.

use unskew_report::RenderFormat;

use crate::args::{Global, GridFormat, MatrixArgs};
use crate::exit::{CallStatus, Ending};
use crate::print::{self, Printable};
use crate::{progress, sides};

/// The width of a table where the terminal does not tell its own.
const WIDTH: usize = 120;

pub fn run(args: &MatrixArgs, global: &Global) -> anyhow::Result<CallStatus> {
    let options = sides::options(args.running).used(args.usage.into());
    let columns = unskew_verbs::columns(&crate::sides::each(&args.with), &options)?;
    let bar = progress::bar("reading", args.a.len(), progress::MANY_FILES);
    let step = || {
        bar.step();
        Ok(())
    };
    let rows = unskew_verbs::rows(&args.a, &options, &step)?;
    bar.finish();
    let bar = progress::bar("judging", rows.len() * columns.len(), progress::MANY_PAIRS);
    let step = || {
        bar.step();
        Ok(())
    };
    let grid = unskew_verbs::judge(rows, columns, global.context(), &step)?;
    bar.finish();
    let text = match args.format {
        GridFormat::Table => grid.table(width()).into(),
        GridFormat::Csv => Printable::document(&grid.csv()),
        GridFormat::Html => Printable::document(&grid.html()),
        GridFormat::Json => print::rendered(&mut grid.report(true), RenderFormat::Json),
        GridFormat::Concise => print::rendered(&mut grid.report(false), RenderFormat::Concise),
        GridFormat::Sarif => print::rendered(&mut grid.report(false), RenderFormat::Sarif),
        GridFormat::Github => print::rendered(&mut grid.report(false), RenderFormat::Github),
    };
    match &args.output {
        Some(path) => print::file(path, text)?,
        None => print::found(text)?,
    }
    if args.format != GridFormat::Table || args.output.is_some() {
        grid.failures().for_each(|failure| print::failure(&failure.message));
    }
    let failed = grid.failures().count();
    let done = grid.rows.len() - failed;
    let ending = Ending {
        done,
        failed,
        worst: grid.severity(),
        deny: global.deny(),
        unjudged: global.unjudged(grid.unjudged()),
    };
    Ok(ending.requiring(args.require, grid.verdicts()).into())
}

fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    told.or_else(measured).unwrap_or(WIDTH)
}
