//! The descriptors of protobuf messages, as far as they are compared.

use std::collections::BTreeMap;

/// What is read of `google.protobuf.FileDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct File {
    #[prost(string, tag = "1")]
    pub name: String,
    /// The package of everything in it.
    #[prost(string, tag = "2")]
    pub package: String,
    #[prost(message, repeated, tag = "4")]
    pub messages: Vec<Message>,
    #[prost(message, repeated, tag = "5")]
    pub enumerations: Vec<Enumeration>,
}

/// What is read of `google.protobuf.DescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Message {
    /// Its name in what is around it.
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub fields: Vec<Field>,
    /// The messages in it.
    #[prost(message, repeated, tag = "3")]
    pub nested: Vec<Message>,
    /// The enumerations in it.
    #[prost(message, repeated, tag = "4")]
    pub enumerations: Vec<Enumeration>,
    /// The `oneof`s, in the order of their numbers.
    #[prost(message, repeated, tag = "8")]
    pub oneofs: Vec<Oneof>,
}

/// What is read of `google.protobuf.FieldDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Field {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(uint32, tag = "3")]
    pub number: u32,
    /// 3 if it is repeated.
    #[prost(int32, tag = "4")]
    pub label: i32,
    /// The number of its type in `FieldDescriptorProto.Type`.
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

/// What is read of `google.protobuf.OneofDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Oneof {
    #[prost(string, tag = "1")]
    pub name: String,
}

/// What is read of `google.protobuf.EnumDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Enumeration {
    /// Its name in what is around it.
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub values: Vec<Value>,
}

/// What is read of `google.protobuf.EnumValueDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Value {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int32, tag = "2")]
    pub number: i32,
}

/// Everything in some files, by its full name.
#[derive(Default)]
pub struct Pool {
    pub messages: BTreeMap<String, Message>,
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
