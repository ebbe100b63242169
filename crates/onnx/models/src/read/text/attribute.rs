//! Attributes of nodes and functions.

use unskew_source::{ReadError, Rope};

use super::tokens::{Literal, Tokens};
use super::types::{is_type, tensor_of, value_type};

/// The types of attributes by their names in text: number, field of one value, whether it is a list of them.
const TYPES: [(&str, u64); 14] = [
    ("float", 1),
    ("int", 2),
    ("string", 3),
    ("tensor", 4),
    ("graph", 5),
    ("floats", 6),
    ("ints", 7),
    ("strings", 8),
    ("tensors", 9),
    ("graphs", 10),
    ("sparse_tensor", 11),
    ("sparse_tensors", 12),
    ("type_proto", 13),
    ("type_protos", 14),
];

/// A value that is no list, or an element of one.
enum AttributeLiteral {
    Float(f32),
    Int(i64),
    Text(String),
    Tensor(Rope),
    Graph(Rope),
    Type(Rope),
    /// The attribute of this name of the function around.
    Of(String),
}

impl AttributeLiteral {
    /// The number of its type; none where the function around decides.
    fn kind(&self) -> Option<u64> {
        Some(match self {
            Self::Float(_) => 1,
            Self::Int(_) => 2,
            Self::Text(_) => 3,
            Self::Tensor(_) => 4,
            Self::Graph(_) => 5,
            Self::Type(_) => 13,
            Self::Of(_) => return None,
        })
    }

    fn put(self, list: bool, out: &mut Rope) {
        match self {
            Self::Float(number) => out.fixed32(if list { 7 } else { 2 }, number.to_bits()),
            Self::Int(number) => out.number(if list { 8 } else { 3 }, number as u64),
            Self::Text(text) => out.text(if list { 9 } else { 4 }, &text),
            Self::Tensor(tensor) => out.message(if list { 10 } else { 5 }, tensor),
            Self::Graph(graph) => out.message(if list { 11 } else { 6 }, graph),
            Self::Type(kind) => out.message(if list { 15 } else { 14 }, kind),
            Self::Of(name) => out.text(21, &name),
        }
    }
}

/// Attributes in `<…>`; whether there are any.
pub(super) fn attributes(
    tokens: &mut Tokens<'_>,
    field: u32,
    depth: usize,
    out: &mut Rope,
) -> Result<bool, ReadError> {
    if !tokens.eat('<') {
        return Ok(false);
    }
    loop {
        let name = tokens.word()?.to_owned();
        out.message(field, behind_name(tokens, &name, depth)?);
        if !tokens.eat(',') {
            tokens.expect('>')?;
            return Ok(true);
        }
    }
}

/// An attribute behind its name: `: ints = [1, 2]`.
pub(super) fn behind_name(
    tokens: &mut Tokens<'_>,
    name: &str,
    depth: usize,
) -> Result<Rope, ReadError> {
    let mut attribute = Rope::default();
    attribute.text(1, name);
    let mut said = None;
    if tokens.eat(':') {
        let at = tokens.at();
        let word = tokens.word()?;
        let row = TYPES.iter().find(|(name, _)| *name == word);
        said = Some(row.ok_or_else(|| tokens.wrong_at(at, "the type of an attribute"))?.1);
    }
    tokens.expect('=')?;
    if !tokens.eat('[') {
        let at = tokens.at();
        let value = cast(single(tokens, depth)?, said);
        let kind = value.kind();
        if let (Some(said), Some(kind)) = (said, kind)
            && said != kind
        {
            return Err(tokens.wrong_at(at, "a value of the type that the attribute says"));
        }
        value.put(false, &mut attribute);
        attribute.number(20, kind.or(said).unwrap_or(0));
        return Ok(attribute);
    }
    let one = said.and_then(single_of);
    if said.is_some() && one.is_none() {
        return Err(tokens.wrong("one value, as the type of the attribute says"));
    }
    let mut kind = None;
    if !tokens.next_is(']') {
        loop {
            let at = tokens.at();
            let value = cast(single(tokens, depth)?, one);
            let own = value.kind().filter(|own| kind.or(one).is_none_or(|all| all == *own));
            if own.is_none() {
                return Err(tokens.wrong_at(at, "a value of the type of the others"));
            }
            kind = own;
            value.put(true, &mut attribute);
            if !tokens.eat(',') {
                break;
            }
        }
    } else if said.is_none() {
        return Err(tokens.wrong("a type before a list without values"));
    }
    tokens.expect(']')?;
    let list = said.or_else(|| kind.and_then(list_of));
    attribute.number(20, list.unwrap_or(0));
    Ok(attribute)
}

/// A whole number is one with a fraction where such is asked for.
fn cast(value: AttributeLiteral, wanted: Option<u64>) -> AttributeLiteral {
    match (value, wanted) {
        (AttributeLiteral::Int(number), Some(1)) => AttributeLiteral::Float(number as f32),
        (value, _) => value,
    }
}

/// The type of the values in a list of this type.
fn single_of(list: u64) -> Option<u64> {
    Some(match list {
        6..=10 => list - 5,
        12 | 14 => list - 1,
        _ => return None,
    })
}

/// The type of a list of values of this type.
fn list_of(single: u64) -> Option<u64> {
    Some(match single {
        1..=5 => single + 5,
        11 | 13 => single + 1,
        _ => return None,
    })
}

fn single(tokens: &mut Tokens<'_>, depth: usize) -> Result<AttributeLiteral, ReadError> {
    if tokens.eat('@') {
        return tokens.name().map(AttributeLiteral::Of);
    }
    let word = tokens.peek();
    if is_type(tokens) {
        let kind = value_type(tokens, 0)?;
        let is_tensor = tokens.next_is('{') || tokens.next_is('=') || tokens.next_is('"');
        if !is_tensor && tokens.peek().is_empty() {
            return Ok(AttributeLiteral::Type(kind.into_message()));
        }
        let name = tokens.optional_name()?.unwrap_or_default();
        tokens.eat('=');
        return tensor_of(tokens, Some(&kind), &name).map(AttributeLiteral::Tensor);
    }
    let number = ["inf", "infinity", "nan"].contains(&&*word.to_ascii_lowercase());
    if !word.is_empty() && !number {
        let name = tokens.name()?;
        return super::graph(tokens, &name, depth + 1).map(AttributeLiteral::Graph);
    }
    Ok(match tokens.literal()? {
        Literal::Int(number) => AttributeLiteral::Int(number),
        Literal::Float(number) => AttributeLiteral::Float(number as f32),
        Literal::Text(text) => AttributeLiteral::Text(text),
    })
}
