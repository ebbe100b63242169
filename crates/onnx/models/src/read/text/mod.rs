//! The textual syntax of ONNX (`onnx.parser`, `onnx.printer`), turned into the bytes of the same model.
//!
//! Everything else reads bytes, so a text is judged and converted by the same code as a `.onnx` file.

mod attribute;
mod tokens;
mod types;

use unskew_source::{BytesSource, ReadError, Rope, Source, SourceExt as _, limits};

use attribute::attributes;
use tokens::Tokens;
use types::{is_type, tensor_of, value_type};

/// The endings that `onnx.save` gives to texts.
const ENDINGS: [&str; 2] = [".onnxtxt", ".onnxtext"];

/// The largest text; the syntax is not made for weights.
const LARGEST: u64 = 64 << 20;

/// The head of a model in text, which may stand in any order.
const HEAD: [&str; 8] = [
    "ir_version",
    "opset_import",
    "producer_name",
    "producer_version",
    "domain",
    "model_version",
    "doc_string",
    "metadata_props",
];

/// The bytes of the model that `source` has as text; none if it is no such text.
///
/// # Errors
/// If it is called so or begins so and is broken; with the byte and what was expected.
pub(crate) fn bytes(source: &dyn Source) -> Result<Option<BytesSource>, ReadError> {
    let name = source.name().to_ascii_lowercase();
    let named = ENDINGS.iter().any(|ending| name.ends_with(ending));
    let head = source.head(256)?;
    // A model in bytes begins with the number of a field, whatever it is called.
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    let is_text = first.is_none_or(|byte| byte.is_ascii_graphic());
    if !(named && is_text || begins(&head)) {
        return Ok(None);
    }
    if source.size() > LARGEST {
        let what = format!("a model in text of more than {LARGEST} bytes");
        return Err(ReadError::malformed(source.name(), what));
    }
    let all = source.all()?;
    let text = std::str::from_utf8(&all).map_err(|error| {
        ReadError::malformed(source.name(), "a model in text that is not UTF-8")
            .at(error.valid_up_to() as u64)
    })?;
    let mut tokens = Tokens::new(source.name(), text);
    let model = model(&mut tokens)?;
    Ok(Some(BytesSource::new(source.name(), model.new_bytes())))
}

/// Whether bytes begin as a model in text: `<`, and a word of its head.
fn begins(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let Some(rest) = text.trim_start().strip_prefix('<') else { return false };
    let Some((word, _)) = rest.split_once(':') else { return false };
    HEAD.contains(&word.trim())
}

fn model(tokens: &mut Tokens<'_>) -> Result<Rope, ReadError> {
    let mut model = Rope::default();
    if tokens.eat('<') {
        loop {
            let at = tokens.at();
            let word = tokens.word()?;
            tokens.expect(':')?;
            match word {
                "ir_version" => model.number(1, tokens.int()? as u64),
                "producer_name" => model.text(2, &tokens.quoted()?),
                "producer_version" => model.text(3, &tokens.quoted()?),
                "domain" => model.text(4, &tokens.quoted()?),
                "model_version" => model.number(5, tokens.int()? as u64),
                "doc_string" => model.text(6, &tokens.quoted()?),
                "opset_import" => opsets(tokens, 8, &mut model)?,
                "metadata_props" => pairs(tokens, 14, &mut model)?,
                _ => return Err(tokens.wrong_at(at, "a word of the head of a model")),
            }
            if !tokens.eat(',') {
                break;
            }
        }
        tokens.expect('>')?;
    }
    let name = tokens.name()?;
    model.message(7, graph(tokens, &name, 0)?);
    while !tokens.is_over() {
        model.message(25, function(tokens)?);
    }
    Ok(model)
}

/// `["" : 17, "com.acme" : 1]`.
fn opsets(tokens: &mut Tokens<'_>, field: u32, out: &mut Rope) -> Result<(), ReadError> {
    tokens.expect('[')?;
    if tokens.eat(']') {
        return Ok(());
    }
    loop {
        let mut opset = Rope::default();
        opset.text(1, &tokens.quoted()?);
        tokens.expect(':')?;
        opset.number(2, tokens.int()? as u64);
        out.message(field, opset);
        if !tokens.eat(',') {
            return tokens.expect(']');
        }
    }
}

/// `["key" : "value"]`, as of metadata and external data.
fn pairs(tokens: &mut Tokens<'_>, field: u32, out: &mut Rope) -> Result<(), ReadError> {
    tokens.expect('[')?;
    if tokens.eat(']') {
        return Ok(());
    }
    loop {
        let mut pair = Rope::default();
        pair.text(1, &tokens.quoted()?);
        tokens.expect(':')?;
        pair.text(2, &tokens.quoted()?);
        out.message(field, pair);
        if !tokens.eat(',') {
            return tokens.expect(']');
        }
    }
}

/// A graph behind its name. `depth`: how many graphs it stands in.
fn graph(tokens: &mut Tokens<'_>, name: &str, depth: usize) -> Result<Rope, ReadError> {
    if depth >= limits::DEPTH {
        return Err(tokens.wrong("a graph in fewer graphs: these are nested too deep"));
    }
    let mut graph = Rope::default();
    graph.text(2, name);
    if tokens.eat('(') {
        values(tokens, 11, ')', true, &mut graph)?;
    }
    tokens.expect('=')?;
    tokens.expect('>')?;
    tokens.expect('(')?;
    values(tokens, 12, ')', false, &mut graph)?;
    if tokens.eat('<') {
        values(tokens, 13, '>', true, &mut graph)?;
    }
    nodes(tokens, 1, depth, &mut graph)?;
    Ok(graph)
}

