//! A file of bytecode as a program that can be changed and written again.
//!
//! Bytecode names everything by number, and a number stands for another thing as soon as one thing is added or
//! left out. So all that names something is read into fields ([`Field`]), by the table of encodings; what names
//! nothing (the elements of constants above all) stays where it lies and is copied when the program is written.
//! Attributes and types that nothing names any more are not written.
//!
//! The order of the uses of values, which a file may have, is left out: it changes nothing that is computed or
//! printed.

mod build;
mod encodings;
mod pieces;
mod uses;
mod write;

use std::collections::HashMap;
use std::sync::Arc;

use unskew_source::{BytesSource, ReadError, Source, SourceExt as _, SourceProblem};

use crate::bytecode::entries::{Entries, builtin};
use crate::bytecode::operations::{Value, read as read_operations};
use crate::bytecode::{Cursor, Opened, Span, Strings, dialects, section};
use crate::program::properties;

use build::Builder;
pub(crate) use encodings::Sort;

/// The number of an attribute, a type or a text in a module.
pub(crate) type Id = usize;

/// A part of the encoding of an attribute or a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    Number(u64),
    Attribute(Id),
    Type(Id),
    Text(Id),
    /// An attribute that may be missing.
    Optional(Option<Id>),
    Raw(Raw),
}

/// Bytes that name nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Raw {
    Bytes(Vec<u8>),
    /// Where they lie in the file that was read.
    Copied(Span),
}

/// An attribute or a type. The first field of one that is encoded is the number of its kind; else it is text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Item {
    pub(crate) dialect: Arc<str>,
    pub(crate) encoded: bool,
    pub(crate) fields: Vec<Field>,
}

impl Item {
    /// The number of its kind, if it is one of this dialect.
    pub(crate) fn code(&self, dialect: &str) -> Option<u64> {
        match self.fields.first() {
            Some(Field::Number(code)) if self.encoded && *self.dialect == *dialect => Some(*code),
            _ => None,
        }
    }
}

/// All attributes or all types, each once.
#[derive(Default)]
pub(crate) struct Pool {
    items: Vec<Item>,
    known: HashMap<Item, Id>,
}

impl Pool {
    fn push(&mut self, item: Item) {
        self.known.entry(item.clone()).or_insert(self.items.len());
        self.items.push(item);
    }

    /// The number of an item, which is new if nothing like it is there.
    pub(crate) fn add(&mut self, item: Item) -> Id {
        if let Some(id) = self.known.get(&item) {
            return *id;
        }
        let id = self.items.len();
        self.push(item);
        id
    }

    pub(crate) fn get(&self, id: Id) -> Option<&Item> {
        self.items.get(id)
    }

    /// All of them, to be changed in their places.
    pub(crate) fn items_mut(&mut self) -> &mut [Item] {
        &mut self.items
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

/// An operation. Its attributes have names, whether the file has them or not.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) dialect: Arc<str>,
    /// Its name with its version: `add_v1`.
    pub(crate) name: Arc<str>,
    pub(crate) location: Id,
    /// By the text that names each.
    pub(crate) attributes: Vec<(Id, Id)>,
    pub(crate) results: Vec<Value>,
    pub(crate) operands: Vec<Value>,
    successors: Vec<u64>,
    pub(crate) regions: Vec<Region>,
    pub(crate) isolated: bool,
}

/// The blocks of a region.
pub(crate) type Region = Vec<Block>;

/// Operations one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) arguments: Vec<Value>,
    locations: Vec<Option<Id>>,
    pub(crate) operations: Vec<Operation>,
}

impl Block {
    /// Operations that take these arguments, all of which stand at one place in the source.
    pub(crate) fn new(arguments: Vec<Value>, location: Id, operations: Vec<Operation>) -> Self {
        let locations = vec![Some(location); arguments.len()];
        Self { arguments, locations, operations }
    }
}

impl Operation {
    /// An operation that has nothing yet.
    pub(crate) fn new(dialect: &str, name: &str, location: Id) -> Self {
        Self {
            dialect: dialect.into(),
            name: name.into(),
            location,
            attributes: Vec::new(),
            results: Vec::new(),
            operands: Vec::new(),
            successors: Vec::new(),
            regions: Vec::new(),
            isolated: false,
        }
    }

