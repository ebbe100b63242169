//! What files were before: the states that have landed.

use std::ops::ControlFlow;

use super::outcome::NotChecked;
use super::sides::Sides;
use crate::baseline::{BaselinePlace, States};
use unskew_history::{Past, Reach, State};
use unskew_source::NotRead;

/// The states up to what has landed: where this branch left another one, if the baseline says so, or else the
/// commit that is checked out.
pub fn of(place: &BaselinePlace, sides: &Sides<'_>) -> Result<Box<dyn Past>, NotChecked> {
    let Some(repository) = &sides.repository else { return Ok(Box::new(Nowhere)) };
    let from = match place.is_fork() {
        true => place.commit(sides.sources())?,
        false => match repository.commit("HEAD") {
            Ok(commit) => commit,
            // A repository without commits.
            Err(_) => return Ok(Box::new(Nowhere)),
        },
    };
    Ok(Box::new(States::until(repository, from)?))
}

#[derive(Debug)]
struct Nowhere;

impl Past for Nowhere {
    fn walk(&self, _: &str, _: &mut dyn FnMut(State) -> ControlFlow<()>) -> Result<Reach, NotRead> {
        Ok(Reach::Nowhere)
    }
}
