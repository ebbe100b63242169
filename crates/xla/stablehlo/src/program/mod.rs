//! Programs: the functions of a portable artifact, operation by operation.
//!
//! MLIR bytecode refers to everything by number: an operation to its name, its types, its attributes and
//! the values that it takes. Here the numbers are resolved, and what is left is what a program is made of:
//! functions of operations of values. What a device does with an operation is not known here; whoever
//! runs programs goes over the operations and refuses those that it does not know, by name.
//!
//! ```
//! use unskew_stablehlo::program::Program;
//!
//! // tanh of four numbers.
//! let bytes = include_bytes!("../../tests/data/tanh-1.10.0.stablehlo");
//! let program = Program::from_bytes(bytes).unwrap();
//! let main = program.function("main").unwrap();
//! let operation = &main.body().unwrap().operations[0];
//! assert_eq!((&*operation.name, operation.version), ("tanh", 2));
//! assert_eq!(operation.operands, main.body().unwrap().arguments);
//! ```
//!
//! Operations are named without their version: `tanh_v2` is `tanh`, and its version 2. Only what portable
//! artifacts are made of (the dialect `vhlo`) has attributes and types that are read; bytecode of other
//! dialects gives [`ConstantAttribute::Other`] and [`Type::Other`].
//!
//! Whatever is named more than once in a file is shared and not copied, so a program takes memory in
//! proportion to its file; nesting is limited to 64 levels.

mod attribute;
mod contents;
mod operations;
pub(crate) mod properties;
mod types;

use std::sync::Arc;

use unskew_source::{BytesSource, ReadError, Source};

pub use attribute::ConstantAttribute;
pub use types::Type;
pub(crate) use types::{bits as bits_of, code as code_of, name as name_of};

use crate::bytecode::entries::Entries;
use crate::bytecode::{Cursor, Opened, Strings, dialects, operations as raw, section};
use contents::Contents;
use operations::{Names, Resolver};

/// A value of a program: its place among [`Program::values`].
pub type ValueId = usize;

/// A program: its functions in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Who wrote it: `StableHLO_v1.10.0`.
    pub producer: String,
    /// Its functions, in the order of the file.
    pub functions: Vec<Function>,
    /// The type of every value; the values of all functions have places of their own.
    pub values: Vec<Arc<Type>>,
}

/// A function with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name: that which a host calls is `main`.
    pub name: Arc<str>,
    /// The types of its parameters.
    pub inputs: Arc<[Arc<Type>]>,
    /// The types of its results.
    pub outputs: Arc<[Arc<Type>]>,
    /// The operation that defines it, with its attributes and its region.
    pub definition: Operation,
}

/// An operation with all that it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// The name of its dialect: `vhlo`.
    pub dialect: Arc<str>,
    /// Its name without its version: `add`.
    pub name: Arc<str>,
    /// Its version; 0 for dialects whose operations have none.
    pub version: u32,
    /// The values that it takes, in their order.
    pub operands: Vec<ValueId>,
    /// The values that it gives, in their order.
    pub results: Vec<ValueId>,
    /// Its attributes: a dictionary, or nothing.
    pub attributes: Option<Arc<ConstantAttribute>>,
    /// Its regions: the bodies of functions, loops and branches.
    pub regions: Vec<Region>,
}

/// The blocks of a region; those of StableHLO have one.
pub type Region = Vec<Block>;

/// Operations one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The values that it is entered with.
    pub arguments: Vec<ValueId>,
    /// The operations; the last says what the block gives.
    pub operations: Vec<Operation>,
}

impl Operation {
    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&ConstantAttribute> {
        self.attributes.as_ref()?.get(name)
    }
}

impl Function {
    /// The one block of its body; none if it has another number of them.
    pub fn body(&self) -> Option<&Block> {
        match &self.definition.regions[..] {
            [region] => {
                if let [block] = &region[..] {
                    Some(block)
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// The attribute of this name that an argument has, such as `tf.aliasing_output`: the number of the
    /// result that may take over its memory.
    pub fn argument_attribute(&self, argument: usize, name: &str) -> Option<&ConstantAttribute> {
        self.definition.attribute("arg_attrs")?.array()?.get(argument)?.get(name)
    }
}

impl Program {
    /// Reads a program from MLIR bytecode.
    ///
    /// # Errors
    /// If it is no MLIR bytecode, is broken, nests deeper than 64 levels, or has a format version above 6.
    pub fn read(source: &dyn Source) -> Result<Self, ReadError> {
        Self::read_with(source, true)
    }

    /// The same from bytes in memory, as a PJRT host sends them.
    ///
    /// # Errors
    /// As [`Program::read`].
    pub fn from_bytes(code: &[u8]) -> Result<Self, ReadError> {
        Self::read(&BytesSource::new("program", code.to_vec()))
    }

    /// The same without the elements of constants: their tensors have no bytes.
    pub(crate) fn without_constants(source: &dyn Source) -> Result<Self, ReadError> {
        Self::read_with(source, false)
    }

    fn read_with(source: &dyn Source, constants: bool) -> Result<Self, ReadError> {
        let Opened { version, producer, sections, cursor } = Opened::read(source)?;
        let part = |id| Ok::<_, ReadError>(Cursor::new(source, sections.needed(id, &cursor)?));
        let strings = Strings::read(source, sections.needed(section::STRINGS, &cursor)?)?;
        let (dialects, order, _) =
            dialects::read(&mut part(section::DIALECTS)?, version, &strings)?;
        let values = sections.needed(section::KINDS, &cursor)?;
        let mut sizes = part(section::KIND_SIZES)?;
        let entries = Entries::read(&mut sizes, source, values, &dialects, &strings)?;
        let mut program = part(section::PROGRAM)?;
        let properties = match sections.find(section::PROPERTIES) {
            Some(span) => properties::read(&mut Cursor::new(source, span))?,
            None => Vec::new(),
        };
        let names = Names::new(&dialects, &order);
        let contents = Contents::new(&entries, constants);
        let (top, kinds) = raw::read(&mut program, version, order.len(), &properties)?;
        let mut resolver = Resolver { source, contents, names };
        let top = resolver.block(top)?;
        let values = resolver.values(&kinds)?;
        let mut functions = Vec::new();
        collect(top.operations, &mut functions);
        Ok(Self { producer, functions, values })
    }

    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| &*function.name == name)
    }

    /// The type of a value.
    pub fn type_of(&self, value: ValueId) -> Option<&Type> {
        self.values.get(value).map(|kind| &**kind)
    }
}

/// The functions among operations, and in the modules among them.
fn collect(operations: Vec<Operation>, functions: &mut Vec<Function>) {
    for operation in operations {
        if &*operation.name == "module" {
            for block in operation.regions.into_iter().flatten() {
                collect(block.operations, functions);
            }
            continue;
        }
        if &*operation.name != "func" {
            continue;
        }
        let name =
            operation.attribute("sym_name").map(ConstantAttribute::shared_text).unwrap_or_default();
        let (inputs, outputs) = match operation.attribute("function_type") {
            Some(ConstantAttribute::Type(kind)) => match &**kind {
                Type::Function { inputs, outputs } => (Arc::clone(inputs), Arc::clone(outputs)),
                _ => Default::default(),
            },
            _ => Default::default(),
        };
        functions.push(Function { name, inputs, outputs, definition: operation });
    }
}
