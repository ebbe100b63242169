//! A model and its plan.

use unskew_fleet::store::{KeptRuntime, PublishedVersion};
use unskew_fleet::{FleetError, Plan, PlanOptions, coverage};

use super::{Gather, ListRequest, SIZE};
use crate::model::ModelPage;
use crate::plan::{PlanPage, PlanQuery};

/// How many versions are columns of a matrix.
const COLUMNS: usize = 8;

impl Gather<'_> {
    /// A model on a part of the runtimes; `from` is the newest version that is a column.
    ///
    /// # Errors
    /// [`FleetError::NoModel`] if there is no such model.
    pub fn model(
        &mut self,
        name: &str,
        part: &ListRequest,
        from: Option<i64>,
    ) -> Result<ModelPage, FleetError> {
        let day = self.day();
        let versions = self.fleet.versions(name, &day)?;
        let start = from.map_or(0, |from| versions.partition_point(|one| one.number > from));
        let start = start.min(versions.len().saturating_sub(1));
        let columns = start..(start + COLUMNS).min(versions.len());
        let everyone = self.fleet.store().runtimes_in_short(&day)?;
        let everything = self.survey.gets(self.fleet, &versions, &everyone, &self.view.policy)?;
        let newest = versions.first().map(|newest| newest.number);
        let store = self.fleet.store();
        let (listing, runtimes) =
            part.look_up(SIZE, |asked| Ok(store.runtimes_in(asked, &day)?))?;
        let gets = self.survey.gets(self.fleet, &versions, &runtimes, &self.view.policy)?;
        let shown = versions.get(columns.clone()).unwrap_or_default();
        let pairs: Vec<(&PublishedVersion, &KeptRuntime)> = runtimes
            .iter()
            .flat_map(|runtime| shown.iter().map(move |version| (version, runtime)))
            .collect();
        let answers = self.survey.answers(self.fleet, &pairs, &self.view.policy)?;
        let pairs = everyone.iter().zip(everything).filter(|_| newest.is_some());
        Ok(ModelPage {
            view: self.view,
            name: name.to_owned(),
            coverage: coverage(pairs, newest),
            columns,
            listing,
            gets,
            answers,
            versions,
            runtimes,
        })
    }

    /// The plan for a model. A change that cannot be applied is named on the page, and the plan is that of the fleet as it
    /// is.
    ///
    /// # Errors
    /// [`FleetError::NoModel`] if there is no such model, or if something cannot be read.
    pub fn plan(&mut self, model: &str, asked: PlanQuery) -> Result<PlanPage, FleetError> {
        let options = PlanOptions {
            most: asked.most.unwrap_or(usize::MAX),
            any_version: asked.any_version,
            ..PlanOptions::default()
        };
        let runtimes = self.fleet.runtimes_on(&self.day())?;
        let names = runtimes.iter().map(|runtime| runtime.name.clone()).collect();
        let now = self.fleet.plan_for(model, &runtimes, &self.view.policy, &options)?;
        let (then, wrong) = match self.what_if(model, &asked, runtimes, &options) {
            Ok(then) => (then, None),
            Err(
                error @ (FleetError::WhatIf(_)
                | FleetError::Profile(_)
                | FleetError::NoRuntime { .. }),
            ) => (None, Some(error.to_string())),
            Err(error) => return Err(error),
        };
        let (plan, now) = match then {
            Some(then) => (then, Some(now)),
            None => (now, None),
        };
        Ok(PlanPage { view: self.view, asked, wrong, plan, now, runtimes: names })
    }

    /// The plan for the fleet as it would be, if there are hypothetical changes.
    fn what_if(
        &mut self,
        model: &str,
        asked: &PlanQuery,
        mut runtimes: Vec<KeptRuntime>,
        options: &PlanOptions,
    ) -> Result<Option<Plan>, FleetError> {
        if asked.what_if.is_empty() {
            return Ok(None);
        }
        for what_if in &asked.what_if {
            what_if.apply(&mut runtimes)?;
        }
        self.fleet.plan_for(model, &runtimes, &self.view.policy, options).map(Some)
    }
}
