//! Writing a program.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use unskew_source::{Assembly, ReadError};

use super::pieces::Pieces;
use super::uses::{Numbers, Uses};
use super::{Block, Field, Id, Item, Module, Operation, Raw, Region, declared};
use crate::bytecode::entries::builtin;
use crate::bytecode::operations::{has, since};
use crate::bytecode::{MAGIC, dialects, section};
use crate::convert::numbers::varint;

/// The first version of the format in which operations have properties.
const PROPERTIES: u64 = dialects::REGISTERED;

struct Writer<'m> {
    module: &'m Module,
    version: u64,
    dialects: Vec<Arc<str>>,
    operations: HashMap<(Arc<str>, Arc<str>), u64>,
    attributes: Numbers,
    types: Numbers,
    texts: HashMap<Id, u64>,
    text_order: Vec<Id>,
    properties: Vec<Vec<u8>>,
    known_properties: HashMap<Vec<u8>, u64>,
    /// The number of each value in the region in which it is.
    values: Vec<u64>,
    /// The dictionary of each operation, in the order of the program.
    dictionaries: std::vec::IntoIter<Option<Id>>,
}

impl Module {
    /// The file in this version of the format.
    ///
    /// # Errors
    /// If attributes or types name themselves.
    pub(crate) fn write(&mut self, version: u64, producer: &str) -> Result<Assembly, ReadError> {
        let top = std::mem::take(&mut self.top);
        self.text(builtin::NAME.as_bytes());
        each(&top, &mut |operation| {
            self.text(operation.dialect.as_bytes());
            self.text(operation.name.as_bytes());
        });
        for item in 0..self.attributes.len() + self.types.len() {
            let item =
                self.attributes.get(item).or_else(|| self.types.get(item - self.attributes.len()));
            if let Some(dialect) = item.map(|item| Arc::clone(&item.dialect)) {
                self.text(dialect.as_bytes());
            }
        }
        let mut dictionaries = Vec::new();
        each(&top, &mut |operation| dictionaries.push(self.dictionary(operation, version)));
        let written = self.write_block(&top, version, producer, dictionaries);
        self.top = top;
        written
    }

    /// The dictionary of the attributes that are no properties; none if there are none.
    fn dictionary(&mut self, operation: &Operation, version: u64) -> Option<Id> {
        let declared = declared(&operation.dialect, &operation.name);
        let own =
            |name: &[u8]| declared.iter().any(|one| one.trim_end_matches('?').as_bytes() == name);
        let mut named: Vec<(Id, Id)> = operation.attributes.clone();
        named.retain(|(name, _)| version < PROPERTIES || !own(self.bytes(*name)));
        if named.is_empty() {
            return None;
        }
        named.sort_by(|(a, _), (b, _)| self.bytes(*a).cmp(self.bytes(*b)));
        Some(self.builtin_dictionary(&named))
    }

    pub(crate) fn builtin_dictionary(&mut self, named: &[(Id, Id)]) -> Id {
        let builtin = |fields| Item { dialect: builtin::NAME.into(), encoded: true, fields };
        let mut fields =
            vec![Field::Number(builtin::attribute::DICTIONARY), Field::Number(named.len() as u64)];
        for (name, value) in named {
            let name = builtin(vec![Field::Number(builtin::attribute::TEXT), Field::Text(*name)]);
            fields.extend([Field::Attribute(self.attributes.add(name)), Field::Attribute(*value)]);
        }
        self.attributes.add(builtin(fields))
    }

