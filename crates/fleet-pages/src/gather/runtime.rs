//! A runtime.

use unskew_core::{Date, Party};
use unskew_fleet::FleetError;
use unskew_lint::history::Fall;

use super::{Gather, Part, SIZE};
use crate::runtime::{RuntimePage, Standing};
use crate::windows::answers;

impl Gather<'_> {
    /// A runtime, and what it gets of a part of the models.
    ///
    /// # Errors
    /// [`FleetError::NoRuntime`] if there is no such runtime.
    pub fn runtime(&mut self, name: &str, part: &Part) -> Result<RuntimePage, FleetError> {
        let kept = self.fleet.runtime(name)?;
        let built = self.fleet.built(&kept)?;
        let store = self.fleet.store();
        let (listing, names) = part.look_up(SIZE, |asked| Ok(store.models_in(asked)?))?;
        let day = self.day();
        let mut models = Vec::new();
        for (name, _) in names {
            let versions = self.fleet.store().versions(&name, &day)?;
            // A model of which nothing was there by then is no model of that day.
            if !versions.is_empty() {
                models.push((name, versions));
            }
        }
        let pairs: Vec<_> = models.iter().map(|(_, own)| (own.as_slice(), &kept)).collect();
        let gets = self.survey.gets_of(self.fleet, &pairs, &self.view.policy)?;
        let released = built.profile.released();
        Ok(RuntimePage {
            view: self.view,
            released: Some(released.to_string()),
            standing: standing(&built.party, released, self.view.policy.as_of),
            history: Vec::new(),
            listing,
            models: models.into_iter().map(|(name, _)| name).zip(gets).collect(),
            runtime: kept,
        })
    }
}

/// How a runtime stands on every axis with a history.
fn standing(party: &Party, released: Date, day: Date) -> Vec<Standing> {
    let mut all = Vec::new();
    for history in unskew_releases::histories() {
        let Some(provision) = party.provision(&history.axis) else { continue };
        let own = provision.versions.max.filter(|own| history.landed(*own).is_some());
        let Some(answers) = answers(&history, day) else { continue };
        let promise =
            answers.window.as_ref().zip(own).map(|(window, own)| match answers.fall(own) {
                Ok(Fall::InForce) => format!("{window}; {own} is in force"),
                Ok(Fall::Last(last)) if last >= day => {
                    format!("{window}; {own} counts until {last}")
                }
                Ok(Fall::Last(last)) => format!("{window}; that of {own} ended on {last}"),
                _ => format!("{window}; that of {own} is open"),
            });
        all.push(Standing {
            axis: history.axis.to_string(),
            has: provision.versions.to_string(),
            then: history.as_of(released).map(|version| version.to_string()),
            now: answers.current.map(|version| version.to_string()),
            promise,
        });
    }
    all
}
