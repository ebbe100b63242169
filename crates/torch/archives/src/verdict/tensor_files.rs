//! Files of tensors and objects: what decides whether a release loads them.
//!
//! `torch.load` refuses, since 2.6 and unless it is told otherwise, whatever a checkpoint imports beyond a list
//! (`data/weights_only.tsv`). A safetensors file has types that not every release has (`data/safetensors.tsv`). What the
//! program then does with the tensors is not in the file, and is not judged.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unskew_core::{Finding, Judgement, Places, Unjudged, Version, aspect};

use super::pair::FileAndRelease;
use super::pickled;
use crate::{TorchFormat, rules};

/// The first release whose `torch.load` is strict unless it is told otherwise.
const STRICT: Version = Version::pair(2, 6);

/// The first release that was built for numpy 2.
const NUMPY_2: Version = Version::pair(2, 3);

/// The modules of `numpy._core` that numpy 1.26.3 and 1.26.4 have, so that they read what numpy 2 wrote.
const NUMPY_1_CORE: [&str; 6] =
    ["_dtype", "_dtype_ctypes", "_internal", "_multiarray_umath", "multiarray", "umath"];

/// The last protocol of pickles that the strict loader reads.
const PROTOCOL: u8 = 3;

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

/// Since which release the strict loader has an instruction of pickles.
static OPCODES: LazyLock<BTreeMap<u8, Version>> = LazyLock::new(|| {
    let one = |line: &'static str| {
        let mut cells = line.split('\t');
        let (opcode, _, since) = (cells.next()?.parse().ok()?, cells.next()?, cells.next()?);
        Some((opcode, since.parse().ok()?))
    };
    lines(include_str!("../../data/weights_only_opcodes.tsv")).filter_map(one).collect()
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
            let pickled = pickled::findings(pair);
            judgement.findings.extend(weights_only(pair, &pickled));
            judgement.findings.extend(pickled);
            judgement.findings.extend(numpy(pair));
            unknown(pair, judgement);
        }
        TorchFormat::Pickle => {
            judgement.findings.extend(pickled::findings(pair));
            judgement.findings.extend(numpy(pair));
            unknown(pair, judgement);
        }
        _ => return,
    }
    let reason = "whether the program takes these names, shapes and objects is not in the file";
    judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, reason));
}

/// What stands outside of the file and of PyTorch.
fn unknown(pair: &FileAndRelease<'_>, judgement: &mut Judgement) {
    judgement.unjudged.extend(numpy_unknown(pair));
    judgement.unjudged.extend(modules(pair));
    judgement.unjudged.extend(classes(pair));
}

/// What the strict loader refuses.
fn weights_only(pair: &FileAndRelease<'_>, pickled: &[Finding]) -> Option<Finding> {
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
    } else if let Some(opcode) = model.pickle_opcodes.iter().find(|one| !runs(**one, minor)) {
        (instruction(*opcode), format!("Weights only load failed. … Unsupported operand {opcode}"))
    } else {
        return None;
    };
    let advice = match pickled.is_empty() {
        true => {
            "If you trust the file, load it with torch.load(path, weights_only=False), or allow its classes first with \
             torch.serialization.add_safe_globals. Better: save a state_dict of tensors alone."
        }
        // To load it with the other loader leads to the next error.
        false => {
            "Save a state_dict of tensors alone, with the release that wrote the file: weights_only=False leads to the \
             other errors of this list."
        }
    };
    let finding =
        rules::WeightsOnlyRefuses { file, runtime: runtime_name, what: &what, advice: &advice };
    let finding = finding.finding();
    Some(finding.with_symptom(symptom).at(Places::from_iter(["data.pkl"])))
}

/// Whether the strict loader of a release lets this be imported.
fn allows(global: &str, minor: Version) -> bool {
    let within = |(since, until): &Span| *since <= minor && until.is_none_or(|last| minor <= last);
    ALLOWED.get(global).is_some_and(within)
}

/// Whether the strict loader of a release has this instruction.
fn runs(opcode: u8, minor: Version) -> bool {
    OPCODES.get(&opcode).is_some_and(|since| *since <= minor)
}

/// An instruction of pickles, in words.
fn instruction(opcode: u8) -> String {
    match opcode {
        b'B' | b'C' => "bytes in pickle protocol 3".to_owned(),
        0x20..=0x7e => format!("the pickle instruction {} ({opcode})", char::from(opcode)),
        _ => format!("the pickle instruction {opcode}"),
    }
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

/// Modules that numpy has since 1.26.3 or 2.0, for a release that was built for numpy 1.
fn numpy(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let (import, since) = of_numpy_2(&model.globals)?;
    (runtime.minor() < NUMPY_2).then(|| {
        let finding =
            rules::NumpyTooOld { file, runtime: runtime_name, import: &import, wanted: &since };
        let finding = finding.finding();
        finding.with_symptom("No module named 'numpy._core'").at(Places::from_iter(["data.pkl"]))
    })
}

/// The same for a release that works with numpy 1 and numpy 2.
fn numpy_unknown(pair: &FileAndRelease<'_>) -> Option<Unjudged> {
    let (import, since) = of_numpy_2(&pair.model.globals)?;
    (pair.runtime.minor() >= NUMPY_2).then(|| {
        let reason = format!(
            "{import} needs numpy {since} or later, and which one is installed is not known"
        );
        Unjudged::new(aspect::VERSION, reason)
    })
}

/// The import that wants the newest numpy, and the first numpy that has its module.
fn of_numpy_2(globals: &[String]) -> Option<(&String, &'static str)> {
    let module = |one: &String| {
        let module = one.strip_prefix("numpy._core.")?.split('.').next()?;
        Some(if NUMPY_1_CORE.contains(&module) { "1.26.3" } else { "2.0.0" })
    };
    let imports = globals.iter().filter_map(|one| Some((one, module(one)?)));
    imports.max_by_key(|(_, since)| *since)
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
            true => !pickled::is_known(one) && !ALLOWED.contains_key(one.as_str()),
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
