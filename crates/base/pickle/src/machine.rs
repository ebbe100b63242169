//! The stack machine that builds descriptions.

use unskew_source::{ReadError, SourceProblem};

use super::joblib::{self, JoblibArray};
use super::memo::Memo;
use super::opcode::{Operand, operand};
use super::{Id, Members, Pickle, PickleCall, PickleValue};

/// The most values of one pickle, and the most entries of its stack, its marks and its memo. The
/// bytecode of a large model has some 100,000.
const VALUES: usize = 1 << 21;

/// How many bytes of a pickle a value has on average.
const BYTES: usize = 5;

/// The most values for which there is room before they are read.
const AT_ONCE: usize = 1 << 13;

/// The most imports that are kept by name.
const IMPORTS: usize = 1000;

const NO_VALUE: &str = "no value on the stack";

/// Reads the pickle at the start of `bytes`; errors name `file`.
///
/// # Errors
/// If the bytes are no pickle, end early, or describe more values than any real file.
pub fn scan(file: &str, bytes: &[u8]) -> Result<Pickle, ReadError> {
    run(file, bytes, false, VALUES)
}

/// Reads a pickle of joblib, which writes the elements of each array behind the object that describes it.
///
/// # Errors
/// As of [`scan`], and if the place of an array's elements cannot be told.
pub fn scan_joblib(file: &str, bytes: &[u8]) -> Result<Pickle, ReadError> {
    run(file, bytes, true, VALUES)
}

fn run(file: &str, bytes: &[u8], has_arrays: bool, limit: usize) -> Result<Pickle, ReadError> {
    let mut machine = Machine {
        bytes,
        at: 0,
        has_arrays,
        limit,
        nested: Vec::new(),
        values: Vec::with_capacity((bytes.len() / BYTES).min(AT_ONCE)),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: Memo::new(),
        protocol: 0,
        imports: Vec::new(),
        calls: 0,
        opcodes: Vec::new(),
        is_used: [false; 256],
    };
    loop {
        let start = machine.at;
        match machine.step() {
            Ok(true) => {}
            Ok(false) => break,
            Err(problem) => return Err(ReadError::new(file, problem).at(start as u64)),
        }
    }
    let end = machine.at;
    let root = machine.pop().map_err(|p| ReadError::new(file, p).at(end as u64))?;
    let Machine { values, protocol, imports, calls, opcodes, nested, .. } = machine;
    Ok(Pickle { values, root, protocol, len: end, imports, calls, opcodes, nested })
}

struct Machine<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Whether elements of arrays stand between the instructions.
    has_arrays: bool,
    /// How many values there may be, in nested pickles too.
    limit: usize,
    nested: Vec<Pickle>,
    values: Vec<PickleValue>,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: Memo,
    protocol: u8,
    imports: Vec<String>,
    calls: usize,
    opcodes: Vec<u8>,
    is_used: [bool; 256],
}

fn malformed<T>(what: impl Into<String>) -> Result<T, SourceProblem> {
    Err(SourceProblem::Malformed(what.into()))
}

