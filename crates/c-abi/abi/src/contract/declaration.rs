//! Declaration of a struct, as data.

use std::fmt::Write;

use super::InterfaceVersion;

/// A struct that is declared with `#[derive(Extensible)]`.
pub trait Extensible: Sized {
    /// What is declared of it.
    const CONTRACT: &'static StructContract;
    /// Where its last field ends, in bytes: what a producer of today announces.
    const STRUCT_SIZE: usize = Self::CONTRACT.size();
}

/// The declaration of a struct: its fields in their order.
#[derive(Debug, PartialEq, Eq)]
pub struct StructContract {
    /// Its name in C.
    pub name: &'static str,
    /// The documentation of the struct, from its Rust comment.
    pub doc: &'static str,
    /// Its fields; the first is `struct_size`.
    pub fields: &'static [FieldContract],
    /// Whether it is deprecated as a whole.
    pub deprecated: Option<Deprecated>,
}

/// The declaration of a field.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldContract {
    /// Its name in C.
    pub name: &'static str,
    /// The documentation of the field, from its Rust comment.
    pub doc: &'static str,
    /// Its type, as it is written in Rust.
    pub type_name: &'static str,
    /// Where it begins, in bytes.
    pub offset: usize,
    /// How many bytes it has.
    pub bytes: usize,
    /// The first version that has it.
    pub since: InterfaceVersion,
    /// What zero means in it.
    pub zero: Zero,
    /// Whether it is deprecated.
    pub deprecated: Option<Deprecated>,
    /// The older field that it replaces.
    pub replaces: Option<&'static str>,
}

/// What zero, or null, means in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// A value like any other: an index, a count, a pointer that may be null.
    Value,
    /// That the field is not there. Such a field can be deprecated by leaving it zero.
    NoOp,
}

/// That something is on its way out: still served, no longer wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecated {
    /// The version that says so first.
    pub since: InterfaceVersion,
    /// What takes its place.
    pub replaced_by: Option<&'static str>,
}

impl FieldContract {
    /// Where it ends, in bytes: it is there if the struct's size reaches so far.
    pub const fn end(&self) -> usize {
        self.offset + self.bytes
    }
}

impl StructContract {
    /// Where the last field ends, in bytes.
    pub const fn size(&self) -> usize {
        match self.fields.last() {
            Some(last) => last.end(),
            None => 0,
        }
    }

    /// Where the last field ends that a version has, in bytes: what its headers announce.
    pub const fn size_at(&self, version: InterfaceVersion) -> usize {
        let (mut end, mut i) = (0, 0);
        while i < self.fields.len() {
            if self.fields[i].since.is_at_most(version) {
                end = self.fields[i].end();
            }
            i += 1;
        }
        end
    }

    /// The field of this name, with its place in the order.
    pub fn field(&self, name: &str) -> Option<(usize, &'static FieldContract)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// The version that headers of this size have at least; none if it is smaller than the first.
    pub fn version_of(&self, size: usize) -> Option<InterfaceVersion> {
        let there = self.fields.iter().take_while(|field| field.end() <= size);
        there.map(|field| field.since).max()
    }

    /// The declaration as a table in Markdown.
    pub fn table(&self) -> String {
        let mut out = format!("### {}\n\n{}\n\n", self.name, self.doc);
        out.push_str("| field | type | at | ends | since | zero | deprecated | |\n");
        out.push_str("| --- | --- | --: | --: | --- | --- | --- | --- |\n");
        for field in self.fields {
            let zero = match field.zero {
                Zero::Value => "a value",
                Zero::NoOp => "no-op",
            };
            let deprecated = field.deprecated.map_or(String::new(), |deprecated| {
                let by = deprecated.replaced_by.map(|name| format!(", use `{name}`"));
                format!("{}{}", deprecated.since, by.unwrap_or_default())
            });
            let FieldContract { name, doc, type_name, offset, since, .. } = field;
            // Writing to a text cannot fail.
            let _ = writeln!(
                out,
                "| `{name}` | `{type_name}` | {offset} | {} | {since} | {zero} | {deprecated} | {doc} |",
                field.end()
            );
        }
        out
    }

    /// Checks at compile time what no declaration may break; the derive calls it.
    ///
    /// # Panics
    /// In a constant, that is: as a compile error with the reason.
    #[doc(hidden)]
    #[allow(clippy::panic, reason = "a compile error")]
    pub const fn verified(self) -> Self {
        let mut i = 0;
        while i < self.fields.len() {
            let field = &self.fields[i];
            if i > 0 {
                let before = &self.fields[i - 1];
                assert!(
                    before.since.is_at_most(field.since),
                    "fields are appended: none may be older than the one before it"
                );
                assert!(before.end() <= field.offset, "fields may not overlap");
            }
            if let Some(deprecated) = field.deprecated {
                assert!(
                    field.since.is_at_most(deprecated.since),
                    "a field cannot be deprecated before it is there"
                );
                assert!(
                    matches!(field.zero, Zero::NoOp),
                    "a field whose zero is a value can only be deprecated by a new major version"
                );
            }
            i += 1;
        }
        self
    }
}
