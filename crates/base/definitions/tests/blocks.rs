//! Rows in compressed blocks say what the same rows say as a text.

use std::collections::BTreeSet;

use proptest::prelude::*;
use unskew_core::CompressedText;
use unskew_definitions::{Blocks, Rows, RowsText, TextBlock};

const HEADER: &str = "#releases\t1.0 2.0";

/// Rows in blocks of so many lines each. They stay, as those of a program do.
fn packed(lines: &[String], each: usize) -> RowsText {
    let block = |lines: &[String]| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let first: &str = Box::leak(lines[0].clone().into_boxed_str());
        let bytes: &[u8] = Box::leak(lz4_flex::block::compress(text.as_bytes()).into_boxed_slice());
        TextBlock::new(first, CompressedText::new(bytes, text.len()))
    };
    let blocks: Vec<TextBlock> = lines.chunks(each).map(block).collect();
    let blocks: &Blocks = Box::leak(Box::new(Blocks::new(HEADER, Box::leak(blocks.into()))));
    blocks.into()
}

/// Names that are like one another, so that some begin with others.
fn name() -> impl Strategy<Value = String> {
    "[ab_]{1,3}"
}

/// A row: one of few names, with an overload or without.
fn line() -> impl Strategy<Value = String> {
    (name(), "(\\.[xy])?\\([a-c]{0,2}\\)").prop_map(|(name, rest)| format!("{name}{rest}\t1.0"))
}

proptest! {
    #[test]
    fn rows_in_blocks_are_the_rows_of_the_text(
        lines in prop::collection::btree_set(line(), 0..40),
        each in 1_usize..9,
        names in prop::collection::vec(name(), 1..9),
    ) {
        let lines: Vec<String> = BTreeSet::into_iter(lines).collect();
        let text = format!("{HEADER}\n{}", lines.iter().map(|l| format!("{l}\n")).collect::<String>());
        let whole = Rows::from_text(text).unwrap();
        let blocks = Rows::from_text(packed(&lines, each)).unwrap();
        prop_assert_eq!(blocks.releases(), whole.releases());
        prop_assert_eq!(blocks.text(), whole.text());
        prop_assert!(blocks.iter().eq(whole.iter()));
        prop_assert!(blocks.validate(|_| Ok(())).is_ok());
        for name in &names {
            let all = whole.iter().filter(|(row, _)| {
                row.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['(', '.']))
            });
            prop_assert!(whole.named(name).eq(all), "{}", name);
            prop_assert!(blocks.named(name).eq(whole.named(name)), "{}", name);
            let begins = lines.iter().any(|line| line.starts_with(name.as_str()));
            prop_assert_eq!(blocks.begins_with(name), begins, "{}", name);
            prop_assert_eq!(whole.begins_with(name), begins, "{}", name);
        }
    }
}
