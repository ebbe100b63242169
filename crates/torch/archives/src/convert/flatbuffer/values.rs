//! Values of a flatbuffer as a pickle.

use std::collections::{BTreeMap, BTreeSet};

use unskew_source::ReadError;

use super::module::ModuleDraft;
use crate::pickle::{Id, Pickle, PickleValue};
use unskew_source::flatbuffer::{FlatTable, Vector};

/// The most bytes of a text.
pub(super) const TEXT: u64 = 1 << 20;

/// The most values of a module.
const MOST: usize = 1 << 22;

/// How deep values lie in each other: modules of modules have some ten levels.
const DEPTH: usize = 64;

/// The fields of a value, and its kinds.
pub(super) mod value_kind {
    pub(in super::super) const KIND: u64 = 0;
    pub(in super::super) const VALUE: u64 = 1;
    pub(super) const NONE: u64 = 0;
    pub(super) const INT: u64 = 1;
    pub(super) const BOOL: u64 = 2;
    pub(super) const DOUBLE: u64 = 3;
    pub(super) const TENSOR: u64 = 5;
    pub(super) const TEXT: u64 = 6;
    pub(super) const LIST: u64 = 7;
    pub(super) const TUPLE: u64 = 8;
    pub(super) const DICT: u64 = 9;
    pub(super) const OBJECT: u64 = 10;
    pub(super) const INTS: u64 = 11;
    pub(super) const DOUBLES: u64 = 12;
    pub(super) const BOOLS: u64 = 13;
    pub(super) const DEVICE: u64 = 14;
    pub(in super::super) const FUNCTION: u64 = 16;
}

/// Storages by the number of a scalar type: their class, and bytes for one element.
const STORAGES: [(u64, &str, u64); 12] = [
    (0, "ByteStorage", 1),
    (1, "CharStorage", 1),
    (2, "ShortStorage", 2),
    (3, "IntStorage", 4),
    (4, "LongStorage", 8),
    (5, "HalfStorage", 2),
    (6, "FloatStorage", 4),
    (7, "DoubleStorage", 8),
    (9, "ComplexFloatStorage", 8),
    (10, "ComplexDoubleStorage", 16),
    (11, "BoolStorage", 1),
    (15, "BFloat16Storage", 2),
];

/// The first kind of class whose objects are given their state as a whole: by `__setstate__`.
const WITH_STATE: u64 = 2;

/// What is found on the way.
#[derive(Default)]
pub(super) struct Values {
    pub(super) storages: BTreeSet<u64>,
    /// What has no form in an archive, and where it stands.
    pub(super) blocked: Vec<(String, String)>,
}

pub(super) struct PickleWriter<'m> {
    module: &'m ModuleDraft<'m>,
    pub(super) pickle: Pickle,
    pub(super) found: &'m mut Values,
    /// The values that are written, by their numbers in the flatbuffer.
    known: BTreeMap<u64, Id>,
    depth: usize,
}

/// The value of this number, as the root of a pickle.
pub(super) fn pickle(
    module: &ModuleDraft<'_>,
    number: u64,
    found: &mut Values,
) -> Result<Pickle, ReadError> {
    let mut writer = PickleWriter::new(module, found);
    let root = writer.value(number)?;
    writer.pickle.set_root(root);
    Ok(writer.pickle)
}

impl<'m> PickleWriter<'m> {
    pub(super) fn new(module: &'m ModuleDraft<'m>, found: &'m mut Values) -> Self {
        Self { module, pickle: Pickle::empty(), found, known: BTreeMap::new(), depth: 0 }
    }

    pub(super) fn value(&mut self, number: u64) -> Result<Id, ReadError> {
        if let Some(id) = self.known.get(&number) {
            return Ok(*id);
        }
        let ModuleDraft { buffer, values, .. } = self.module;
        if number >= values.len {
            return Err(buffer.error(values.at, &format!("no value {number}")));
        }
        if self.depth >= DEPTH || self.pickle.count() as usize > MOST {
            return Err(
                buffer.error(values.at, &format!("value {number} lies too deep, or in itself"))
            );
        }
        self.depth += 1;
        let table = buffer.element(*values, number)?;
        let id = self.value_of(table, number)?;
        self.depth -= 1;
        self.known.insert(number, id);
        Ok(id)
    }

