//! A plan as files: one page that needs nothing else, and its curve as a drawing.

use std::sync::Arc;

use unskew_fleet::store::KeptRuntime;
use unskew_fleet::{AnswerIndex, DeliveryPolicy, Fleet, Plan, WhatIf};
use unskew_fleet_pages::{PageView, VersionMatrix};

/// How many of the newest versions the matrix of a file has.
const VERSIONS: usize = 12;

/// The page of a plan: with the plan for the fleet as it is, if there are hypothetical changes.
pub(super) fn render(
    fleet: &mut Fleet,
    plan: &Plan,
    now: Option<&Plan>,
    runtimes: &[KeptRuntime],
    what_if: &[WhatIf],
    policy: &DeliveryPolicy,
) -> anyhow::Result<String> {
    let related = |runtime: &&KeptRuntime| !plan.unrelated.contains(&runtime.name);
    let runtimes: Vec<KeptRuntime> = runtimes.iter().filter(related).cloned().collect();
    let mut versions = fleet.versions(&plan.model, &policy.as_of.to_string())?;
    let gets = AnswerIndex::default().gets(fleet, &versions, &runtimes, policy)?;
    versions.truncate(VERSIONS);
    // A plan asks only as far as it has to; a file shows everything.
    let mut answers = Vec::new();
    for runtime in &runtimes {
        for version in &versions {
            answers.push(Some(Arc::new(fleet.answer(version, runtime, policy)?)));
        }
    }
    let view = PageView { policy: *policy, today: policy.as_of };
    let matrix = VersionMatrix {
        view: &view,
        model: &plan.model,
        versions: &versions,
        runtimes: &runtimes,
        gets: &gets,
        answers: &answers,
        linked: false,
    };
    Ok(unskew_fleet_pages::plan_file(plan, now, what_if, &matrix))
}
