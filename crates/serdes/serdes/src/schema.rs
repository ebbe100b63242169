//! Schema of types at a version, as text, and its fingerprint.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::{Family, Format};

/// The description of a type and of all types in it, at one version.
///
/// Two versions that are described alike are written alike; so a description that changes while the
/// version does not is a change that old readers will not see coming.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormatSchema {
    types: BTreeMap<&'static str, String>,
    current: String,
}

impl FormatSchema {
    /// The schema of `T` at `version`.
    pub fn for_version<F: Family, T: Format<F>>(version: u32) -> Self {
        let mut schema = Self::default();
        T::schema(version, &mut schema);
        schema.current.clear();
        schema
    }

    /// Every type by name, with its fields or variants.
    pub fn types(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.types.iter().map(|(name, text)| (*name, text.as_str()))
    }

    /// A number that changes when anything in the schema does (FNV-1a of the text).
    pub fn fingerprint(&self) -> u64 {
        let text = self.types.iter().flat_map(|(name, text)| [*name, " ", text.as_str(), "\n"]);
        text.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// A type without parts.
    pub fn word(&mut self, word: &str) {
        self.current.push_str(word);
    }

    /// A type around another.
    pub fn around(&mut self, before: &str, after: &str, inner: impl FnOnce(&mut Self)) {
        self.current.push_str(before);
        inner(self);
        self.current.push_str(after);
    }

    /// A struct: its name here, its fields once.
    pub fn structure(&mut self, name: &'static str, fields: impl FnOnce(&mut Self)) {
        self.named(name, "struct", fields);
    }

    /// A message: its name here, its fields once.
    pub fn message(&mut self, name: &'static str, fields: impl FnOnce(&mut Self)) {
        self.named(name, "message", fields);
    }

    /// An enumeration: its name here, its variants once.
    pub fn enumeration(&mut self, name: &'static str, variants: impl FnOnce(&mut Self)) {
        self.named(name, "enum", variants);
    }

    fn named(&mut self, name: &'static str, kind: &str, parts: impl FnOnce(&mut Self)) {
        self.current.push_str(name);
        if self.types.contains_key(name) {
            return;
        }
        // Before its parts, which may name it again.
        self.types.insert(name, String::new());
        let outer = std::mem::replace(&mut self.current, format!("{kind} {{"));
        parts(self);
        self.current.push_str(" }");
        let text = std::mem::replace(&mut self.current, outer);
        self.types.insert(name, text);
    }

    /// A field of a struct.
    pub fn field(&mut self, name: &str, skippable: bool, r#type: impl FnOnce(&mut Self)) {
        let mark = if skippable { "~" } else { "" };
        // Writing to a string does not fail.
        let _ = write!(self.current, " {mark}{name}: ");
        r#type(self);
        self.current.push(',');
    }

    /// A variant of an enumeration.
    pub fn variant(&mut self, id: u64, name: &str, fields: impl FnOnce(&mut Self)) {
        let _ = write!(self.current, " {id} {name} {{");
        fields(self);
        self.current.push_str(" },");
    }
}
