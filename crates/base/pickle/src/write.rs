//! Pickles, written: protocol 2, which every PyTorch reads.
//!
//! The same value gives the same bytes. A value that is referred to twice is written once and recalled
//! from then on, as in the pickle that it was read from; so is a text that occurs twice. Nothing else can be recalled:
//! the loader of bytecode in PyTorch 1.10 takes tuples apart, and fails on one that might be asked for again.

use super::{Id, Members, Pickle, PickleValue};
use foldhash::{HashMap, HashMapExt as _};

/// What cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// The content of bytes is not kept when a pickle is read.
    #[error("the pickle has bytes, whose content was not kept")]
    Bytes,
    /// What a value outside of the pickle is called was not kept.
    #[error("the pickle refers to something outside by a line of text")]
    Outside,
    /// It nests deeper than [`unskew_source::limits::DEPTH`], or refers to itself.
    #[error("the pickle nests too deeply, or refers to itself")]
    TooDeep,
}

impl Pickle {
    /// A pickle without values.
    pub fn empty() -> Self {
        Self {
            values: vec![],
            root: 0,
            protocol: 2,
            len: 0,
            imports: Vec::new(),
            calls: 0,
            opcodes: Vec::new(),
            nested: Vec::new(),
        }
    }

    /// Adds a value, which nothing refers to yet.
    pub fn push(&mut self, value: PickleValue) -> Id {
        self.values.push(value);
        (self.values.len() - 1) as Id
    }

    /// Puts another value in the place of one.
    pub fn replace(&mut self, id: Id, value: PickleValue) {
        if let Some(old) = self.values.get_mut(id as usize) {
            *old = value;
        }
    }

    /// How many values there are; their numbers begin with 0.
    pub fn count(&self) -> Id {
        self.values.len() as Id
    }

    /// The number of the value that unpickling gives.
    pub fn root_id(&self) -> Id {
        self.root
    }

    /// Makes a value the one that unpickling gives.
    pub fn set_root(&mut self, id: Id) {
        self.root = id;
    }

    /// Adds a str, and returns its id.
    pub fn text(&mut self, text: &str) -> Id {
        self.push(PickleValue::Text(text.to_owned()))
    }

    /// Adds a tuple of values that were added before.
    pub fn tuple(&mut self, members: impl Into<Vec<Id>>) -> Id {
        self.push(PickleValue::Tuple(Members::from_vec(members.into())))
    }

    /// Adds a call of a function with arguments.
    pub fn call(&mut self, module: &str, name: &str, arguments: impl Into<Vec<Id>>) -> Id {
        let callee = self.push(PickleValue::Global(module.to_owned(), name.to_owned()));
        let arguments = Some(self.tuple(arguments));
        let (state, items) = (None, Vec::new());
        self.push(PickleValue::Call(super::PickleCall {
            builds: false,
            callee,
            arguments,
            state,
            items,
        }))
    }

    /// Adds an object of a class, with its state.
    pub fn object(&mut self, module: &str, name: &str, state: Id) -> Id {
        let callee = self.push(PickleValue::Global(module.to_owned(), name.to_owned()));
        let (arguments, state) = (Some(self.tuple([])), Some(state));
        let items = Vec::new();
        self.push(PickleValue::Call(super::PickleCall {
            builds: true,
            callee,
            arguments,
            state,
            items,
        }))
    }

    /// The bytes, as protocol 2.
    ///
    /// # Errors
    /// [`Unwritable`].
    pub fn write(&self) -> Result<Vec<u8>, Unwritable> {
        let mut writer = Writer {
            pickle: self,
            out: vec![0x80, 2],
            references: self.references(),
            memo: HashMap::new(),
            texts: HashMap::new(),
        };
        writer.value(self.root, 0)?;
        writer.out.push(b'.');
        Ok(writer.out)
    }

    /// How often each value is referred to, from the root on: what was replaced counts no more.
    fn references(&self) -> Vec<u32> {
        let mut counts = vec![0_u32; self.values.len()];
        let mut open = vec![self.root];
        while let Some(id) = open.pop() {
            let Some(count) = counts.get_mut(id as usize) else { continue };
            *count = count.saturating_add(1);
            if *count > 1 {
                continue;
            }
            match self.value(id) {
                PickleValue::Tuple(ids) | PickleValue::List(ids) | PickleValue::Dict(ids) => {
                    open.extend(ids)
                }
                PickleValue::Call(call) => {
                    open.extend([Some(call.callee), call.arguments, call.state].iter().flatten());
                    open.extend(&call.items);
                }
                PickleValue::Persistent(Some(id)) => open.push(*id),
                _ => {}
            }
        }
        counts
    }
}