    fn write_block(
        &self,
        top: &Block,
        version: u64,
        producer: &str,
        dictionaries: Vec<Option<Id>>,
    ) -> Result<Assembly, ReadError> {
        let mut uses = Uses {
            attributes: vec![Some(0); self.attributes.len()],
            types: vec![Some(0); self.types.len()],
        };
        for dictionary in dictionaries.iter().flatten() {
            self.attribute_used(&mut uses, *dictionary, 0)?;
        }
        let mut names: BTreeMap<(Arc<str>, Arc<str>), u64> = BTreeMap::new();
        let mut result = Ok(());
        each_block(top, &mut |block| {
            if result.is_ok() {
                result = self.block_used(&mut uses, block);
            }
            for operation in &block.operations {
                let name = (Arc::clone(&operation.dialect), Arc::clone(&operation.name));
                *names.entry(name).or_default() += 1;
            }
        });
        result?;
        let mut dialects: Vec<Arc<str>> = Vec::new();
        let used =
            |uses: &[Option<u64>], id: Id| uses.get(id).is_some_and(|count| *count != Some(0));
        let items = (self.attributes.items.iter().enumerate())
            .filter(|(id, _)| used(&uses.attributes, *id))
            .chain(self.types.items.iter().enumerate().filter(|(id, _)| used(&uses.types, *id)));
        for dialect in
            names.keys().map(|(dialect, _)| dialect).chain(items.map(|(_, item)| &item.dialect))
        {
            if !dialects.contains(dialect) {
                dialects.push(Arc::clone(dialect));
            }
        }
        let operations =
            names.into_keys().enumerate().map(|(at, name)| (name, at as u64)).collect();
        let numbers = |items: &[Item], uses: &[Option<u64>]| Numbers::new(items, uses, &dialects);
        let attributes = numbers(&self.attributes.items, &uses.attributes);
        let types = numbers(&self.types.items, &uses.types);
        let writer = Writer {
            module: self,
            version,
            operations,
            attributes,
            types,
            texts: HashMap::new(),
            text_order: Vec::new(),
            properties: Vec::new(),
            known_properties: HashMap::new(),
            values: vec![0; self.values.len()],
            dictionaries: dictionaries.into_iter(),
            dialects,
        };
        writer.file(top, producer)
    }
}

