//! Encodings of attributes and types: `data/encodings.tsv`.

use std::collections::HashMap;
use std::sync::LazyLock;

use unskew_source::{ReadError, SourceExt};

use super::{Field, Item, Raw};
use crate::bytecode::entries::{Entries, TypeOrAttribute};
use crate::bytecode::{Cursor, Span};

/// Bytes that name nothing are copied from the file when they are more than this.
const COPIED: u64 = 64;

/// Which of the two tables of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Attribute,
    Type,
}

/// The encoding behind the number of a kind; none if it is not known.
fn encoding(dialect: &str, sort: Sort, code: u64) -> Option<&'static str> {
    type Rows = HashMap<(&'static str, Sort, u64), &'static str>;
    static ROWS: LazyLock<Rows> = LazyLock::new(|| {
        let mut rows = Rows::new();
        for row in include_str!("../../data/encodings.tsv").lines() {
            let [dialect, sort, codes, encoding] = row.split('\t').collect::<Vec<_>>()[..] else {
                continue;
            };
            let sort = if sort == "type" { Sort::Type } else { Sort::Attribute };
            for code in codes.split(',').filter_map(|code| code.parse().ok()) {
                rows.insert((dialect, sort, code), encoding);
            }
        }
        rows
    });
    // The table has names of its own, which live as long as it does.
    ROWS.iter()
        .find(|((name, of, number), _)| *name == dialect && *of == sort && *number == code)
        .map(|(_, encoding)| *encoding)
}

/// Reads an attribute or a type into what it names.
pub(super) fn read(
    entries: &Entries<'_>,
    entry: TypeOrAttribute,
    sort: Sort,
    dialect: std::sync::Arc<str>,
) -> Result<Item, ReadError> {
    let mut reader =
        ItemReader { entries, cursor: Cursor::new(entries.source, entry.span), fields: Vec::new() };
    if !entry.encoded {
        reader.rest(entry.span)?;
        return Ok(Item { dialect, encoded: false, fields: reader.fields });
    }
    let code = reader.cursor.varint()?;
    let Some(encoding) = encoding(&dialect, sort, code) else {
        let what = format!("an encoding {code} of {dialect}, which is not known");
        return Err(reader.cursor.malformed(entry.span.start, &what));
    };
    reader.fields.push(Field::Number(code));
    reader.all(encoding, entry.span)?;
    if reader.cursor.left() > 0 {
        return Err(reader
            .cursor
            .malformed(reader.cursor.position(), "more than an attribute has"));
    }
    Ok(Item { dialect, encoded: true, fields: reader.fields })
}

struct ItemReader<'e, 'a> {
    entries: &'e Entries<'a>,
    cursor: Cursor<'a>,
    fields: Vec<Field>,
}

impl ItemReader<'_, '_> {
    fn all(&mut self, encoding: &str, whole: Span) -> Result<(), ReadError> {
        let mut rest = encoding;
        while let Some(field) = rest.chars().next() {
            if field == '[' {
                let end = rest.find(']').unwrap_or(rest.len());
                let inner = rest.get(1..end).unwrap_or_default();
                let count = self.cursor.count("parts of an attribute")?;
                self.fields.push(Field::Number(count as u64));
                self.cursor.made(count as u64)?;
                for _ in 0..count {
                    self.all(inner, whole)?;
                }
                rest = rest.get(end + 1..).unwrap_or_default();
                continue;
            }
            self.one(field, whole)?;
            rest = rest.get(1..).unwrap_or_default();
        }
        Ok(())
    }

    fn one(&mut self, field: char, whole: Span) -> Result<(), ReadError> {
        if field == '.' {
            return self.rest(Span { start: self.cursor.position(), end: whole.end });
        }
        let at = self.cursor.position();
        let number = self.cursor.varint()?;
        let below = |most: usize| usize::try_from(number).ok().filter(|number| *number < most);
        let missing = |what| self.cursor.malformed(at, &format!("no {what} {number}"));
        let attributes = self.entries.attributes.len();
        let field = match field {
            'a' => Field::Attribute(below(attributes).ok_or_else(|| missing("attribute"))?),
            't' => Field::Type(below(self.entries.types.len()).ok_or_else(|| missing("type"))?),
            's' => Field::Text(below(self.entries.strings.len()).ok_or_else(|| missing("text"))?),
            '?' if number & 1 == 0 => Field::Optional(None),
            '?' => {
                let inner = usize::try_from(number >> 1).ok().filter(|inner| *inner < attributes);
                Field::Optional(Some(inner.ok_or_else(|| missing("attribute"))?))
            }
            'o' => {
                self.fields.push(Field::Number(number));
                return if number == 0 { Ok(()) } else { self.one('a', whole) };
            }
            _ => Field::Number(number),
        };
        self.fields.push(field);
        Ok(())
    }

    /// The bytes up to the end.
    fn rest(&mut self, span: Span) -> Result<(), ReadError> {
        let span = self.cursor.skip(span.end.saturating_sub(span.start))?;
        let len = span.end - span.start;
        let raw = match len {
            0 => return Ok(()),
            1..=COPIED => Raw::Bytes(self.entries.source.bytes(span.start, len)?),
            _ => Raw::Copied(span),
        };
        self.fields.push(Field::Raw(raw));
        Ok(())
    }
}
