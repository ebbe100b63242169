//! The lowest versions that a model really needs, from what it calls and with which arguments.
//!
//! PyTorch writes the version of the newest operator that is *named* anywhere; the RFC's dynamic versioning
//! asks what is *used*: `gelu` with its default does what it always did, so it needs no version. Every need
//! comes with the call that forces it, and calls that can never run force nothing.
//!
//! Source: *PyTorch RFC 0017, Operator Versioning*, "FC updates": no update is needed if the operator that
//! broke is not in the model, by dynamic versioning.

mod accepted_use;
mod operator_version;

pub(crate) use operator_version::versioned;

use std::sync::Arc;

use unskew_core::{Fact, Party, Places, Version};
use unskew_torch_schemas::{OperatorHistory, SchemaDefinition};

use crate::exported::loader;
use crate::verdict::WriterAnalysis;
use crate::{ReleaseCalendar, TorchFormat, TorchModel, TorchRelease, history};

/// What a pickle imports to say of what type a container is.
const TYPE_TAG: &str = "torch.jit._pickle.restore_type_tag";

/// A version, and what forces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionNeed {
    /// The lowest version that does.
    pub version: Version,
    /// Why no lower one does; none if there is no lower one.
    pub because: Option<String>,
}

/// The lowest versions that a model needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowestVersions {
    /// The lowest operator version under which every call means what it means now.
    pub operator_version: Option<VersionNeed>,
    /// The highest one, if a call means something older than today's operator.
    pub at_most: Option<VersionNeed>,
    /// The lowest file format version: that of the operators, or what the archive's form needs.
    pub file_format: Option<VersionNeed>,
    /// The lowest bytecode version that can carry the model.
    pub bytecode: Option<VersionNeed>,
    /// The lowest release that takes every call that may run; none if no release of the database does.
    pub release: Option<VersionNeed>,
    /// The lowest release that takes every call, if calls that never run need a later one.
    pub release_as_it_is: Option<VersionNeed>,
}

impl LowestVersions {
    /// What `model` needs, by the operators of all releases.
    pub fn from_model(
        model: &TorchModel,
        operators: &Arc<OperatorHistory>,
        calendar: &ReleaseCalendar,
    ) -> Self {
        let reading = WriterAnalysis::new(model, operators);
        let mut needs = Self::default();
        if !model.format.is_exported() && model.format != TorchFormat::ExecuTorch {
            let (lowest, highest) = operator_version::bounds(model, &reading, operators);
            needs.file_format = Some(file_format(model, &lowest));
            (needs.operator_version, needs.at_most) = (Some(lowest), highest);
        }
        needs.bytecode = bytecode(model, operators);
        let uses = accepted_use::uses(model, &reading, operators);
        let refusal = |release: &TorchRelease| refusal(model, &needs, release, calendar);
        let runs = uses.iter().filter(|one| one.runs);
        let release = accepted_use::lowest(operators, calendar, &refusal, runs);
        let whole = accepted_use::lowest(operators, calendar, &refusal, uses.iter());
        let number = |need: &Option<VersionNeed>| need.as_ref().map(|need| need.version);
        let later = number(&whole) != number(&release);
        needs.release = release;
        needs.release_as_it_is = whole.filter(|_| later);
        needs
    }
}

/// Why the numbers of a release do not take the model, once its own are as low as they can be.
fn refusal(
    model: &TorchModel,
    needs: &LowestVersions,
    release: &TorchRelease,
    calendar: &ReleaseCalendar,
) -> Option<String> {
    if let (Some(need), Some(max)) = (&needs.file_format, release.file_format.max)
        && need.version > max
    {
        return Some(format!("reads file formats up to {max}"));
    }
    // Bytecode can be written as any version from the lowest on.
    if let Some(need) = &needs.bytecode {
        match release.bytecode.and_then(|range| range.max) {
            None => return Some("has no mobile interpreter".to_owned()),
            Some(max) if need.version > max => {
                return Some(format!("reads bytecode up to {max}"));
            }
            Some(_) => {}
        }
    }
    if model.package_since().is_some_and(|since| release.version < since) {
        return Some("does not load such a compiled package".to_owned());
    }
    let stamp = model.exported.as_ref().filter(|_| model.format.is_exported())?;
    match release.exported {
        None => Some("has no torch.export".to_owned()),
        Some(own) if own.major() != stamp.version.major() => {
            Some(format!("reads schema {} of torch.export", own.major()))
        }
        Some(_) => {
            let first = loader::refusals(model, release, calendar).into_iter().next()?;
            Some(format!("does not load {first}"))
        }
    }
}

