//! Model of a header: its declarations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::token::{Token, TokenKind};

/// A header as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// What it declares, in order.
    pub declarations: Vec<Declaration>,
    /// What it defines, in order; a name may stand here several times, under different conditions.
    pub macros: Vec<Macro>,
    /// What it includes, without quotes or angles.
    pub includes: Vec<String>,
    /// What is under conditions that do not hold.
    pub left_out: LeftOutText,
    /// What could not be read.
    pub problems: Vec<HeaderProblem>,
    /// The words of declarations that could not be read, the names of what they declare among them.
    pub unread: BTreeSet<String>,
}

/// The text under conditions that do not hold where nothing but the headers, and whoever asks, defines macros: on
/// 64-bit Linux, in C. It is no part of the header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOutText {
    /// Each word of it, with the innermost condition around the first one.
    pub words: BTreeMap<String, Arc<str>>,
    /// The outermost conditions that do not hold, each with a digest of what it leaves out.
    pub conditions: BTreeMap<Arc<str>, u64>,
}

/// A place in the text, both numbers from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeaderPlace {
    /// The line, counted from 1.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for HeaderPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Something that could not be read; what stands after it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderProblem {
    /// Where the declaration begins.
    pub place: HeaderPlace,
    /// What was not understood, in words.
    pub what: String,
    /// The declaration that could not be read, its words with single spaces between them; empty if it is about none.
    pub text: String,
}

impl HeaderProblem {
    /// One that is about no declaration.
    pub(crate) fn at(place: HeaderPlace, what: impl Into<String>) -> Self {
        Self { place, what: what.into(), text: String::new() }
    }
}

/// Something declared, with what stands around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Its first word, line and column.
    pub place: HeaderPlace,
    /// The comment right above it, without its marks.
    pub doc: String,
    /// The conditions of the preprocessor around it, outermost first, without the include guard.
    pub conditions: Arc<[String]>,
    /// The declaration itself, by its kind.
    pub item: HeaderItem,
}

impl Declaration {
    /// The struct or union, if it is one with its fields.
    pub fn record(&self) -> Option<&RecordDeclaration> {
        match &self.item {
            HeaderItem::Record(record) => Some(record),
            _ => None,
        }
    }
}

/// A declaration, by its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderItem {
    /// A struct or union with its fields.
    Record(RecordDeclaration),
    /// A struct or union that is only named.
    Opaque(String),
    /// An enumeration, with or without a name.
    Enum(EnumDeclaration),
    /// Another name for a type.
    Typedef {
        /// The new name of the type.
        name: String,
        /// The type that it stands for.
        r#type: CType,
    },
    /// A function.
    Function {
        /// The name that the linker sees.
        name: String,
        /// Its type, a [`CType::Function`].
        r#type: CType,
        /// How the symbol is called if an `asm` label says so; empty if none does.
        label: String,
        /// Whether every program has its own copy: it is `static`, or `inline` with a body.
        internal: bool,
    },
    /// A variable or constant.
    Variable {
        /// The name of the variable.
        name: String,
        /// Its type, with array lengths and pointers.
        r#type: CType,
        /// What it is set to, as written; empty if to nothing.
        value: String,
        /// Whether a library has it: it is `extern`, or neither `static` nor set.
        external: bool,
    },
    /// A macro with arguments that stands where a declaration would.
    Invocation {
        /// The name of the macro.
        name: String,
        /// Its arguments, as written.
        arguments: Vec<String>,
    },
    /// A `static_assert`, as written.
    Assertion(String),
}

impl HeaderItem {
    /// The name of what is declared; empty for assertions.
    pub fn name(&self) -> &str {
        match self {
            Self::Record(record) => &record.name,
            Self::Enum(r#enum) => &r#enum.name,
            Self::Opaque(name)
            | Self::Typedef { name, .. }
            | Self::Function { name, .. }
            | Self::Variable { name, .. }
            | Self::Invocation { name, .. } => name,
            Self::Assertion(_) => "",
        }
    }
}

/// Whether fields follow each other or lie in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// One after the other.
    Struct,
    /// All in one place.
    Union,
}

/// A struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordDeclaration {
    /// Whether it is a struct or a union.
    pub kind: RecordKind,
    /// Its tag, or the name that a `typedef` gives it; empty inside of others.
    pub name: String,
    /// Its fields, in the order of their declaration.
    pub fields: Vec<FieldDeclaration>,
    /// Attributes as written: some change the layout.
    pub attributes: Vec<String>,
}

