//! The overview and the list of runtimes.

use unskew_fleet::store::KeptRuntime;
use unskew_fleet::{FleetError, Gets, coverage};

use super::{Gather, Part, SIZE};
use crate::overview::{ModelRow, Overview};
use crate::runtimes::Runtimes;

/// How many of the largest runtimes the overview has.
const LARGEST: usize = 8;

impl Gather<'_> {
    /// The overview, with a part of the models.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn overview(&mut self, part: &Part) -> Result<Overview, FleetError> {
        let day = self.day();
        let runtimes = self.fleet.store().runtimes_in_short(&day)?;
        let store = self.fleet.store();
        let (listing, names) = part.look_up(SIZE, |asked| Ok(store.models_in(asked)?))?;
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
            let unserved = pairs().filter(|(_, gets)| *gets == Gets::Nothing);
            ModelRow {
                name,
                versions: count,
                coverage: coverage(pairs(), newest.as_ref().map(|newest| newest.number)),
                unserved: unserved
                    .map(|(runtime, _)| (runtime.name.clone(), runtime.devices))
                    .collect(),
                newest,
            }
        });
        let models = models.collect();
        Ok(Overview {
            view: self.view,
            runtimes: runtimes.len() as u64,
            devices: runtimes.iter().fold(0, |all, one| all.saturating_add(one.devices)),
            largest: largest(&runtimes),
            listing,
            models,
        })
    }

    /// A part of the runtimes.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn runtimes(&mut self, part: &Part) -> Result<Runtimes, FleetError> {
        let (day, store) = (self.day(), self.fleet.store());
        let (listing, runtimes) =
            part.look_up(SIZE, |asked| Ok(store.runtimes_in(asked, &day)?))?;
        Ok(Runtimes { view: self.view, listing, runtimes })
    }
}

/// The runtimes that most devices have.
fn largest(runtimes: &[KeptRuntime]) -> Vec<(String, u64)> {
    let mut all: Vec<&KeptRuntime> = runtimes.iter().collect();
    all.sort_by_key(|one| (std::cmp::Reverse(one.devices), &one.name));
    all.into_iter().take(LARGEST).map(|one| (one.name.clone(), one.devices)).collect()
}