    /// An operation of VHLO at the place of another.
    pub(crate) fn vhlo(name: &str, like: &Self, operands: Vec<Value>, results: Vec<Value>) -> Self {
        Self { results, operands, ..Self::new(VHLO, name, like.location) }
    }

    pub(crate) fn is(&self, dialect: &str, name: &str) -> bool {
        *self.dialect == *dialect && *self.name == *name
    }
}

/// The dialect of portable artifacts.
pub(crate) const VHLO: &str = "vhlo";

/// A program that can be changed.
pub(crate) struct Module {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) attributes: Pool,
    pub(crate) types: Pool,
    texts: Vec<Arc<[u8]>>,
    known_texts: HashMap<Arc<[u8]>, Id>,
    /// What is encoded of the versions that dialects have of their own.
    versions: HashMap<Arc<str>, Vec<u8>>,
    /// The type of each value.
    pub(crate) values: Vec<Id>,
    /// What stands outside: the module.
    pub(crate) top: Block,
}

impl Module {
    /// A module of which nothing is there yet, and that nothing is copied from.
    pub(crate) fn empty(name: &str) -> Self {
        Self {
            source: Arc::new(BytesSource::new(name, Vec::new())),
            attributes: Pool::default(),
            types: Pool::default(),
            texts: Vec::new(),
            known_texts: HashMap::new(),
            versions: HashMap::new(),
            values: Vec::new(),
            top: Block::default(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is no MLIR bytecode, is broken, or has what is not known to name nothing: resources, encodings and
    /// properties of dialects beside VHLO.
    pub(crate) fn read(file: &Arc<dyn Source>) -> Result<Self, ReadError> {
        let source = &**file;
        let Opened { version, sections, cursor, .. } = Opened::read(source)?;
        let part = |id| Ok::<_, ReadError>(Cursor::new(source, sections.needed(id, &cursor)?));
        if let Some(span) = sections.find(section::RESOURCES).filter(|span| span.start < span.end) {
            let what = "resources, which no portable artifact has; it cannot be rewritten";
            return Err(unsupported(source, span.start, what.to_owned()));
        }
        let strings = Strings::read(source, sections.needed(section::STRINGS, &cursor)?)?;
        let (dialects, order, spans) =
            dialects::read(&mut part(section::DIALECTS)?, version, &strings)?;
        let values = sections.needed(section::KINDS, &cursor)?;
        let mut sizes = part(section::KIND_SIZES)?;
        let entries = Entries::read(&mut sizes, source, values, &dialects, &strings)?;
        let names: Vec<Arc<str>> = dialects.iter().map(|one| (&*one.name).into()).collect();
        let mut versions = HashMap::new();
        for (name, span) in names.iter().zip(spans) {
            if let Some(Span { start, end }) = span {
                versions.insert(Arc::clone(name), source.bytes(start, end - start)?);
            }
        }
        let mut attributes = Pool::default();
        let mut types = Pool::default();
        for (found, pool, sort) in [
            (&entries.attributes, &mut attributes, Sort::Attribute),
            (&entries.types, &mut types, Sort::Type),
        ] {
            for entry in found {
                // The table of entries has only dialects that are there.
                let dialect = names.get(entry.dialect).map_or_else(|| "".into(), Arc::clone);
                cursor.made(1)?;
                pool.push(encodings::read(&entries, *entry, sort, dialect)?);
            }
        }
        let mut program = part(section::PROGRAM)?;
        let spans = match sections.find(section::PROPERTIES) {
            Some(span) => properties::read(&mut Cursor::new(source, span))?,
            None => Vec::new(),
        };
        let (top, kinds) = read_operations(&mut program, version, order.len(), &spans)?;
        let texts: Vec<Arc<[u8]>> = strings.all().map(Into::into).collect();
        let mut known_texts = HashMap::new();
        for (id, text) in texts.iter().enumerate() {
            known_texts.entry(Arc::clone(text)).or_insert(id);
        }
        let mut module = Self {
            source: Arc::clone(file),
            attributes,
            types,
            texts,
            known_texts,
            versions,
            values: Vec::new(),
            top: Block::default(),
        };
        let name = |(dialect, operation): &dialects::OperationIndex| {
            let own = dialects.get(*dialect)?;
            let written = own.operations.get(*operation)?;
            let short = written.strip_prefix(&*own.name).and_then(|rest| rest.strip_prefix('.'));
            Some((Arc::clone(names.get(*dialect)?), Arc::from(short.unwrap_or(written))))
        };
        let names: Vec<(Arc<str>, Arc<str>)> = order.iter().filter_map(name).collect();
        let mut builder = Builder { module: &mut module, names: &names };
        let top = builder.block(top)?;
        for kind in kinds {
            let kind = kind.ok_or_else(|| cursor.malformed(0, "a value that nothing defines"))?;
            let kind = module.checked(kind, module.types.len(), "type")?;
            module.values.push(kind);
        }
        module.top = top;
        Ok(module)
    }

    fn checked(&self, number: u64, most: usize, what: &str) -> Result<Id, ReadError> {
        let id = usize::try_from(number).ok().filter(|id| *id < most);
        id.ok_or_else(|| self.error(&format!("no {what} {number}")))
    }

    fn error(&self, what: &str) -> ReadError {
        ReadError::malformed(self.source.name(), format!("not MLIR bytecode: {what}"))
    }

    /// The number of a text, which is new if it is not there.
    pub(crate) fn text(&mut self, text: &[u8]) -> Id {
        if let Some(id) = self.known_texts.get(text) {
            return *id;
        }
        let shared: Arc<[u8]> = text.into();
        self.texts.push(Arc::clone(&shared));
        self.known_texts.insert(shared, self.texts.len() - 1);
        self.texts.len() - 1
    }

    pub(crate) fn bytes(&self, text: Id) -> &[u8] {
        self.texts.get(text).map_or(&[], |text| text)
    }

    pub(crate) fn text_of(&self, attribute: Id) -> Option<&[u8]> {
        let item = self.attributes.get(attribute)?;
        let text = item.code(VHLO) == Some(14)
            || item.code(builtin::NAME) == Some(builtin::attribute::TEXT);
        match item.fields.get(1) {
            Some(Field::Text(id)) if text => Some(self.bytes(*id)),
            _ => None,
        }
    }

    /// An attribute or type of VHLO.
    pub(crate) fn vhlo(&mut self, sort: Sort, fields: Vec<Field>) -> Id {
        let item = Item { dialect: VHLO.into(), encoded: true, fields };
        match sort {
            Sort::Attribute => self.attributes.add(item),
            Sort::Type => self.types.add(item),
        }
    }

    /// The attribute of this name that an operation has.
    pub(crate) fn attribute(&self, operation: &Operation, name: &str) -> Option<Id> {
        let found = operation.attributes.iter();
        found.clone().find(|(text, _)| self.bytes(*text) == name.as_bytes()).map(|(_, id)| *id)
    }

    /// A value of this type.
    pub(crate) fn value(&mut self, r#type: Id) -> Value {
        self.values.push(r#type);
        self.values.len() - 1
    }

    /// The pairs of a dictionary of MLIR itself, by the texts that name them; none if it is something else.
    pub(crate) fn pairs(&self, dictionary: Id) -> Option<Vec<(Id, Id)>> {
        let item = self.attributes.get(dictionary)?;
        (item.code(builtin::NAME)? == builtin::attribute::DICTIONARY).then_some(())?;
        let mut pairs = Vec::new();
        for pair in item.fields.get(2..)?.chunks_exact(2) {
            let [Field::Attribute(name), Field::Attribute(value)] = pair else { return None };
            let name = self.attributes.get(*name)?;
            let Some(Field::Text(name)) = name.fields.get(1) else { return None };
            pairs.push((*name, *value));
        }
        Some(pairs)
    }
}

/// The attributes that an operation has as properties, in their order.
pub(crate) fn declared(dialect: &str, name: &str) -> &'static [&'static str] {
    if dialect == VHLO {
        properties::attribute_names(name)
    } else {
        properties::attribute_names(&format!("{dialect}.{name}"))
    }
}

fn unsupported(source: &dyn Source, at: u64, what: String) -> ReadError {
    ReadError::new(source.name(), SourceProblem::Unsupported(what)).at(at)
}
