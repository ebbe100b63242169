//! `unskew fleet runtime TASK`.

use std::path::Path;

use anyhow::Context as _;
use unskew_core::Date;
use unskew_fleet::{Fleet, RegistrationResult, RuntimeProfile, documents};
use unskew_report::Plain;
use unskew_source::read_text;

use super::columns::columns;
use crate::args::{FleetFormat, RuntimeTask};
use crate::exit::CallStatus;
use crate::print::{self, Printable};
use crate::sides;

/// The largest profile that is read.
const LARGEST: u64 = 16 << 20;

pub fn run(task: &RuntimeTask, fleet: &mut Fleet, day: Date) -> anyhow::Result<CallStatus> {
    match task {
        RuntimeTask::Add { runtime, name, devices } => {
            let mut profile = profile(runtime)?;
            if let Some(name) = name {
                profile.name.clone_from(name);
            }
            profile.devices = devices.unwrap_or(profile.devices);
            let change = match fleet.put_runtime(&profile, &day.to_string())? {
                RegistrationResult::Added => "added",
                RegistrationResult::Replaced => "replaced",
                RegistrationResult::Unchanged => "there already",
            };
            let devices = super::columns::devices(profile.devices);
            let (name, what) = (Plain(&profile.name), what(&profile));
            print::out(format!("{change}: {name}, {}, {devices}\n", Plain(&what)))?;
        }
        RuntimeTask::List(asked) => list(fleet, asked.format)?,
        RuntimeTask::Show { name } => {
            print::out(Printable::json(&fleet.runtime(name)?.profile))?;
        }
        RuntimeTask::Remove { name } => {
            fleet.remove_runtime(name, &day.to_string())?;
            print::out(format!("removed: {}\n", Plain(name)))?;
        }
    }
    Ok(CallStatus::Clean)
}

/// The profile in a file, or that of a release.
fn profile(named: &Path) -> anyhow::Result<RuntimeProfile> {
    if let Some(name) = named.to_str().filter(|_| !named.exists()) {
        if sides::is_release(name) {
            return Ok(RuntimeProfile::of_release(unskew_releases::find(name)?));
        }
        return Err(sides::neither(name).into());
    }
    let shown = || format!("cannot read {}", named.display());
    let text = read_text(named, LARGEST).context("no runtime profile")?;
    RuntimeProfile::read(&text).with_context(shown)
}

/// What a runtime is, in a few words.
fn what(profile: &RuntimeProfile) -> String {
    let release = profile.release;
    if profile.is_release() {
        return release.to_string();
    }
    let mut own = Vec::new();
    if let Some(operators) = &profile.operators {
        own.push(format!("{} operators", operators.len()));
    }
    if !profile.without.is_empty() {
        own.push(format!("without {}", profile.without.join(", ")));
    }
    own.extend(profile.versions.iter().map(|(axis, [a, b])| match a == b {
        true => format!("{axis} {a}"),
        false => format!("{axis} {a} to {b}"),
    }));
    format!("built from {release} ({})", own.join("; "))
}

fn list(fleet: &mut Fleet, format: FleetFormat) -> anyhow::Result<()> {
    let runtimes = fleet.runtimes()?;
    if format == FleetFormat::Json {
        let text = documents::text(&documents::RuntimesDocument::from_runtimes(&runtimes)?)?;
        return print::out(Printable::json(&text));
    }
    let mut rows = vec![["runtime", "devices", "since", "what"].map(str::to_owned).to_vec()];
    for kept in &runtimes {
        let profile = RuntimeProfile::read(&kept.profile)?;
        let what = what(&profile);
        rows.push(vec![kept.name.clone(), kept.devices.to_string(), kept.since.clone(), what]);
    }
    print::out(columns(&rows))
}
