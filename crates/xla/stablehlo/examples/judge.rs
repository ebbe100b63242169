//! Judges portable artifacts for readers: `judge VERSION[,VERSION...] FILE...`. A line for each pair: the file, the
//! reader's StableHLO, `reads`, `refuses` or `unjudged`, and what was found.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use unskew_core::{Context, Date, Outcome, Party, Role, Version, check};
use unskew_source::{FileSource, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let versions = args.next().ok_or("judge VERSION[,VERSION...] FILE...")?;
    let versions: Vec<Version> = versions.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let today = Context::on(Date::constant(2026, 11, 1));
    let mut out = std::io::stdout().lock();
    for file in args {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(Path::new(&file))?);
        let party = match unskew_stablehlo::party(&source) {
            Ok(Some(party)) => party,
            Ok(None) => return Err(format!("no MLIR: {file}").into()),
            Err(error) => {
                writeln!(out, "{file}\t-\tbroken\t{error}")?;
                continue;
            }
        };
        for version in &versions {
            let reader = Party::new(format!("StableHLO {version}"), Role::Runtime, "reader");
            let verdict = check(&party, &unskew_stablehlo::reader(reader, *version), &today);
            let outcome = match &verdict.outcome {
                Outcome::Incompatible => "refuses",
                Outcome::Unjudged => "unjudged",
                _ => "reads",
            };
            let found = verdict.findings.iter();
            let found = found.map(|found| format!("{}: {}", found.rule.code, found.message));
            let not = verdict.unjudged.iter();
            let not = not.map(|one| format!("{}: {} {}", one.aspect, one.reason, one.places));
            let said: Vec<String> = found.chain(not).collect();
            writeln!(out, "{file}\t{version}\t{outcome}\t{}", said.join("; "))?;
        }
    }
    Ok(())
}
