//! Texts by LZ4: whole, or rows in blocks.

use proc_macro::{Literal, TokenStream};

/// How large a block is at least, in bytes, unless it is the last. Larger blocks are smaller in all, and more is
/// decompressed for each name.
const BLOCK: usize = 16 << 10;

/// The expression for a text that is packed in one piece.
pub(crate) fn whole(text: &str) -> Result<TokenStream, String> {
    let source = format!("static TEXT: ::unskew_core::CompressedText = {}; &TEXT", packed(text));
    source.parse().map_err(|error| format!("{error}"))
}

/// The expression for the blocks of a text of rows.
pub(crate) fn in_blocks(text: &str) -> Result<TokenStream, String> {
    let (header, rows) = text.split_once('\n').unwrap_or((text, ""));
    if !header.starts_with("#releases\t") {
        return Err("line 1: rows begin with \"#releases<TAB>1.3.1 1.4.0 ...\"".to_owned());
    }
    let blocks: Vec<String> = blocks(rows)
        .map(|block| {
            let first = Literal::string(block.lines().next().unwrap_or_default());
            format!("::unskew_definitions::TextBlock::new({first}, {}),", packed(block))
        })
        .collect();
    let source = format!(
        "static ROWS: [::unskew_definitions::TextBlock; {}] = [{}]; \
         static BLOCKS: ::unskew_definitions::Blocks = \
         ::unskew_definitions::Blocks::new({}, &ROWS); &BLOCKS",
        blocks.len(),
        blocks.concat(),
        Literal::string(header),
    );
    source.parse().map_err(|error| format!("{error}"))
}

fn packed(text: &str) -> String {
    let block = Literal::byte_string(&lz4_flex::block::compress(text.as_bytes()));
    format!("::unskew_core::CompressedText::new({block}, {})", text.len())
}

/// The rows in blocks, each of whole lines.
fn blocks(rows: &str) -> impl Iterator<Item = &str> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let beyond = rest.as_bytes().get(BLOCK..).unwrap_or_default();
        let line = beyond.iter().position(|byte| *byte == b'\n');
        let (block, after) = rest.split_at(line.map_or(rest.len(), |line| BLOCK + line + 1));
        rest = after;
        Some(block).filter(|block| !block.is_empty())
    })
}
