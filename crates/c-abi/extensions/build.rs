//! Makes the rules of this crate from their files, and packs the table of wheels.

use std::collections::HashMap;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    unskew_rules_build::generate("rules", "unskew_core");
    println!("cargo::rerun-if-changed=data/wheels.tsv");
    let packed = packed(&fs::read_to_string("data/wheels.tsv")?);
    fs::write(Path::new(&env::var("OUT_DIR")?).join("wheels.bin"), packed)?;
    Ok(())
}

/// What stands behind a word: the number of it is what the packed text has of it.
const ENDS: [char; 3] = [' ', '\t', '\n'];

/// A text of words that come again and again: first each of them, the most frequent first, a line for each; behind an empty
/// line the text as numbers in 7 bits and more, each three times the place of its word, and what ends it.
fn packed(text: &str) -> Vec<u8> {
    let text: String = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let words = || text.split_inclusive(ENDS).map(|word| (word.trim_end_matches(ENDS), word));
    for (word, _) in words() {
        *counts.entry(word).or_default() += 1;
    }
    let mut order: Vec<(&str, usize)> = counts.into_iter().collect();
    order.sort_unstable_by_key(|(word, count)| (std::cmp::Reverse(*count), *word));
    let places: HashMap<&str, usize> =
        order.iter().enumerate().map(|(place, (word, _))| (*word, place)).collect();
    // The empty word, which stands between two ends, would end the list.
    let mut out: Vec<u8> =
        order.iter().flat_map(|(word, _)| format!("={word}\n").into_bytes()).collect();
    out.push(b'\n');
    for (word, whole) in words() {
        let end = ENDS.iter().position(|end| whole.ends_with(*end)).unwrap_or_default();
        let mut number = 3 * places[word] + end;
        while number >= 0x80 {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    }
    out
}
