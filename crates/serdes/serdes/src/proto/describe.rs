//! Descriptions of messages as data: for fingerprints, for references, and to be held against the
//! descriptors of those who defined them.

use crate::FormatSchema;

/// A message as it is on the wire.
#[derive(Debug)]
pub struct MessageDescription {
    /// Its name in descriptors, with the package.
    pub name: &'static str,
    /// The name of the Rust type.
    pub rust: &'static str,
    /// The field that holds the number of its format, if it has one of its own.
    pub version: Option<u32>,
    /// Since when there is such a message.
    pub since: SinceVersion,
    /// The minimum with which builds stopped knowing it.
    pub removed_with_minimum: Option<u32>,
    /// Its fields by rising number, without that of the version.
    pub fields: &'static [FieldDescription],
}

/// Since when something is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SinceVersion {
    /// The first version whose readers all know it.
    pub version: u32,
    /// It came without a number of its own: nothing in the bytes tells an older reader so.
    pub silent: bool,
}

impl SinceVersion {
    /// It has always been there.
    pub const ALWAYS: Self = Self { version: 0, silent: false };
}

/// A field of a message.
#[derive(Debug)]
pub struct FieldDescription {
    /// The field number on the wire.
    pub number: u32,
    /// Its name in descriptors.
    pub name: &'static str,
    /// How often it stands.
    pub label: FieldLabel,
    /// The type of its values on the wire.
    pub kind: FieldKind,
    /// The choice that it belongs to.
    pub oneof: Option<&'static str>,
    /// Since when it is there.
    pub since: SinceVersion,
}

/// How often a field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldLabel {
    /// Once; absent means zero or empty.
    Single,
    /// Once or not at all; which of the two means something.
    Optional,
    /// Any number of times.
    Repeated,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// A number of 32 bits.
    Int32,
    /// A number of 64 bits.
    Int64,
    /// A boolean, as a varint of 0 or 1.
    Bool,
    /// A number of eight bytes.
    Sfixed64,
    /// A number of eight bytes that is not negative.
    Fixed64,
    /// A fraction of four bytes.
    Float,
    /// A string, which is UTF-8.
    Text,
    /// Bytes of any content.
    Bytes,
    /// A number of an enumeration.
    Enumeration(fn() -> &'static EnumerationDescription),
    /// A message within this one, with its length before it.
    Message(fn() -> &'static MessageDescription),
    /// A message that others defined and nobody versions, kept as bytes; its name in descriptors.
    Opaque(&'static str),
    /// A value of one of these types, by its name.
    Serialized(&'static [NamedMessage]),
}

/// A type that is told apart by its name.
#[derive(Clone, Copy, Debug)]
pub struct NamedMessage {
    /// The name under which the type is registered.
    pub name: &'static str,
    /// What the message of that name looks like.
    pub description: fn() -> &'static MessageDescription,
}

/// An enumeration of numbers.
pub trait Enumeration: Copy + 'static {
    /// What it looks like.
    const DESCRIPTION: &'static EnumerationDescription;

    /// The number of a value.
    fn number(self) -> i32;

    /// Since when it is there.
    fn since(self) -> SinceVersion;

    /// The value of a number.
    fn from_number(number: i64) -> Option<Self>;
}

/// An enumeration of numbers.
#[derive(Debug)]
pub struct EnumerationDescription {
    /// Its name in descriptors, with the package and the message around it.
    pub name: &'static str,
    /// The name of the Rust type.
    pub rust: &'static str,
    /// The name of 0 in descriptors, if it stands for nothing.
    pub unspecified: Option<&'static str>,
    /// Its values, in the order of their declaration.
    pub values: &'static [ValueDescription],
}

/// A value of an enumeration.
#[derive(Debug)]
pub struct ValueDescription {
    /// The number that stands on the wire.
    pub number: i32,
    /// Its name in descriptors.
    pub name: &'static str,
    /// Since when it is there.
    pub since: SinceVersion,
}

impl MessageDescription {
    /// Says what the message looks like at a version.
    pub fn schema(&'static self, version: u32, to: &mut FormatSchema) {
        to.message(self.rust, |to| {
            if let Some(number) = self.version {
                to.field(&format!("{number} version_number"), false, |to| to.word("format"));
            }
            for field in self.fields.iter().filter(|field| field.since.version <= version) {
                let choice = field.oneof.map(|name| format!(" ({name})")).unwrap_or_default();
                let name = format!("{} {}{choice}", field.number, field.name);
                to.field(&name, false, |to| field.schema(version, to));
            }
        });
    }

    /// Calls `see` for this message and every one that can stand in it, each once.
    pub fn walk(&'static self, see: &mut impl FnMut(&'static Self)) {
        let mut seen = Vec::new();
        self.walk_unseen(&mut seen, see);
    }

    fn walk_unseen(
        &'static self,
        seen: &mut Vec<&'static str>,
        see: &mut impl FnMut(&'static Self),
    ) {
        if seen.contains(&self.rust) {
            return;
        }
        seen.push(self.rust);
        see(self);
        for field in self.fields {
            match field.kind {
                FieldKind::Message(inner) => inner().walk_unseen(seen, see),
                FieldKind::Serialized(types) => {
                    types.iter().for_each(|named| (named.description)().walk_unseen(seen, see));
                }
                _ => {}
            }
        }
    }
}

impl FieldDescription {
    fn schema(&self, version: u32, to: &mut FormatSchema) {
        let (before, after) = match self.label {
            FieldLabel::Single => ("", ""),
            FieldLabel::Optional => ("", "?"),
            FieldLabel::Repeated => ("[", "]"),
        };
        to.around(before, after, |to| self.kind.schema(version, to));
    }
}

impl FieldKind {
    fn schema(&self, version: u32, to: &mut FormatSchema) {
        match self {
            Self::Int32 => to.word("int32"),
            Self::Int64 => to.word("int64"),
            Self::Bool => to.word("bool"),
            Self::Sfixed64 => to.word("sfixed64"),
            Self::Fixed64 => to.word("fixed64"),
            Self::Float => to.word("float"),
            Self::Text => to.word("text"),
            Self::Bytes => to.word("bytes"),
            Self::Opaque(name) => to.word(name),
            Self::Enumeration(description) => description().schema(version, to),
            Self::Message(description) => description().schema(version, to),
            Self::Serialized(types) => {
                for (i, named) in types.iter().enumerate() {
                    let description = (named.description)();
                    if description.since.version <= version {
                        to.word(if i == 0 { "" } else { " or " });
                        to.around(named.name, "", |to| {
                            to.around(" ", "", |to| description.schema(version, to));
                        });
                    }
                }
            }
        }
    }
}

impl EnumerationDescription {
    fn schema(&self, version: u32, to: &mut FormatSchema) {
        to.enumeration(self.rust, |to| {
            for value in self.values.iter().filter(|value| value.since.version <= version) {
                to.variant(u64::from(value.number.unsigned_abs()), value.name, |_| {});
            }
        });
    }
}
