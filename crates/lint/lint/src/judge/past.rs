//! History of files: the states that have landed.

use std::ops::ControlFlow;

use super::lint_result::NotChecked;
use super::sides::Sides;
use crate::baseline::{BaselinePlace, States};
use unskew_history::{FileHistory, FileRevision, HistoryDepth};
use unskew_source::NotRead;

/// The states up to what has landed: where this branch left another one, if the baseline says so, or else the
/// commit that is checked out.
pub fn history_of(
    place: &BaselinePlace,
    sides: &Sides<'_>,
) -> Result<Box<dyn FileHistory>, NotChecked> {
    let Some(repository) = &sides.repository else { return Ok(Box::new(NoHistory)) };
    let from = match place.is_fork() {
        true => place.commit(sides.sources())?,
        false => match repository.commit("HEAD") {
            Ok(commit) => commit,
            // A repository without commits.
            Err(_) => return Ok(Box::new(NoHistory)),
        },
    };
    Ok(Box::new(States::until(repository, from)?))
}

#[derive(Debug)]
struct NoHistory;

impl FileHistory for NoHistory {
    fn walk(
        &self,
        _: &str,
        _: &mut dyn FnMut(FileRevision) -> ControlFlow<()>,
    ) -> Result<HistoryDepth, NotRead> {
        Ok(HistoryDepth::Nowhere)
    }
}
