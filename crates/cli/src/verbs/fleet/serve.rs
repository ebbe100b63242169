//! `unskew fleet serve`.

use std::path::Path;

use unskew_connections::interrupted;
use unskew_fleet_service::{FleetServer, ServiceSettings};

use crate::args::{FleetPlaces, FleetServe};
use crate::exit::CallStatus;
use crate::verbs::fleet::readers::inspectors;
use crate::{log, print};

pub fn run(args: &FleetServe, places: &FleetPlaces, folder: &Path) -> anyhow::Result<CallStatus> {
    log::begin(args.log, args.log_format);
    let inspectors = Some(inspectors(args.limits.allowance()));
    let settings =
        ServiceSettings { limits: args.limits.limits(), inspectors, ..settings(places, folder)? };
    let server = FleetServer::bind(settings, args.listen)?;
    print::out(format!("fleet at http://{}/\n", server.address()))?;
    server.serve(interrupted())?;
    Ok(CallStatus::Clean)
}

/// Where the fleet is: all in one folder, which is made, unless said otherwise.
pub fn settings(places: &FleetPlaces, folder: &Path) -> anyhow::Result<ServiceSettings> {
    let mut settings = ServiceSettings::in_folder(folder);
    if places.database.is_none() || places.artifacts.is_none() {
        std::fs::create_dir_all(folder)?;
    }
    if let Some(database) = &places.database {
        settings.database.clone_from(database);
    }
    if let Some(artifacts) = &places.artifacts {
        settings.artifacts.clone_from(artifacts);
    }
    Ok(settings)
}
