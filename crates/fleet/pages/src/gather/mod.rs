//! Data of the pages of a fleet, from the fleet.
//!
//! The lists and the matrix look up what is kept ([`Survey`]) and never open an artifact, however many pairs they
//! show. A decision and a plan are asked for by name, so they ask the runtimes that were not asked yet.

mod decision;
mod lists;
mod model;
mod runtime;

use unskew_fleet::{AnswerIndex, Fleet, FleetError};

use crate::address::PageView;
use crate::listing::ListPage;

/// How many models or runtimes stand on a page.
const SIZE: u64 = 25;

/// Which part of a list somebody asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListRequest {
    /// What names must contain.
    pub contains: String,
    /// The page, from 1; 0 is the first, too.
    pub page: u64,
}

impl ListRequest {
    /// As a listing of as many as there are, with at most the last page.
    fn page_of(&self, all: u64, size: u64) -> ListPage {
        let mut listing =
            ListPage { contains: self.contains.clone(), page: self.page.max(1), size, all };
        listing.page = listing.page.min(listing.pages());
        listing
    }

    /// Looks up a part of a list; the page may stand behind the last, whose part is then looked up.
    fn look_up<T>(
        &self,
        size: u64,
        mut list: impl FnMut(
            unskew_fleet::store::ListQuery<'_>,
        ) -> Result<unskew_fleet::store::ListSlice<T>, FleetError>,
    ) -> Result<(ListPage, Vec<T>), FleetError> {
        let contains = self.contains.as_str();
        let skip = self.page.saturating_sub(1).saturating_mul(size);
        let found = list(unskew_fleet::store::ListQuery { contains, skip, most: size })?;
        let listing = self.page_of(found.all, size);
        if listing.skip() == skip {
            return Ok((listing, found.rows));
        }
        let skip = listing.skip();
        let found = list(unskew_fleet::store::ListQuery { contains, skip, most: size })?;
        Ok((listing, found.rows))
    }
}

/// Gathers pages from a fleet.
pub struct Gather<'a> {
    fleet: &'a mut Fleet,
    survey: &'a mut AnswerIndex,
    view: PageView,
}

impl<'a> Gather<'a> {
    /// From a fleet, looked at in a way. The survey remembers what it read, so it is used again.
    pub fn new(fleet: &'a mut Fleet, survey: &'a mut AnswerIndex, view: PageView) -> Self {
        Self { fleet, survey, view }
    }

    fn day(&self) -> String {
        self.view.policy.as_of.to_string()
    }
}
