//! Attributes of plug-ins, devices and programs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One attribute of a plug-in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// As the plug-in names it: `stablehlo_current_version`.
    pub name: String,
    /// As the plug-in reports it, not validated.
    pub value: PjrtValue,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PjrtValue {
    /// A string, which is UTF-8.
    Text(String),
    /// An integer of 64 bits.
    Number(i64),
    /// A list of numbers: a version.
    Numbers(Vec<i64>),
    /// A float of 32 bits.
    Float(f32),
    /// A boolean, true or false.
    Bool(bool),
    /// A type that is not known, by its number.
    Unknown(i32),
}

impl fmt::Display for PjrtValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.pad(text),
            Self::Number(number) => write!(f, "{number}"),
            Self::Numbers(numbers) => {
                let list: Vec<String> = numbers.iter().map(i64::to_string).collect();
                f.pad(&list.join("."))
            }
            Self::Float(fraction) => write!(f, "{fraction}"),
            Self::Bool(yes) => write!(f, "{yes}"),
            Self::Unknown(kind) => write!(f, "(value of type {kind})"),
        }
    }
}
