//! `unskew fleet model TASK`.

use unskew_core::Date;
use unskew_fleet::store::PublishedVersion;
use unskew_fleet::{Fleet, documents};
use unskew_report::Plain;

use super::columns::columns;
use crate::args::{FleetFormat, ModelTask};
use crate::exit::CallStatus;
use crate::print::{self, Printable};

pub fn run(task: &ModelTask, fleet: &mut Fleet, day: Date) -> anyhow::Result<CallStatus> {
    let day = day.to_string();
    match task {
        ModelTask::Add { name, artifact } => {
            let published = fleet.publish(name, artifact, &day)?;
            let what = if published.new { "published" } else { "the newest already" };
            let version = published.version;
            let artifact = published.artifact;
            let name = Plain(name);
            print::out(format!("{what}: {name} version {version}, {artifact}\n"))?;
        }
        ModelTask::List(asked) => list(fleet, asked.format)?,
        ModelTask::Show { name, print } => show(name, &fleet.versions(name, &day)?, print.format)?,
    }
    Ok(CallStatus::Clean)
}

fn list(fleet: &mut Fleet, format: FleetFormat) -> anyhow::Result<()> {
    let models = fleet.models()?;
    if format == FleetFormat::Json {
        return print::out(Printable::json(&documents::text(&documents::Models::new(models))?));
    }
    let mut rows = vec![["model", "versions"].map(str::to_owned).to_vec()];
    rows.extend(models.into_iter().map(|(name, versions)| vec![name, versions.to_string()]));
    print::out(columns(&rows))
}

fn show(name: &str, versions: &[PublishedVersion], format: FleetFormat) -> anyhow::Result<()> {
    if format == FleetFormat::Json {
        let text = documents::text(&documents::Model::new(name, versions))?;
        return print::out(Printable::json(&text));
    }
    let head = ["version", "published", "file", "bytes", "artifact"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for version in versions {
        let (number, size) = (version.number.to_string(), version.size.to_string());
        let artifact = version.artifact.to_string();
        rows.push(vec![number, version.published.clone(), version.file.clone(), size, artifact]);
    }
    print::out(columns(&rows))
}
