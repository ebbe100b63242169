//! Attributes by name.

use std::collections::BTreeSet;

use unskew_serdes::proto::Message;

use super::Ifrt;

/// Attributes by name.
///
/// They keep the order in which they came: other writers have one of their own. A name that is there
/// twice is an error.
#[derive(Clone, Debug, Default, PartialEq, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.AttributeMapProto", version = 2, check = AttributeMap::checked
)]
pub struct AttributeMap {
    /// The attributes, each name once.
    #[field(1, repeated, message)]
    pub attributes: Vec<Attribute>,
}

/// An attribute: a name and a value.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(family = Ifrt, name = "xla.ifrt.AttributeMapProto.AttributesEntry")]
pub struct Attribute {
    /// The name, by which it is looked up.
    #[field(1, string, always, name = "key")]
    pub name: String,
    /// The value, of one of five types.
    #[field(2, message)]
    pub value: AttributeValue,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(family = Ifrt, name = "xla.ifrt.AttributeMapProto.Value")]
pub enum AttributeValue {
    /// A text, or bytes.
    #[field(1, bytes, oneof = "value", name = "string_value")]
    Bytes(Vec<u8>),
    /// A boolean, true or false.
    #[field(2, bool, oneof = "value", name = "bool_value")]
    Bool(bool),
    /// A whole number of 64 bits.
    #[field(3, sfixed64, oneof = "value", name = "int64_value")]
    Int(i64),
    /// Several whole numbers of 64 bits.
    #[field(4, message, oneof = "value", name = "int64_list_value")]
    Ints(IntList),
    /// A float of 32 bits.
    #[field(5, float, oneof = "value", name = "float_value")]
    Float(f32),
}

/// A list of whole numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.AttributeMapProto.Value.Int64List")]
pub struct IntList {
    /// The numbers, in their order.
    #[field(1, repeated, sfixed64)]
    pub elements: Vec<i64>,
}

impl AttributeMap {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&AttributeValue> {
        let found = self.attributes.iter().find(|attribute| attribute.name == name);
        found.map(|attribute| &attribute.value)
    }

    /// Sets an attribute, in the place of the one that had its name.
    pub fn set(&mut self, name: &str, value: AttributeValue) {
        match self.attributes.iter_mut().find(|attribute| attribute.name == name) {
            Some(attribute) => attribute.value = value,
            None => self.attributes.push(Attribute { name: name.to_owned(), value }),
        }
    }

    fn checked(&self) -> Result<(), String> {
        let mut names = BTreeSet::new();
        let twice = self.attributes.iter().find(|attribute| !names.insert(attribute.name.as_str()));
        twice.map_or(Ok(()), |a| Err(format!("the attribute is there twice: {}", a.name)))
    }
}
