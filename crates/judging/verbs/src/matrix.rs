//! Every pair of many sides and many others.

use std::ffi::OsString;

use unskew_artifact::OpenOptions;
use unskew_core::Context;
use unskew_report::ReadFailure;

use crate::progress::{Interrupted, Progress};
use crate::sides::ResolvedParty;
use crate::{Grid, GridRow, VerbError, chain, parallel, same_role, side};

/// Judges every pair of `a` and `with`. A row that cannot be read says why.
///
/// # Errors
/// If a column cannot be read, all are of one kind, or `progress` says to stop.
pub fn matrix(
    a: &[OsString],
    with: &[OsString],
    options: &OpenOptions,
    context: Context,
    progress: &Progress<'_>,
) -> Result<Grid, VerbError> {
    let columns = columns(with, options)?;
    judge(rows(a, options, &crate::progress::silent)?, columns, context, progress)
}

/// Judges every pair of rows and columns that were opened already.
///
/// # Errors
/// If all are of one kind, or `progress` says to stop.
pub fn judge(
    rows: Vec<GridRow>,
    columns: Vec<ResolvedParty>,
    context: Context,
    progress: &Progress<'_>,
) -> Result<Grid, VerbError> {
    let grid = Grid::judge(rows, columns, context, progress)?;
    match same_role::refusal(grid.outcomes()) {
        Some(why) => Err(VerbError::Question(why)),
        None => Ok(grid),
    }
}

/// The rows: a file that cannot be read keeps its row, which says why.
///
/// # Errors
/// If `progress` says to stop.
pub fn rows(
    names: &[OsString],
    options: &OpenOptions,
    progress: &Progress<'_>,
) -> Result<Vec<GridRow>, Interrupted> {
    let read = |name: &OsString| -> Result<Vec<GridRow>, Interrupted> {
        progress()?;
        Ok(match side(name, options) {
            Ok(side) => {
                let broken = side.failures.into_iter().map(Err);
                side.members.into_iter().map(Ok).chain(broken).collect()
            }
            Err(error) => {
                let path = name.display().to_string();
                vec![Err(ReadFailure { path, message: chain(&error) })]
            }
        })
    };
    let rows = parallel::try_map(names.len(), |index| read(&names[index]))?;
    Ok(rows.into_iter().flatten().collect())
}

/// The columns, each once. A column that cannot be read is an error: what was asked for would be
/// missing in every row.
///
/// # Errors
/// If one cannot be read, or there is none.
pub fn columns(names: &[OsString], options: &OpenOptions) -> Result<Vec<ResolvedParty>, VerbError> {
    let mut columns: Vec<ResolvedParty> = Vec::new();
    for name in names {
        for member in side(name, options)?.members {
            if columns.iter().all(|column| column.label != member.label) {
                columns.push(member);
            }
        }
    }
    if columns.is_empty() { Err(VerbError::NoRelease) } else { Ok(columns) }
}
