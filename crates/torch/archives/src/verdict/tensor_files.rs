//! Files of tensors and objects: what decides whether a release loads them.
//!
//! What a checkpoint imports is judged by `strict_loader`, `pickled` and `numpy_modules`. A safetensors file has types that not every release has (`data/safetensors.tsv`). What the
//! program then does with the tensors is not in the file, and is not judged.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unskew_core::{Judgement, Unjudged, Version, aspect};

use super::pair::FileAndRelease;
use super::{numpy_modules, pickled, strict_loader};
use crate::{TorchFormat, rules};

/// The package `safetensors` that every program has which has one at all.
const FIRST_PACKAGE: Version = Version::triple(0, 2, 6);

/// Modules of Python itself, of numpy and of `torch` at the top, whose classes need no further package.
const OWN: [&str; 8] = [
    "collections",
    "builtins",
    "__builtin__",
    "_codecs",
    "copyreg",
    "copy_reg",
    "numpy",
    "argparse",
];

/// How many imports a message names.
const NAMED: usize = 4;

struct SafetensorsType {
    name: &'static str,
    /// The first torch that has it.
    torch: Option<Version>,
    /// The first package that gives it to torch.
    package: Option<Version>,
}

static TYPES: LazyLock<BTreeMap<&str, SafetensorsType>> = LazyLock::new(|| {
    let one = |line: &'static str| {
        let mut cells = line.split('\t');
        let (dtype, name) = (cells.next()?, cells.next()?);
        let (torch, package) = (cells.next()?.parse().ok(), cells.next()?.parse().ok());
        Some((dtype, SafetensorsType { name, torch, package }))
    };
    lines(include_str!("../../data/safetensors.tsv")).filter_map(one).collect()
});

pub(super) fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// What a release makes of a file of tensors and objects.
pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    let mut judgement = Judgement::default();
    match pair.model.format {
        TorchFormat::Safetensors => types(pair, &mut judgement),
        TorchFormat::Checkpoint | TorchFormat::LegacyCheckpoint => {
            let errors = pickled::errors(pair);
            judgement.findings.extend(strict_loader::refusal(pair, &errors));
            judgement.findings.extend(errors.into_iter().map(|error| error.finding));
            judgement.findings.extend(numpy_modules::finding(pair));
            unknown(pair, &mut judgement);
        }
        TorchFormat::Pickle => {
            let errors = pickled::errors(pair);
            judgement.findings.extend(errors.into_iter().map(|error| error.finding));
            judgement.findings.extend(numpy_modules::finding(pair));
            unknown(pair, &mut judgement);
        }
        _ => return judgement,
    }
    let reason = "whether the program accepts these names, shapes and objects is not in the file";
    judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, reason));
    judgement
}

/// What stands outside of the file and of PyTorch.
fn unknown(pair: &FileAndRelease<'_>, judgement: &mut Judgement) {
    judgement.unjudged.extend(numpy_modules::unjudged(pair));
    judgement.unjudged.extend(modules(pair));
    judgement.unjudged.extend(classes(pair));
}

/// Modules of PyTorch that were pickled whole: their names and attributes are judged, and not what their code computes.
fn modules(pair: &FileAndRelease<'_>) -> Option<Unjudged> {
    let is_known = |one: &&str| one.starts_with("torch.nn.modules.") && pickled::is_known(one);
    let names: Vec<&str> = pair.model.globals.iter().map(String::as_str).filter(is_known).collect();
    (!names.is_empty()).then(|| {
        let reason = format!(
            "the code of these classes is that of {}, whether it computes the same as the writer's: {}",
            pair.runtime_name,
            few(&names)
        );
        Unjudged::new(aspect::BEHAVIOUR, reason)
    })
}

/// Classes of packages that may not be installed, or that no release of PyTorch is known to have.
fn classes(pair: &FileAndRelease<'_>) -> Option<Unjudged> {
    let model = pair.model;
    let module = |one: &&String| one.split('.').next().unwrap_or_default().to_owned();
    let foreign: Vec<&str> = model
        .globals
        .iter()
        .filter(|one| match one.starts_with("torch.") {
            true => !pickled::is_known(one) && !strict_loader::is_listed(one),
            false => !OWN.contains(&&*module(one)),
        })
        .map(String::as_str)
        .collect();
    if foreign.is_empty() && !model.pickle_cut {
        return None;
    }
    let reason = if foreign.is_empty() {
        "the pickle is longer than what was read of it".to_owned()
    } else {
        format!("these classes come from code that is not in the file: {}", few(&foreign))
    };
    Some(Unjudged::new(aspect::CLASSES, reason))
}

fn types(pair: &FileAndRelease<'_>, judgement: &mut Judgement) {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let mut package = None;
    for (dtype, places) in &model.dtypes {
        let known = TYPES.get(&**dtype);
        let since = known.and_then(|known| known.torch);
        if since.is_none_or(|since| runtime.minor() < since) {
            let wanted = since.map_or("no release".to_owned(), |since| format!("torch {since}"));
            let name = known.map_or("such a type", |known| known.name);
            let missing =
                rules::TypeMissing { file, runtime: runtime_name, dtype, wanted: &wanted };
            let symptom = format!("module 'torch' has no attribute '{name}'");
            judgement.findings.push(missing.finding().with_symptom(symptom).at(places.clone()));
        }
        package = package.max(known.and_then(|known| known.package).map(|first| (first, dtype)));
    }
    if let Some((first, dtype)) = package.filter(|(first, _)| *first > FIRST_PACKAGE) {
        let reason = format!(
            "{dtype} needs the package safetensors {first} or later, and which one is installed is not known"
        );
        judgement.unjudged.push(Unjudged::new(aspect::VERSION, reason));
    }
}

/// The first of some names, and how many more there are.
pub(super) fn few(names: &[&str]) -> String {
    let mut text = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if names.len() > NAMED {
        text.push_str(&format!(" and {} more", names.len() - NAMED));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let count = |text: &'static str| lines(text).count();
        assert_eq!(TYPES.len(), count(include_str!("../../data/safetensors.tsv")));
    }
}
