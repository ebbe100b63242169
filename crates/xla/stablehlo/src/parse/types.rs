//! Types as they are written.

use std::collections::HashMap;
use std::sync::Arc;

use unskew_source::ReadError;

use super::attributes::{self, Aliases, Attr};
use super::scanner::{Alias, Scanner};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Type {
    /// A number, by its name: `f32`, `index`, `none`.
    Scalar(Arc<str>),
    Complex(Arc<Type>),
    /// Without dimensions where their number is not known.
    Tensor {
        dims: Option<Vec<Option<i64>>>,
        element: Arc<Type>,
        encoding: Option<Box<Attr>>,
    },
    Buffer {
        dims: Vec<Option<i64>>,
        element: Arc<Type>,
    },
    Function(Vec<Arc<Type>>, Vec<Arc<Type>>),
    Tuple(Vec<Arc<Type>>),
    Future(Vec<Arc<Type>>),
    Token,
    Witness,
    Quantized(Box<Quantized>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Quantized {
    pub(super) signed: bool,
    pub(super) storage: Arc<Type>,
    pub(super) range: (i64, i64),
    pub(super) expressed: Arc<Type>,
    /// The dimension of which each part has a scale of its own.
    pub(super) axis: Option<i64>,
    /// The bits of each scale, and its zero point.
    pub(super) scales: Vec<(u64, i64)>,
}

impl Type {
    /// The same, without dimensions: what a reduction gives to its body.
    pub(super) fn scalar_of(&self) -> Option<Self> {
        let Self::Tensor { element, .. } = self else { return None };
        Some(Self::Tensor { dims: Some(Vec::new()), element: Arc::clone(element), encoding: None })
    }

    /// How many elements a tensor has, if that is known.
    pub(super) fn count(&self) -> Option<u64> {
        let Self::Tensor { dims: Some(dims), .. } = self else { return None };
        dims.iter().try_fold(1_u64, |all, dim| all.checked_mul(u64::try_from((*dim)?).ok()?))
    }

    /// How many dimensions a tensor has, if that is known.
    pub(super) fn rank(&self) -> Option<usize> {
        if let Self::Tensor { dims: Some(dims), .. } = self { Some(dims.len()) } else { None }
    }

    pub(super) fn scalar(name: &str) -> Arc<Self> {
        Arc::new(Self::Scalar(name.into()))
    }
}

/// What a text calls by other names: `!t = tensor<4xf32>`.
pub(super) type TypeAliases = HashMap<String, Alias<Arc<Type>>>;

pub(super) fn is_number(word: &str) -> bool {
    let whole = |prefix: &str| {
        let digits = word.strip_prefix(prefix);
        digits.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    matches!(word, "index" | "none" | "bf16" | "tf32")
        || whole("i")
        || whole("si")
        || whole("ui")
        || word.strip_prefix('f').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

pub(super) fn begins(scanner: &mut Scanner<'_>) -> bool {
    let word = scanner.peek();
    scanner.starts("!")
        || scanner.starts("(")
        || ["tensor", "complex", "tuple", "memref"].contains(&word)
        || is_number(word)
}

pub(super) fn read(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Arc<Type>, ReadError> {
    scanner.deeper(|scanner| within(scanner, aliases))
}

fn within(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Arc<Type>, ReadError> {
    let start = scanner.place();
    if scanner.starts("(") {
        let inputs = scanner.list("(", ")", |scanner| read(scanner, aliases))?;
        scanner.needs("->")?;
        return Ok(Arc::new(Type::Function(inputs, results(scanner, aliases)?)));
    }
    if scanner.starts("!") {
        return of_dialect(scanner, aliases);
    }
    let word = scanner.word()?;
    let made = match word {
        "tensor" => tensor(scanner, aliases)?,
        "memref" => {
            scanner.needs("<")?;
            let dims = dimensions(scanner)?;
            let element = read(scanner, aliases)?;
            scanner.needs(">")?;
            Type::Buffer { dims, element }
        }
        "complex" => {
            scanner.needs("<")?;
            let element = read(scanner, aliases)?;
            scanner.needs(">")?;
            Type::Complex(element)
        }
        "tuple" => Type::Tuple(scanner.list("<", ">", |scanner| read(scanner, aliases))?),
        _ if is_number(word) => Type::Scalar(word.into()),
        _ => return Err(scanner.unknown_at(start, &format!("the type `{word}` is not read"))),
    };
    Ok(Arc::new(made))
}

/// What a function gives: one type, or several in brackets.
pub(super) fn results(
    scanner: &mut Scanner<'_>,
    aliases: &Aliases,
) -> Result<Vec<Arc<Type>>, ReadError> {
    if !scanner.starts("(") {
        return Ok(vec![read(scanner, aliases)?]);
    }
    let start = scanner.place();
    let all = scanner.list("(", ")", |scanner| read(scanner, aliases))?;
    // A function may give a function.
    if !scanner.starts("->") {
        return Ok(all);
    }
    scanner.back(start);
    Ok(vec![read(scanner, aliases)?])
}

fn of_dialect(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Arc<Type>, ReadError> {
    let start = scanner.place();
    let name = scanner.suffix("!")?;
    if let Some(known) = aliases.types.get(name) {
        return scanner.stands_for(known).cloned();
    }
    Ok(Arc::new(match name {
        "stablehlo.token" => Type::Token,
        "shape.witness" => Type::Witness,
        "stablehlo.future" => {
            Type::Future(scanner.list("<", ">", |scanner| read(scanner, aliases))?)
        }
        "quant.uniform" => quantized(scanner, aliases)?,
        _ => return Err(scanner.unknown_at(start, &format!("the type `!{name}` is not read"))),
    }))
}

fn tensor(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Type, ReadError> {
    scanner.needs("<")?;
    let dims = match scanner.takes("*x") {
        true => None,
        false => Some(dimensions(scanner)?),
    };
    let element = read(scanner, aliases)?;
    let encoding = match scanner.takes(",") {
        true => Some(Box::new(attributes::read(scanner, aliases)?)),
        false => None,
    };
    scanner.needs(">")?;
    Ok(Type::Tensor { dims, element, encoding })
}

/// `4x?x`, up to what an element is.
fn dimensions(scanner: &mut Scanner<'_>) -> Result<Vec<Option<i64>>, ReadError> {
    let mut dims = Vec::new();
    loop {
        let rest = scanner.rest();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if rest.starts_with(b"?") {
            scanner.needs("?")?;
            dims.push(None);
        } else if digits > 0 {
            // `0x4` is two dimensions here, and no number of base 16.
            let text = std::str::from_utf8(rest.get(..digits).unwrap_or_default());
            let dim = text.ok().and_then(|text| text.parse().ok());
            dims.push(Some(dim.ok_or_else(|| scanner.error("a dimension beyond 64 bits"))?));
            let place = scanner.place();
            scanner.back(place + digits);
        } else {
            return Ok(dims);
        }
        scanner.needs("x")?;
    }
}

/// `<i8<-127:127>:f32:1, {0.5:3, 0.25}>`.
fn quantized(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Type, ReadError> {
    scanner.needs("<")?;
    let start = scanner.place();
    let word = scanner.word()?;
    let (signed, digits) = match word.strip_prefix('u') {
        Some(rest) => (false, rest.trim_start_matches('i')),
        None => (true, word.trim_start_matches(['s', 'i'])),
    };
    let bits = digits.parse().ok().filter(|bits| (1..=32).contains(bits));
    let bits: u32 =
        bits.ok_or_else(|| scanner.error_at(start, "integers of 1 to 32 bits are quantized"))?;
    // `u8` says of a plain integer that it has no sign, `ui8` is one that never has.
    let storage =
        Type::scalar(&format!("{}i{bits}", if word.starts_with("ui") { "u" } else { "" }));
    let mut range = match signed {
        true => (-(1_i64 << (bits - 1)), (1_i64 << (bits - 1)) - 1),
        false => (0, (1_i64 << bits) - 1),
    };
    if scanner.takes("<") {
        let low = scanner.integer()?;
        scanner.needs(":")?;
        range = (low, scanner.integer()?);
        scanner.needs(">")?;
    }
    scanner.needs(":")?;
    let expressed = read(scanner, aliases)?;
    let axis = if scanner.takes(":") { Some(scanner.integer()?) } else { None };
    scanner.needs(",")?;
    let scales = match axis {
        Some(_) => scanner.list("{", "}", scale)?,
        None => vec![scale(scanner)?],
    };
    scanner.needs(">")?;
    Ok(Type::Quantized(Box::new(Quantized { signed, storage, range, expressed, axis, scales })))
}

fn scale(scanner: &mut Scanner<'_>) -> Result<(u64, i64), ReadError> {
    let text = scanner.number()?;
    let scale: f64 = text.parse().map_err(|_| scanner.error("a scale is a number"))?;
    let zero = if scanner.takes(":") { scanner.integer()? } else { 0 };
    Ok((scale.to_bits(), zero))
}