impl Writer<'_> {
    fn file(mut self, top: &Block, producer: &str) -> Result<Assembly, ReadError> {
        let mut dialects = Vec::new();
        self.dialects(&mut dialects);
        let (mut values, mut sizes) = (Pieces::default(), Vec::new());
        self.entries(&mut values, &mut sizes);
        let mut program = Vec::new();
        self.block(&mut program, top, 0);
        let mut properties = Vec::new();
        varint(&mut properties, self.properties.len() as u64);
        for one in &self.properties {
            varint(&mut properties, one.len() as u64);
            properties.extend_from_slice(one);
        }
        let mut texts = Vec::new();
        varint(&mut texts, self.text_order.len() as u64);
        for text in self.text_order.iter().rev() {
            varint(&mut texts, self.module.bytes(*text).len() as u64 + 1);
        }
        for text in &self.text_order {
            texts.extend_from_slice(self.module.bytes(*text));
            texts.push(0);
        }
        let mut out = Pieces::default();
        out.bytes.extend_from_slice(&MAGIC);
        varint(&mut out.bytes, self.version);
        out.bytes.extend_from_slice(producer.as_bytes());
        out.bytes.push(0);
        out.section(section::DIALECTS, Pieces::new(dialects));
        out.section(section::KINDS, values);
        out.section(section::KIND_SIZES, Pieces::new(sizes));
        out.section(section::PROGRAM, Pieces::new(program));
        if self.version >= PROPERTIES {
            out.section(section::PROPERTIES, Pieces::new(properties));
        }
        out.section(section::STRINGS, Pieces::new(texts));
        out.cut();
        let mut file = Assembly::new(self.module.source.name());
        for piece in out.done {
            match piece {
                Raw::Bytes(bytes) => file.push_bytes(bytes),
                Raw::Copied(span) => file.push_copy(&self.module.source, span.start..span.end)?,
            }
        }
        Ok(file)
    }

    fn text(&mut self, id: Id) -> u64 {
        let next = self.text_order.len() as u64;
        *self.texts.entry(id).or_insert_with(|| {
            self.text_order.push(id);
            next
        })
    }

    /// The number of a text that the module may not have: a name.
    fn name(&mut self, name: &str) -> u64 {
        let id = self.module.known_texts.get(name.as_bytes()).copied();
        id.map_or(0, |id| self.text(id))
    }

    fn dialects(&mut self, out: &mut Vec<u8>) {
        varint(out, self.dialects.len() as u64);
        for dialect in self.dialects.clone() {
            let name = self.name(&dialect);
            if self.version < dialects::DIALECT_VERSIONS {
                varint(out, name);
                continue;
            }
            let own = self.module.versions.get(&dialect);
            varint(out, name << 1 | u64::from(own.is_some()));
            if let Some(own) = own {
                out.push(section::DIALECT_VERSION);
                varint(out, own.len() as u64);
                out.extend_from_slice(own);
            }
        }
        if self.version >= dialects::COUNTED {
            varint(out, self.operations.len() as u64);
        }
        let mut order: Vec<_> =
            self.operations.iter().map(|(name, at)| (*at, name.clone())).collect();
        order.sort_unstable();
        for group in order.chunk_by(|(_, (a, _)), (_, (b, _))| a == b) {
            let dialect = group.first().map(|(_, (dialect, _))| dialect);
            let place =
                self.dialects.iter().position(|one| Some(one) == dialect).unwrap_or_default();
            varint(out, place as u64);
            varint(out, group.len() as u64);
            for (_, (_, name)) in group {
                let name = self.name(name);
                let registered = self.version >= dialects::REGISTERED;
                varint(out, if registered { name << 1 | 1 } else { name });
            }
        }
    }

    fn entries(&mut self, values: &mut Pieces, sizes: &mut Vec<u8>) {
        let module = self.module;
        varint(sizes, self.attributes.order.len() as u64);
        varint(sizes, self.types.order.len() as u64);
        let tables = [
            (std::mem::take(&mut self.attributes.order), &module.attributes),
            (std::mem::take(&mut self.types.order), &module.types),
        ];
        for (order, pool) in tables {
            let items: Vec<&Item> = order.iter().filter_map(|id| pool.get(*id)).collect();
            for group in items.chunk_by(|a, b| a.dialect == b.dialect) {
                let dialect = group.first().map(|item| &item.dialect);
                let place = self.dialects.iter().position(|one| Some(one) == dialect);
                varint(sizes, place.unwrap_or_default() as u64);
                varint(sizes, group.len() as u64);
                for item in group {
                    let size = self.item(values, item);
                    varint(sizes, size << 1 | u64::from(item.encoded));
                }
            }
        }
    }

    /// Writes an attribute or a type, and says how long it is.
    fn item(&mut self, out: &mut Pieces, item: &Item) -> u64 {
        let (mut size, before) = (0, out.bytes.len());
        let mut before = before;
        for field in &item.fields {
            match field {
                Field::Number(number) => varint(&mut out.bytes, *number),
                Field::Attribute(id) => varint(&mut out.bytes, self.attributes.number_of(*id)),
                Field::Optional(id) => {
                    let number = id.map_or(0, |id| self.attributes.number_of(id) << 1 | 1);
                    varint(&mut out.bytes, number);
                }
                Field::Type(id) => varint(&mut out.bytes, self.types.number_of(*id)),
                Field::Text(id) => {
                    let number = self.text(*id);
                    varint(&mut out.bytes, number);
                }
                Field::Raw(Raw::Bytes(bytes)) => out.bytes.extend_from_slice(bytes),
                Field::Raw(Raw::Copied(span)) => {
                    size += (out.bytes.len() - before) as u64 + (span.end - span.start);
                    out.copy(*span);
                    before = 0;
                }
            }
        }
        size + (out.bytes.len() - before) as u64
    }

    fn block(&mut self, out: &mut Vec<u8>, block: &Block, next: u64) {
        let arguments = !block.arguments.is_empty();
        varint(out, (block.operations.len() as u64) << 1 | u64::from(arguments));
        if arguments {
            varint(out, block.arguments.len() as u64);
            for (value, location) in block.arguments.iter().zip(&block.locations) {
                let kind = self.kind(*value);
                let location = location.map(|id| self.attributes.number_of(id));
                match location {
                    _ if self.version < since::NO_LOCATION => {
                        varint(out, kind);
                        varint(out, location.unwrap_or_default());
                    }
                    Some(location) => {
                        varint(out, kind << 1 | 1);
                        varint(out, location);
                    }
                    None => varint(out, kind << 1),
                }
            }
            if self.version >= since::USES {
                out.push(0);
            }
        }
        for operation in &block.operations {
            self.operation(out, operation, next);
        }
    }

    fn kind(&self, value: usize) -> u64 {
        self.module.values.get(value).map_or(0, |kind| self.types.number_of(*kind))
    }

    fn operation(&mut self, out: &mut Vec<u8>, operation: &Operation, next: u64) {
        let name = (Arc::clone(&operation.dialect), Arc::clone(&operation.name));
        varint(out, self.operations.get(&name).copied().unwrap_or_default());
        let dictionary = self.dictionaries.next().flatten();
        let properties = self.properties(operation);
        let mut mask = 0;
        for (there, bit) in [
            (dictionary.is_some(), has::ATTRIBUTES),
            (properties.is_some(), has::PROPERTIES),
            (!operation.results.is_empty(), has::RESULTS),
            (!operation.operands.is_empty(), has::OPERANDS),
            (!operation.successors.is_empty(), has::SUCCESSORS),
            (!operation.regions.is_empty(), has::REGIONS),
        ] {
            mask |= if there { bit } else { 0 };
        }
        out.push(mask);
        varint(out, self.attributes.number_of(operation.location));
        if let Some(dictionary) = dictionary {
            varint(out, self.attributes.number_of(dictionary));
        }
        if let Some(properties) = properties {
            varint(out, properties);
        }
        let results: Vec<u64> = operation.results.iter().map(|value| self.kind(*value)).collect();
        let number = |value: &usize| self.values.get(*value).copied().unwrap_or_default();
        let operands: Vec<u64> = operation.operands.iter().map(number).collect();
        for list in [&results, &operands, &operation.successors] {
            if !list.is_empty() {
                varint(out, list.len() as u64);
                list.iter().for_each(|number| varint(out, *number));
            }
        }
        if operation.regions.is_empty() {
            return;
        }
        varint(out, (operation.regions.len() as u64) << 1 | u64::from(operation.isolated));
        if operation.isolated && self.version >= since::LAZY {
            let mut inside = Vec::new();
            operation.regions.iter().for_each(|region| self.region(&mut inside, region, 0));
            out.push(section::PROGRAM);
            varint(out, inside.len() as u64);
            out.extend_from_slice(&inside);
        } else {
            let next = if operation.isolated { 0 } else { next };
            operation.regions.iter().for_each(|region| self.region(out, region, next));
        }
    }

    /// The number of the properties of an operation; none if it has none.
    fn properties(&mut self, operation: &Operation) -> Option<u64> {
        let names = declared(&operation.dialect, &operation.name);
        if self.version < PROPERTIES || names.is_empty() {
            return None;
        }
        let mut bytes = Vec::new();
        for name in names {
            let found = self.module.attribute(operation, name.trim_end_matches('?'));
            let number = found.map(|id| self.attributes.number_of(id));
            varint(
                &mut bytes,
                match name.ends_with('?') {
                    true => number.map_or(0, |number| number << 1 | 1),
                    false => number.unwrap_or_default(),
                },
            );
        }
        let next = self.properties.len() as u64;
        Some(*self.known_properties.entry(bytes).or_insert_with_key(|bytes| {
            self.properties.push(bytes.clone());
            next
        }))
    }

    fn region(&mut self, out: &mut Vec<u8>, region: &Region, next: u64) {
        varint(out, region.len() as u64);
        if region.is_empty() {
            return;
        }
        let mut number = next;
        for block in region {
            let results = block.operations.iter().flat_map(|operation| &operation.results);
            for value in block.arguments.iter().chain(results) {
                if let Some(place) = self.values.get_mut(*value) {
                    *place = number;
                }
                number += 1;
            }
        }
        varint(out, number - next);
        region.iter().for_each(|block| self.block(out, block, number));
    }
}

/// Every operation, each before those in its regions: the order of the file.
fn each(block: &Block, with: &mut impl FnMut(&Operation)) {
    for operation in &block.operations {
        with(operation);
        operation.regions.iter().flatten().for_each(|inner| each(inner, with));
    }
}

/// Every block, each before those inside it.
fn each_block(block: &Block, with: &mut impl FnMut(&Block)) {
    with(block);
    let regions = block.operations.iter().flat_map(|operation| &operation.regions);
    regions.flatten().for_each(|inner| each_block(inner, with));
}
