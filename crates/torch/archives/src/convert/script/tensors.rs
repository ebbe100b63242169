//! The tensors of archives of 1.1 and 1.2, as later ones pickle them.

use std::collections::BTreeMap;

use crate::json::JsonValue;
use crate::pickle::{Id, Pickle, PickleValue};

/// Storages by the names of types in `model.json`, and bytes for one element.
const STORAGES: [(&str, &str, u64); 9] = [
    ("FLOAT", "FloatStorage", 4),
    ("DOUBLE", "DoubleStorage", 8),
    ("FLOAT16", "HalfStorage", 2),
    ("INT64", "LongStorage", 8),
    ("INT32", "IntStorage", 4),
    ("INT16", "ShortStorage", 2),
    ("INT8", "CharStorage", 1),
    ("UINT8", "ByteStorage", 1),
    ("BOOL", "BoolStorage", 1),
];

/// The table of tensors of a description.
pub(super) struct Tensors<'j> {
    pub(super) table: &'j [JsonValue],
    pub(super) sizes: BTreeMap<String, u64>,
}

/// A number, which the description writes as one or as a text.
pub(super) fn number(json: &JsonValue) -> Option<i64> {
    json.as_int().or_else(|| json.as_text()?.parse().ok())
}

impl Tensors<'_> {
    /// The record of a tensor's storage, by its number in the table.
    fn record(&self, tensor: &JsonValue) -> Option<String> {
        Some(tensor.get("data")?.get("key")?.as_text()?.to_owned())
    }

    /// What a record is called in the new archive, within its folder.
    pub(super) fn key(record: &str) -> &str {
        record.rsplit('/').next().unwrap_or(record)
    }

    /// Adds a tensor to a pickle; none if the table does not have it or it has no form.
    pub(super) fn add(&self, pickle: &mut Pickle, number_in_table: i64) -> Option<Id> {
        let tensor = self.table.get(usize::try_from(number_in_table).ok()?)?;
        let record = self.record(tensor)?;
        let kind = tensor.get("dataType").and_then(JsonValue::as_text).unwrap_or("FLOAT");
        let (_, class, width) = STORAGES.into_iter().find(|(name, ..)| *name == kind)?;
        let size = self.sizes.get(&record)?;
        let elements = i64::try_from(size / width).ok().filter(|_| size % width == 0)?;
        let numbers = |name: &str| -> Option<Vec<i64>> {
            tensor.get(name).map_or(&[][..], JsonValue::items).iter().map(number).collect()
        };
        let (sizes, strides) = (numbers("dims")?, numbers("strides")?);
        let offset = tensor.get("offset").map_or(Some(0), number)?;
        let device = tensor.get("device").and_then(JsonValue::as_text).unwrap_or("cpu").to_owned();
        let requires_grad = tensor.get("requiresGrad") == Some(&JsonValue::Bool(true));

        let all: [Id; 5] = [
            pickle.text("storage"),
            pickle.push(PickleValue::Global("torch".to_owned(), class.to_owned())),
            pickle.text(Self::key(&record)),
            pickle.text(&device),
            pickle.push(PickleValue::Int(elements)),
        ];
        let storage = pickle.tuple(all);
        let storage = pickle.push(PickleValue::Persistent(Some(storage)));
        let offset = pickle.push(PickleValue::Int(offset));
        let tuple = |pickle: &mut Pickle, all: &[i64]| {
            let ids: Vec<Id> = all.iter().map(|n| pickle.push(PickleValue::Int(*n))).collect();
            pickle.tuple(ids)
        };
        let (sizes, strides) = (tuple(pickle, &sizes), tuple(pickle, &strides));
        let requires_grad = pickle.push(PickleValue::Bool(requires_grad));
        let hooks = pickle.call("collections", "OrderedDict", []);
        let parts = [storage, offset, sizes, strides, requires_grad, hooks];
        Some(pickle.call("torch._utils", "_rebuild_tensor_v2", parts))
    }
}