    fn value_of(&mut self, table: FlatTable, number: u64) -> Result<Id, ReadError> {
        let buffer = &self.module.buffer;
        let which = buffer.scalar(table, value_kind::KIND, 1)?;
        let missing = || buffer.error(self.module.values.at, &format!("value {number} is empty"));
        if which == value_kind::NONE {
            return Ok(self.pickle.push(PickleValue::None));
        }
        // Plain numbers are structs, everything else is a table.
        if let value_kind::INT | value_kind::BOOL | value_kind::DOUBLE = which {
            let at = buffer.place(table, value_kind::VALUE)?.ok_or_else(missing)?;
            return Ok(self.pickle.push(match which {
                value_kind::INT => PickleValue::Int(buffer.number(at, 8)? as i64),
                value_kind::BOOL => PickleValue::Bool(buffer.number(at, 1)? != 0),
                _ => PickleValue::Float(f64::from_bits(buffer.number(at, 8)?)),
            }));
        }
        let one = buffer.child(table, value_kind::VALUE)?.ok_or_else(missing)?;
        match which {
            value_kind::TENSOR => self.tensor(one, number),
            value_kind::TEXT | value_kind::DEVICE => {
                let at = buffer.place(one, 0)?;
                let text = at.map_or(Ok(String::new()), |at| buffer.text_at(at, TEXT))?;
                let text = self.pickle.text(&text);
                Ok(match which {
                    value_kind::DEVICE => self.pickle.call("torch", "device", [text]),
                    _ => text,
                })
            }
            value_kind::TUPLE => {
                let items = self.items(buffer.vector(one, 0, 4)?)?;
                Ok(self.pickle.tuple(items))
            }
            value_kind::LIST => {
                let items = self.items(buffer.vector(one, 0, 4)?)?;
                let list = self.pickle.push(PickleValue::List(items.into()));
                self.tagged(list, &buffer.text(one, 1)?)
            }
            value_kind::DICT => {
                let keys = self.items(buffer.vector(one, 0, 4)?)?;
                let values = self.items(buffer.vector(one, 1, 4)?)?;
                let pairs = keys.into_iter().zip(values).flat_map(|(key, value)| [key, value]);
                let dict = self.pickle.push(PickleValue::Dict(pairs.collect()));
                self.tagged(dict, &buffer.text(one, 2)?)
            }
            value_kind::INTS | value_kind::DOUBLES | value_kind::BOOLS => self.numbers(one, which),
            value_kind::OBJECT => self.object(one, number),
            other => {
                let what = format!("an archive has no form for a value of kind {other}");
                self.found.blocked.push((what, format!("ivalues[{number}]")));
                Ok(self.pickle.push(PickleValue::None))
            }
        }
    }

    fn items(&mut self, vector: Vector) -> Result<Vec<Id>, ReadError> {
        let module = self.module;
        (0..vector.len).map(|n| self.value(module.buffer.number(vector.at + 4 * n, 4)?)).collect()
    }

    /// A container with the type that it has.
    fn tagged(&mut self, container: Id, ty: &str) -> Result<Id, ReadError> {
        if ty.is_empty() {
            return Ok(container);
        }
        let ty = self.pickle.text(ty);
        Ok(self.pickle.call("torch.jit._pickle", "restore_type_tag", [container, ty]))
    }

    /// A list of numbers of one kind.
    fn numbers(&mut self, table: FlatTable, which: u64) -> Result<Id, ReadError> {
        let size = if which == value_kind::BOOLS { 1 } else { 8 };
        let vector = self.module.buffer.vector(table, 0, size)?;
        let mut items = Vec::new();
        for n in 0..vector.len {
            let bits = self.module.buffer.number(vector.at + size * n, size)?;
            items.push(self.pickle.push(match which {
                value_kind::INTS => PickleValue::Int(bits as i64),
                value_kind::DOUBLES => PickleValue::Float(f64::from_bits(bits)),
                _ => PickleValue::Bool(bits != 0),
            }));
        }
        let name = match which {
            value_kind::INTS => "build_intlist",
            value_kind::DOUBLES => "build_doublelist",
            _ => "build_boollist",
        };
        let list = self.pickle.push(PickleValue::List(items.into()));
        Ok(self.pickle.call("torch.jit._pickle", name, [list]))
    }

