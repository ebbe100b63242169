//! Texts that are part of the program and that few commands read: compressed until one does.

use std::fmt;
use std::sync::OnceLock;

/// A text of the program, which LZ4 compressed when the program was built.
#[derive(Debug)]
pub struct Packed {
    block: &'static [u8],
    length: usize,
    text: OnceLock<String>,
}

impl Packed {
    /// The text of `length` bytes that is compressed in `block`, a block of LZ4 without a frame.
    pub const fn new(block: &'static [u8], length: usize) -> Self {
        Self { block, length, text: OnceLock::new() }
    }

    /// The text, which is decompressed by the first call.
    ///
    /// # Panics
    /// If the block is damaged: it is a part of the program.
    #[expect(clippy::expect_used, reason = "part of the program")]
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let bytes = lz4_flex::block::decompress(self.block, self.length);
            String::from_utf8(bytes.expect("a block of LZ4")).expect("a text in UTF-8")
        })
    }
}

/// A part of a [`Packed`] text, or a text as it is.
#[derive(Clone, Copy)]
pub struct Passage(Form);

#[derive(Clone, Copy)]
enum Form {
    Plain(&'static str),
    Packed { of: &'static Packed, start: usize, end: usize },
}

impl Passage {
    /// A text that is not compressed.
    pub const fn plain(text: &'static str) -> Self {
        Self(Form::Plain(text))
    }

    /// What stands from byte `start` to byte `end` of a text.
    pub const fn packed(of: &'static Packed, start: usize, end: usize) -> Self {
        Self(Form::Packed { of, start, end })
    }

    /// The text. Empty if the packed text does not reach so far.
    pub fn text(self) -> &'static str {
        match self.0 {
            Form::Plain(text) => text,
            Form::Packed { of, start, end } => of.text().get(start..end).unwrap_or_default(),
        }
    }
}

impl fmt::Debug for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl PartialEq for Passage {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Passage {}

#[cfg(test)]
mod tests {
    use super::*;

    /// "one two one two one two": eight letters, and a match eight bytes back.
    static REPEATED: Packed = Packed::new(b"\x8aone two \x08\x00\x10o", 23);

    #[test]
    fn a_passage_is_part_of_the_text() {
        assert_eq!(Passage::packed(&REPEATED, 4, 11).text(), "two one");
        assert_eq!(Passage::packed(&REPEATED, 4, 11), Passage::plain("two one"));
        assert_eq!(Passage::packed(&REPEATED, 4, 99).text(), "");
    }

    #[test]
    #[should_panic(expected = "a block of LZ4")]
    fn a_damaged_block_is_not_an_empty_text() {
        Packed::new(b"\xff\xff", 1000).text();
    }

    #[test]
    #[should_panic(expected = "a text in UTF-8")]
    fn a_block_of_other_bytes_is_not_an_empty_text() {
        Packed::new(b"\x10\xff", 1).text();
    }
}
