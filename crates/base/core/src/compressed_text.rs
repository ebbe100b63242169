//! Texts that are part of the program and that few commands read: compressed until one does.

use std::fmt;
use std::sync::OnceLock;

/// A text of the program, which LZ4 compressed when the program was built.
#[derive(Debug)]
pub struct CompressedText {
    block: &'static [u8],
    length: usize,
    text: OnceLock<String>,
}

impl CompressedText {
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

/// A part of a [`CompressedText`] text, or a text as it is.
#[derive(Clone, Copy)]
pub struct RuleText(TextForm);

#[derive(Clone, Copy)]
enum TextForm {
    Plain(&'static str),
    Packed { of: &'static CompressedText, start: usize, end: usize },
}

impl RuleText {
    /// A text that is not compressed.
    pub const fn plain(text: &'static str) -> Self {
        Self(TextForm::Plain(text))
    }

    /// What stands from byte `start` to byte `end` of a text.
    pub const fn packed(of: &'static CompressedText, start: usize, end: usize) -> Self {
        Self(TextForm::Packed { of, start, end })
    }

    /// The text. Empty if the packed text does not reach so far.
    pub fn text(self) -> &'static str {
        match self.0 {
            TextForm::Plain(text) => text,
            TextForm::Packed { of, start, end } => of.text().get(start..end).unwrap_or_default(),
        }
    }
}

impl fmt::Debug for RuleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl PartialEq for RuleText {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for RuleText {}

#[cfg(test)]
mod tests {
    use super::*;

    /// "one two one two one two": eight letters, and a match eight bytes back.
    static REPEATED: CompressedText = CompressedText::new(b"\x8aone two \x08\x00\x10o", 23);

    #[test]
    fn a_passage_is_part_of_the_text() {
        assert_eq!(RuleText::packed(&REPEATED, 4, 11).text(), "two one");
        assert_eq!(RuleText::packed(&REPEATED, 4, 11), RuleText::plain("two one"));
        assert_eq!(RuleText::packed(&REPEATED, 4, 99).text(), "");
    }

    #[test]
    #[should_panic(expected = "a block of LZ4")]
    fn a_damaged_block_is_not_an_empty_text() {
        CompressedText::new(b"\xff\xff", 1000).text();
    }

    #[test]
    #[should_panic(expected = "a text in UTF-8")]
    fn a_block_of_other_bytes_is_not_an_empty_text() {
        CompressedText::new(b"\x10\xff", 1).text();
    }
}