struct Writer<'p> {
    pickle: &'p Pickle,
    out: Vec<u8>,
    references: Vec<u32>,
    /// The keys of texts that were written.
    texts: HashMap<&'p str, u32>,
    /// What was written and can be recalled.
    memo: HashMap<Id, u32>,
}

impl Writer<'_> {
    fn value(&mut self, id: Id, depth: usize) -> Result<(), Unwritable> {
        if depth > unskew_source::limits::DEPTH {
            return Err(Unwritable::TooDeep);
        }
        let pickle = self.pickle;
        let same = match pickle.value(id) {
            PickleValue::Text(text) => self.texts.get(text.as_str()),
            _ => None,
        };
        if let Some(key) = self.memo.get(&id).or(same) {
            match u8::try_from(*key) {
                Ok(key) => self.out.extend([b'h', key]),
                Err(_) => {
                    self.out.push(b'j');
                    self.out.extend(key.to_le_bytes());
                }
            }
            return Ok(());
        }
        match pickle.value(id) {
            PickleValue::None => self.out.push(b'N'),
            PickleValue::Bool(value) => self.out.push(if *value { 0x88 } else { 0x89 }),
            PickleValue::Int(number) => self.int(*number),
            PickleValue::BigInt(bytes) => {
                self.out.extend([0x8a, bytes.len() as u8]);
                self.out.extend(bytes);
            }
            PickleValue::Float(number) => {
                self.out.push(b'G');
                self.out.extend(number.to_be_bytes());
            }
            PickleValue::Text(text) => {
                self.out.push(b'X');
                self.out.extend((text.len() as u32).to_le_bytes());
                self.out.extend(text.as_bytes());
                let key = self.remember();
                self.texts.insert(text, key);
            }
            PickleValue::Bytes(_) => return Err(Unwritable::Bytes),
            PickleValue::Tuple(members) => {
                if members.len() > 3 {
                    self.out.push(b'(');
                }
                for member in members {
                    self.value(*member, depth + 1)?;
                }
                self.out.push(match members.len() {
                    0 => b')',
                    n @ 1..=3 => 0x84 + n as u8,
                    _ => b't',
                });
                if !members.is_empty() {
                    self.memorize(id);
                }
            }
            PickleValue::List(members) => {
                self.out.push(b']');
                self.memorize(id);
                self.members(members, b'e', depth)?;
            }
            PickleValue::Dict(members) => {
                self.out.push(b'}');
                self.memorize(id);
                self.members(members, b'u', depth)?;
            }
            PickleValue::Global(module, name) => {
                self.out.push(b'c');
                self.out.extend(format!("{module}\n{name}\n").as_bytes());
                self.memorize(id);
            }
            PickleValue::Call(call) => {
                self.value(call.callee, depth + 1)?;
                match call.arguments {
                    Some(arguments) => self.value(arguments, depth + 1)?,
                    None => self.out.push(b')'),
                }
                self.out.push(if call.builds { 0x81 } else { b'R' });
                if !call.builds {
                    self.memorize(id);
                }
                self.members(&call.items, b'u', depth)?;
                if let Some(state) = call.state {
                    self.value(state, depth + 1)?;
                    self.out.push(b'b');
                }
                // PyTorch's own reader makes an object only when it has its state.
                if call.builds {
                    self.memorize(id);
                }
            }
            PickleValue::Persistent(None) => return Err(Unwritable::Outside),
            PickleValue::Persistent(Some(name)) => {
                self.value(*name, depth + 1)?;
                self.out.push(b'Q');
            }
        }
        Ok(())
    }

    fn members(&mut self, members: &[Id], end: u8, depth: usize) -> Result<(), Unwritable> {
        if members.is_empty() {
            return Ok(());
        }
        self.out.push(b'(');
        for member in members {
            self.value(*member, depth + 1)?;
        }
        self.out.push(end);
        Ok(())
    }

    fn int(&mut self, number: i64) {
        if let Ok(byte) = u8::try_from(number) {
            self.out.extend([b'K', byte]);
        } else if let Ok(short) = u16::try_from(number) {
            self.out.push(b'M');
            self.out.extend(short.to_le_bytes());
        } else if let Ok(int) = i32::try_from(number) {
            self.out.push(b'J');
            self.out.extend(int.to_le_bytes());
        } else {
            self.out.extend([0x8a, 8]);
            self.out.extend(number.to_le_bytes());
        }
    }

    /// Lets a value be recalled that is referred to again.
    fn memorize(&mut self, id: Id) {
        if self.references.get(id as usize).is_some_and(|count| *count > 1) {
            let key = self.remember();
            self.memo.insert(id, key);
        }
    }

    /// Gives the value that was written last a key.
    fn remember(&mut self) -> u32 {
        let key = (self.memo.len() + self.texts.len()) as u32;
        match u8::try_from(key) {
            Ok(key) => self.out.extend([b'q', key]),
            Err(_) => {
                self.out.push(b'r');
                self.out.extend(key.to_le_bytes());
            }
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan;

    /// Two pickles describe the same, seen from their roots.
    fn same(a: (&Pickle, Id), b: (&Pickle, Id)) -> bool {
        let all = |x: &[Id], y: &[Id]| {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same((a.0, *x), (b.0, *y)))
        };
        match (a.0.value(a.1), b.0.value(b.1)) {
            (PickleValue::Tuple(x), PickleValue::Tuple(y))
            | (PickleValue::List(x), PickleValue::List(y))
            | (PickleValue::Dict(x), PickleValue::Dict(y)) => all(x, y),
            (PickleValue::Call(x), PickleValue::Call(y)) => {
                all(&[x.callee], &[y.callee])
                    && all(x.arguments.as_slice(), y.arguments.as_slice())
                    && all(&x.items, &y.items)
                    && all(x.state.as_slice(), y.state.as_slice())
            }
            (PickleValue::Persistent(Some(x)), PickleValue::Persistent(Some(y))) => {
                all(&[*x], &[*y])
            }
            (x, y) => x == y,
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut pickle = Pickle::empty();
        let shared = pickle.text("shared");
        let mut members = vec![shared, shared];
        for number in [0, 7, 255, 256, 65_535, 65_536, -1, i64::MIN, i64::MAX] {
            members.push(pickle.push(PickleValue::Int(number)));
        }
        members.push(pickle.push(PickleValue::Float(-0.5)));
        members.push(pickle.push(PickleValue::Bool(true)));
        members.push(pickle.push(PickleValue::None));
        let outside = pickle.push(PickleValue::Persistent(Some(shared)));
        let call = pickle.call("collections", "OrderedDict", []);
        let dict =
            pickle.push(PickleValue::Dict(Members::from_slice(&[shared, outside, call, call])));
        let empty = pickle.tuple([]);
        members.extend([dict, empty]);
        for n in 0..300 {
            members.push(pickle.text(&format!("name{n}")));
        }
        members.push(shared);
        let root = pickle.push(PickleValue::List(members.into()));
        pickle.set_root(root);
        let bytes = pickle.write().unwrap();
        let back = scan("f", &bytes).unwrap();
        assert!(same((&pickle, pickle.root_id()), (&back, back.root_id())));
        assert_eq!(back.write().unwrap(), bytes);
    }

    #[test]
    fn only_what_occurs_twice_can_be_recalled() {
        let mut pickle = Pickle::empty();
        let one = pickle.push(PickleValue::Int(1));
        let tuple = pickle.tuple([one]);
        let texts = [pickle.text("a"), pickle.text("a")];
        let root = pickle.tuple([tuple, texts[0], texts[1]]);
        // What nothing leads to any more does not count.
        pickle.tuple([tuple]);
        pickle.set_root(root);
        assert_eq!(pickle.write().unwrap(), b"\x80\x02K\x01\x85X\x01\0\0\0aq\0h\0\x87.");
    }

    #[test]
    fn what_refers_to_itself_is_refused() {
        let mut pickle = Pickle::empty();
        let tuple = pickle.tuple([0]);
        pickle.set_root(tuple);
        assert_eq!(pickle.write(), Err(Unwritable::TooDeep));
    }
}
