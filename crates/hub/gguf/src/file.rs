//! What a header says: the keys that matter, and the tensors by their types.

use std::collections::BTreeMap;

use unskew_core::Places;

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GgufValue {
    /// A number without its sign, a truth value included.
    Number(u64),
    /// A text; a long one is empty here.
    Text(String),
    /// So many elements.
    Array(u64),
    /// A number that is no count: negative, or with a fraction.
    Other,
}

/// The tensors of one type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeCount {
    /// How many there are.
    pub tensors: u64,
    /// The first few by name.
    pub places: Places,
}

/// Which part of a split model a file is: `split.no` and `split.count`, counted from 0, and `split.tensors.count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartOf {
    /// The number of this part; the first is 0.
    pub number: u64,
    /// How many parts there are.
    pub count: u64,
    /// How many tensors all of them have together, if it is said.
    pub tensors: Option<u64>,
}

/// What a header breaks of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrokenRule {
    /// A key stands twice.
    DuplicateKey(String),
    /// A tensor is there twice.
    DuplicateTensor(String),
    /// An array of arrays, which the format allows and no release reads.
    NestedArray(String),
    /// A tensor does not begin where the one before it ends.
    Offset {
        /// The tensor.
        tensor: String,
        /// Where it begins.
        offset: u64,
        /// Where it should.
        expected: u64,
    },
    /// A tensor has a row that is no whole number of blocks of its type, more than four dimensions, or too many values.
    Shape(String),
}

/// A GGUF file: its header. A capability of its party.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GgufFile {
    /// The version of the format.
    pub version: u32,
    /// Whether it was written for machines that have the highest byte first.
    pub is_big_endian: bool,
    /// The keys with their values, by name.
    pub keys: BTreeMap<String, GgufValue>,
    /// How many tensors there are.
    pub tensors: u64,
    /// The types of tensors by their numbers.
    pub types: BTreeMap<u32, TypeCount>,
    /// What the header breaks of the format.
    pub broken: Vec<BrokenRule>,
    /// Tensors whose bytes are not all in the file.
    pub beyond: Places,
    /// How large the file is.
    pub size: u64,
    /// How large it has to be for its tensors.
    pub needed: u64,
    /// The other parts of a split model, if what lies beside the file was looked at.
    pub parts: Option<OtherParts>,
}

/// The other parts of a split model, as they lie beside the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherParts {
    /// Files that are not there, or cannot be read.
    pub missing: Places,
    /// Files that have another number than their name says.
    pub misplaced: Places,
    /// How many tensors all parts have that could be read, this file included.
    pub tensors: u64,
}

impl GgufFile {
    /// The text of a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.keys.get(key)? {
            GgufValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a key.
    pub fn number(&self, key: &str) -> Option<u64> {
        match self.keys.get(key)? {
            GgufValue::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// `general.architecture`.
    pub fn architecture(&self) -> Option<&str> {
        self.text("general.architecture")
    }

    /// `tokenizer.ggml.model`.
    pub fn tokenizer(&self) -> Option<&str> {
        self.text("tokenizer.ggml.model")
    }

    /// `tokenizer.ggml.pre`.
    pub fn pre_tokenizer(&self) -> Option<&str> {
        self.text("tokenizer.ggml.pre")
    }

    /// Where its tensors are aligned; none if it says so in a way that no reader understands.
    pub fn alignment(&self) -> Option<u64> {
        match self.keys.get("general.alignment") {
            None => Some(32),
            Some(GgufValue::Number(number)) => Some(*number).filter(|one| one.is_power_of_two()),
            Some(_) => None,
        }
    }

    /// Which part of a split model it is; none if it is a whole one.
    pub fn part(&self) -> Option<PartOf> {
        let count = self.number("split.count").filter(|count| *count > 1)?;
        let number = self.number("split.no").unwrap_or(0);
        Some(PartOf { number, count, tensors: self.number("split.tensors.count") })
    }

    /// Why it is no model that llama.cpp loads by itself; none if it is one.
    pub fn is_not_a_model(&self) -> Option<&'static str> {
        match (self.text("general.type"), self.architecture()) {
            (Some("adapter"), _) => Some("an adapter"),
            (Some("mmproj"), _) | (_, Some("clip")) => Some("a projector of images or sound"),
            (Some("imatrix"), _) => Some("an importance matrix"),
            _ => None,
        }
    }

    /// The names of its types with their counts, the most frequent first: `Q4_K 120, F32 65`.
    pub fn types_in_words(&self) -> String {
        let mut all: Vec<(u64, String)> = self
            .types
            .iter()
            .map(|(number, one)| (one.tensors, crate::tensor_type::name_of(*number)))
            .collect();
        all.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        all.iter().map(|(count, name)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
    }
}