    /// An object of a class, with its attributes or with what it gives `__setstate__`.
    fn object(&mut self, table: FlatTable, number: u64) -> Result<Id, ReadError> {
        let ModuleDraft { buffer, types, .. } = self.module;
        let ty = buffer.scalar(table, 0, 4)?;
        if ty >= types.len {
            return Err(buffer.error(types.at, &format!("value {number} is of no type: {ty}")));
        }
        let ty = buffer.element(*types, ty)?;
        let class = buffer.text(ty, 0)?;
        let Some((package, name)) = class.rsplit_once('.') else {
            return Err(buffer.error(types.at, &format!("not the name of a class: {class}")));
        };
        let state = if buffer.scalar(ty, 1, 1)? >= WITH_STATE {
            self.value(buffer.scalar(table, 1, 4)?)?
        } else {
            let names = buffer.vector(ty, 2, 4)?;
            let values = self.items(buffer.vector(table, 2, 4)?)?;
            let mut pairs = Vec::new();
            for (n, value) in (0..names.len).zip(values) {
                pairs.extend([self.pickle.text(&buffer.element_text(names, n)?), value]);
            }
            self.pickle.push(PickleValue::Dict(pairs.into()))
        };
        Ok(self.pickle.object(package, name, state))
    }

    fn tensor(&mut self, table: FlatTable, number: u64) -> Result<Id, ReadError> {
        let buffer = &self.module.buffer;
        let scalar = buffer.scalar(table, 1, 1)?;
        let known = STORAGES.iter().find(|(kind, ..)| *kind == scalar);
        let quantized = buffer.child(table, 6)?.is_some();
        let (Some((_, class, width)), false) = (known, quantized) else {
            let what = "an archive has no form for a quantized tensor, or one of this type";
            self.found.blocked.push((format!("{what}: {scalar}"), format!("ivalues[{number}]")));
            return Ok(self.pickle.push(PickleValue::None));
        };
        let storage = buffer.scalar(table, 0, 4)?;
        let elements = self.module.storage(storage)?.len / width;
        self.found.storages.insert(storage);
        let numbers = |vector: Vector| -> Result<Vec<i64>, ReadError> {
            let one = |n| Ok(i64::from(buffer.number(vector.at + 4 * n, 4)? as u32 as i32));
            (0..vector.len).map(one).collect()
        };
        let sizes = numbers(buffer.vector(table, 3, 4)?)?;
        let strides = numbers(buffer.vector(table, 4, 4)?)?;
        let offset = i64::from(buffer.int(table, 2, 0)?);
        let requires_grad = buffer.scalar(table, 5, 1)? != 0;
        let pickle = &mut self.pickle;
        let kind = pickle.text("storage");
        let class = pickle.push(PickleValue::Global("torch".to_owned(), (*class).to_owned()));
        let key = pickle.text(&storage.to_string());
        let device = pickle.text("cpu");
        let elements = pickle.push(PickleValue::Int(i64::try_from(elements).unwrap_or(0)));
        let storage = pickle.tuple([kind, class, key, device, elements]);
        let storage = pickle.push(PickleValue::Persistent(Some(storage)));
        let offset = pickle.push(PickleValue::Int(offset));
        let [sizes, strides] = [sizes, strides].map(|all| {
            let ids: Vec<Id> = all.into_iter().map(|n| pickle.push(PickleValue::Int(n))).collect();
            pickle.tuple(ids)
        });
        let requires_grad = pickle.push(PickleValue::Bool(requires_grad));
        let hooks = pickle.call("collections", "OrderedDict", []);
        let parts = [storage, offset, sizes, strides, requires_grad, hooks];
        Ok(pickle.call("torch._utils", "_rebuild_tensor_v2", parts))
    }
}
