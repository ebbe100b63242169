//! The loader for `weights_only=True`: what it refuses of a checkpoint.
//!
//! `torch.load` is this loader since 2.6, unless it is told otherwise. It imports what stands on a list
//! (`data/weights_only.tsv`) and has some of the instructions of pickles (`data/weights_only_opcodes.tsv`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unskew_core::{Finding, Places, Version};

use super::pair::FileAndRelease;
use super::pickled::PickledError;
use super::tensor_files::{few, lines};
use crate::{TorchFormat, TorchModel, rules};

/// The first release whose `torch.load` is strict unless it is told otherwise.
pub(super) const STRICT: Version = Version::pair(2, 6);

/// The last protocol of pickles that the strict loader reads.
const PROTOCOL: u8 = 3;

/// What is imported for values that need no code.
const PLAIN: [&str; 3] =
    ["argparse.Namespace", "numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar"];

/// What is imported beside a number of numpy.
const OF_NUMBERS: [&str; 2] = ["numpy.dtype", "_codecs.encode"];

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

/// Whether some release lets this be imported.
pub(crate) fn is_listed(global: &str) -> bool {
    ALLOWED.contains_key(global)
}

/// What it refuses; `pickled` are the errors that every loader makes.
pub(super) fn refusal(pair: &FileAndRelease<'_>, pickled: &[PickledError]) -> Option<Finding> {
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
    // Without the names that have plain forms, only an instruction or a protocol is refused.
    let is_plain = |one: &&&str| PLAIN.contains(*one) || OF_NUMBERS.contains(*one);
    let advice = match pickled.is_empty() {
        true if model.format != TorchFormat::Pickle
            && !model.pickle_cut
            && refused.iter().all(|one| is_plain(&one)) =>
        {
            "Run `unskew convert`, which writes plain values where they need no code. If you trust the file, you can load it \
             with torch.load(path, weights_only=False)."
        }
        true => {
            "If you trust the file, load it with torch.load(path, weights_only=False), or allow its classes first with \
             torch.serialization.add_safe_globals. Better: save a state_dict of tensors alone."
        }
        false if pickled.iter().all(|error| error.is_converted) => {
            "Run `unskew convert` for the other errors of this list. If you trust the file, load the result with \
             torch.load(path, weights_only=False)."
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

/// Whether the strict loader of a release refuses values or instructions of a checkpoint that have a plain form.
pub(crate) fn refuses_values(model: &TorchModel, minor: Version) -> bool {
    minor >= STRICT
        && (model.globals.iter().any(|one| PLAIN.contains(&&**one) && !allows(one, minor))
            || model.pickle_opcodes.iter().any(|opcode| !runs(*opcode, minor)))
}

/// Whether the strict loader of a release lets this be imported.
fn allows(global: &str, minor: Version) -> bool {
    let within = |(since, until): &Span| *since <= minor && until.is_none_or(|last| minor <= last);
    ALLOWED.get(global).is_some_and(within)
}

/// Whether the strict loader of a release has this instruction.
pub(crate) fn runs(opcode: u8, minor: Version) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_read() {
        let count = |text: &'static str| lines(text).count();
        assert_eq!(ALLOWED.len(), count(include_str!("../../data/weights_only.tsv")));
        assert_eq!(OPCODES.len(), count(include_str!("../../data/weights_only_opcodes.tsv")));
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