impl<'b> Machine<'b> {
    fn take(&mut self, len: u64) -> Result<&'b [u8], SourceProblem> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = usize::try_from(len).ok().and_then(|len| rest.get(..len));
        let Some(taken) = taken else {
            let needed = (self.at as u64).saturating_add(len);
            return Err(SourceProblem::Truncated { len: self.bytes.len() as u64, needed });
        };
        self.at += taken.len();
        Ok(taken)
    }

    fn number(&mut self, size: usize) -> Result<u64, SourceProblem> {
        let bytes = self.take(size as u64)?;
        Ok(bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)))
    }

    fn line(&mut self) -> Result<&'b [u8], SourceProblem> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        match rest.iter().position(|byte| *byte == b'\n') {
            Some(len) => {
                self.at += len + 1;
                Ok(&rest[..len])
            }
            None => {
                let len = self.bytes.len() as u64;
                Err(SourceProblem::Truncated { len, needed: len + 1 })
            }
        }
    }

    fn push(&mut self, value: PickleValue) -> Result<bool, SourceProblem> {
        if self.values.len() >= self.limit {
            return Err(SourceProblem::TooLarge {
                what: "the pickle (counted in values)".into(),
                size: self.values.len() as u64 + 1,
                limit: VALUES as u64,
            });
        }
        self.stack.push(self.values.len() as Id);
        self.values.push(value);
        Ok(true)
    }

    /// Takes the top of the stack, above the last mark.
    fn pop(&mut self) -> Result<Id, SourceProblem> {
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.stack.pop() {
            Some(id) if self.stack.len() >= floor => Ok(id),
            _ => malformed("takes a value from an empty stack"),
        }
    }

    fn top(&self) -> Result<Id, SourceProblem> {
        self.stack.last().copied().map_or_else(|| malformed(NO_VALUE), Ok)
    }

    /// Takes the last mark; what stands above it begins there.
    fn mark(&mut self) -> Result<usize, SourceProblem> {
        let mark = self.marks.pop().filter(|mark| *mark <= self.stack.len());
        mark.map_or_else(|| malformed("no mark on the stack"), Ok)
    }

    fn pop_mark(&mut self) -> Result<Members, SourceProblem> {
        let mark = self.mark()?;
        Ok(self.stack.drain(mark..).collect())
    }

    fn tuple(&mut self, len: usize) -> Result<bool, SourceProblem> {
        let mut members = Members::new();
        for _ in 0..len {
            members.push(self.pop()?);
        }
        members.reverse();
        self.push(PickleValue::Tuple(members))
    }

    /// Adds members to the value on top of the stack.
    fn extend(&mut self, members: &[Id]) -> Result<bool, SourceProblem> {
        let top = self.top()?;
        add(&mut self.values, top, members)
    }

    /// Adds what stands above the last mark to the value below it.
    fn extend_from_mark(&mut self) -> Result<bool, SourceProblem> {
        let mark = self.mark()?;
        let (below, members) = self.stack.split_at(mark);
        let Some(top) = below.last() else { return malformed(NO_VALUE) };
        add(&mut self.values, *top, members)?;
        self.stack.truncate(mark);
        Ok(true)
    }

    fn call(
        &mut self,
        callee: Id,
        arguments: Option<Id>,
        builds: bool,
    ) -> Result<bool, SourceProblem> {
        self.calls += 1;
        self.push(PickleValue::Call(PickleCall {
            builds,
            callee,
            arguments,
            state: None,
            items: Vec::new(),
        }))
    }

    /// Gives the object on top of the stack its state.
    fn build(&mut self, state: Id) -> Result<bool, SourceProblem> {
        let top = self.top()?;
        if let Some(PickleValue::Call(call)) = self.values.get_mut(top as usize) {
            call.state = Some(state);
        }
        if self.has_arrays {
            match joblib::array(&self.values, top)? {
                None => {}
                Some(JoblibArray::Numbers { padded, size }) => {
                    let padding = if padded { self.number(1)? } else { 0 };
                    self.take(padding)?;
                    self.take(size)?;
                }
                Some(JoblibArray::Objects) => self.nested_pickle()?,
            }
        }
        Ok(true)
    }

    /// Reads the pickle of an array of objects, which stands where elements of other arrays would.
    fn nested_pickle(&mut self) -> Result<(), SourceProblem> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let limit = self.limit.saturating_sub(self.values.len());
        let pickle = run("", rest, false, limit).map_err(|error| *error.problem)?;
        self.limit = self.limit.saturating_sub(pickle.values.len());
        self.at += pickle.len;
        self.calls += pickle.calls;
        for one in &pickle.imports {
            if self.imports.len() < IMPORTS && !self.imports.contains(one) {
                self.imports.push(one.clone());
            }
        }
        self.nested.push(pickle);
        Ok(())
    }

    fn import(&mut self, module: String, name: String) -> Result<bool, SourceProblem> {
        if self.imports.len() < IMPORTS {
            let full = format!("{module}.{name}");
            if !self.imports.contains(&full) {
                self.imports.push(full);
            }
        }
        self.push(PickleValue::Global(module, name))
    }

    fn memorize(&mut self, key: u64) -> Result<bool, SourceProblem> {
        let top = self.top()?;
        self.memo.insert(key, top);
        Ok(true)
    }

    fn recall(&mut self, key: u64) -> Result<bool, SourceProblem> {
        match self.memo.get(key) {
            Some(id) => self.stack.push(id),
            None => return malformed(format!("recalls value {key}, which was not memorized")),
        }
        Ok(true)
    }

    /// Carries out one instruction; false at the end.
    fn step(&mut self) -> Result<bool, SourceProblem> {
        // Recalled values, marks and the memo take no place in the arena.
        let largest = self.stack.len().max(self.marks.len()).max(self.memo.len());
        if largest > VALUES {
            return Err(SourceProblem::TooLarge {
                what: "the stack of the pickle (counted in values)".into(),
                size: largest as u64,
                limit: VALUES as u64,
            });
        }
        let opcode = self.take(1)?[0];
        if !std::mem::replace(&mut self.is_used[usize::from(opcode)], true) {
            self.opcodes.push(opcode);
        }
        match operand(opcode) {
            Some(Operand::Nothing) => self.plain(opcode),
            Some(Operand::Number(size)) => {
                let number = self.number(size)?;
                self.numeric(opcode, number)
            }
            Some(Operand::Line) => {
                let line = self.line()?;
                self.textual(opcode, line)
            }
            Some(Operand::TwoLines) => {
                let (module, name) = (text(self.line()?), text(self.line()?));
                if opcode == b'i' {
                    self.pop_mark()?;
                    self.import(module, name)?;
                    let callee = self.pop()?;
                    return self.call(callee, None, true);
                }
                self.import(module, name)
            }
            Some(Operand::Sized(size)) => {
                let len = self.number(size)?;
                let bytes = self.take(len)?;
                self.push(match opcode {
                    0x8a | 0x8b => integer(bytes),
                    b'U' | b'T' | b'X' | 0x8c | 0x8d => PickleValue::Text(text(bytes)),
                    _ => PickleValue::Bytes(self.at - bytes.len()..self.at),
                })
            }
            None => malformed(format!("no pickle instruction: byte 0x{opcode:02x}")),
        }
    }

    fn plain(&mut self, opcode: u8) -> Result<bool, SourceProblem> {
        match opcode {
            b'.' => return Ok(false),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => {
                // A pop right above a mark takes the mark.
                if self.marks.last() == Some(&self.stack.len()) {
                    self.marks.pop();
                } else {
                    self.pop()?;
                }
            }
            b'1' => drop(self.pop_mark()?),
            b'2' => {
                let top = self.top()?;
                self.stack.push(top);
            }
            b'N' => return self.push(PickleValue::None),
            0x88 | 0x89 => return self.push(PickleValue::Bool(opcode == 0x88)),
            b')' => return self.tuple(0),
            0x85..=0x87 => return self.tuple(usize::from(opcode - 0x84)),
            b't' => {
                let members = self.pop_mark()?;
                return self.push(PickleValue::Tuple(members));
            }
            b']' | 0x8f => return self.push(PickleValue::List(Members::new())),
            b'}' => return self.push(PickleValue::Dict(Members::new())),
            b'l' | 0x91 => {
                let members = self.pop_mark()?;
                return self.push(PickleValue::List(members));
            }
            b'd' => {
                let members = self.pop_mark()?;
                return self.push(PickleValue::Dict(members));
            }
            b'a' => {
                let member = self.pop()?;
                return self.extend(&[member]);
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                return self.extend(&[key, value]);
            }
            b'e' | b'u' | 0x90 => return self.extend_from_mark(),
            0x94 => return self.memorize(self.memo.len() as u64),
            b'Q' => {
                let which = self.pop()?;
                return self.push(PickleValue::Persistent(Some(which)));
            }
            0x97 => return self.push(PickleValue::Bytes(self.at..self.at)),
            0x98 => drop(self.top()?),
            // Calls: the callee lies below its arguments.
            b'R' | 0x81 => {
                let arguments = self.pop()?;
                let callee = self.pop()?;
                return self.call(callee, Some(arguments), opcode == 0x81);
            }
            0x92 => {
                self.pop()?;
                let arguments = self.pop()?;
                let callee = self.pop()?;
                return self.call(callee, Some(arguments), true);
            }
            b'o' => {
                let members = self.pop_mark()?;
                let callee = members.first().copied();
                let Some(callee) = callee else { return malformed("a call without callee") };
                return self.call(callee, None, true);
            }
            b'b' => {
                let state = self.pop()?;
                return self.build(state);
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let part = |id: Id| match self.values.get(id as usize) {
                    Some(PickleValue::Text(text)) => text.clone(),
                    _ => "?".to_owned(),
                };
                let (module, name) = (part(module), part(name));
                return self.import(module, name);
            }
            _ => return malformed(format!("no pickle instruction: byte 0x{opcode:02x}")),
        }
        Ok(true)
    }

    fn numeric(&mut self, opcode: u8, number: u64) -> Result<bool, SourceProblem> {
        match opcode {
            0x80 => self.protocol = number as u8,
            0x95 => {}
            b'h' | b'j' => return self.recall(number),
            b'q' | b'r' => return self.memorize(number),
            b'J' => return self.push(PickleValue::Int(i64::from(number as u32 as i32))),
            b'G' => return self.push(PickleValue::Float(f64::from_bits(number.swap_bytes()))),
            0x82..=0x84 => {
                return self.import("copyreg".into(), format!("extension {number}"));
            }
            _ => return self.push(PickleValue::Int(number as i64)),
        }
        Ok(true)
    }

    fn textual(&mut self, opcode: u8, line: &[u8]) -> Result<bool, SourceProblem> {
        if opcode == b'V' {
            return self.push(PickleValue::Text(unescaped(line)));
        }
        let line = text(line);
        let number = || line.trim_end_matches('L').parse::<i64>();
        match opcode {
            b'I' if line == "00" || line == "01" => self.push(PickleValue::Bool(line == "01")),
            b'I' | b'L' => match number() {
                Ok(n) => self.push(PickleValue::Int(n)),
                Err(_) => malformed(format!("no integer: {line}")),
            },
            b'F' => match line.parse() {
                Ok(float) => self.push(PickleValue::Float(float)),
                Err(_) => malformed(format!("no float: {line}")),
            },
            b'g' | b'p' => match (number(), opcode) {
                (Ok(key), b'g') => self.recall(key as u64),
                (Ok(key), _) => self.memorize(key as u64),
                (Err(_), _) => malformed(format!("no number of a value: {line}")),
            },
            b'P' => self.push(PickleValue::Persistent(None)),
            _ => self.push(PickleValue::Text(line.trim_matches(['\'', '"']).to_owned())),
        }
    }
}

