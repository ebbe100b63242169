//! JSON with numbers that JSON does not have: XGBoost 2.1 writes `NaN` and `Infinity` into trees.

use std::io::{self, Read};

/// What stands for them, byte for byte, because no number of a tree is looked at.
const STANDS_FOR: [(u8, &[u8]); 2] = [(b'N', b"0.0"), (b'I', b"1.000000")];

/// A reader of JSON that gives other numbers in the place of `NaN` and `Infinity`.
pub(crate) struct FiniteNumbers<R> {
    reader: R,
    in_string: bool,
    is_escaped: bool,
    /// The rest of a number that is given in the place of another one.
    rest: &'static [u8],
}

impl<R> FiniteNumbers<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, in_string: false, is_escaped: false, rest: &[] }
    }

    fn given(&mut self, byte: u8) -> u8 {
        if let [first, rest @ ..] = self.rest {
            self.rest = rest;
            return *first;
        }
        if self.in_string {
            let ends = byte == b'"' && !self.is_escaped;
            self.in_string = !ends;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            return byte;
        }
        self.in_string = byte == b'"';
        match STANDS_FOR.iter().find(|(first, _)| *first == byte) {
            Some((_, [first, rest @ ..])) => {
                self.rest = rest;
                *first
            }
            _ => byte,
        }
    }
}

impl<R: Read> Read for FiniteNumbers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        for byte in buffer.iter_mut().take(count) {
            *byte = self.given(*byte);
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_replaced_and_texts_are_not() {
        let text = r#"{"NaN \" Infinity": [NaN, -Infinity, null, 1], "I\\": "N"}"#;
        let mut read = String::new();
        let mut reader = FiniteNumbers::new(text.as_bytes());
        assert!(reader.read_to_string(&mut read).is_ok());
        assert_eq!(read, r#"{"NaN \" Infinity": [0.0, -1.000000, null, 1], "I\\": "N"}"#);
    }
}
