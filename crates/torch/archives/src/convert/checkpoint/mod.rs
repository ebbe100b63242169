//! Checkpoints that a release does not load as they are.
//!
//! | module | for whom |
//! | --- | --- |
//! | `legacy` | releases before 1.6, whose `torch.load` reads no archives: one pickle, and the storages behind it |
//! | `legacy_input` | nothing: checkpoints of that form, which they keep |
//! | `module_attributes` | classes whose code reads attributes that pickled modules lack |
//! | `numpy_names` | releases that were built for numpy 1: names of numpy 2 |
//! | `rebuilt` | functions that rebuild tensors, which a release has in another form |
//! | `renamed` | classes and functions that have another name now |
//! | `plain` | `weights_only=True` of 2.6 and later: values that need no code are written as such |
//!
//! Tensors are copied by range. Nothing that a pickle asks for by name is carried out, so what only code can make has no
//! other form, and stays for the verdict to refuse.

mod legacy;
mod legacy_input;
mod module_attributes;
mod numpy_names;
mod plain;
mod rebuilt;
mod renamed;

pub(super) use legacy_input::plan as plan_legacy;
pub use plain::PLAIN_CHECKPOINT;

use unskew_core::{Conversion, Places};
use unskew_source::{Assembly, ReadError};

use super::archive_builder::ArchiveBuilder;
use super::task::{ConversionSides, ConversionTask, block_for, rewrite};
use crate::pickle::{Pickle, PickleValue, Unwritable};
use crate::pickled::alternatives::LackingForms;
use crate::verdict::{numpy_modules, strict_loader};

/// The record with the objects.
const OBJECTS: &str = "data.pkl";

/// Instructions that make sets and byte arrays, and objects in the way of Python 2: what is kept of them does not tell which.
const UNTOLD: [u8; 10] = [0x8f, 0x90, 0x91, 0x92, 0x96, b'i', b'o', b'S', b'T', b'U'];

/// The bytes that are kept of a large number.
const KEPT: usize = 64;

/// Classes of `collections` whose items are keys and values.
const DICTIONARIES: [&str; 3] = ["OrderedDict", "defaultdict", "Counter"];

/// What a release needs to be otherwise in the objects of a checkpoint.
struct WantedRewrites {
    plain: bool,
    renamed: bool,
    rebuilt: Option<LackingForms>,
    attributes: bool,
    numpy_names: bool,
}

impl WantedRewrites {
    /// Those of a file whose storages lie behind the pickle, when it is written, or in records of their own.
    fn new(sides: &ConversionSides<'_>, storages_behind: bool) -> Self {
        let (model, minor) = (sides.model, sides.to.minor());
        Self {
            plain: strict_loader::refuses_values(model, minor),
            renamed: renamed::are_wanted(model, minor),
            rebuilt: Some(LackingForms::new(minor, storages_behind))
                .filter(|lacking| rebuilt::are_wanted(model, lacking)),
            attributes: module_attributes::are_wanted(model, minor),
            numpy_names: numpy_modules::asks_for_newer(model, minor),
        }
    }

    fn any(&self) -> bool {
        self.plain || self.renamed || self.rebuilt.is_some() || self.attributes || self.numpy_names
    }

    /// Rewrites the objects; false if they cannot be written again, which is a blocker.
    fn put(&self, sides: &ConversionSides<'_>, pickle: &mut Pickle, plan: &mut Conversion) -> bool {
        if pickle.opcodes.iter().any(|opcode| UNTOLD.contains(opcode)) || is_not_whole(pickle) {
            let what = "sets, lists of other classes, byte arrays, odd texts and very large numbers in a pickle";
            block_for(sides, plan, what, Places::from_iter([OBJECTS]));
            return false;
        }
        let (model, minor) = (sides.model, sides.to.minor());
        if self.plain {
            plain::put(pickle, plan);
        }
        if self.renamed {
            renamed::put(model, minor, pickle, plan);
        }
        if let Some(lacking) = &self.rebuilt {
            rebuilt::put(sides, lacking, pickle, plan);
        }
        if self.attributes {
            module_attributes::put(model, minor, pickle, plan);
        }
        if self.numpy_names {
            numpy_names::put(pickle, plan);
        }
        let is_unknown = |opcode: &u8| !strict_loader::runs(*opcode, minor);
        if self.plain && model.pickle_opcodes.iter().any(is_unknown) {
            let what = "the objects are written with instructions of pickle protocol 2".to_owned();
            rewrite(plan, PLAIN_CHECKPOINT, what, OBJECTS);
        }
        true
    }
}

/// Plans an archive anew for the release; none if it stays as it is or cannot be converted.
pub(super) fn plan(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
) -> Result<Option<Assembly>, ReadError> {
    let most = task.to.release.file_format.max.map(unskew_core::Version::major);
    let version = task.model.operator_version();
    let too_new = version.zip(most).is_some_and(|(version, most)| version > most);
    let sides = task.sides();
    let wanted = WantedRewrites::new(&sides, too_new);
    if !(too_new || wanted.any()) {
        return Ok(None);
    }
    let Some(bytes) = task.records.get(OBJECTS)? else { return Ok(None) };
    let mut pickle = task.records.pickle(OBJECTS, &bytes)?;
    if !wanted.put(&sides, &mut pickle, plan) {
        return Ok(None);
    }
    if too_new {
        return legacy::file(task, plan, pickle);
    }
    let Some(bytes) = written(&sides, plan, &pickle) else { return Ok(None) };
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
fn written(sides: &ConversionSides<'_>, plan: &mut Conversion, pickle: &Pickle) -> Option<Vec<u8>> {
    match pickle.write() {
        Ok(bytes) => Some(bytes),
        Err(error @ (Unwritable::Bytes | Unwritable::Outside | Unwritable::TooDeep)) => {
            block_for(sides, plan, &error.to_string(), Places::from_iter([OBJECTS]));
            None
        }
    }
}