/// Adds members to a list or dictionary, or to the description of an object that would be built.
fn add(values: &mut [PickleValue], to: Id, members: &[Id]) -> Result<bool, SourceProblem> {
    match values.get_mut(to as usize) {
        Some(PickleValue::List(list) | PickleValue::Dict(list)) => list.extend_from_slice(members),
        Some(PickleValue::Call(call)) => call.items.extend_from_slice(members),
        Some(PickleValue::Persistent(_)) => {}
        _ => return malformed("adds members to what has none"),
    }
    Ok(true)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The text of a line of protocol 0: characters of Latin-1, and others by their numbers, `\u20ac`.
fn unescaped(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((first, after)) = rest.split_first() {
        let digits = match (first, after.first()) {
            (b'\\', Some(b'u')) => 4,
            (b'\\', Some(b'U')) => 8,
            _ => 0,
        };
        let number = after.get(1..=digits).filter(|_| digits > 0);
        let number = number.filter(|number| number.iter().all(u8::is_ascii_hexdigit));
        let number = number.and_then(|number| str::from_utf8(number).ok());
        match number.and_then(|number| u32::from_str_radix(number, 16).ok()) {
            Some(number) => {
                text.push(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER));
                rest = &after[1 + digits..];
            }
            None => {
                text.push(char::from(*first));
                rest = after;
            }
        }
    }
    text
}

