//! The overview and the list of runtimes.

use unskew_fleet::store::KeptRuntime;
use unskew_fleet::{FleetError, RuntimeAnswer, coverage};

use super::{Gather, ListRequest, SIZE};
use crate::listing::ListPage;
use crate::overview::{ModelOverview, Overview};
use crate::runtimes::RuntimesPage;
use crate::unserved::Unserved;

/// How many of the largest runtimes the overview has.
const LARGEST: usize = 8;

/// How many pairs of models and runtimes are looked at for one page of those that are not served, and how many models
/// at most.
const PAIRS: u64 = 20_000;
const MOST: u64 = 1_000;

impl Gather<'_> {
    /// The overview, with a part of the models.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn overview(&mut self, part: &ListRequest) -> Result<Overview, FleetError> {
        let day = self.day();
        let runtimes = self.fleet.store().runtimes_in_short(&day)?;
        let (listing, models) = self.models(part, SIZE, &runtimes)?;
        Ok(Overview {
            view: self.view,
            runtimes: runtimes.len() as u64,
            devices: runtimes.iter().fold(0, |all, one| all.saturating_add(one.devices)),
            largest: largest(&runtimes),
            listing,
            models,
        })
    }

    /// The models that do not reach everybody, of as many models as can be looked at quickly.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn unserved(&mut self, part: &ListRequest) -> Result<Unserved, FleetError> {
        let day = self.day();
        let runtimes = self.fleet.store().runtimes_in_short(&day)?;
        let size = PAIRS / (runtimes.len() as u64).max(1);
        let (listing, models) = self.models(part, size.clamp(SIZE, MOST), &runtimes)?;
        Ok(Unserved { view: self.view, listing, models })
    }

    /// A part of the models, and how far each reaches.
    fn models(
        &mut self,
        part: &ListRequest,
        size: u64,
        runtimes: &[KeptRuntime],
    ) -> Result<(ListPage, Vec<ModelOverview>), FleetError> {
        let (day, store) = (self.day(), self.fleet.store());
        let (listing, names) = part.look_up(size, |asked| Ok(store.models_in(asked)?))?;
        let mut versions = Vec::new();
        for (name, _) in &names {
            versions.push(self.fleet.store().versions(name, &day)?);
        }
        let pairs: Vec<_> = versions
            .iter()
            .flat_map(|own| runtimes.iter().map(move |runtime| (own.as_slice(), runtime)))
            .collect();
        let gets = self.survey.gets_of(self.fleet, &pairs, &self.view.policy)?;
        let rows = names.into_iter().zip(&versions).enumerate();
        let models = rows.map(|(at, ((name, count), versions))| {
            let from = at * runtimes.len();
            let gets = gets.get(from..from + runtimes.len()).unwrap_or_default();
            let newest = versions.first().cloned();
            // Without a version there is nothing that could fit.
            let there = newest.is_some();
            let pairs = || runtimes.iter().zip(gets.iter().copied()).filter(move |_| there);
            let unserved = pairs().filter(|(_, gets)| *gets == RuntimeAnswer::Nothing);
            ModelOverview {
                name,
                versions: count,
                coverage: coverage(pairs(), newest.as_ref().map(|newest| newest.number)),
                unserved: unserved
                    .map(|(runtime, _)| (runtime.name.clone(), runtime.devices))
                    .collect(),
                newest,
            }
        });
        Ok((listing, models.collect()))
    }

    /// A part of the runtimes.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn runtimes(&mut self, part: &ListRequest) -> Result<RuntimesPage, FleetError> {
        let (day, store) = (self.day(), self.fleet.store());
        let (listing, runtimes) =
            part.look_up(SIZE, |asked| Ok(store.runtimes_in(asked, &day)?))?;
        Ok(RuntimesPage { view: self.view, listing, runtimes })
    }
}

/// The runtimes that most devices have.
fn largest(runtimes: &[KeptRuntime]) -> Vec<(String, u64)> {
    let mut all: Vec<&KeptRuntime> = runtimes.iter().collect();
    all.sort_by_key(|one| (std::cmp::Reverse(one.devices), &one.name));
    all.into_iter().take(LARGEST).map(|one| (one.name.clone(), one.devices)).collect()
}
