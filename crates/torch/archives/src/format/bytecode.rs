//! Mobile bytecode in a pickle: `bytecode.pkl`.
//!
//! ```text
//! ( 8,                                     the version; up to 3 there is none
//!   ( "__torch__.M.forward",
//!     ( ("instructions", ...), ("operators", ( ("aten::add", "Tensor", 2), ... )), ... ) ), ... )
//! ```
//! From version 6 on an operator says how many of its arguments the code gives.

use unskew_core::Version;
use unskew_source::{ReadError, SourceProblem};

use super::records::Records;
use crate::model::OperatorUse;
use crate::pickle::{Pickle, PickleValue};
use crate::{ProducerReleases, TorchModel, VersionStamp, history};

const RECORD: &str = "bytecode.pkl";

/// The version of bytecode that does not say its version.
const UNSAID: i64 = 3;

/// The most operators of all functions together.
const OPERATORS: usize = 1 << 20;

/// The most different instructions; PyTorch has some fifty.
const INSTRUCTIONS: usize = 1000;

/// Reads the bytecode of an archive into `model`, whose methods are those of `class`.
pub(super) fn read(
    records: &Records,
    model: &mut TorchModel,
    class: Option<&str>,
) -> Result<(), ReadError> {
    let Some(bytes) = records.get(RECORD)? else { return Ok(()) };
    let pickle = records.pickle(RECORD, &bytes)?;
    let malformed =
        |what: &str| ReadError::malformed(records.file(), what.to_owned()).in_record(RECORD);
    let mut members = pickle.members(pickle.root()).peekable();
    let first = members.peek().ok_or_else(|| malformed("not a tuple of functions"))?;
    let said = first.int();
    if said.is_some() {
        members.next();
    }
    let version = Version::number(said.unwrap_or(UNSAID));
    let place = if said.is_some() { RECORD.to_owned() } else { format!("{RECORD}, unsaid") };
    model.bytecode = Some(VersionStamp { version, place });
    let mut count = 0;
    for function in members {
        let mut parts = pickle.members(function);
        let name = parts.next().and_then(PickleValue::text).unwrap_or("?").to_owned();
        let code =
            parts.next().ok_or_else(|| malformed("a function without code").in_field(&name))?;
        for instruction in part(&pickle, code, "instructions") {
            let name = pickle.members(instruction).next().and_then(PickleValue::text);
            let new = |name: &&str| !model.instructions.contains(*name);
            if let Some(name) = name.filter(new)
                && model.instructions.len() < INSTRUCTIONS
            {
                model.instructions.insert(name.to_owned());
            }
        }
        let types = || part(&pickle, code, "types").filter_map(PickleValue::text);
        for (what, is_it) in
            [(history::OWN_TYPES, is_own as fn(&str) -> bool), (history::TORCH_TYPES, is_of_torch)]
        {
            if types().any(is_it) {
                model.types.entry(what).or_default().add(&name);
            }
        }
        let is_method = name.rsplit_once('.').is_some_and(|(own, _)| Some(own) == class);
        if is_method && parts.next().is_some_and(|schema| gives_own(&pickle, schema)) {
            model.types.entry(history::NAMED_RESULT).or_default().add(&name);
        }
        for operator in part(&pickle, code, "operators") {
            count += 1;
            if count > OPERATORS {
                let what = "the bytecode (counted in operators)".to_owned();
                let problem =
                    SourceProblem::TooLarge { what, size: count as u64, limit: OPERATORS as u64 };
                return Err(ReadError::new(records.file(), problem).in_record(RECORD));
            }
            let mut parts = pickle.members(operator);
            let (Some(operator), Some(overload)) = (
                parts.next().and_then(PickleValue::text),
                parts.next().and_then(PickleValue::text),
            ) else {
                return Err(malformed("an operator without name or overload").in_field(name));
            };
            // -1 stands for a variadic one.
            let given = parts.next().and_then(PickleValue::int).and_then(|n| u64::try_from(n).ok());
            model.add_use(OperatorUse::overload(operator, overload, given), &name, false);
        }
    }
    note_enums(&pickle, RECORD, model);
    if pickle.calls > 0 {
        model.facts.push(("pickle imports", pickle.imports.join(", ")));
    }
    Ok(())
}

/// Whether a type is, or holds, one that the file declares itself: `List[__torch__.Out]`.
fn is_own(ty: &str) -> bool {
    let mut own = ty.split("__torch__.").skip(1);
    own.any(|rest| !rest.starts_with("torch.classes."))
}

/// Whether a type is, or holds, one of a module of PyTorch: `__torch__.torch.nn.utils.rnn.PackedSequence`.
fn is_of_torch(ty: &str) -> bool {
    let mut own = ty.split("__torch__.torch.").skip(1);
    own.any(|rest| !rest.starts_with("classes."))
}

/// Whether what a function returns is, or holds, a type of the file itself.
fn gives_own(pickle: &Pickle, schema: &PickleValue) -> bool {
    part(pickle, schema, "returns").any(|one| {
        // A name, a type and a default, each with its key.
        let mut pairs = pickle.members(one).map(|pair| pickle.members(pair));
        pairs.any(|mut pair| {
            pair.next().and_then(PickleValue::text) == Some("type")
                && pair.next().and_then(PickleValue::text).is_some_and(is_own)
        })
    })
}

/// Notes values of `Enum` classes in a pickle: calls of a class of the file with a number or a text, where objects have a
/// state.
pub(super) fn note_enums(pickle: &Pickle, record: &str, model: &mut TorchModel) {
    let is_enum = |value: &PickleValue| {
        let PickleValue::Call(call) = value else { return false };
        let PickleValue::Global(module, _) = pickle.value(call.callee) else { return false };
        let given = call.arguments.map(|id| pickle.value(id));
        let is_plain = matches!(
            given,
            Some(PickleValue::Int(_) | PickleValue::Float(_) | PickleValue::Text(_))
        );
        is_plain
            && module.starts_with("__torch__")
            && !module.starts_with("__torch__.torch.classes")
    };
    if pickle.values().any(is_enum) {
        model.types.entry(history::ENUM_VALUES).or_default().add(record);
    }
}

/// The members of one part of a function: its `instructions`, its `operators`.
fn part<'p>(
    pickle: &'p Pickle,
    code: &'p PickleValue,
    name: &'p str,
) -> impl Iterator<Item = &'p PickleValue> {
    let table = pickle.members(code).find_map(|part| {
        let mut pair = pickle.members(part);
        let named = pair.next().and_then(PickleValue::text) == Some(name);
        if named { pair.next() } else { None }
    });
    table.into_iter().flat_map(|table| pickle.members(table))
}

/// Narrows the writer by the bytecode version. An upper bound may be wrong, because tools lower the
/// version; then it contradicts the other signs and is left out.
pub(super) fn narrow(producer: &mut ProducerReleases, version: Version) {
    let minor = |n| Some(Version::pair(1, n));
    let (since, until) = match version.major() {
        3 => (minor(3), minor(6)),
        4 => (minor(7), minor(8)),
        5 => (minor(9), minor(9)),
        6 | 7 => (minor(10), minor(11)),
        8 | 9 => (minor(12), None),
        _ => (None, None),
    };
    producer.narrow(since, until, &format!("bytecode {version}"));
}
