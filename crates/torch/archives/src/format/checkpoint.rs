//! Files that hold tensors or Python objects and no operators: they carry no version that a runtime
//! could be too old for, and say so. What they import is kept: newer releases refuse some of it.

use unskew_core::Version;
use unskew_source::{ReadError, Source, SourceExt, SourceProblem};

use super::records::Records;
use super::safetensors;
use crate::pickle::{self, Pickle, PickleValue};
use crate::{TorchFormat, TorchModel};

/// The number that `torch.save` of the old form begins with, little-endian.
pub(crate) const MAGIC: [u8; 10] = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];

/// How much of a pickle is looked at; its imports tell what it is.
const HEAD: u64 = 1 << 20;

/// The pickles at the beginning of a checkpoint of the old form: the magic number, the protocol, the system, the object.
const LEGACY: usize = 4;

/// Recognizes a safetensors file or a pickle by its first bytes.
pub(super) fn read(source: &dyn Source, head: &[u8]) -> Result<Option<TorchModel>, ReadError> {
    if let Some(len) = safetensors::recognize(source, head) {
        return safetensors::read(source, len).map(Some);
    }
    if !matches!(head, [0x80, 2..=5, ..]) {
        return Ok(None);
    }
    let bytes = source.head(HEAD)?;
    let whole = bytes.len() as u64 == source.size();
    // What does not end within the head is a large pickle; what ends badly is none.
    let cut =
        |error: &ReadError| !whole && matches!(*error.problem, SourceProblem::Truncated { .. });
    let first = match pickle::scan(source.name(), &bytes) {
        Ok(first) => first,
        Err(error) if cut(&error) => {
            let mut model = TorchModel::new(TorchFormat::Pickle);
            model.pickle_cut = true;
            return Ok(Some(model));
        }
        Err(error) => return Err(error),
    };
    let legacy = *first.root() == PickleValue::BigInt(MAGIC.to_vec());
    let mut model =
        TorchModel::new(if legacy { TorchFormat::LegacyCheckpoint } else { TorchFormat::Pickle });
    if !legacy {
        model.facts.push(("pickle protocol", first.protocol.to_string()));
        take(&mut model, &first);
        return Ok(Some(model));
    }
    model.producer.narrow(None, None, "magic number");
    let mut at = first.len;
    for number in 1..LEGACY {
        let next = match pickle::scan(source.name(), bytes.get(at..).unwrap_or_default()) {
            Ok(next) => next,
            // Only what stands first tells that it is a checkpoint, and that was read.
            Err(error) if number > 1 && (cut(&error) || number == LEGACY - 1) => {
                model.pickle_cut = true;
                break;
            }
            Err(error) => return Err(error),
        };
        if number == 1
            && let Some(protocol) = next.root().int()
        {
            model.facts.push(("protocol", protocol.to_string()));
        }
        at += next.len;
        take(&mut model, &next);
    }
    Ok(Some(model))
}

/// What `torch.save` writes since 1.6.
pub(super) fn read_archive(records: &Records) -> Result<TorchModel, ReadError> {
    let mut model = TorchModel::new(TorchFormat::Checkpoint);
    model.file_format = Some(records.version()?);
    let since = records.has("byteorder") || records.has(".data/serialization_id");
    let since = Version::pair(if since { 2 } else { 1 }, if since { 1 } else { 6 });
    model.producer.narrow(Some(since), None, "records of the archive");
    if let Some(bytes) = records.get("data.pkl")? {
        let pickle = records.pickle("data.pkl", &bytes)?;
        take(&mut model, &pickle);
    }
    Ok(model)
}

/// What a pickle imports, and its protocol.
fn take(model: &mut TorchModel, pickle: &Pickle) {
    model.pickle_protocol = Some(pickle.protocol);
    for opcode in &pickle.opcodes {
        if !model.pickle_opcodes.contains(opcode) {
            model.pickle_opcodes.push(*opcode);
        }
    }
    model.pickled.read(pickle);
    for one in &pickle.imports {
        if !model.globals.contains(one) {
            model.globals.push(one.clone());
        }
    }
    if !pickle.imports.is_empty() {
        model.facts.push(("pickle imports", pickle.imports.join(", ")));
    }
}
