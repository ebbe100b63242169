//! Files often found where a model was expected, and what to do about them.

use std::sync::Arc;

use unskew_source::{Source, SourceExt as _};

/// How much of a file is looked at.
const HEAD: u64 = 512;

/// By how a file begins: what it is, and what to do.
const BEGINNINGS: [(&[u8], &str); 6] = [
    (
        b"version https://git-lfs.github.com/spec/v1",
        "a pointer of Git LFS, and not the file itself; fetch the file with `git lfs pull`",
    ),
    (b"\x1f\x8b", "compressed with gzip; unpack it first, with `gunzip` or `tar -xzf`"),
    (b"BZh", "compressed with bzip2; unpack it first, with `bunzip2` or `tar -xjf`"),
    (b"\xfd7zXZ\0", "compressed with xz; unpack it first, with `unxz` or `tar -xJf`"),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard; unpack it first, with `unzstd`"),
    (b"%PDF-", "a PDF document"),
];

/// How a page of HTML may begin, in small letters.
const PAGES: [&[u8]; 3] = [b"<!doctype html", b"<html", b"<head"];

/// What a file is that no boundary recognizes, if that is one of the usual mistakes.
pub(crate) fn instead(source: &Arc<dyn Source>) -> Option<&'static str> {
    if source.size() == 0 {
        return Some("an empty file; whatever wrote or fetched it was cut off: fetch it again");
    }
    let head = source.bytes(0, source.size().min(HEAD)).ok()?;
    let known = BEGINNINGS.iter().find(|(beginning, _)| head.starts_with(beginning));
    if let Some((_, text)) = known {
        return Some(text);
    }
    let text = head.trim_ascii_start().to_ascii_lowercase();
    let page = PAGES.iter().any(|beginning| text.starts_with(beginning));
    if page {
        return Some(
            "an HTML page; a server sends one in place of a file that needs a login or has another address: fetch \
             it again by the address of the file itself",
        );
    }
    crate::other_kinds::named(source.name(), &head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::BytesSource;

    fn said(bytes: &[u8]) -> Option<&'static str> {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("net.pt", bytes.to_vec()));
        instead(&source)
    }

    #[test]
    fn a_usual_mistake_is_named_and_anything_else_is_not() {
        for (bytes, word) in [
            (&b""[..], "empty"),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n", "git lfs pull"),
            (b"\x1f\x8b\x08", "gunzip"),
            (b" \n<!DOCTYPE HTML><html>", "HTML"),
            (b"<html lang=en>", "HTML"),
        ] {
            assert!(said(bytes).is_some_and(|text| text.contains(word)), "{word}");
        }
        assert_eq!(said(b"version https"), None);
        assert_eq!(said(b"<model>"), None);
    }
}
