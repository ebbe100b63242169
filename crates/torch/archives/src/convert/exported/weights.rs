//! Tensors of an archive as `torch.save` writes them.
//!
//! From 2.9 on a `torch.export` archive has a record for the bytes of each storage, and a table in JSON that
//! says which tensors lie in it and how. Older releases want an archive in the archive: a pickle that
//! rebuilds a dictionary of tensors, and the same storages beside it. The storages are copied by range;
//! the checksum of the inner archive is joined from theirs.

use std::collections::BTreeMap;

use unskew_source::ReadError;

use super::schema_migrator::MigrationReport;
use crate::convert::archive_builder::ArchiveBuilder;
use crate::convert::task::ConversionTask;
use crate::json::JsonValue;
use crate::pickle::{Id, Pickle, PickleValue};

/// Storages by the number of a scalar type in the schema: their class, and bytes for one element.
const STORAGES: [(i64, &str, i64); 13] = [
    (1, "ByteStorage", 1),
    (2, "CharStorage", 1),
    (3, "ShortStorage", 2),
    (4, "IntStorage", 4),
    (5, "LongStorage", 8),
    (6, "HalfStorage", 2),
    (7, "FloatStorage", 4),
    (8, "DoubleStorage", 8),
    (9, "ComplexHalfStorage", 4),
    (10, "ComplexFloatStorage", 8),
    (11, "ComplexDoubleStorage", 16),
    (12, "BoolStorage", 1),
    (13, "BFloat16Storage", 2),
];

/// The records of one table of tensors.
pub(super) struct Tensors<'t> {
    pub(super) task: &'t ConversionTask<'t>,
    /// The folder of the storages, with a slash.
    pub(super) folder: &'static str,
    pub(super) table: &'t str,
}

impl Tensors<'_> {
    /// The table as an archive of `torch.save`; what has no form there is added to `found`.
    pub(super) fn saved(&self, found: &mut MigrationReport) -> Result<ArchiveBuilder, ReadError> {
        let records = self.task.records;
        let bytes = records.get(self.table)?.unwrap_or_default();
        let table = JsonValue::read(records.file(), self.table, &bytes)?;
        let mut saved = TensorDictionary::new();
        for (name, meta) in table.get("config").map_or(&[][..], JsonValue::fields) {
            if self.add(&mut saved, name, meta)?.is_none() {
                let what = format!("has no form for the tensor {name} as it is stored");
                found.block(what, self.table);
            }
        }
        Ok(saved.finish())
    }

    /// Adds one tensor; none if it has no form.
    fn add(
        &self,
        saved: &mut TensorDictionary,
        name: &str,
        meta: &JsonValue,
    ) -> Result<Option<()>, ReadError> {
        let path = meta.get("path_name").and_then(JsonValue::as_text).unwrap_or_default();
        let record = format!("{}{path}", self.folder);
        let records = self.task.records;
        let Some((_, entry)) = records.all().find(|(name, _)| *name == record) else {
            let fault = ReadError::malformed(records.file(), format!("no record {record}"));
            return Err(fault.in_record(self.table).in_field(name));
        };
        let Some(tensor) = TensorLayout::from_meta(meta, entry.size) else { return Ok(None) };
        let key = match saved.keys.get(path) {
            Some(key) => key.clone(),
            None => {
                let key = saved.keys.len().to_string();
                saved.storages.keep(&format!("data/{key}"), records.raw(entry)?);
                saved.keys.insert(path.to_owned(), key.clone());
                key
            }
        };
        saved.tensor(name, &tensor, &key);
        Ok(Some(()))
    }
}

/// How a tensor lies in its storage.
struct TensorLayout {
    class: &'static str,
    /// Elements of the whole storage.
    elements: i64,
    device: String,
    offset: i64,
    sizes: Vec<i64>,
    strides: Vec<i64>,
    requires_grad: bool,
    is_parameter: bool,
}