/// A field of a struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDeclaration {
    /// Where it begins; for a field out of a macro, where that is used.
    pub place: HeaderPlace,
    /// Its name; empty for an anonymous struct or union.
    pub name: String,
    /// Its type, with array lengths and pointers.
    pub r#type: CType,
    /// Its width, if it is a bit-field.
    pub bits: Option<u32>,
    /// Attributes as written that change where it lies.
    pub attributes: Vec<String>,
    /// The comment above it.
    pub doc: String,
    /// The comment behind it, on its last line.
    pub remark: String,
    /// The conditions inside of the record under which it is there.
    pub conditions: Arc<[String]>,
}

/// An enumeration with its enumerators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumDeclaration {
    /// Its tag, or the name that a `typedef` gives it; may be empty.
    pub name: String,
    /// The type that C++ lets it be stored in; empty if none is said.
    pub underlying: String,
    /// Its enumerators, in the order of their declaration.
    pub enumerators: Vec<Enumerator>,
}

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumerator {
    /// Line and column of its name.
    pub place: HeaderPlace,
    /// Its name, as programs use it.
    pub name: String,
    /// Its value; none if the expression was not understood.
    pub value: Option<i64>,
    /// The expression as written; empty if none is.
    pub expression: String,
    /// The comment above it.
    pub doc: String,
    /// The comment behind it.
    pub remark: String,
    /// The conditions of the preprocessor around it within the enumeration.
    pub conditions: Vec<String>,
}

/// A macro, with or without arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    /// Where it is defined.
    pub place: HeaderPlace,
    /// Its name, as programs use it.
    pub name: String,
    /// Its parameters; none if it takes no arguments.
    pub parameters: Option<Vec<String>>,
    /// Its text, on one line.
    pub body: String,
    /// The conditions around it.
    pub conditions: Arc<[String]>,
    /// Where it is undefined again, if it is.
    pub until: Option<HeaderPlace>,
    /// The number that it stands for at the end of the header, by way of other macros too; none if for no number.
    pub value: Option<i64>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CParameter {
    /// Its name; may be empty.
    pub name: String,
    /// Its type, as it is written; arrays are not yet pointers.
    pub r#type: CType,
}

/// A type of C, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CType {
    /// A named type: `int`, `unsigned long`, `size_t`, the tag of a struct, the name of a typedef.
    Named {
        /// The name; words of the language in the order in which they stand.
        name: String,
        /// Whether it may not be changed.
        constant: bool,
    },
    /// A pointer or, in C++, a reference.
    Pointer {
        /// What it points to.
        to: Box<CType>,
        /// Whether the pointer itself may not be changed.
        constant: bool,
    },
    /// An array of known or unknown length.
    Array {
        /// The type of one element.
        of: Box<CType>,
        /// How many; none if it does not say, or not in a way that was understood.
        count: Option<u64>,
        /// The length as written if it was not understood; empty otherwise.
        length: String,
    },
    /// The type of a function.
    Function {
        /// The type of what it returns.
        result: Box<CType>,
        /// Its parameters, in their order.
        parameters: Vec<CParameter>,
        /// Whether it takes more than that.
        variadic: bool,
    },
    /// A struct or union that is declared where it is used.
    Record(Box<RecordDeclaration>),
    /// An enumeration that is declared where it is used.
    Enum(Box<EnumDeclaration>),
}

impl CType {
    /// A named type that may be changed.
    pub fn named(name: &str) -> Self {
        Self::Named { name: name.to_owned(), constant: false }
    }

    /// A pointer to it.
    pub fn pointer(self) -> Self {
        Self::Pointer { to: Box::new(self), constant: false }
    }

    /// As a declaration of `name` in C.
    pub fn declare(&self, name: &str) -> String {
        let word = |constant: bool| if constant { "const " } else { "" };
        match self {
            Self::Named { name: r#type, constant } => {
                let space = if name.is_empty() { "" } else { " " };
                format!("{}{type}{space}{name}", word(*constant))
            }
            Self::Pointer { to, constant } => {
                let inner = format!("*{}{name}", word(*constant));
                match **to {
                    Self::Array { .. } | Self::Function { .. } => to.declare(&format!("({inner})")),
                    _ => to.declare(&inner),
                }
            }
            Self::Array { of, count, length } => {
                let count = count.map_or_else(|| length.clone(), |count| count.to_string());
                of.declare(&format!("{name}[{count}]"))
            }
            Self::Function { result, parameters, variadic } => {
                let mut list: Vec<String> =
                    parameters.iter().map(|p| p.r#type.declare(&p.name)).collect();
                if *variadic {
                    list.push("...".to_owned());
                }
                result.declare(&format!("{name}({})", list.join(", ")))
            }
            Self::Record(record) => {
                let word = match record.kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                };
                let fields: Vec<String> =
                    record.fields.iter().map(|f| f.r#type.declare(&f.name) + ";").collect();
                format!("{word} {} {{ {} }} {name}", record.name, fields.join(" "))
            }
            Self::Enum(r#enum) => format!("enum {} {name}", r#enum.name),
        }
    }
}

impl fmt::Display for CType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.declare("").trim_end())
    }
}

