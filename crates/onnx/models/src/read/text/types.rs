//! Types of values, and tensors with their elements.

use unskew_source::{ReadError, Rope};

use super::tokens::{Literal, Tokens};
use crate::OnnxElementType;

/// How deep types stand in types.
const DEPTH: usize = 16;

/// Words that begin a type which is no tensor.
const WORDS: [&str; 5] = ["seq", "map", "optional", "sparse_tensor", "opaque"];

/// A type: its message, and what a tensor of it has.
pub(super) struct ParsedType {
    /// Which field of `TypeProto` it is.
    field: u32,
    message: Rope,
    /// The element type and the sizes, if they are all numbers.
    tensor: Option<(OnnxElementType, Option<Vec<i64>>)>,
}

impl ParsedType {
    /// It as the bytes of a `TypeProto`.
    pub(super) fn into_message(self) -> Rope {
        let mut whole = Rope::default();
        whole.message(self.field, self.message);
        whole
    }
}

pub(super) fn is_type(tokens: &mut Tokens<'_>) -> bool {
    let word = tokens.peek();
    word.parse::<OnnxElementType>().is_ok() || WORDS.contains(&word)
}

/// Reads `float[N, 3]`, `seq(...)`, `optional(...)` and the like; `depth` is how deep it stands in others.
pub(super) fn value_type(tokens: &mut Tokens<'_>, depth: usize) -> Result<ParsedType, ReadError> {
    if depth > DEPTH {
        return Err(tokens.wrong("a type in fewer types: these are nested too deep"));
    }
    let at = tokens.at();
    let word = tokens.word()?;
    if let Ok(element) = word.parse::<OnnxElementType>() {
        return tensor_type(tokens, element, 1);
    }
    let mut message = Rope::default();
    if !WORDS.contains(&word) {
        return Err(tokens.wrong_at(at, "a type"));
    }
    tokens.expect('(')?;
    let field = match word {
        "seq" | "optional" => {
            message.message(1, value_type(tokens, depth + 1)?.into_message());
            if word == "seq" { 4 } else { 9 }
        }
        "map" => {
            let at = tokens.at();
            let key = tokens.word()?.parse::<OnnxElementType>();
            let key = key.map_err(|_| tokens.wrong_at(at, "the type of keys"))?;
            message.number(1, key.0 as u64);
            tokens.expect(',')?;
            message.message(2, value_type(tokens, depth + 1)?.into_message());
            5
        }
        "sparse_tensor" => {
            let at = tokens.at();
            let element = tokens.word()?.parse::<OnnxElementType>();
            let element = element.map_err(|_| tokens.wrong_at(at, "the type of elements"))?;
            let sparse = tensor_type(tokens, element, 8)?;
            tokens.expect(')')?;
            return Ok(ParsedType { tensor: None, ..sparse });
        }
        _ => {
            opaque(tokens, &mut message)?;
            7
        }
    };
    tokens.expect(')')?;
    Ok(ParsedType { field, message, tensor: None })
}

/// `opaque()`, `opaque(name)`, `opaque(domain, name)`, without the last parenthesis.
fn opaque(tokens: &mut Tokens<'_>, message: &mut Rope) -> Result<(), ReadError> {
    if tokens.next_is(')') {
        return Ok(());
    }
    let mut first = tokens.word()?.to_owned();
    while tokens.eat('.') {
        first = format!("{first}.{}", tokens.word()?);
    }
    if tokens.eat(',') {
        message.text(1, &first);
        message.text(2, tokens.word()?);
    } else {
        message.text(2, &first);
    }
    Ok(())
}

/// A tensor behind its element type: `float` has no dimensions, `float[]` an unknown number.
fn tensor_type(
    tokens: &mut Tokens<'_>,
    element: OnnxElementType,
    field: u32,
) -> Result<ParsedType, ReadError> {
    let mut message = Rope::default();
    message.number(1, element.0 as u64);
    if !tokens.eat('[') {
        message.message(2, Rope::default());
        return Ok(ParsedType { field, message, tensor: Some((element, Some(Vec::new()))) });
    }
    if tokens.eat(']') {
        return Ok(ParsedType { field, message, tensor: Some((element, None)) });
    }
    let mut shape = Rope::default();
    let mut sizes = Some(Vec::new());
    loop {
        let mut dim = Rope::default();
        if tokens.eat('?') {
            sizes = None;
        } else if let Some(name) = tokens.optional_name()? {
            dim.text(2, &name);
            sizes = None;
        } else {
            let size = tokens.int()?;
            dim.number(1, size as u64);
            sizes.iter_mut().for_each(|all| all.push(size));
        }
        shape.message(1, dim);
        if !tokens.eat(',') {
            break;
        }
    }
    tokens.expect(']')?;
    message.message(2, shape);
    Ok(ParsedType { field, message, tensor: Some((element, sizes)) })
}

/// A `TensorProto` behind `=`: `{…}` with its elements, `[…]` with where they lie.
pub(super) fn tensor_of(
    tokens: &mut Tokens<'_>,
    kind: Option<&ParsedType>,
    name: &str,
) -> Result<Rope, ReadError> {
    let known = kind.and_then(|kind| kind.tensor.as_ref());
    let Some((element, Some(sizes))) = known else {
        return Err(tokens.wrong("a tensor type whose dimensions are numbers before the values"));
    };
    let mut tensor = Rope::default();
    sizes.iter().for_each(|size| tensor.number(1, *size as u64));
    tensor.number(2, element.0 as u64);
    if !name.is_empty() {
        tensor.text(8, name);
    }
    if tokens.next_is('[') {
        super::pairs(tokens, 13, &mut tensor)?;
        tensor.number(14, 1);
        return Ok(tensor);
    }
    // Without values it has none, as a tensor without elements has.
    if tokens.eat('{') && !tokens.eat('}') {
        loop {
            number(tokens, *element, &mut tensor)?;
            if !tokens.eat(',') {
                break;
            }
        }
        tokens.expect('}')?;
    }
    Ok(tensor)
}

/// One element, in the field that its type has.
fn number(
    tokens: &mut Tokens<'_>,
    element: OnnxElementType,
    out: &mut Rope,
) -> Result<(), ReadError> {
    let at = tokens.at();
    let literal = tokens.literal()?;
    let float = match literal {
        Literal::Int(number) => Some(number as f64),
        Literal::Float(number) => Some(number),
        Literal::Text(_) => None,
    };
    match (element.0, &literal, float) {
        (8, Literal::Text(text), _) => out.text(6, text),
        (1 | 14, _, Some(number)) => out.fixed32(4, (number as f32).to_bits()),
        (11 | 15, _, Some(number)) => {
            out.varint(10 << 3 | 1);
            out.bytes(&number.to_le_bytes());
        }
        (7, Literal::Int(number), _) => out.number(7, *number as u64),
        (12 | 13, Literal::Int(number), _) => out.number(11, *number as u64),
        (1..=28, Literal::Int(number), _) if i32::try_from(*number).is_ok() => {
            out.number(5, *number as u64);
        }
        _ => return Err(tokens.wrong_at(at, &format!("a value of type {element}"))),
    }
    Ok(())
}
