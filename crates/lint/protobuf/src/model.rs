//! Model of a protobuf file: its declarations.

use crate::MessageScope;

/// One file as it was read. Messages and enumerations stand in one list each, with their full names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProtoFile {
    /// Its path, as imports name it.
    pub name: String,
    /// The syntax or the edition: `proto2`, `proto3`, `2023`.
    pub syntax: String,
    /// The package; empty without one.
    pub package: String,
    /// All messages, those inside others as well.
    pub messages: Vec<ProtoMessage>,
    /// All enumerations, those within messages too.
    pub enums: Vec<ProtoEnum>,
    /// The services, in their order.
    pub services: Vec<ProtoService>,
    /// Fields that are added to a message elsewhere: its name as written, the scope in which that is looked up,
    /// and the field.
    pub extensions: Vec<(String, String, ProtoField)>,
    /// The number of the format that a comment names, with its line.
    pub version: Option<(u64, usize)>,
    /// What a comment at the head of the file says of all its messages.
    pub scope: Option<MessageScope>,
    /// What could not be read.
    pub problems: Vec<ProtoProblem>,
}

/// Something that could not be read, and is not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoProblem {
    /// The line, counted from 1; 0 in a set of descriptors without places.
    pub line: usize,
    /// What it is about.
    pub what: String,
}

/// A message, with what it declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProtoMessage {
    /// Its full name: `xla.ifrt.ShapeProto`.
    pub name: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Its fields, those of `oneof`s too.
    pub fields: Vec<ProtoField>,
    /// Numbers that may not be used again.
    pub reserved: Vec<Range>,
    /// Names that may not be used again.
    pub reserved_names: Vec<String>,
    /// Numbers that others may use.
    pub extension_ranges: Vec<Range>,
    /// What a comment says of it.
    pub scope: Option<MessageScope>,
    /// Whether something in it could not be read: what seems to be gone may be there.
    pub damaged: bool,
    /// Whether it is the entry of a map field, which is compared with the field.
    pub map_entry: bool,
}

/// Numbers from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The lowest number of the range.
    pub first: i64,
    /// The highest number of the range.
    pub last: i64,
    /// The line on which it stands, from 1.
    pub line: usize,
}

impl Range {
    /// Whether a number lies in it.
    pub fn holds(&self, number: i64) -> bool {
        self.first <= number && number <= self.last
    }
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoField {
    /// The name in the file, by which JSON knows it too.
    pub name: String,
    /// The field number on the wire.
    pub number: i64,
    /// The line on which it stands, from 1.
    pub line: usize,
    /// The type of its values.
    pub ty: ProtoType,
    /// How often it is there.
    pub label: FieldCardinality,
    /// Whether it is known that a field was not set.
    pub presence: Presence,
    /// Whether numbers stand in one piece, for repeated numbers.
    pub packed: bool,
    /// The choice of which it is one case.
    pub oneof: Option<String>,
    /// The value of a field that is not there, if it is another than zero.
    pub default: Option<String>,
    /// Whether a text in it has to be UTF-8 for a reader to take it.
    pub verified: bool,
    /// Its name in JSON, if that is not made from its name.
    pub json_name: Option<String>,
    /// Whether it is marked as deprecated.
    pub deprecated: bool,
}

/// How often a field is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldCardinality {
    /// Once or not at all.
    Singular,
    /// Any number of times.
    Repeated,
}

/// Whether it is known that a field was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// A field that is zero is not there.
    Implicit,
    /// A field that is zero is there if it was set.
    Explicit,
    /// A message without it is refused.
    Required,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProtoType {
    /// A number, a text, bytes.
    Scalar(ProtoScalar),
    /// A message, by its full name.
    Message(String),
    /// A message between a tag that opens it and one that closes it.
    Group(String),
    /// An enumeration, by its full name.
    Enum(String),
    /// Entries of keys and values.
    Map(ProtoScalar, Box<ProtoType>),
    /// A name that is not resolved yet, or declared in a file that is not at hand.
    Named(String),
}

/// A type that the language has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of the language")]
pub enum ProtoScalar {
    Double,
    Float,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Bool,
    String,
    Bytes,
}

impl ProtoScalar {
    const NAMES: [(Self, &'static str); 15] = [
        (Self::Double, "double"),
        (Self::Float, "float"),
        (Self::Int32, "int32"),
        (Self::Int64, "int64"),
        (Self::Uint32, "uint32"),
        (Self::Uint64, "uint64"),
        (Self::Sint32, "sint32"),
        (Self::Sint64, "sint64"),
        (Self::Fixed32, "fixed32"),
        (Self::Fixed64, "fixed64"),
        (Self::Sfixed32, "sfixed32"),
        (Self::Sfixed64, "sfixed64"),
        (Self::Bool, "bool"),
        (Self::String, "string"),
        (Self::Bytes, "bytes"),
    ];

    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(scalar, _)| *scalar)
    }

    /// The name of the type in `.proto` files.
    pub fn as_str(self) -> &'static str {
        Self::NAMES.iter().find(|(scalar, _)| *scalar == self).map_or("", |(_, name)| name)
    }

    /// Whether many of them may stand in one piece.
    pub fn is_number(self) -> bool {
        !matches!(self, Self::String | Self::Bytes)
    }
}

impl std::fmt::Display for ProtoType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scalar(scalar) => f.pad(scalar.as_str()),
            Self::Message(name) | Self::Enum(name) | Self::Named(name) => f.pad(name),
            Self::Group(name) => write!(f, "group {name}"),
            Self::Map(key, value) => write!(f, "map<{}, {value}>", key.as_str()),
        }
    }
}

/// An enumeration with its values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProtoEnum {
    /// Its name with the package and the messages around it.
    pub name: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Its values in the order of the file.
    pub values: Vec<ProtoEnumValue>,
    /// Numbers that may not be used again.
    pub reserved: Vec<Range>,
    /// Names that may not be used again.
    pub reserved_names: Vec<String>,
    /// Whether a reader takes a number that it does not know for none at all.
    pub closed: bool,
}

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoEnumValue {
    /// Its name, which is unique among its siblings.
    pub name: String,
    /// The number on the wire.
    pub number: i64,
    /// The line on which it stands, from 1.
    pub line: usize,
}

/// A service of remote calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProtoService {
    /// Its name with the package.
    pub name: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Its methods, in their order.
    pub methods: Vec<Method>,
}

/// A method of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name, as calls use it.
    pub name: String,
    /// The line on which it stands, from 1.
    pub line: usize,
    /// The message that it takes, by its full name.
    pub input: String,
    /// The message that it gives.
    pub output: String,
    /// Whether it takes many, and whether it gives many.
    pub streams: [bool; 2],
}
