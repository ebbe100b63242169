//! Checkpoints that a release does not load as they are.
//!
//! | module | for whom |
//! | --- | --- |
//! | `legacy` | releases before 1.6, whose `torch.load` reads no archives: one pickle, and the storages behind it |
//! | `module_attributes` | classes whose code reads attributes that pickled modules lack |
//! | `module_names` | classes that have another name now |
//! | `numpy_names` | releases that were built for numpy 1: names of numpy 2 |
//! | `plain` | `weights_only=True` of 2.6 and later: values that need no code are written as such |
//!
//! Tensors are copied by range. Nothing that a pickle asks for by name is carried out, so what only code can make has no
//! other form, and stays for the verdict to refuse.

mod legacy;
mod module_attributes;
mod module_names;
mod numpy_names;
mod plain;

use unskew_core::{Conversion, Places};
use unskew_source::{Assembly, ReadError};

use super::archive_builder::ArchiveBuilder;
use super::task::{ConversionTask, block, rewrite};
use crate::pickle::{Pickle, PickleValue, Unwritable};
use crate::verdict::{numpy_modules, strict_loader};

/// The record with the objects.
const OBJECTS: &str = "data.pkl";

/// Instructions that make sets and byte arrays, and objects in the way of Python 2: what is kept of them does not tell which.
const UNTOLD: [u8; 10] = [0x8f, 0x90, 0x91, 0x92, 0x96, b'i', b'o', b'S', b'T', b'U'];

/// The bytes that are kept of a large number.
const KEPT: usize = 64;

/// Classes of `collections` whose items are keys and values.
const DICTIONARIES: [&str; 3] = ["OrderedDict", "defaultdict", "Counter"];

/// Plans the checkpoint anew for the release; none if it stays as it is or cannot be converted.
pub(super) fn plan(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
) -> Result<Option<Assembly>, ReadError> {
    let minor = task.to.minor();
    let most = task.to.release.file_format.max.map(unskew_core::Version::major);
    let version = task.model.operator_version();
    let too_new = version.zip(most).is_some_and(|(version, most)| version > most);
    let strict = strict_loader::refuses_values(task.model, minor);
    let renamed = numpy_modules::asks_for_newer(task.model, minor);
    let lacking = module_attributes::are_wanted(task.model, minor);
    let moved = module_names::are_wanted(task.model, minor);
    if !(too_new || strict || renamed || lacking || moved) {
        return Ok(None);
    }
    let Some(bytes) = task.records.get(OBJECTS)? else { return Ok(None) };
    let mut pickle = task.records.pickle(OBJECTS, &bytes)?;
    if pickle.opcodes.iter().any(|opcode| UNTOLD.contains(opcode)) || is_not_whole(&pickle) {
        let what = "sets, lists of other classes, byte arrays, odd texts and very large numbers in a pickle";
        block(task, plan, what, Places::from_iter([OBJECTS]));
        return Ok(None);
    }
    if strict {
        plain::put(&mut pickle, plan);
    }
    if moved {
        module_names::put(task.model, minor, &mut pickle, plan);
    }
    if lacking {
        module_attributes::put(task.model, minor, &mut pickle, plan);
    }
    if renamed {
        numpy_names::put(&mut pickle, plan);
    }
    if too_new {
        return legacy::file(task, plan, pickle);
    }
    let Some(bytes) = written(task, plan, &pickle) else { return Ok(None) };
    if strict && task.model.pickle_opcodes.iter().any(|opcode| !strict_loader::runs(*opcode, minor))
    {
        let what = "the objects are written with instructions of pickle protocol 2".to_owned();
        rewrite(plan, plain::ADAPTATION, what, OBJECTS);
    }
    if plan.changes_nothing() {
        return Ok(None);
    }
    let mut draft = ArchiveBuilder::from_records(task.records)?;
    draft.replace(OBJECTS, bytes);
    draft.finish(task.file).map(Some)
}

/// Whether something is added to an object of which it does not show whether that is a dictionary, or a value was not kept
/// whole: a large number, or a text that is no Unicode.
fn is_not_whole(pickle: &Pickle) -> bool {
    pickle.values().any(|value| {
        let call = match value {
            PickleValue::Call(call) => call,
            PickleValue::BigInt(bytes) => return bytes.len() >= KEPT,
            PickleValue::Text(text) => return text.contains(char::REPLACEMENT_CHARACTER),
            _ => return false,
        };
        let is_dictionary = matches!(pickle.value(call.callee), PickleValue::Global(module, name)
            if module == "collections" && DICTIONARIES.contains(&&**name));
        !call.items.is_empty() && !is_dictionary
    })
}

/// The bytes of a pickle; none if it has values whose content was not kept, which is a blocker.
fn written(task: &ConversionTask<'_>, plan: &mut Conversion, pickle: &Pickle) -> Option<Vec<u8>> {
    match pickle.write() {
        Ok(bytes) => Some(bytes),
        Err(error @ (Unwritable::Bytes | Unwritable::Outside | Unwritable::TooDeep)) => {
            block(task, plan, &error.to_string(), Places::from_iter([OBJECTS]));
            None
        }
    }
}
