//! The form of `torch.save` before 1.6.
//!
//! ```text
//! pickle   the magic number
//! pickle   1001, the version of the form
//! pickle   the system: its byte order, and sizes that no loader looks at
//! pickle   the objects; a storage is ("storage", class, key, device, count of elements, None)
//! pickle   the keys of the storages, in the order in which they follow
//! i64      the count of elements of a storage, then its bytes; and so on
//! ```

use std::collections::BTreeMap;

use unskew_core::{Conversion, Places};
use unskew_source::{Assembly, ReadError};

use super::{OBJECTS, written};
use crate::convert::task::{ConversionTask, block, rewrite};
use crate::format::MAGIC;
use crate::pickle::{Id, Members, Pickle, PickleValue};
use crate::pickled::SPARSE;

const ADAPTATION: &str = "legacy-checkpoint";

/// The version of the form.
const VERSION: i64 = 1001;

/// How many bytes an element has, by the class of its storage.
const SIZES: [(&str, u64); 15] = [
    ("DoubleStorage", 8),
    ("FloatStorage", 4),
    ("HalfStorage", 2),
    ("BFloat16Storage", 2),
    ("LongStorage", 8),
    ("IntStorage", 4),
    ("ShortStorage", 2),
    ("CharStorage", 1),
    ("ByteStorage", 1),
    ("BoolStorage", 1),
    ("ComplexFloatStorage", 8),
    ("ComplexDoubleStorage", 16),
    ("QInt8Storage", 1),
    ("QUInt8Storage", 1),
    ("QInt32Storage", 4),
];

/// A storage as a pickle names it.
struct StorageName {
    /// Its tuple.
    id: Id,
    key: String,
    count: i64,
    size: u64,
}

/// The checkpoint in that form; none if it has none, which is a blocker.
pub(super) fn file(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    mut pickle: Pickle,
) -> Result<Option<Assembly>, ReadError> {
    let at = || Places::from_iter([OBJECTS]);
    if task.records.get("byteorder")?.is_some_and(|order| order != b"little") {
        block(task, plan, "elements in big-endian order", Places::from_iter(["byteorder"]));
        return Ok(None);
    }
    // 1.4 and 1.5 take the scales of channels as lists, and give other values for tensors without an error.
    let is_channels = |value: &PickleValue| matches!(value, PickleValue::Global(module, name) if module == "torch" && name.starts_with("per_channel_affine"));
    if pickle.values().any(is_channels) {
        block(task, plan, "tensors that are quantized by channel", at());
        return Ok(None);
    }
    // They look at the indices of a sparse tensor before those are read, also in files of their own.
    if task.model.pickled.calls.contains_key(SPARSE) {
        block(task, plan, "sparse tensors, whose indices this release checks too early", at());
        return Ok(None);
    }
    let mut storages: BTreeMap<String, StorageName> = BTreeMap::new();
    let named: Vec<Option<StorageName>> = pickle
        .values()
        .filter_map(|value| match value {
            PickleValue::Persistent(name) => Some(name.and_then(|id| storage(&pickle, id))),
            _ => None,
        })
        .collect();
    let none = pickle.push(PickleValue::None);
    for one in named {
        let Some(one) = one else {
            block(task, plan, "a storage without a type of its elements", at());
            return Ok(None);
        };
        if let PickleValue::Tuple(members) = pickle.value(one.id) {
            let mut members = members.to_vec();
            if members.len() == 5 {
                members.push(none);
                pickle.replace(one.id, PickleValue::Tuple(Members::from_vec(members)));
            }
        }
        let known = storages.entry(one.key.clone()).or_insert(one);
        if known.count < 0 {
            block(task, plan, "a storage of a negative size", at());
            return Ok(None);
        }
    }
    let Some(objects) = written(&task.sides(), plan, &pickle) else { return Ok(None) };
    let mut output = Assembly::new(task.file);
    output.push_bytes(head()?);
    output.push_bytes(objects);
    output.push_bytes(keys(storages.keys())?);
    for one in storages.values() {
        let record = format!("data/{}", one.key);
        let member = task.records.all().find(|(name, _)| *name == record);
        let Some((_, entry)) = member else {
            block(task, plan, "a storage that is not in the file", Places::from_iter([record]));
            return Ok(None);
        };
        let member = task.records.raw(entry)?;
        let wanted = u64::try_from(one.count).ok().and_then(|count| count.checked_mul(one.size));
        if member.deflated || wanted != Some(member.size) {
            let what = "a storage that is compressed, or not as long as its elements";
            block(task, plan, what, Places::from_iter([record]));
            return Ok(None);
        }
        output.push_bytes(one.count.to_le_bytes().to_vec());
        output.push_copy(&member.source, member.range)?;
    }
    let what = "the archive is a pickle with its storages behind it, as releases before 1.6 write";
    rewrite(plan, ADAPTATION, what.to_owned(), OBJECTS);
    Ok(Some(output))
}

/// A storage by the tuple that names it.
fn storage(pickle: &Pickle, id: Id) -> Option<StorageName> {
    let mut parts = pickle.members(pickle.value(id));
    if parts.next()?.text()? != "storage" {
        return None;
    }
    let PickleValue::Global(module, class) = parts.next()? else { return None };
    let (_, size) = SIZES.iter().find(|(name, _)| module == "torch" && name == class)?;
    let key = parts.next()?.text()?.to_owned();
    let count = parts.nth(1)?.int()?;
    Some(StorageName { id, key, count, size: *size })
}

/// The pickles in front of the objects.
fn head() -> Result<Vec<u8>, ReadError> {
    let mut magic = Pickle::empty();
    let number = magic.push(PickleValue::BigInt(MAGIC.to_vec()));
    magic.set_root(number);
    let mut version = Pickle::empty();
    let number = version.push(PickleValue::Int(VERSION));
    version.set_root(number);
    let mut system = Pickle::empty();
    let mut dict = |pairs: &[(&str, PickleValue)]| {
        let mut members = Vec::new();
        for (key, value) in pairs {
            let key = system.text(key);
            members.extend([key, system.push(value.clone())]);
        }
        PickleValue::Dict(Members::from_vec(members))
    };
    let int = PickleValue::Int;
    let sizes = dict(&[("short", int(2)), ("int", int(4)), ("long", int(4))]);
    let all = dict(&[
        ("protocol_version", int(VERSION)),
        ("little_endian", PickleValue::Bool(true)),
        ("type_sizes", sizes),
    ]);
    let root = system.push(all);
    system.set_root(root);
    let mut bytes = Vec::new();
    for one in [magic, version, system] {
        bytes.extend(one.write().map_err(unwritable)?);
    }
    Ok(bytes)
}

fn keys<'k>(keys: impl Iterator<Item = &'k String>) -> Result<Vec<u8>, ReadError> {
    let mut pickle = Pickle::empty();
    let members: Vec<Id> = keys.map(|key| pickle.text(key)).collect();
    let root = pickle.push(PickleValue::List(Members::from_vec(members)));
    pickle.set_root(root);
    pickle.write().map_err(unwritable)
}

fn unwritable(error: crate::pickle::Unwritable) -> ReadError {
    ReadError::malformed(OBJECTS, error.to_string())
}
