//! Files of tensors and objects: what decides whether a release loads them.
//!
//! `torch.load` refuses, since 2.6 and unless it is told otherwise, whatever a checkpoint imports beyond a list
//! (`data/weights_only.tsv`). A safetensors file has types that not every release has (`data/safetensors.tsv`). What the
//! program then does with the tensors is not in the file, and is not judged.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unskew_core::{Finding, Judgement, Places, Unjudged, Version, aspect};

use super::pair::FileAndRelease;
use crate::{TorchFormat, rules};

/// The first release whose `torch.load` is strict unless it is told otherwise.
const STRICT: Version = Version::pair(2, 6);

/// The first release that was built for numpy 2.
const NUMPY_2: Version = Version::pair(2, 3);

/// The last protocol of pickles that the strict loader reads.
const PROTOCOL: u8 = 3;

/// The package `safetensors` that every program has which has one at all.
const FIRST_PACKAGE: Version = Version::triple(0, 2, 6);

/// Modules of Python itself and of PyTorch, whose classes need no further package.
const OWN: [&str; 9] = [
    "torch",
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

/// Since which release, and until which, something is allowed.
type Span = (Version, Option<Version>);

static ALLOWED: LazyLock<BTreeMap<&str, Span>> = LazyLock::new(|| {
    let span = |line: &'static str| {
        let mut cells = line.split('\t');
        let (global, since, until) = (cells.next()?, cells.next()?.parse().ok()?, cells.next()?);
        Some((global, (since, until.parse().ok())))
    };
    lines(include_str!("../../data/weights_only.tsv")).filter_map(span).collect()
});

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

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// What a release makes of a file of tensors and objects.
pub(super) fn judge(pair: &FileAndRelease<'_>, judgement: &mut Judgement) {
    match pair.model.format {
        TorchFormat::Safetensors => types(pair, judgement),
        TorchFormat::Checkpoint | TorchFormat::LegacyCheckpoint => {
            judgement.findings.extend(weights_only(pair));
            judgement.findings.extend(numpy(pair));
            judgement.unjudged.extend(classes(pair));
        }
        TorchFormat::Pickle => judgement.unjudged.extend(classes(pair)),
        _ => return,
    }
    let reason = "whether the program takes these names, shapes and objects is not in the file";
    judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, reason));
}

/// What the strict loader refuses.
fn weights_only(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let minor = runtime.minor();
    if minor < STRICT {
        return None;
    }
    let refused: Vec<&str> =
        model.globals.iter().map(|one| modern(one)).filter(|one| !allows(one, minor)).collect();
    let protocol = model.pickle_protocol.unwrap_or(2);
    let (what, symptom) = if let Some(first) = refused.first() {
        let symptom = match first.split('.').next() {
            Some(module @ ("sys" | "os" | "posix" | "nt")) => {
                format!(
                    "Trying to load unsupported GLOBAL {first} whose module {module} is blocked."
                )
            }
            _ => format!(
                "Weights only load failed. … Unsupported global: GLOBAL {first} was not an allowed global by \
                 default."
            ),
        };
        (few(&refused), symptom)
    } else if protocol > PROTOCOL {
        (
            format!("pickle protocol {protocol}"),
            "Weights only load failed. … Unsupported operand 149".to_owned(),
        )
    } else if model.pickle_bytes {
        (
            "bytes in pickle protocol 3".to_owned(),
            "Weights only load failed. … Unsupported operand 67".to_owned(),
        )
    } else {
        return None;
    };
    let finding = rules::WeightsOnlyRefuses { file, runtime: runtime_name, what: &what }.finding();
    Some(finding.with_symptom(symptom).at(Places::from_iter(["data.pkl"])))
}

/// Whether the strict loader of a release lets this be imported.
fn allows(global: &str, minor: Version) -> bool {
    let within = |(since, until): &Span| *since <= minor && until.is_none_or(|last| minor <= last);
    ALLOWED.get(global).is_some_and(within)
}

/// A name of Python 2 as Python 3 has it: loaders translate it.
fn modern(global: &str) -> &str {
    match global {
        "__builtin__.set" => "builtins.set",
        "__builtin__.bytearray" => "builtins.bytearray",
        "__builtin__.complex" => "builtins.complex",
        other => other,
    }
}

/// Modules that numpy has since 1.26.4 and 2.0, for a release that was built for numpy 1.
fn numpy(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let renamed = model.globals.iter().find(|one| one.starts_with("numpy._core."))?;
    (runtime.minor() < NUMPY_2).then(|| {
        let finding = rules::NumpyTooOld { file, runtime: runtime_name, import: renamed }.finding();
        finding.with_symptom("No module named 'numpy._core'").at(Places::from_iter(["data.pkl"]))
    })
}

/// Classes of packages that may not be installed, and whole modules whose code may have changed.
fn classes(pair: &FileAndRelease<'_>) -> Option<Unjudged> {
    let model = pair.model;
    let module = |one: &&String| one.split('.').next().unwrap_or_default().to_owned();
    let foreign: Vec<&str> = model
        .globals
        .iter()
        .filter(|one| !OWN.contains(&&*module(one)) || one.starts_with("torch.nn.modules."))
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
fn few(names: &[&str]) -> String {
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
    fn every_line_of_the_tables_is_read() {
        let count = |text: &'static str| lines(text).count();
        assert_eq!(ALLOWED.len(), count(include_str!("../../data/weights_only.tsv")));
        assert_eq!(TYPES.len(), count(include_str!("../../data/safetensors.tsv")));
    }

    #[test]
    fn what_is_allowed_depends_on_the_release() {
        assert!(allows("collections.OrderedDict", STRICT));
        assert!(!allows("argparse.Namespace", Version::pair(2, 15)));
        assert!(!allows("torch.float8_e8m0fnu", STRICT));
        assert!(allows("torch.float8_e8m0fnu", Version::pair(2, 7)));
        let nested = "torch._utils._rebuild_nested_tensor";
        assert!(allows(nested, Version::pair(2, 14)) && !allows(nested, Version::pair(2, 15)));
    }
}
