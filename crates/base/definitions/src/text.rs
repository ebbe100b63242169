//! The sorted text of [`Rows`](crate::Rows): whole, or in compressed blocks.

use std::borrow::Cow;
use std::cmp::Ordering;

use memchr::{memchr, memrchr};
use unskew_core::CompressedText;

/// A text of rows.
#[derive(Debug)]
pub struct RowsText(TextStorage);

#[derive(Debug)]
enum TextStorage {
    Whole(Cow<'static, str>),
    Blocks(&'static Blocks),
}

/// A text of rows in compressed blocks, which `unskew_tables::packed_rows!` makes of a file.
#[derive(Debug)]
pub struct Blocks {
    header: &'static str,
    blocks: &'static [TextBlock],
}

/// Some consecutive rows.
#[derive(Debug)]
pub struct TextBlock {
    first: &'static str,
    rows: CompressedText,
}

impl Blocks {
    /// The text whose first line is `header` and whose other lines are in `blocks`, in their order.
    pub const fn new(header: &'static str, blocks: &'static [TextBlock]) -> Self {
        Self { header, blocks }
    }
}

impl TextBlock {
    /// Whole lines, the first of which is `first`, so that a name is found without decompressing what it is not in.
    pub const fn new(first: &'static str, rows: CompressedText) -> Self {
        Self { first, rows }
    }
}

impl From<&'static Blocks> for RowsText {
    fn from(blocks: &'static Blocks) -> Self {
        Self(TextStorage::Blocks(blocks))
    }
}

impl From<Cow<'static, str>> for RowsText {
    fn from(text: Cow<'static, str>) -> Self {
        Self(TextStorage::Whole(text))
    }
}

impl From<&'static str> for RowsText {
    fn from(text: &'static str) -> Self {
        Cow::from(text).into()
    }
}

impl From<String> for RowsText {
    fn from(text: String) -> Self {
        Cow::<str>::from(text).into()
    }
}

impl RowsText {
    pub(crate) fn header(&self) -> &str {
        match &self.0 {
            TextStorage::Whole(text) => text.lines().next().unwrap_or_default(),
            TextStorage::Blocks(blocks) => blocks.header,
        }
    }

    /// All lines, each ended by a line feed if the text is in blocks.
    pub(crate) fn whole(&self) -> Cow<'_, str> {
        match &self.0 {
            TextStorage::Whole(text) => Cow::Borrowed(text),
            TextStorage::Blocks(Blocks { header, blocks }) => {
                let rows = blocks.iter().map(|block| block.rows.text());
                Cow::Owned([*header, "\n"].into_iter().chain(rows).collect())
            }
        }
    }

    /// The lines behind the first.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &str> {
        let header = usize::from(matches!(self.0, TextStorage::Whole(_)));
        Lines { text: self, part: 0, at: At::Begin }.skip(header)
    }

    /// The lines from the first on that begins with `name` and goes on, or is above it.
    pub(crate) fn rows_from<'t>(&'t self, name: &str) -> impl Iterator<Item = &'t str> + use<'t> {
        let (part, text) = match &self.0 {
            TextStorage::Whole(text) => (0, &**text),
            TextStorage::Blocks(Blocks { blocks, .. }) => {
                let begin_below = blocks.partition_point(|block| below(block.first, name));
                let part = begin_below.saturating_sub(1);
                (part, blocks.get(part).map_or("", |block| block.rows.text()))
            }
        };
        let rest = text.get(lower_bound(text, name)..).unwrap_or_default();
        Lines { text: self, part, at: At::Rest(rest) }
    }
}

/// Lines, block by block. The first line of a block is there before the block is decompressed.
struct Lines<'t> {
    text: &'t RowsText,
    /// A block; of a whole text, 0 is all of it.
    part: usize,
    at: At<'t>,
}

/// What comes next of a block.
enum At<'t> {
    Begin,
    Second,
    Rest(&'t str),
}

impl<'t> Iterator for Lines<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            match (&self.at, &self.text.0) {
                (At::Rest(""), _) => {
                    self.part += 1;
                    self.at = At::Begin;
                }
                (At::Rest(rest), _) => {
                    let (line, rest) = cut(rest, b'\n').unwrap_or((rest, ""));
                    self.at = At::Rest(rest);
                    return Some(line);
                }
                (_, TextStorage::Whole(_)) if self.part > 0 => return None,
                (_, TextStorage::Whole(text)) => self.at = At::Rest(text),
                (At::Begin, TextStorage::Blocks(blocks)) => {
                    self.at = At::Second;
                    return blocks.blocks.get(self.part).map(|block| block.first);
                }
                (At::Second, TextStorage::Blocks(blocks)) => {
                    let rows = blocks.blocks.get(self.part)?.rows.text();
                    self.at = At::Rest(cut(rows, b'\n').map_or("", |(_, rest)| rest));
                }
            }
        }
    }
}

/// What stands before the first `byte` of a text and behind it, like `split_once`: rows are long.
pub(crate) fn cut(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = memchr(byte, text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Whether a line is below all lines that begin with `name` and go on.
fn below(line: &str, name: &str) -> bool {
    let common = line.len().min(name.len());
    match line.as_bytes()[..common].cmp(&name.as_bytes()[..common]) {
        Ordering::Equal => line.len() <= name.len(),
        order => order.is_lt(),
    }
}

/// Where the first line stands that is not [`below`] `name`.
fn lower_bound(text: &str, name: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = memrchr(b'\n', &bytes[low..middle]);
        let start = start.map_or(low, |at| low + at + 1);
        let len = memchr(b'\n', &bytes[start..]);
        let end = len.map_or(bytes.len(), |len| start + len);
        if text.get(start..end).is_some_and(|line| below(line, name)) {
            low = (end + 1).min(bytes.len());
        } else {
            high = start;
        }
    }
    low
}
