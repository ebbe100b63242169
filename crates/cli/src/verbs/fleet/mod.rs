//! `unskew fleet TASK`: which artifact for which runtime.

mod columns;
mod decide;
mod model;
mod page;
mod plan;
mod prune;
mod readers;
mod runtime;
mod serve;
mod token;

use std::path::PathBuf;

use anyhow::bail;
use unskew_fleet::{AcceptUnjudged, Allowance, DeliveryPolicy};
use unskew_fleet_service::clock::Clock;

use crate::args::{FleetArgs, FleetPolicy, FleetTask, Global, ModelTask, RuntimeTask};
use crate::exit::CallStatus;

/// The variable that names the folder of the fleet.
const VARIABLE: &str = "UNSKEW_FLEET";

pub fn run(args: &FleetArgs, global: &Global) -> anyhow::Result<CallStatus> {
    match &args.task {
        FleetTask::Serve(serve) => return serve::run(serve, &args.places, &folder(args)),
        FleetTask::Token(token) => return token::run(token, &args.places, &folder(args)),
        _ => {}
    }
    let begins = match &args.task {
        FleetTask::Runtime(runtime) => matches!(runtime.task, RuntimeTask::Add { .. }),
        FleetTask::Model(model) => matches!(model.task, ModelTask::Add { .. }),
        _ => false,
    };
    let mut fleet = open(args, begins)?;
    let day = match global.day() {
        Some(day) => day,
        None => Clock::from_store(fleet.store())?.today(),
    };
    let policy = |asked: &FleetPolicy| {
        let FleetPolicy { accept_unjudged, accept_lossy } = *asked;
        let accept_unjudged = match global.denies_unjudged() {
            true => AcceptUnjudged::Nothing,
            false => accept_unjudged,
        };
        DeliveryPolicy { as_of: day, deny: global.deny(), accept_unjudged, accept_lossy }
    };
    match &args.task {
        FleetTask::Runtime(runtime) => runtime::run(&runtime.task, &mut fleet, day),
        FleetTask::Model(model) => model::run(&model.task, &mut fleet, day),
        FleetTask::Decide(decide) => decide::run(decide, &mut fleet, &policy(&decide.policy)),
        FleetTask::Plan(plan) => plan::run(plan, &mut fleet, &policy(&plan.policy)),
        FleetTask::Prune(prune) => prune::run(prune, &mut fleet, day),
        FleetTask::Serve(_) | FleetTask::Token(_) => Ok(CallStatus::Clean),
    }
}

/// The folder of the fleet.
fn folder(args: &FleetArgs) -> PathBuf {
    let named = || std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    args.store.clone().or_else(named).unwrap_or_else(|| PathBuf::from("fleet"))
}

/// The fleet in the folder that is named; one that is not there begins with the first thing that is added.
fn open(args: &FleetArgs, begins: bool) -> anyhow::Result<unskew_fleet::Fleet> {
    let folder = folder(args);
    let (database, artifacts) = (args.places.database.as_deref(), args.places.artifacts.as_deref());
    if !begins && database.is_none() && !folder.join("fleet.db").is_file() {
        bail!(
            "no fleet here; `unskew fleet runtime add` or `unskew fleet model add` begins one: {}",
            folder.display()
        );
    }
    let fleet = unskew_fleet::Fleet::at(&folder, database, artifacts)?;
    Ok(fleet.inspected_by(readers::inspectors(Allowance::default())))
}
