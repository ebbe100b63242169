//! Attributes as they are written.

use std::collections::HashMap;
use std::sync::Arc;

use unskew_source::ReadError;

use super::dialects;
use super::elements::{self, Elements};
use super::scanner::{Alias, Scanner};
use super::shardings::Sharded;
use super::types::{self, Type, TypeAliases};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Attr {
    /// It says something by being there.
    Unit,
    Bool(bool),
    /// A number by its bits, as its type has them.
    Number(u64, Arc<Type>),
    Text(Vec<u8>),
    Array(Vec<Attr>),
    Dictionary(Vec<(Vec<u8>, Attr)>),
    Type(Arc<Type>),
    /// The name of something in the program, and of what is in it.
    Symbol(Vec<Vec<u8>>),
    /// The elements of a tensor: all of them, or one for all.
    Dense(Arc<Type>, Arc<[u8]>),
    /// `array<i64: 1, 2>`.
    Numbers(Arc<Type>, Vec<i64>),
    /// One of a list: the dialect, the number of the list and that of the value.
    Choice(&'static str, u64, u64),
    /// Several attributes of a dialect that are one: `gather` with its dimensions.
    Group(String, Vec<(String, Attr)>),
    /// How large dimensions get at most.
    Bounds(Vec<Option<i64>>),
    /// What the dimensions of input, kernel and output are for.
    Convolution([Vec<Role>; 3]),
    Sharded(Sharded),
    /// An attribute of a dialect that is text in files too.
    Raw(&'static str, String),
}

/// What a dimension of a convolution is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// The dimension of space of this number.
    Space(i64),
    /// Batches, features, inputs or outputs, by their letter.
    Letter(char),
}

/// The attributes of an operation, by name.
pub(super) type Named = Vec<(Vec<u8>, Attr)>;

/// Attributes and types that a text names in front.
#[derive(Default)]
pub(super) struct Aliases {
    pub(super) attributes: HashMap<String, Alias<Attr>>,
    pub(super) types: TypeAliases,
}

impl Attr {
    /// The whole number, if it is one.
    pub(super) fn integer(&self) -> Option<i64> {
        let Self::Number(bits, kind) = self else { return None };
        let Type::Scalar(name) = &**kind else { return None };
        let width =
            crate::program::bits_of(plain(name)).filter(|width| (1..=64).contains(width))?;
        let unused = 64 - width;
        Some((bits << unused).cast_signed() >> unused)
    }
}

/// `si32` is written where `i32` would do.
fn plain(name: &str) -> &str {
    name.strip_prefix('s').filter(|rest| rest.starts_with('i')).unwrap_or(name)
}

pub(super) fn read(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Attr, ReadError> {
    scanner.made(1)?;
    scanner.deeper(|scanner| within(scanner, aliases))
}

fn within(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Attr, ReadError> {
    let start = scanner.place();
    match scanner.rest().first() {
        Some(b'"') => return Ok(Attr::Text(scanner.text()?)),
        Some(b'[') => {
            let all = scanner.list("[", "]", |scanner| read(scanner, aliases))?;
            return Ok(Attr::Array(all));
        }
        Some(b'{') => return Ok(Attr::Dictionary(dictionary(scanner, aliases)?)),
        Some(b'@') => return Ok(Attr::Symbol(symbol(scanner)?)),
        Some(b'#') => return dialects::read(scanner, aliases),
        Some(b'-' | b'0'..=b'9') => return number(scanner, aliases),
        _ => {}
    }
    match scanner.peek() {
        "true" => scanner.word().map(|_| Attr::Bool(true)),
        "false" => scanner.word().map(|_| Attr::Bool(false)),
        "unit" => scanner.word().map(|_| Attr::Unit),
        "dense" => {
            scanner.word()?;
            scanner.needs("<")?;
            let elements = Elements::read(scanner)?;
            scanner.needs(">")?;
            scanner.needs(":")?;
            let kind = types::read(scanner, aliases)?;
            let bytes = elements.bytes(scanner, &kind)?;
            Ok(Attr::Dense(kind, bytes.into()))
        }
        "affine_map" => {
            scanner.word()?;
            let text = String::from_utf8_lossy(scanner.bracketed()?).into_owned();
            Ok(Attr::Raw(crate::bytecode::entries::builtin::NAME, format!("affine_map{text}")))
        }
        "array" => {
            scanner.word()?;
            scanner.needs("<")?;
            let kind = types::read(scanner, aliases)?;
            let mut all = Vec::new();
            if scanner.takes(":") && !scanner.starts(">") {
                loop {
                    all.push(match scanner.peek() {
                        "true" => scanner.word().map(|_| 1)?,
                        "false" => scanner.word().map(|_| 0)?,
                        _ => scanner.integer()?,
                    });
                    if !scanner.takes(",") {
                        break;
                    }
                }
            }
            scanner.needs(">")?;
            Ok(Attr::Numbers(kind, all))
        }
        "" if !types::begins(scanner) => scanner.word().map(|_| Attr::Unit),
        _ if types::begins(scanner) => Ok(Attr::Type(types::read(scanner, aliases)?)),
        word => Err(scanner.unknown_at(start, &format!("the attribute `{word}` is not read"))),
    }
}

/// A number with its type: that of 64 bits, if none is there.
fn number(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Attr, ReadError> {
    let start = scanner.place();
    let text = scanner.number()?;
    let is_float = !text.contains('x') && text.contains('.');
    let kind = match scanner.takes(":") {
        true => types::read(scanner, aliases)?,
        false => Type::scalar(if is_float { "f64" } else { "i64" }),
    };
    let Type::Scalar(name) = &*kind else {
        return Err(scanner.error_at(start, "a number has the type of a number"));
    };
    let bits = elements::bits(plain(name), text).map_err(|what| scanner.error_at(start, &what))?;
    Ok(Attr::Number(bits, kind))
}

/// `@main`, `@module::@main`.
pub(super) fn symbol(scanner: &mut Scanner<'_>) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut all = Vec::new();
    loop {
        if scanner.starts("@\"") {
            scanner.needs("@")?;
            all.push(scanner.text()?);
        } else {
            all.push(scanner.suffix("@")?.as_bytes().to_vec());
        }
        if !scanner.takes("::") {
            return Ok(all);
        }
    }
}

/// `{name = value, flag}`.
pub(super) fn dictionary(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Named, ReadError> {
    scanner.list("{", "}", |scanner| {
        let name = match scanner.starts("\"") {
            true => scanner.text()?,
            false => scanner.word()?.as_bytes().to_vec(),
        };
        let value = if scanner.takes("=") { read(scanner, aliases)? } else { Attr::Unit };
        Ok((name, value))
    })
}
