//! `unskew fleet serve`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use unskew_connections::interrupted;
use unskew_fleet::{Allowance, Inspectors};
use unskew_fleet_service::{Server, Settings};

use crate::args::{FleetPlaces, FleetServe};
use crate::exit::Status;
use crate::log;

pub fn run(args: &FleetServe, places: &FleetPlaces, folder: &Path) -> anyhow::Result<Status> {
    log::begin(args.log, args.log_format);
    let inspectors = Some(inspectors(args.limits.allowance()));
    let settings =
        Settings { limits: args.limits.limits(), inspectors, ..settings(places, folder)? };
    let server = Server::bind(settings, args.listen)?;
    anstream::println!("fleet at http://{}/", server.address());
    std::io::stdout().flush()?;
    server.serve(interrupted())?;
    Ok(Status::Clean)
}

/// Processes of this program that read artifacts.
fn inspectors(allowance: Allowance) -> Arc<Inspectors> {
    // This very program, also when another was put in its place since it began.
    let program = match cfg!(target_os = "linux") {
        true => PathBuf::from("/proc/self/exe"),
        false => std::env::current_exe().unwrap_or_else(|_| PathBuf::from("unskew")),
    };
    Inspectors::new(allowance, move |allowance| {
        let mut command = Command::new(&program);
        let Allowance { memory, seconds } = allowance;
        command.args(["__inspect", &memory.to_string(), &seconds.to_string()]);
        command
    })
}

/// Where the fleet is: all in one folder, which is made, unless said otherwise.
pub fn settings(places: &FleetPlaces, folder: &Path) -> anyhow::Result<Settings> {
    let mut settings = Settings::in_folder(folder);
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
