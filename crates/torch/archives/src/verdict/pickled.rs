//! Names, calls and attributes of a pickle against what a release of PyTorch has.
//!
//! What a name means (whether the program takes the object, whether a class computes the same) is not judged here.

use std::collections::BTreeSet;

use unskew_core::{Finding, Places, Version};

use super::pair::FileAndRelease;
use crate::pickled::alternatives::{LackingForms, other_name};
use crate::pickled::names::{self, PickledName};
use crate::pickled::{SPARSE, later_attributes};
use crate::{TorchFormat, rules};

/// The first release that reads archives of `torch.save`.
const FIRST_ARCHIVES: Version = Version::pair(1, 6);

/// How the fix of what the conversion removes begins.
const CONVERT: &str = "Run `unskew convert`";

/// The record that a checkpoint keeps its pickle in.
const RECORD: &str = "data.pkl";

/// An error of a pickle in a release of PyTorch.
pub(super) struct PickledError {
    pub(super) finding: Finding,
    /// Whether the conversion removes it.
    pub(super) is_converted: bool,
}

/// Errors of a pickle in a release of PyTorch.
pub(super) fn errors(pair: &FileAndRelease<'_>) -> Vec<PickledError> {
    if names::first_release().is_none_or(|first| pair.runtime.minor() < first) {
        return Vec::new();
    }
    let mut found = missing_names(pair);
    found.extend(early_sparse(pair));
    if found.is_empty() {
        found = long_calls(pair);
    }
    // What does not load is not called.
    if found.is_empty() {
        found = missing_attributes(pair);
    }
    found
}

/// Whether the table says of this name which releases have it.
pub(super) fn is_known(name: &str) -> bool {
    name.starts_with("torch.") && !names::named(name).is_empty()
}

/// Whether the file is of a form that is converted, and was read whole.
fn has_conversions(pair: &FileAndRelease<'_>) -> bool {
    let model = pair.model;
    matches!(model.format, TorchFormat::Checkpoint | TorchFormat::LegacyCheckpoint)
        && !model.pickle_cut
}

/// Whether the conversion writes a call in another form.
fn has_other_form(pair: &FileAndRelease<'_>, function: &str) -> bool {
    let given = pair.model.pickled.calls.get(function).copied().unwrap_or_default();
    let is_behind =
        pair.model.format == TorchFormat::LegacyCheckpoint || pair.runtime.minor() < FIRST_ARCHIVES;
    has_conversions(pair) && LackingForms::new(pair.runtime.minor(), is_behind).has(function, given)
}

/// Releases before 1.6 look at the indices of a sparse tensor before those are read.
fn early_sparse(pair: &FileAndRelease<'_>) -> Option<PickledError> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let is_early =
        model.format == TorchFormat::LegacyCheckpoint && runtime.minor() < FIRST_ARCHIVES;
    if !is_early || !model.pickled.calls.contains_key(SPARSE) {
        return None;
    }
    let what =
        "it checks the indices of sparse tensors before they are read, also in files of its own";
    let fix = format!(
        "Load the file with torch 1.6 or later, and save for {runtime_name} what is dense."
    );
    let rule = rules::RefusedAllTheSame { file, runtime: runtime_name, what: &what, fix: &fix };
    let symptom = "size is inconsistent with indices";
    let finding = rule.finding().with_symptom(symptom).at(record());
    Some(PickledError { finding, is_converted: false })
}

fn missing_names(pair: &FileAndRelease<'_>) -> Vec<PickledError> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let minor = runtime.minor();
    let rebuilt = model.pickled.calls.keys().filter(|name| is_sparse(name));
    let asked = model.globals.iter().chain(&model.pickled.layouts).chain(rebuilt);
    let asked: BTreeSet<&String> = asked.filter(|name| name.starts_with("torch.")).collect();
    let mut errors = Vec::new();
    for name in asked {
        let known = names::named(name);
        if known.is_empty() || known.iter().any(|one| one.is_of(minor)) {
            continue;
        }
        let other = other_name(name, minor).filter(|_| has_conversions(pair));
        let is_converted = other.is_some() || has_other_form(pair, name);
        let advice = match other {
            Some(other) => format!("{CONVERT}, which asks for {other} instead."),
            None if is_converted => {
                format!("{CONVERT}, which rebuilds the tensors in a way that {runtime_name} has.")
            }
            None => format!(
                "Load the file with {}, and save what you need from it again as a state_dict of tensors that \
                 {runtime_name} has.",
                wanted(&known, minor)
            ),
        };
        let finding =
            rules::PickledNameMissing { file, runtime: runtime_name, name, advice: &advice };
        let finding = finding.finding().with_symptom(symptom(name, minor)).at(record());
        errors.push(PickledError { finding, is_converted });
    }
    errors
}

