//! `unskew fleet model TASK`.

use serde_json::json;
use unskew_core::Date;
use unskew_fleet::Fleet;
use unskew_fleet::store::Version;
use unskew_report::Plain;

use super::columns::columns;
use crate::args::{FleetFormat, ModelTask};
use crate::exit::Status;
use crate::print;

pub fn run(task: &ModelTask, fleet: &mut Fleet, day: Date) -> anyhow::Result<Status> {
    let day = day.to_string();
    match task {
        ModelTask::Add { name, artifact } => {
            let published = fleet.publish(name, artifact, &day)?;
            let what = if published.new { "published" } else { "the newest already" };
            let version = published.version;
            let artifact = published.artifact;
            print::out(&format!("{what}: {name} version {version}, {artifact}\n"))?;
        }
        ModelTask::List(asked) => list(fleet, asked.format)?,
        ModelTask::Show { name, print } => show(name, &fleet.versions(name, &day)?, print.format)?,
    }
    Ok(Status::Clean)
}

fn list(fleet: &mut Fleet, format: FleetFormat) -> anyhow::Result<()> {
    let models = fleet.models()?;
    if format == FleetFormat::Json {
        let row = |(name, versions): &(String, u64)| json!({ "name": name, "versions": versions });
        let rows: Vec<_> = models.iter().map(row).collect();
        let list = json!({ "schema": "unskew.fleet.models", "schema_version": 1, "models": rows });
        return print::out(&format!("{}\n", serde_json::to_string_pretty(&list)?));
    }
    let mut rows = vec![["model", "versions"].map(str::to_owned).to_vec()];
    rows.extend(models.into_iter().map(|(name, versions)| vec![name, versions.to_string()]));
    print::out(&columns(&rows))
}

fn show(name: &str, versions: &[Version], format: FleetFormat) -> anyhow::Result<()> {
    if format == FleetFormat::Json {
        let row = |version: &Version| {
            json!({
                "version": version.number, "published": version.published, "file": version.file,
                "artifact": version.artifact.to_string(), "size": version.size,
            })
        };
        let rows: Vec<_> = versions.iter().map(row).collect();
        let model = json!({
            "schema": "unskew.fleet.model", "schema_version": 1, "name": name, "versions": rows,
        });
        return print::out(&format!("{}\n", serde_json::to_string_pretty(&model)?));
    }
    let head = ["version", "published", "file", "bytes", "artifact"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for version in versions {
        let file = Plain(&version.file).to_string();
        let (number, size) = (version.number.to_string(), version.size.to_string());
        let artifact = version.artifact.to_string();
        rows.push(vec![number, version.published.clone(), file, size, artifact]);
    }
    print::out(&columns(&rows))
}
