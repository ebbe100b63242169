//! Finds the descriptors that the protobuf compiler put into a shared object.
//!
//! Each is a serialized `FileDescriptorProto` somewhere in the read-only data. It begins with the path of
//! its file, and nothing says where it ends; but its fields stand in rising order, so it ends where that
//! order, or the syntax, does. The file is read in windows that overlap by what a descriptor may take.

use std::fs::File as Disk;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::Context as _;
use memchr::memmem::Finder;
use prost::Message as _;

use super::descriptor::{File, Pool};

/// How much is looked at at a time.
const WINDOW: usize = 64 << 20;

/// The most that a descriptor may take.
const LONGEST: usize = 4 << 20;

/// What a shared object says of IFRT.
pub struct LibraryContents {
    /// The messages and enumerations of every file that is found.
    pub pool: Pool,
    pub files: usize,
    /// Which of the texts that were asked for are in it.
    pub texts: Vec<bool>,
}

/// Reads all descriptors out of the file at `path`, and looks for texts in it that end in a zero byte or
/// a character that no name has.
///
/// # Errors
/// If it cannot be read.
pub fn scan(path: &Path, texts: &[&str]) -> anyhow::Result<LibraryContents> {
    let mut disk = Disk::open(path).with_context(|| path.display().to_string())?;
    let size = disk.metadata()?.len();
    let mut found =
        LibraryContents { pool: Pool::default(), files: 0, texts: vec![false; texts.len()] };
    let mut window = Vec::new();
    let mut start = 0;
    while start < size {
        disk.seek(SeekFrom::Start(start))?;
        window.clear();
        Read::by_ref(&mut disk).take((WINDOW + LONGEST) as u64).read_to_end(&mut window)?;
        for file in files(&window, WINDOW) {
            found.pool.add(&file);
            found.files += 1;
        }
        find(&window, texts, &mut found.texts);
        start += WINDOW as u64;
    }
    Ok(found)
}

/// Notes which texts stand there, and not only as the beginning of a longer one.
fn find(window: &[u8], texts: &[&str], found: &mut [bool]) {
    // One search for what all of them begin with, not one for each.
    let common = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let Some(first) = texts.first() else { return };
    let length = texts.iter().map(|text| common(first, text)).min().unwrap_or(0);
    for at in Finder::new(&first[..length]).find_iter(window) {
        for (text, there) in texts.iter().zip(&mut *found) {
            let rest = window[at..].strip_prefix(text.as_bytes());
            let ends = |rest: &[u8]| rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric());
            *there = *there || rest.is_some_and(ends);
        }
    }
}

/// The descriptors that begin in the first `within` bytes.
fn files(window: &[u8], within: usize) -> Vec<File> {
    let mut all = Vec::new();
    for extension in Finder::new(".proto").find_iter(window) {
        let Some(start) = start(window, extension + ".proto".len()) else { continue };
        if start < within
            && let Some(file) = descriptor(&window[start..window.len().min(start + LONGEST)])
        {
            all.push(file);
        }
    }
    all
}

/// Where the field begins whose text ends at `end`: field 1, its length in one or two bytes, the text.
fn start(window: &[u8], end: usize) -> Option<usize> {
    let path = |byte: &u8| byte.is_ascii_alphanumeric() || b"_/-.".contains(byte);
    let longest = end.min(255);
    let length = window[..end].iter().rev().take(longest).take_while(|byte| path(byte)).count();
    // The length may look like a character of the path.
    (".proto".len()..=length).find_map(|length| {
        let text = end - length;
        let one = text.checked_sub(2)?;
        if window.get(one..text) == Some(&[0x0a, length as u8]) && length < 0x80 {
            return Some(one);
        }
        let two = text.checked_sub(3)?;
        let bytes = [0x0a, (length & 0x7f) as u8 | 0x80, (length >> 7) as u8];
        (window.get(two..text) == Some(&bytes)).then_some(two)
    })
}

/// The longest descriptor that begins here.
fn descriptor(bytes: &[u8]) -> Option<File> {
    let whole = |end: &usize| {
        let file = File::decode(&bytes[..*end]).ok()?;
        let empty = file.messages.is_empty() && file.enumerations.is_empty();
        (!file.package.is_empty() && !empty).then_some(file)
    };
    ends(bytes).iter().rev().take(16).find_map(whole)
}

/// Where fields end that stand in rising order.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let (mut at, mut last, mut ends) = (0, 0, Vec::new());
    while let Some((number, next)) = field(bytes, at) {
        // Name, package, options, syntax and edition stand once.
        let once = matches!(number, 1 | 2 | 8 | 9 | 12 | 14);
        if number < last || (once && number == last) || !matches!(number, 1..=12 | 14 | 15) {
            break;
        }
        (at, last) = (next, number);
        ends.push(at);
    }
    ends
}

/// The number of the field at `at`, and where the next begins.
fn field(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let (key, at) = varint(bytes, at)?;
    let (number, kind) = (key >> 3, key & 7);
    let next = match (number, kind) {
        (10 | 11 | 14, 0) => varint(bytes, at)?.1,
        (_, 2) => {
            let (length, at) = varint(bytes, at)?;
            at.checked_add(usize::try_from(length).ok()?)?
        }
        _ => return None,
    };
    (next <= bytes.len()).then_some((number, next))
}

fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut number = 0;
    for (i, byte) in bytes.get(at..)?.iter().take(9).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * i);
        if *byte < 0x80 {
            return Some((number, at + i + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::descriptor::Message;
    use super::*;

    fn file() -> File {
        let message = Message { name: "ShapeProto".to_owned(), ..Message::default() };
        File {
            name: "a/shape.proto".to_owned(),
            package: "a.b".to_owned(),
            messages: vec![message],
            enumerations: Vec::new(),
        }
    }

    #[test]
    fn a_descriptor_is_found_between_other_bytes_and_ends_where_it_ends() {
        let bytes = file().encode_to_vec();
        for (before, after) in [("", ""), ("\u{1}z", "\u{0}rest"), ("a.proto", "\u{a}\u{3}abc")] {
            let window = [before.as_bytes(), &bytes, after.as_bytes()].concat();
            assert_eq!(files(&window, window.len()), [file()], "{before:?} {after:?}");
        }
        assert!(files(&bytes, 0).is_empty());
        for length in 0..bytes.len() {
            // Nothing to trip over in what is cut off.
            let _ = files(&bytes[..length], length);
        }
    }

    #[test]
    fn a_text_is_not_taken_for_a_longer_one() {
        let mut found = [false, false];
        find(b"\0ifrt::LayoutText\0ifrt::Shape\0", &["ifrt::Layout", "ifrt::Shape"], &mut found);
        assert_eq!(found, [false, true]);
    }
}