/// Values with their types, up to `end`; with `= {…}` also tensors, which stand with the inputs or in their place.
fn values(
    tokens: &mut Tokens<'_>,
    field: u32,
    end: char,
    tensors: bool,
    graph: &mut Rope,
) -> Result<(), ReadError> {
    if tokens.eat(end) {
        return Ok(());
    }
    loop {
        let kind = if is_type(tokens) { Some(value_type(tokens, 0)?) } else { None };
        let name = tokens.name()?;
        let stored = tensors && tokens.eat('=');
        if stored {
            let tensor = tensor_of(tokens, kind.as_ref(), &name)?;
            graph.message(5, tensor);
        }
        // Among the inputs a tensor is a default value; elsewhere it stands for itself.
        if !stored || field == 11 {
            let mut value = Rope::default();
            value.text(1, &name);
            if let Some(kind) = kind {
                value.message(2, kind.into_message());
            }
            graph.message(field, value);
        }
        if !tokens.eat(',') {
            return tokens.expect(end);
        }
    }
}

fn nodes(
    tokens: &mut Tokens<'_>,
    field: u32,
    depth: usize,
    out: &mut Rope,
) -> Result<(), ReadError> {
    tokens.expect('{')?;
    while !tokens.eat('}') {
        out.message(field, node(tokens, depth)?);
    }
    Ok(())
}

fn node(tokens: &mut Tokens<'_>, depth: usize) -> Result<Rope, ReadError> {
    let mut node = Rope::default();
    if tokens.eat('[') {
        if let Some(name) = tokens.optional_name()? {
            node.text(3, &name);
        }
        tokens.expect(']')?;
    }
    names(tokens, 2, &mut node)?;
    tokens.expect('=')?;
    let mut op = tokens.word()?.to_owned();
    let mut domain = String::new();
    while tokens.eat('.') {
        if !domain.is_empty() {
            domain.push('.');
        }
        domain.push_str(&op);
        op = tokens.word()?.to_owned();
    }
    node.text(4, &op);
    if !domain.is_empty() {
        node.text(7, &domain);
    }
    if tokens.eat(':') {
        node.text(8, tokens.word()?);
    }
    let before = attributes(tokens, 5, depth, &mut node)?;
    tokens.expect('(')?;
    names(tokens, 1, &mut node)?;
    tokens.expect(')')?;
    if !before {
        attributes(tokens, 5, depth, &mut node)?;
    }
    Ok(node)
}

/// Names in a list, where a name may be left out: `(x, , z)`. A comma at the end says nothing.
fn names(tokens: &mut Tokens<'_>, field: u32, out: &mut Rope) -> Result<(), ReadError> {
    let mut next = tokens.optional_name()?;
    if next.is_none() && tokens.next_is(',') {
        next = Some(String::new());
    }
    while let Some(name) = next {
        out.text(field, &name);
        if !tokens.eat(',') {
            break;
        }
        next = match tokens.optional_name()? {
            None if tokens.next_is(',') => Some(String::new()),
            other => other,
        };
    }
    Ok(())
}

fn function(tokens: &mut Tokens<'_>) -> Result<Rope, ReadError> {
    let mut function = Rope::default();
    if tokens.eat('<') {
        loop {
            let at = tokens.at();
            let word = tokens.word()?;
            tokens.expect(':')?;
            match word {
                "opset_import" => opsets(tokens, 9, &mut function)?,
                "doc_string" => function.text(8, &tokens.quoted()?),
                "domain" => function.text(10, &tokens.quoted()?),
                "overload" => function.text(13, &tokens.quoted()?),
                _ => return Err(tokens.wrong_at(at, "a word of the head of a function")),
            }
            if !tokens.eat(',') {
                break;
            }
        }
        tokens.expect('>')?;
    }
    let name = tokens.name()?;
    function.text(1, &name);
    if tokens.eat('<') {
        loop {
            let name = tokens.name()?;
            if tokens.next_is('=') || tokens.next_is(':') {
                function.message(11, attribute::behind_name(tokens, &name, 0)?);
            } else {
                function.text(6, &name);
            }
            if !tokens.eat(',') {
                break;
            }
        }
        tokens.expect('>')?;
    }
    tokens.expect('(')?;
    parameters(tokens, 4, &mut function)?;
    tokens.expect('=')?;
    tokens.expect('>')?;
    tokens.expect('(')?;
    parameters(tokens, 5, &mut function)?;
    if tokens.eat('<') {
        values(tokens, 12, '>', false, &mut function)?;
    }
    nodes(tokens, 7, 0, &mut function)?;
    Ok(function)
}

/// The inputs or outputs of a function, which may have types.
fn parameters(tokens: &mut Tokens<'_>, field: u32, out: &mut Rope) -> Result<(), ReadError> {
    if tokens.eat(')') {
        return Ok(());
    }
    loop {
        let kind = if is_type(tokens) { Some(value_type(tokens, 0)?) } else { None };
        let name = tokens.name()?;
        out.text(field, &name);
        if let Some(kind) = kind {
            let mut value = Rope::default();
            value.text(1, &name);
            value.message(2, kind.into_message());
            out.message(12, value);
        }
        if !tokens.eat(',') {
            return tokens.expect(')');
        }
    }
}
