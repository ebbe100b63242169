//! The descriptors of protobuf messages, as far as they are compared.

use std::collections::BTreeMap;

/// `google.protobuf.FileDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct File {
    /// Its path.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The package of everything in it.
    #[prost(string, tag = "2")]
    pub package: String,
    /// Its messages.
    #[prost(message, repeated, tag = "4")]
    pub messages: Vec<Message>,
    /// Its enumerations.
    #[prost(message, repeated, tag = "5")]
    pub enumerations: Vec<Enumeration>,
}

/// `google.protobuf.DescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Message {
    /// Its name in what is around it.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its fields.
    #[prost(message, repeated, tag = "2")]
    pub fields: Vec<Field>,
    /// The messages in it.
    #[prost(message, repeated, tag = "3")]
    pub nested: Vec<Message>,
    /// The enumerations in it.
    #[prost(message, repeated, tag = "4")]
    pub enumerations: Vec<Enumeration>,
    /// Its choices.
    #[prost(message, repeated, tag = "8")]
    pub oneofs: Vec<Oneof>,
}

/// `google.protobuf.FieldDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Field {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its number.
    #[prost(uint32, tag = "3")]
    pub number: u32,
    /// 3 if it is repeated.
    #[prost(int32, tag = "4")]
    pub label: i32,
    /// Its kind.
    #[prost(int32, tag = "5")]
    pub kind: i32,
    /// The message or enumeration that it is of, with a point before it.
    #[prost(string, tag = "6")]
    pub type_name: String,
    /// The choice that it belongs to.
    #[prost(uint32, optional, tag = "9")]
    pub oneof: Option<u32>,
    /// Whether that choice is only there to tell absent from empty.
    #[prost(bool, tag = "17")]
    pub optional: bool,
}

/// `google.protobuf.OneofDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Oneof {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
}

/// `google.protobuf.EnumDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Enumeration {
    /// Its name in what is around it.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its values.
    #[prost(message, repeated, tag = "2")]
    pub values: Vec<Value>,
}

/// `google.protobuf.EnumValueDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Value {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its number.
    #[prost(int32, tag = "2")]
    pub number: i32,
}

/// Everything in some files, by its full name.
#[derive(Default)]
pub struct Pool {
    /// The messages.
    pub messages: BTreeMap<String, Message>,
    /// The enumerations.
    pub enumerations: BTreeMap<String, Enumeration>,
}

impl Pool {
    /// Takes in a file.
    pub fn add(&mut self, file: &File) {
        for enumeration in &file.enumerations {
            let name = format!("{}.{}", file.package, enumeration.name);
            self.enumerations.insert(name, enumeration.clone());
        }
        file.messages.iter().for_each(|message| self.add_message(&file.package, message, 0));
    }

    fn add_message(&mut self, around: &str, message: &Message, depth: usize) {
        let name = format!("{around}.{}", message.name);
        for enumeration in &message.enumerations {
            self.enumerations.insert(format!("{name}.{}", enumeration.name), enumeration.clone());
        }
        if depth < 16 {
            message.nested.iter().for_each(|nested| self.add_message(&name, nested, depth + 1));
        }
        self.messages.insert(name, message.clone());
    }
}