/// A struct whose size the header announces by naming its last field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizedStruct<'h> {
    /// The place of the announcement.
    pub place: HeaderPlace,
    /// The name of the struct.
    pub record: &'h str,
    /// The field that is said to be the last one.
    pub last_field: &'h str,
}

impl EnumDeclaration {
    /// How many bytes a compiler gives it: by the type that is said, or by its values.
    pub fn size(&self) -> u64 {
        if !self.underlying.is_empty() {
            return super::layout::plain(&self.underlying).unwrap_or(4);
        }
        let values = || self.enumerators.iter().filter_map(|one| one.value);
        let (least, most) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
        let fits = match least < 0 {
            true => i32::try_from(least).is_ok() && i32::try_from(most).is_ok(),
            false => u32::try_from(most).is_ok(),
        };
        if fits { 4 } else { 8 }
    }
}

impl LeftOutText {
    /// Takes a token, with the outermost condition that does not hold and the innermost one around it.
    pub(super) fn add(&mut self, outer: &Arc<str>, inner: &Arc<str>, token: &Token<'_>) {
        if token.kind == TokenKind::Word && !self.words.contains_key(&*token.text) {
            self.words.insert(token.text.to_string(), Arc::clone(inner));
        }
        let digest = match self.conditions.get_mut(outer) {
            Some(digest) => digest,
            None => self.conditions.entry(Arc::clone(outer)).or_insert(0xcbf2_9ce4_8422_2325),
        };
        // FNV-1a, with a mark between tokens.
        for byte in token.text.bytes().chain([b'\n']) {
            *digest = (*digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

impl Header {
    /// Every struct and union, with its declaration.
    pub fn records(&self) -> impl Iterator<Item = (&Declaration, &RecordDeclaration)> {
        self.declarations.iter().filter_map(|one| Some((one, one.record()?)))
    }

    /// Every enumeration, with its declaration.
    pub fn enums(&self) -> impl Iterator<Item = (&Declaration, &EnumDeclaration)> {
        self.declarations.iter().filter_map(|declaration| match &declaration.item {
            HeaderItem::Enum(r#enum) => Some((declaration, r#enum)),
            _ => None,
        })
    }

    /// The sizes that the header announces: by a macro `..._STRUCT_TRAITS(struct, last field)`, or by a
    /// definition, an enumerator or a constant `..._STRUCT_SIZE` that is `MACRO(struct, last field)`.
    pub fn announced(&self) -> impl Iterator<Item = SizedStruct<'_>> {
        let invoked = self.declarations.iter().filter_map(|declaration| match &declaration.item {
            HeaderItem::Invocation { name, arguments } if name.ends_with("_STRUCT_TRAITS") => {
                let [record, last] = arguments.as_slice() else { return None };
                Some(SizedStruct { place: declaration.place, record, last_field: last })
            }
            _ => None,
        });
        let plain = self.macros.iter().filter(|defined| defined.parameters.is_none());
        let defined = plain.map(|defined| (defined.place, &defined.name, &defined.body));
        let listed = self.enums().flat_map(|(_, r#enum)| &r#enum.enumerators);
        let listed = listed.map(|value| (value.place, &value.name, &value.expression));
        let set = self.declarations.iter().filter_map(|declaration| match &declaration.item {
            HeaderItem::Variable { name, value, .. } => Some((declaration.place, name, value)),
            _ => None,
        });
        let named = defined.chain(listed).chain(set).filter_map(|(place, name, text)| {
            let (_, arguments) = text.strip_suffix(')')?.split_once('(')?;
            let (record, last) = arguments.split_once(',')?;
            let (record, last_field) = (record.trim(), last.trim());
            name.ends_with("STRUCT_SIZE").then_some(SizedStruct { place, record, last_field })
        });
        invoked.chain(named)
    }

    /// The number that a macro without arguments stands for.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.macros.iter().find(|m| m.name == name && m.parameters.is_none())?.number()
    }
}

/// Whether an attribute, or a macro that stands for one, changes where fields lie.
pub fn changes_layout(attribute: &str) -> bool {
    let attribute = attribute.to_ascii_lowercase();
    attribute.contains("packed")
        || attribute.contains("align")
        || attribute.contains("pragma pack")
        || attribute.contains("vector_size")
}
