//! `unskew matrix A... --with B...`: every pair.

use std::ffi::OsString;

use anyhow::bail;
use rayon::prelude::*;
use unskew_artifact::Options;
use unskew_report::{Failure, Format};

use crate::args::{Global, GridFormat, Matrix};
use crate::exit::{Ending, Status};
use crate::grid::{Grid, Row};
use crate::sides::Member;
use crate::{one_kind, print, progress, sides};

/// The width of a table where the terminal does not tell its own.
const WIDTH: usize = 120;

pub fn run(args: &Matrix, global: &Global) -> anyhow::Result<Status> {
    let options = sides::options(args.running);
    let columns = columns(&args.with, &options)?;
    let rows = rows(&args.a, &options);
    let bar = progress::bar("judging", rows.len() * columns.len(), progress::MANY_PAIRS);
    let grid = Grid::judge(rows, columns, global.context(), &bar);
    if let Some(why) = one_kind::refusal(grid.outcomes()) {
        bail!(why);
    }
    let text = match args.format {
        GridFormat::Table => grid.table(width()),
        GridFormat::Csv => grid.csv(),
        GridFormat::Html => grid.html(),
        GridFormat::Json => grid.report(true).render(Format::Json),
        GridFormat::Concise => grid.report(false).render(Format::Concise),
        GridFormat::Sarif => grid.report(false).render(Format::Sarif),
        GridFormat::Github => grid.report(false).render(Format::Github),
    };
    match &args.output {
        Some(path) => print::file(path, &text)?,
        None => print::out(&text)?,
    }
    if args.format != GridFormat::Table || args.output.is_some() {
        grid.failures().for_each(|failure| print::failure(&failure.message));
    }
    let failed = grid.failures().count();
    let done = grid.rows.len() - failed;
    Ok(Ending {
        done,
        failed,
        worst: grid.severity(),
        deny: global.deny(),
        unjudged: global.unjudged(grid.unjudged()),
    }
    .into())
}

/// The rows: a file that cannot be read keeps its row, which says why.
fn rows(names: &[OsString], options: &Options) -> Vec<Row> {
    let bar = progress::bar("reading", names.len(), progress::MANY_FILES);
    let read = |name: &OsString| -> Vec<Row> {
        bar.step();
        match sides::side(name, options) {
            Ok(side) => {
                let broken = side.failures.into_iter().map(Err);
                side.members.into_iter().map(Ok).chain(broken).collect()
            }
            Err(error) => {
                let path = name.display().to_string();
                vec![Err(Failure { path, message: print::chain(&error) })]
            }
        }
    };
    let rows = names.par_iter().flat_map_iter(read).collect();
    bar.finish();
    rows
}

/// The columns, each once. A column that cannot be read is an error: what was asked for would be
/// missing in every row.
fn columns(names: &[OsString], options: &Options) -> anyhow::Result<Vec<Member>> {
    let mut columns: Vec<Member> = Vec::new();
    for name in names {
        let side = sides::side(name, options)?;
        for member in side.members {
            if columns.iter().all(|column| column.label != member.label) {
                columns.push(member);
            }
        }
    }
    if columns.is_empty() {
        bail!("the database has no release of this family");
    }
    Ok(columns)
}

fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    told.unwrap_or(WIDTH)
}