/// A little-endian two's complement of any length.
fn integer(bytes: &[u8]) -> PickleValue {
    if bytes.len() > 8 {
        return PickleValue::BigInt(bytes[..bytes.len().min(64)].to_vec());
    }
    let fill = if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
    let mut all = [fill; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    PickleValue::Int(i64::from_le_bytes(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_of_protocol_0_is_what_python_reads() {
        let text = |line: &str| {
            let bytes = [b"V", line.as_bytes(), b"\n."].concat();
            scan("f", &bytes).unwrap().root().text().unwrap().to_owned()
        };
        assert_eq!(text("'quoted'"), "'quoted'");
        assert_eq!(text("a\\u20ac\\U0001f600b\\u005c"), "a\u{20ac}\u{1f600}b\\");
        assert_eq!(text("\\u+123\\u12\\x41\\"), "\\u+123\\u12\\x41\\");
        let latin = scan("f", b"V\xe9\n.").unwrap();
        assert_eq!(latin.root().text(), Some("\u{e9}"));
    }

    #[test]
    fn calls_are_described_and_not_made() {
        let bytes = b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.";
        let pickle = scan("f", bytes).unwrap();
        assert_eq!(pickle.imports, ["os.system"]);
        assert_eq!(pickle.calls, 1);
        assert!(matches!(pickle.root(), PickleValue::Call(_)));
        assert_eq!(pickle.len, bytes.len());
    }

    #[test]
    fn what_an_object_is_given_is_kept() {
        // c.D(1) with the state {2: 3}, and 4 added.
        let bytes = b"\x80\x02cc\nD\nK\x01\x85\x81}K\x02K\x03sbK\x04a.";
        let pickle = scan("f", bytes).unwrap();
        let PickleValue::Call(call) = pickle.root() else { panic!("{pickle:?}") };
        assert_eq!(pickle.value(call.callee), &PickleValue::Global("c".into(), "D".into()));
        let arguments = pickle.value(call.arguments.unwrap());
        assert_eq!(pickle.members(arguments).collect::<Vec<_>>(), [&PickleValue::Int(1)]);
        let PickleValue::Dict(state) = pickle.value(call.state.unwrap()) else {
            panic!("{pickle:?}")
        };
        assert_eq!(
            state.iter().filter_map(|id| pickle.value(*id).int()).collect::<Vec<_>>(),
            [2, 3]
        );
        assert_eq!(
            call.items.iter().map(|id| pickle.value(*id)).collect::<Vec<_>>(),
            [&PickleValue::Int(4)]
        );
    }

    #[test]
    fn numbers_of_every_width_are_read() {
        let bytes = b"\x80\x02(K\x07M\x00\x01J\xff\xff\xff\xff\x8a\x01\x80\x8a\x0a0123456789G\x3f\xf0\x00\x00\x00\x00\x00\x00t.";
        let pickle = scan("f", bytes).unwrap();
        let members: Vec<_> = pickle.members(pickle.root()).cloned().collect();
        assert_eq!(members[..4], [7, 256, -1, -128].map(PickleValue::Int));
        assert_eq!(members[4], PickleValue::BigInt(b"0123456789".to_vec()));
        assert_eq!(members[5], PickleValue::Float(1.0));
    }

    #[test]
    fn a_pickle_that_shares_one_value_without_end_costs_nothing() {
        // Each step makes a tuple of the last one twice: 2^200 values if it were copied.
        let mut bytes = b"\x80\x02)".to_vec();
        bytes.extend(b"2\x86".repeat(200));
        bytes.push(b'.');
        assert!(scan("f", &bytes).is_ok());
        let mut deep = b"\x80\x02".to_vec();
        deep.extend(b"(".repeat(100_000));
        assert!(scan("f", &deep).unwrap_err().to_string().contains("ends after"));
        for forever in [&b"("[..], b"N2", b"N\x94", b"N"] {
            let endless = forever.repeat((VALUES + 2) * 2 / forever.len());
            let error = scan("f", &endless).unwrap_err();
            assert!(matches!(*error.problem, SourceProblem::TooLarge { .. }), "{error}");
        }
    }

    #[test]
    fn faults_name_the_byte() {
        for bytes in
            [&b""[..], b"\x80", b"\x80\x02R.", b"\x80\x02X\xff\xff\xff\xff.", b"\xff", b"h\x05."]
        {
            let error = scan("a.pkl", bytes).unwrap_err();
            assert!(error.to_string().starts_with("a.pkl, byte"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = scan("f", &bytes);
        }

        #[test]
        fn any_instructions_are_read_or_refused(
            ops in prop::collection::vec(prop::sample::select(b"(.012NRQabd}elosut)]K\x81\x85\x86\x87\x88\x93\x94hq".to_vec()), 0..200)
        ) {
            let _ = scan("f", &ops);
        }
    }
}
