//! UBJSON, the binary JSON that XGBoost writes since 1.6 (<https://ubjson.org>), read into an outline. Typed lists, in which trees lie,
//! are jumped over.

use std::io::{self, Read, Seek, SeekFrom};

use crate::outline::{LONGEST_KEY, LOOKED_AT, Outline, below, is_whole};

/// How deep values may nest.
const DEPTH: usize = 64;

/// A file that is read.
pub(crate) struct UbjsonReader<'o, R> {
    pub(crate) reader: R,
    /// How long the file is: a jump beyond it is an error.
    pub(crate) size: u64,
    pub(crate) outline: &'o mut Outline,
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not UBJSON: {what}"))
}

/// How many bytes a value of a type has, if that is fixed.
const fn width(kind: u8) -> Option<u64> {
    match kind {
        b'i' | b'U' | b'C' | b'B' => Some(1),
        b'I' => Some(2),
        b'l' | b'd' => Some(4),
        b'L' | b'D' => Some(8),
        b'T' | b'F' | b'Z' | b'N' => Some(0),
        _ => None,
    }
}

impl<R: Read + Seek> UbjsonReader<'_, R> {
    /// Reads the value that begins here.
    pub(crate) fn read(&mut self) -> io::Result<()> {
        let kind = self.byte()?;
        self.value(kind, "", 0)
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.reader.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn jump(&mut self, count: u64) -> io::Result<()> {
        let at = self.reader.stream_position()?;
        let end = at.checked_add(count).filter(|end| *end <= self.size);
        let end = end.ok_or_else(|| broken("a value ends behind the end of the file"))?;
        self.reader.seek(SeekFrom::Start(end)).map(drop)
    }

    /// A whole number of this type.
    fn number(&mut self, kind: u8) -> io::Result<i64> {
        let width = match kind {
            b'i' | b'U' | b'I' | b'l' | b'L' => width(kind).unwrap_or(8),
            _ => return Err(broken("a number of another type is expected")),
        };
        let mut bytes = [0; 8];
        let length = usize::try_from(width).unwrap_or(8);
        self.reader.read_exact(&mut bytes[8 - length..])?;
        let value = i64::from_be_bytes(bytes);
        let shift = 64 - 8 * width;
        Ok(if kind == b'U' { value } else { value << shift >> shift })
    }

    fn length(&mut self) -> io::Result<u64> {
        let kind = self.byte()?;
        self.length_of_kind(kind)
    }

    fn length_of_kind(&mut self, kind: u8) -> io::Result<u64> {
        u64::try_from(self.number(kind)?).map_err(|_| broken("a negative length"))
    }

    /// A text of this length; none if it is longer than a name, and passed over.
    fn text(&mut self, length: u64) -> io::Result<Option<String>> {
        if length > LONGEST_KEY as u64 {
            return self.jump(length).map(|()| None);
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.reader.read_exact(&mut bytes)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn value(&mut self, kind: u8, path: &str, depth: usize) -> io::Result<()> {
        if depth > DEPTH {
            return Err(broken("nested too deep"));
        }
        match kind {
            b'{' => self.object(path, depth),
            b'[' => self.list(path, depth),
            b'S' | b'H' => {
                let length = self.length()?;
                if let Some(text) = self.text(length)? {
                    self.outline.value(path, &text);
                }
                Ok(())
            }
            b'i' | b'U' | b'I' | b'l' | b'L' => {
                let number = self.number(kind)?;
                self.outline.value(path, &number.to_string());
                Ok(())
            }
            b'T' | b'F' => {
                self.outline.value(path, if kind == b'T' { "true" } else { "false" });
                Ok(())
            }
            other => match width(other) {
                Some(width) => self.jump(width),
                None => Err(broken("an unknown type")),
            },
        }
    }

    /// The type and the count of a container, where they stand in front of it, and the byte behind.
    fn head(&mut self) -> io::Result<(Option<u8>, Option<u64>, Option<u8>)> {
        let mut next = self.byte()?;
        let mut kind = None;
        if next == b'$' {
            kind = Some(self.byte()?);
            next = self.byte()?;
        }
        if next == b'#' {
            return Ok((kind, Some(self.length()?), None));
        }
        match kind {
            Some(_) => Err(broken("a type without a count")),
            None => Ok((None, None, Some(next))),
        }
    }

    fn list(&mut self, path: &str, depth: usize) -> io::Result<()> {
        let (kind, count, mut next) = self.head()?;
        if let (Some(kind), Some(count)) = (kind, count)
            && let Some(width) = width(kind)
        {
            return self.jump(count.checked_mul(width).ok_or_else(|| broken("too many values"))?);
        }
        let mut at = 0;
        while count.is_none_or(|count| at < count) {
            let kind = match (kind, next.take()) {
                (Some(kind), _) => kind,
                (None, Some(byte)) => byte,
                (None, None) => self.byte()?,
            };
            if count.is_none() && kind == b']' {
                break;
            }
            let is_looked_at = at < LOOKED_AT as u64 || is_whole(path);
            self.value(kind, if is_looked_at { path } else { "" }, depth + 1)?;
            at += 1;
        }
        Ok(())
    }

    fn object(&mut self, path: &str, depth: usize) -> io::Result<()> {
        let (kind, count, mut next) = self.head()?;
        let mut at = 0;
        while count.is_none_or(|count| at < count) {
            let first = match next.take() {
                Some(byte) => byte,
                None => self.byte()?,
            };
            if count.is_none() && first == b'}' {
                break;
            }
            let length = self.length_of_kind(first)?;
            let key = self.text(length)?;
            // Without a path, only what is at the top is noted: the rest is passed over.
            let is_noted = depth == 0 || !path.is_empty();
            let inner = key.filter(|_| is_noted).map(|key| below(path, &key)).unwrap_or_default();
            if !inner.is_empty() {
                self.outline.key(&inner);
            }
            let kind = match kind {
                Some(kind) => kind,
                None => self.byte()?,
            };
            self.value(kind, &inner, depth + 1)?;
            at += 1;
        }
        Ok(())
    }
}
