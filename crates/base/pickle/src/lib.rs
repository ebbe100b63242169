//! Pickles, read and never executed.
//!
//! A pickle is a program for a stack machine, and some of its instructions call Python functions.
//! [`scan`] walks the instructions and builds what they would build (numbers, texts, tuples, lists),
//! with a *description* in place of every import and every call. Nothing is looked up or run. All
//! values lie in one arena and refer to each other by number, so a pickle that nests without end or
//! shares one value a million times costs no recursion and no copies.
//!
//! ```
//! let pickle = unskew_pickle::scan("a.pkl", b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.").unwrap();
//! assert_eq!(pickle.imports, ["os.system"]);
//! assert_eq!(pickle.calls, 1);
//! ```
#![forbid(unsafe_code)]

mod file;
mod joblib;
mod machine;
mod memo;
mod numpy;
mod opcode;
mod write;

use std::ops::Range;

use smallvec::SmallVec;

pub use file::{PickleFile, PickleHead};
pub use machine::{scan, scan_joblib};
pub use numpy::numpy_since;
pub use write::Unwritable;

/// The number of a value in its [`Pickle`].
pub type Id = u32;

/// The members of a tuple, a list or a dictionary. Most have few: what describes a tensor has six.
pub type Members = SmallVec<[Id; 6]>;

/// A value that a pickle describes.
#[derive(Clone, Debug, PartialEq)]
pub enum PickleValue {
    /// The `None` of Python.
    None,
    /// The `True` or `False` of Python.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// An integer that does not, as its little-endian two's complement.
    BigInt(Vec<u8>),
    /// A float of Python, of 64 bits.
    Float(f64),
    /// A str of Python, as UTF-8.
    Text(String),
    /// Bytes, by where in the pickle they lie.
    Bytes(Range<usize>),
    /// A Python tuple, by the ids of its members.
    Tuple(Members),
    /// A list or a set.
    List(Members),
    /// A dictionary: keys and values in turn.
    Dict(Members),
    /// An import that would be made: module and name.
    Global(String, String),
    /// A call that would be made, or an object that would be built.
    Call(PickleCall),
    /// A value kept outside of the pickle, such as a tensor's storage, and what says which one: a value,
    /// or a text of protocol 0, which is not kept.
    Persistent(Option<Id>),
}

/// A call that would be made, or an object that would be built.
#[derive(Clone, Debug, PartialEq)]
pub struct PickleCall {
    /// Whether an object is built, rather than a function called.
    pub builds: bool,
    /// What would be called.
    pub callee: Id,
    /// What it would be given: a tuple, if the instruction is one of those that are in use.
    pub arguments: Option<Id>,
    /// What the object would get as its state.
    pub state: Option<Id>,
    /// What would be added to it: members of a list, or keys and values in turn.
    pub items: Vec<Id>,
}

/// What a pickle describes, and what it would import.
#[derive(Clone, Debug)]
pub struct Pickle {
    values: Vec<PickleValue>,
    root: Id,
    /// The protocol that it says it has; 0 if it does not say.
    pub protocol: u8,
    /// How many bytes it takes; behind them another pickle may follow.
    pub len: usize,
    /// Everything that it would import, `module.name`, in the order of first use.
    pub imports: Vec<String>,
    /// How many calls it would make.
    pub calls: usize,
    /// The instructions that it is made of, each once, in the order of first use.
    pub opcodes: Vec<u8>,
    /// The pickles of arrays of objects, which joblib writes into the one that has them.
    pub nested: Vec<Pickle>,
}

impl Pickle {
    /// Every value, in the order in which they are made.
    pub fn values(&self) -> impl Iterator<Item = &PickleValue> {
        self.values.iter()
    }

    /// The value that unpickling gives.
    pub fn root(&self) -> &PickleValue {
        self.value(self.root)
    }

    /// This pickle and those that are nested in it.
    pub fn all(&self) -> impl Iterator<Item = &Pickle> {
        std::iter::once(self).chain(&self.nested)
    }

    /// The value of a dictionary for a key that is a text.
    pub fn entry<'p>(&'p self, dictionary: &'p PickleValue, key: &str) -> Option<&'p PickleValue> {
        entry(&self.values, dictionary, key)
    }

    /// The value of this number.
    pub fn value(&self, id: Id) -> &PickleValue {
        self.values.get(id as usize).unwrap_or(&PickleValue::None)
    }

    /// The members of a tuple or a list; of anything else none.
    pub fn members<'p>(&'p self, value: &'p PickleValue) -> impl Iterator<Item = &'p PickleValue> {
        let ids = match value {
            PickleValue::Tuple(ids) | PickleValue::List(ids) => ids.as_slice(),
            _ => &[],
        };
        ids.iter().map(|id| self.value(*id))
    }
}

/// The value of a dictionary for a key that is a text; the last one counts, as in Python.
fn entry<'v>(
    values: &'v [PickleValue],
    dictionary: &PickleValue,
    key: &str,
) -> Option<&'v PickleValue> {
    let PickleValue::Dict(members) = dictionary else { return None };
    let value = |id: Id| values.get(id as usize);
    let (pairs, _) = members.as_chunks::<2>();
    let is_meant = |pair: &&[Id; 2]| value(pair[0]).and_then(PickleValue::text) == Some(key);
    value(pairs.iter().rev().find(is_meant)?[1])
}

impl PickleValue {
    /// The integer, if it is one.
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}
