//! `unskew env ENVIRONMENT` and `unskew lock FILE`: what breaks at import, and which pins fix it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use unskew_core::{Padded, column};
use unskew_report::{BAD, EMPHASIS, Plain, Report};
use unskew_verbs::{EnvironmentAnswer, EnvironmentHost, GpuHost, LockTarget, Machine, System};

use crate::args::{
    Env, EnvVerb, Global, GpuArgs, LockArgs, LockMachine, ReportFormat, SystemLibrariesArgs,
};
use crate::exit::{CallStatus, Ending};
use crate::print;

pub fn env(args: &Env, global: &Global) -> anyhow::Result<CallStatus> {
    if let Some(EnvVerb::Labels { wheel }) = &args.what {
        return labels(wheel);
    }
    let path = match &args.path {
        Some(path) => path.clone(),
        None => found()?,
    };
    let answer = unskew_verbs::env(&path, host(&args.system, &args.gpu), global.context())?;
    print_answers(vec![answer], args.format, global)
}

/// The environment that is meant where none is named: the active one, else `.venv` here or in a folder above.
pub fn found() -> anyhow::Result<PathBuf> {
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(std::env::var_os);
    if let Some(active) = active.map(PathBuf::from).find(|path| path.is_dir()) {
        return Ok(active);
    }
    let here = Path::new(".venv");
    let current = std::env::current_dir()?;
    let mut above = current.ancestors().skip(1).map(|folder| folder.join(here));
    match here.is_dir() {
        true => Ok(here.to_owned()),
        false => above.find(|path| path.is_dir()).context(
            "no environment: none is active (VIRTUAL_ENV, CONDA_PREFIX), and there is no .venv here or in a folder above; \
             `unskew env PATH` names one",
        ),
    }
}

/// Prints the labels of a wheel; what it declares and does not keep makes the exit status 1.
fn labels(wheel: &Path) -> anyhow::Result<CallStatus> {
    let (package, labels) = unskew_verbs::labels(wheel)?;
    let mut out = String::new();
    writeln!(out, "{EMPHASIS}{}{EMPHASIS:#}\n", Plain(&package.label()))?;
    let width = column(labels.labels.iter().map(|label| label.text.len()));
    for label in &labels.labels {
        writeln!(out, "  {}  {}", Padded(Plain(&label.text), width), Plain(&label.reason))?;
    }
    if labels.labels.is_empty() {
        writeln!(out, "  no shared object of it depends on the ABI of another package")?;
    }
    if !labels.broken.is_empty() {
        writeln!(out)?;
    }
    for what in &labels.broken {
        writeln!(out, "{BAD}not kept{BAD:#}  {}", Plain(what))?;
    }
    for trouble in &package.trouble {
        writeln!(out, "\nnot judged  {}", Plain(&trouble.to_string()))?;
    }
    print::out(&out)?;
    Ok(if labels.broken.is_empty() { CallStatus::Clean } else { CallStatus::Found })
}

/// What the options say of the machine; what they do not say is left to the verb.
fn host(libraries: &SystemLibrariesArgs, gpu: &GpuArgs) -> EnvironmentHost {
    let families = [("GLIBC", libraries.glibc), ("GLIBCXX", libraries.glibcxx)];
    let versions =
        families.into_iter().filter_map(|(family, version)| Some((family.to_owned(), version?)));
    let system =
        System { name: "the system of the options".to_owned(), versions: versions.collect() };
    let gpus = GpuHost::new(gpu.gpu.clone(), gpu.driver.clone());
    EnvironmentHost {
        system: Some(system).filter(|system| !system.is_empty()),
        gpus: Some(gpus).filter(|gpus| !gpus.is_empty()),
    }
}

pub fn lock(args: &LockArgs, global: &Global) -> anyhow::Result<CallStatus> {
    let machine = match args.machine {
        LockMachine::X86 => Machine::X86,
        LockMachine::Arm => Machine::Arm,
    };
    let target = LockTarget { python: args.python, machine };
    let index = match args.fetch {
        true => Some(unskew_verbs::index_url(args.index.as_deref())?),
        false => None,
    };
    let (index, context) = (index.as_deref(), global.context());
    let paths: Result<Vec<Vec<PathBuf>>, _> =
        args.paths.iter().map(|path| unskew_verbs::locks_at(path)).collect();
    let paths = paths?.concat();
    let answers = paths.iter().map(|path| {
        unskew_verbs::lock(path, target, index, host(&args.system, &args.gpu), context)
    });
    print_answers(answers.collect::<Result<_, _>>()?, args.format, global)
}

/// Prints a text for each environment, or one report of all.
fn print_answers(
    answers: Vec<EnvironmentAnswer>,
    format: ReportFormat,
    global: &Global,
) -> anyhow::Result<CallStatus> {
    let full = (format == ReportFormat::Full).then(|| {
        let texts = answers.iter().map(|answer| answer.render(format.into(), print::is_verbose()));
        texts.collect::<Vec<String>>().join("\n")
    });
    let packages = answers.iter().map(|answer| answer.environment.packages.len()).sum();
    let mut report = Report::new(global.context());
    for answer in answers {
        report.pairs.extend(answer.report.pairs);
        report.looks.extend(answer.report.looks);
    }
    let text = match full {
        Some(text) => text.into(),
        None => print::rendered(&mut report, format.into()),
    };
    print::found(text)?;
    Ok(Ending::for_report(&report, packages, global).into())
}