/// Whether it stands for what is done with one layout.
fn is_sparse(name: &str) -> bool {
    name.strip_prefix(SPARSE).is_some_and(|layout| !layout.is_empty())
}

/// What Python says of a name that is not there.
fn symptom(name: &str, minor: Version) -> String {
    if is_sparse(name) {
        let layout = name.rsplit('.').next().unwrap_or(name);
        return format!("rebuilding sparse tensor for layout torch.{layout}");
    }
    let (module, attribute) = name.rsplit_once('.').unwrap_or(("", name));
    if module == "torch" {
        return format!("module 'torch' has no attribute '{attribute}'");
    }
    if names::has_module(module, minor) {
        format!("Can't get attribute '{attribute}' on <module '{module}'")
    } else {
        format!("No module named '{module}'")
    }
}

fn long_calls(pair: &FileAndRelease<'_>) -> Vec<PickledError> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let minor = runtime.minor();
    let mut errors = Vec::new();
    for (function, given) in &model.pickled.calls {
        let known = names::named(function);
        let most = known.iter().find(|one| one.is_of(minor)).and_then(PickledName::most_arguments);
        let Some(most) = most.filter(|most| most < given) else { continue };
        let takes: Vec<PickledName> = known
            .into_iter()
            .filter(|one| one.most_arguments().is_none_or(|most| most >= *given))
            .collect();
        let is_converted = has_other_form(pair, function);
        let advice = match is_converted {
            true => {
                format!("{CONVERT}, which rebuilds the tensors in a way that {runtime_name} has.")
            }
            false => format!(
                "Load the file with {}, and save the tensors again without what {runtime_name} cannot rebuild: \
                 tensor.resolve_conj(), tensor.resolve_neg().",
                wanted(&takes, minor)
            ),
        };
        let name = function.rsplit('.').next().unwrap_or(function);
        let finding = rules::PickledCallTooLong {
            file,
            runtime: runtime_name,
            function,
            given: &given,
            most: &most,
            advice: &advice,
        };
        let symptom = match is_sparse(function) {
            true => format!("too many values to unpack (expected {most})"),
            false => format!("{name}() takes … positional arguments but {given} were given"),
        };
        let finding = finding.finding().with_symptom(symptom).at(record());
        errors.push(PickledError { finding, is_converted });
    }
    errors
}

fn missing_attributes(pair: &FileAndRelease<'_>) -> Vec<PickledError> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let minor = runtime.minor();
    let mut errors = Vec::new();
    for (class, attributes) in &model.pickled.modules {
        let known = names::named(class);
        let Some(of_release) = known.iter().find(|one| one.is_of(minor)) else { continue };
        let name = class.rsplit('.').next().unwrap_or(class);
        let later = later_attributes::read_by(class, minor).map(|row| row.name);
        let read: BTreeSet<&str> = of_release.reads().chain(later).collect();
        for attribute in read.into_iter().filter(|one| !attributes.contains(*one)) {
            let is_converted =
                has_conversions(pair) && later_attributes::is_known(class, attribute);
            let advice = match is_converted {
                true => format!("{CONVERT}, which adds it; or set"),
                false => "Set".to_owned(),
            };
            let finding = rules::PickledAttributeMissing {
                file,
                runtime: runtime_name,
                class,
                attribute: &attribute,
                advice: &advice,
            };
            let symptom = format!("'{name}' object has no attribute '{attribute}'");
            let finding = finding.finding().with_symptom(symptom).at(record());
            errors.push(PickledError { finding, is_converted });
        }
    }
    errors
}

/// A release to load the file with, in words.
fn wanted(known: &[PickledName], minor: Version) -> String {
    let spans: Vec<_> = known.iter().filter_map(PickledName::span).collect();
    let first = spans.iter().map(|(since, _)| *since).filter(|since| *since > minor).min();
    if let Some(first) = first {
        return format!("torch {first} or later");
    }
    let last = spans.iter().filter_map(|(_, until)| *until).max();
    last.map_or_else(|| "the release that wrote it".to_owned(), |last| format!("torch {last}"))
}

fn record() -> Places {
    Places::from_iter([RECORD])
}
