//! Text with brackets, lines, numbers and names.

use super::splice::{LARGEST, put, repeated, times};
use unskew_random::Random;

const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1043498",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e999",
    "0x",
    "9999-12-31",
];

/// What opens and closes.
const PAIRS: [(&str, &str); 10] = [
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("{\"a\":", "}"),
    ("List[", "]"),
    ("(*", ")"),
    ("message A { ", "}"),
    ("struct S { ", "};"),
    ("#if 1\n", "#endif\n"),
    ("node { ", "}"),
];

/// What is written one after the other.
const PIECES: [&str; 18] = [
    "a ",
    "a,",
    "a.",
    "+ a",
    "1+",
    "x\n",
    "x = 1\n",
    "- a\n",
    "\\\n",
    "/*",
    "//",
    "\"",
    "\\u0000",
    "#define A A A\n",
    "*",
    "\t",
    "{}",
    "  if True:\n",
];

pub fn mutated(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let at = random.below(bytes.len());
    match random.below(8) {
        0 => {
            let number = spans(&bytes, at, |byte| byte.is_ascii_digit());
            put(&mut bytes, number, random.choose(&NUMBERS).as_bytes());
        }
        1 | 2 => {
            let line = line(&bytes, at);
            let text = bytes.get(line.clone()).unwrap_or_default().to_vec();
            put(&mut bytes, line.end..line.end, &lines(&text, random));
        }
        3 => {
            let (open, close) = random.choose(&PAIRS);
            let count = times(random);
            let mut nested = repeated(open.as_bytes(), count);
            nested.push(b'a');
            nested.extend(repeated(close.as_bytes(), count));
            put(&mut bytes, at..at, &nested);
        }
        4 => {
            let piece = random.choose(&PIECES).as_bytes();
            put(&mut bytes, at..at, &repeated(piece, times(random)));
        }
        5 => {
            let word = spans(&bytes, at, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let word = bytes.get(word).unwrap_or_default().to_vec();
            put(&mut bytes, at..at, &repeated(&word, times(random)));
        }
        6 => {
            let (a, b) = (line(&bytes, at), line(&bytes, random.below(bytes.len())));
            let text = bytes.get(b).unwrap_or_default().to_vec();
            put(&mut bytes, a, &text);
        }
        _ => {
            let line = line(&bytes, at);
            put(&mut bytes, line, b"");
        }
    }
    bytes
}

/// A line so often, each time as it is or with another number in it.
fn lines(text: &[u8], random: &mut Random) -> Vec<u8> {
    let count = times(random);
    let digits = spans(text, 0, |byte| !byte.is_ascii_digit()).end;
    let number = spans(text, digits, |byte| byte.is_ascii_digit());
    if number.is_empty() || random.below(2) == 0 {
        return repeated(text, count);
    }
    let mut all = Vec::new();
    for nth in 0..count.min(60_000) {
        if all.len() > LARGEST {
            break;
        }
        all.extend_from_slice(text.get(..number.start).unwrap_or_default());
        all.extend_from_slice((nth + 1).to_string().as_bytes());
        all.extend_from_slice(text.get(number.end..).unwrap_or_default());
    }
    all
}

fn line(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let before = bytes.get(..at).unwrap_or_default().iter().rposition(|byte| *byte == b'\n');
    let start = before.map_or(0, |at| at + 1);
    let after = bytes.get(at..).unwrap_or_default().iter().position(|byte| *byte == b'\n');
    start..after.map_or(bytes.len(), |length| at + length + 1)
}

/// The next run of such bytes from `at` on.
fn spans(bytes: &[u8], at: usize, is: impl Fn(u8) -> bool) -> std::ops::Range<usize> {
    let rest = bytes.get(at..).unwrap_or_default();
    let start = at + rest.iter().position(|byte| is(*byte)).unwrap_or(rest.len());
    let rest = bytes.get(start..).unwrap_or_default();
    start..start + rest.iter().position(|byte| !is(*byte)).unwrap_or(rest.len())
}
