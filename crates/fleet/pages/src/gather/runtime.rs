//! A runtime.

use unskew_core::{Date, Party};
use unskew_fleet::FleetError;
use unskew_fleet::store::KeptRuntime;
use unskew_history::EndOfSupport;

use super::{Gather, ListRequest, SIZE};
use crate::runtime::{AxisPosition, RuntimePage, Was};
use crate::windows::answers;

impl Gather<'_> {
    /// A runtime, and what it gets of a part of the models.
    ///
    /// # Errors
    /// [`FleetError::NoRuntime`] if there is no such runtime.
    pub fn runtime(&mut self, name: &str, part: &ListRequest) -> Result<RuntimePage, FleetError> {
        let day = self.day();
        let kept = self.fleet.runtime_on(name, &day)?;
        let history = history(self.fleet.store().runtime_history(name)?);
        let built = self.fleet.built(&kept)?;
        let store = self.fleet.store();
        let (listing, names) = part.look_up(SIZE, |asked| Ok(store.models_in(asked)?))?;
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
            history,
            listing,
            models: models.into_iter().map(|(name, _)| name).zip(gets).collect(),
            runtime: kept,
        })
    }
}

/// What a runtime was, newest first, with what changed each time.
fn history(told: Vec<(String, Option<KeptRuntime>)>) -> Vec<Was> {
    let before = |at: usize| told.get(at + 1).and_then(|(_, kept)| kept.as_ref());
    let was = |(at, (since, kept)): (usize, &(String, Option<KeptRuntime>))| {
        let what = match (kept, before(at)) {
            (None, _) => "taken out",
            (Some(_), None) if at + 1 == told.len() => "added",
            (Some(_), None) => "added again",
            (Some(now), Some(then)) if now.digest != then.digest => "another profile",
            (Some(now), Some(then)) if now.devices != then.devices => "another number of devices",
            _ => "told again",
        };
        Was {
            since: since.clone(),
            what: what.to_owned(),
            devices: kept.as_ref().map_or(0, |kept| kept.devices),
            profile: kept.as_ref().map_or_else(String::new, |kept| kept.profile.clone()),
        }
    };
    told.iter().enumerate().map(was).collect()
}

/// How a runtime stands on every axis with a history.
fn standing(party: &Party, released: Date, day: Date) -> Vec<AxisPosition> {
    let mut all = Vec::new();
    for history in unskew_releases::histories() {
        let Some(provision) = party.provision(&history.axis) else { continue };
        let own = provision.versions.max.filter(|own| history.landed(*own).is_some());
        let Some(answers) = answers(&history, day) else { continue };
        let promise =
            answers.window.as_ref().zip(own).map(|(window, own)| match answers.fall(own) {
                Ok(EndOfSupport::InForce) => format!("{window}; {own} is in force"),
                Ok(EndOfSupport::Last(last)) if last >= day => {
                    format!("{window}; {own} counts until {last}")
                }
                Ok(EndOfSupport::Last(last)) => format!("{window}; that of {own} ended on {last}"),
                _ => format!("{window}; that of {own} is open"),
            });
        all.push(AxisPosition {
            axis: history.axis.to_string(),
            has: provision.versions.to_string(),
            then: history.as_of(released).map(|version| version.to_string()),
            now: answers.current.map(|version| version.to_string()),
            promise,
        });
    }
    all
}