fn file_format(model: &TorchModel, operators: &VersionNeed) -> VersionNeed {
    let (floor, why) = match model.format {
        TorchFormat::Package => (6, Some("a torch.package")),
        TorchFormat::LegacyScript => (1, None),
        TorchFormat::MobileFlatbuffer => (0, None),
        // Files of version 3 and later say it.
        _ if model.imports.contains(TYPE_TAG) => {
            (3, Some("data.pkl says of what types its containers are"))
        }
        _ if model.op_version_set => (1, None),
        _ => (2, Some("the code has no op_version_set")),
    };
    let floor = VersionNeed { version: Version::number(floor), because: why.map(str::to_owned) };
    if operators.version > floor.version { operators.clone() } else { floor }
}

/// The lowest bytecode version that can say what the model's bytecode says.
fn bytecode(model: &TorchModel, operators: &OperatorHistory) -> Option<VersionNeed> {
    let written = model.bytecode.as_ref()?.version;
    if model.format == TorchFormat::MobileFlatbuffer {
        // A flatbuffer is version 9 by its form; what is in it can be written as a pickle.
        return Some(VersionNeed { version: written, because: Some("a flatbuffer".to_owned()) });
    }
    let mut need = VersionNeed { version: Version::number(written.major().min(4)), because: None };
    let mut raise = |version: i64, because: String| {
        if Version::number(version) > need.version && version <= written.major() {
            need = VersionNeed { version: Version::number(version), because: Some(because) };
        }
    };
    for (one, known) in &model.uses {
        let crate::GivenArguments::Overload(overload, Some(given)) = &one.given else { continue };
        let definitions = operators.named(&one.name);
        let same = definitions.iter().rev().find(|d| d.overload() == overload);
        let Some(schema) = same.and_then(SchemaDefinition::schema) else { continue };
        let count = schema.arguments.len();
        if *given < count as u64 {
            let out = schema.arguments.iter().any(unskew_torch_schemas::SchemaArgument::is_out);
            let version = if out { 7 } else { 6 };
            let place = first(&known.places);
            raise(
                version,
                format!("{} gives {given} of {count} values in {place}", one.full_name()),
            );
        }
    }
    if let Some(name) = model.instructions.iter().find(|name| history::is_promoted(name)) {
        raise(8, format!("the instruction {name}"));
    }
    Some(need)
}

/// The first place that may run, or the first.
fn first(places: &Places) -> &str {
    let runs = places.named().iter().find(|place| !place.ends_with("(never runs)"));
    runs.or(places.named().first()).map_or("", String::as_str)
}

/// What `inspect` shows of the needs of a party that is a PyTorch file; nothing for any other party.
pub fn needs_facts(
    party: &Party,
    operators: &Arc<OperatorHistory>,
    calendar: &ReleaseCalendar,
) -> Vec<Fact> {
    let Some(model) = party.capability::<TorchModel>().filter(|model| !model.uses.is_empty())
    else {
        return Vec::new();
    };
    let needs = LowestVersions::from_model(model, operators, calendar);
    let shown = |prefix: &str, need: &VersionNeed| match &need.because {
        Some(because) => format!("{prefix}{}: {because}", need.version),
        None => format!("{prefix}{}", need.version),
    };
    let mut facts = Vec::new();
    let mut fact = |label: &str, value: String| facts.push(Fact { label: label.to_owned(), value });
    if let Some(need) = &needs.operator_version {
        let lowest = shown("", need);
        let highest = needs.at_most.as_ref().map(|need| shown("; at most ", need));
        fact("needs operator version", lowest + &highest.unwrap_or_default());
    }
    if let Some(need) = &needs.file_format {
        fact("needs file format", shown("", need));
    }
    if let Some(need) = &needs.bytecode {
        fact("needs bytecode", shown("", need));
    }
    if model.format != TorchFormat::ExecuTorch {
        let lowest = needs.release.as_ref();
        let lowest = lowest.map_or_else(
            || "no release of the database has all its operators".to_owned(),
            |need| shown("torch ", need),
        );
        let whole = needs.release_as_it_is.as_ref();
        let whole = whole.map(|need| shown("; with what never runs torch ", need));
        fact("needs release", lowest + &whole.unwrap_or_default());
    }
    facts
}