impl TensorLayout {
    /// None if it is pickled, symbolic, of an unknown type, or has no bytes where it should.
    fn from_meta(meta: &JsonValue, bytes: u64) -> Option<Self> {
        let is = |value: Option<&JsonValue>| value == Some(&JsonValue::Bool(true));
        if is(meta.get("use_pickle")) {
            return None;
        }
        let tensor = meta.get("tensor_meta")?;
        let scalar = tensor.get("dtype")?.as_int()?;
        let (_, class, width) = STORAGES.into_iter().find(|(number, ..)| *number == scalar)?;
        let plain = |value: &JsonValue| value.get("as_int")?.as_int();
        let numbers = |name: &str| -> Option<Vec<i64>> {
            tensor.get(name)?.items().iter().map(plain).collect()
        };
        let sizes: Vec<i64> = numbers("sizes")?;
        let (elements, rest) = (i64::try_from(bytes).ok()? / width, bytes % width as u64);
        let empty = sizes.contains(&0);
        // Strided is the layout 7.
        if rest != 0 || (elements == 0 && !empty) || tensor.get("layout")?.as_int() != Some(7) {
            return None;
        }
        let device = tensor.get("device")?;
        let kind = device.get("type")?.as_text()?;
        let device = match device.get("index").and_then(JsonValue::as_int) {
            Some(index) => format!("{kind}:{index}"),
            None => kind.to_owned(),
        };
        Some(Self {
            class,
            elements,
            device,
            offset: plain(tensor.get("storage_offset")?)?,
            sizes,
            strides: numbers("strides")?,
            requires_grad: is(tensor.get("requires_grad")),
            is_parameter: is(meta.get("is_param")),
        })
    }
}

/// A dictionary of tensors on its way to an archive.
struct TensorDictionary {
    pickle: Pickle,
    items: Vec<Id>,
    storages: ArchiveBuilder,
    /// The numbers of the storages, by their records in the archive that they come from.
    keys: BTreeMap<String, String>,
}

impl TensorDictionary {
    fn new() -> Self {
        let (pickle, items, keys) = (Pickle::empty(), Vec::new(), BTreeMap::new());
        Self { pickle, items, storages: ArchiveBuilder::empty("archive/"), keys }
    }

    fn tensor(&mut self, name: &str, tensor: &TensorLayout, key: &str) {
        let pickle = &mut self.pickle;
        let name = pickle.text(name);
        let kind = pickle.text("storage");
        let class = pickle.push(PickleValue::Global("torch".to_owned(), tensor.class.to_owned()));
        let key = pickle.text(key);
        let device = pickle.text(&tensor.device);
        let elements = pickle.push(PickleValue::Int(tensor.elements));
        let storage = pickle.tuple([kind, class, key, device, elements]);
        let storage = pickle.push(PickleValue::Persistent(Some(storage)));
        let offset = pickle.push(PickleValue::Int(tensor.offset));
        let numbers = |pickle: &mut Pickle, all: &[i64]| {
            let ids: Vec<Id> = all.iter().map(|n| pickle.push(PickleValue::Int(*n))).collect();
            pickle.tuple(ids)
        };
        let sizes = numbers(pickle, &tensor.sizes);
        let strides = numbers(pickle, &tensor.strides);
        let own = tensor.requires_grad && !tensor.is_parameter;
        let requires_grad = pickle.push(PickleValue::Bool(own));
        let hooks = pickle.call("collections", "OrderedDict", []);
        let parts = [storage, offset, sizes, strides, requires_grad, hooks];
        let mut value = pickle.call("torch._utils", "_rebuild_tensor_v2", parts);
        if tensor.is_parameter {
            let requires_grad = pickle.push(PickleValue::Bool(tensor.requires_grad));
            let hooks = pickle.call("collections", "OrderedDict", []);
            let parts = [value, requires_grad, hooks];
            value = pickle.call("torch._utils", "_rebuild_parameter", parts);
        }
        self.items.extend([name, value]);
    }

    fn finish(mut self) -> ArchiveBuilder {
        let root = self.pickle.push(PickleValue::Dict(self.items.into()));
        self.pickle.set_root(root);
        // Everything in it was put there by us and can be written.
        let pickle = self.pickle.write().unwrap_or_default();
        let mut archive = ArchiveBuilder::empty("archive/");
        archive.add("data.pkl", pickle, false);
        archive.add("byteorder", b"little".to_vec(), false);
        archive.append(self.storages);
        archive.add("version", b"3\n".to_vec(), false);
        archive
    }
}
