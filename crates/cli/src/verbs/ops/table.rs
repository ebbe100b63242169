//! `unskew ops table RELEASE|PACKAGE`: which operators there are, with their versions, as JSON.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, bail};
use unskew_core::Version;
use unskew_releases::{Family, NameError, Release, find};
use unskew_source::read_text;
use unskew_torch::{DeviceTable, TorchFormat, TorchModel, TorchRuntime};

use super::{model, put};
use crate::args::OpsTable;
use crate::exit::CallStatus;
use crate::print::Printable;

/// How large a list of operators may be, in bytes.
const LARGEST_LIST: u64 = 16 << 20;

pub fn run(args: &OpsTable) -> anyhow::Result<CallStatus> {
    let path = Path::new(&args.subject);
    if path.exists() {
        return of_package(args, path);
    }
    match find(&args.subject) {
        Ok(release) if args.add || args.release.is_some() => {
            bail!("only a torch.package can be given a table: {release}")
        }
        Ok(release) => of_release(args, release),
        Err(error @ NameError::Family { .. }) if !args.subject.contains('@') => {
            Err(error).with_context(|| format!("no such file: {}", args.subject))
        }
        Err(error) => Err(error.into()),
    }
}

fn runtime(release: Release) -> anyhow::Result<TorchRuntime> {
    if release.family() != Family::Torch {
        bail!("only PyTorch releases have such a table: {release}");
    }
    unskew_releases::torch::runtime(release.row())
        .with_context(|| format!("the database has no operators of {release}"))
}

fn of_release(args: &OpsTable, release: Release) -> anyhow::Result<CallStatus> {
    let runtime = runtime(release)?;
    let name = args.name.clone().unwrap_or_else(|| release.to_string());
    let Some(list) = &args.from_list else {
        let table = DeviceTable::of_release(&runtime, &name, |_| true);
        return put(Printable::json(&table.to_json()), args.output.as_deref());
    };
    let shown = list.display();
    let text = read_text(list, LARGEST_LIST)?;
    let names = unskew_torch::selection(&text).with_context(|| format!("no list: {shown}"))?;
    let selected = |operator: &str| {
        let base = operator.split('.').next().unwrap_or(operator);
        names.contains(operator) || names.contains(&format!("{base}.*"))
    };
    let table = DeviceTable::of_release(&runtime, &name, selected);
    unknown(&runtime, &names, release)?;
    put(Printable::json(&table.to_json()), args.output.as_deref())
}

/// A name that the release does not have is a mistake in the list, or a list of another release.
fn unknown(
    runtime: &TorchRuntime,
    names: &BTreeSet<String>,
    release: Release,
) -> anyhow::Result<()> {
    for name in names {
        let (base, overload) = name.split_once('.').unwrap_or((name, ""));
        let known = match overload {
            "*" => runtime.operators.knows(base),
            overload => runtime.operators.overload(base, overload).is_some(),
        };
        if !known {
            bail!("{release} has no operator of the list: {name}");
        }
    }
    Ok(())
}

fn of_package(args: &OpsTable, path: &Path) -> anyhow::Result<CallStatus> {
    let (source, model) = model(path)?;
    let shown = path.display();
    if model.format != TorchFormat::Package {
        bail!("{shown} is a {}, not a torch.package", model.format.as_str());
    }
    if args.from_list.is_some() {
        bail!("a list selects operators of a release, not of a package: {shown}");
    }
    let release = match &args.release {
        Some(name) => find(name)?,
        None => writer(&model).with_context(|| {
            format!("{shown} does not tell the release that wrote it; name it with --release")
        })?,
    };
    let runtime = runtime(release)?;
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = args.name.clone().or(file).unwrap_or_default();
    let operators = runtime.operators.history().clone();
    let table = unskew_torch::of_package(&name, &model, &runtime, &operators);
    let Some(output) = args.output.as_ref().filter(|_| args.add) else {
        return put(Printable::json(&table.to_json()), args.output.as_deref());
    };
    if output.canonicalize().ok().is_some_and(|out| Some(out) == path.canonicalize().ok()) {
        bail!("the result would overwrite the package, which is never changed: {shown}");
    }
    let assembly = unskew_torch::add_to_package(&source, &table)?;
    let whole = unskew_source::ConvertedArtifact::File(std::sync::Arc::new(assembly));
    whole.write(output).with_context(|| format!("cannot write {}", output.display()))?;
    Ok(CallStatus::Clean)
}

/// The release that wrote the package, if its layout and its calls leave one.
fn writer(model: &TorchModel) -> Option<Release> {
    let (operators, _) = unskew_releases::torch::database()?;
    let producer = model.producer_by(operators);
    let minor: Version = producer.since.filter(|since| producer.until == Some(*since))?;
    find(&format!("torch@{minor}")).ok()
}
