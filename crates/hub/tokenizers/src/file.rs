//! What `tokenizer.json` consists of.

use std::sync::Arc;

use memchr::memmem;
use serde_json::{Map, Value};
use unskew_source::{ReadError, Source, SourceExt as _};

use crate::added_tokens::may_change;
use crate::component::{TokenizerComponent, TokenizerSection, kind};
use crate::text::{MergesForm, WrittenMembers};

/// How far into a file the words are looked for by which it is known.
const HEAD: u64 = 1 << 16;

/// The most components of one file.
const COMPONENTS: usize = 1 << 16;

/// The sections that are objects without a type.
const PLAIN: [TokenizerSection; 2] = [TokenizerSection::Truncation, TokenizerSection::Padding];

/// A file `tokenizer.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenizerFile {
    /// Its components, those of sequences behind the sequence; equal added tokens are one.
    pub components: Vec<TokenizerComponent>,
    /// How many tokens were added.
    pub added_tokens: usize,
}

impl TokenizerFile {
    /// The file in `source`; none if it is something else.
    ///
    /// # Errors
    /// If it is one, but not JSON, too large, or nested too deep.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        if !is_one(&**source)? {
            return Ok(None);
        }
        let bytes = source.all()?;
        let text = utf8(&**source, &bytes)?;
        Self::parse(&**source, text).map(Some)
    }

    /// The file of a text that was read before.
    pub(crate) fn parse(source: &dyn Source, text: &str) -> Result<Self, ReadError> {
        let wrong = |error| malformed(source, &error);
        let members = WrittenMembers::parse(text).map_err(wrong)?;
        let mut file = Self::default();
        let mut top = Map::new();
        for (key, _) in &members.0 {
            // The version is one that all releases know, or none does.
            let value = match (key.as_str(), members.get(key)) {
                ("version", Some(text)) => serde_json::from_str(text).map_err(wrong)?,
                _ => Value::Null,
            };
            top.insert(key.clone(), value);
        }
        file.push(TokenizerSection::Top, String::new(), "tokenizer.json".to_owned(), top);
        let value = |key: &str| -> Result<Value, ReadError> {
            let Some(text) = members.get(key) else { return Ok(Value::Null) };
            let nodes = text.bytes().filter(|byte| matches!(byte, b',' | b'{' | b'[')).count();
            source.nodes(nodes as u64)?;
            serde_json::from_str(text).map_err(wrong)
        };
        for section in PLAIN {
            if let Value::Object(fields) = value(section.as_str())? {
                file.push(section, String::new(), section.to_string(), fields);
            }
        }
        let normalizer = value("normalizer")?;
        file.take_added(value("added_tokens")?, &normalizer);
        for section in TokenizerSection::TYPED {
            file.take_typed(section, &value(section.as_str())?, section.to_string());
        }
        if let Some(text) = members.get("model").filter(|text| text.starts_with('{')) {
            let fields = model(source, text)?;
            file.push(TokenizerSection::Model, kind(&fields), "model".to_owned(), fields);
        }
        Ok(file)
    }

    fn push(
        &mut self,
        section: TokenizerSection,
        kind: String,
        place: String,
        fields: Map<String, Value>,
    ) {
        if self.components.len() < COMPONENTS {
            self.components.push(TokenizerComponent { section, kind, place, fields });
        }
    }

    /// Added tokens: those with the same flags are judged alike.
    fn take_added(&mut self, tokens: Value, normalizer: &Value) {
        let Value::Array(tokens) = tokens else { return };
        self.added_tokens = tokens.len();
        let mut seen: Vec<Map<String, Value>> = Vec::new();
        for (place, token) in tokens.into_iter().enumerate() {
            let Value::Object(mut fields) = token else { continue };
            let content = fields.get("content").and_then(Value::as_str).unwrap_or_default();
            let is_normalized = fields.get("normalized") == Some(&Value::Bool(true));
            if is_normalized && may_change(normalizer, content) {
                fields.insert("normalized".to_owned(), Value::String("changed".to_owned()));
            }
            if fields.contains_key("content") {
                fields.insert("content".to_owned(), Value::String(String::new()));
            }
            if fields.get("id").is_some_and(Value::is_u64) {
                fields.insert("id".to_owned(), Value::from(1));
            }
            if seen.len() < COMPONENTS && !seen.contains(&fields) {
                seen.push(fields.clone());
                let place = format!("added_tokens[{place}]");
                self.push(TokenizerSection::AddedToken, String::new(), place, fields);
            }
        }
    }

    fn take_typed(&mut self, section: TokenizerSection, value: &Value, place: String) {
        let Value::Object(fields) = value else { return };
        self.push(section, kind(fields), place.clone(), fields.clone());
        let Some((name, Value::Array(members))) =
            section.members().and_then(|name| Some((name, fields.get(name)?)))
        else {
            return;
        };
        for (at, member) in members.iter().enumerate() {
            self.take_typed(section, member, format!("{place}, {name}[{at}]"));
        }
    }
}

/// The fields of a model, with the forms of what is long.
pub(crate) fn model(source: &dyn Source, text: &str) -> Result<Map<String, Value>, ReadError> {
    let wrong = |error| malformed(source, &error);
    let mut fields = Map::new();
    for (key, value) in WrittenMembers::parse(text).map_err(wrong)?.0 {
        let value = match key.as_str() {
            "merges" => Value::from(MergesForm::from_json(value.get()).as_str()),
            "vocab" => Value::Null,
            _ => {
                let nodes = value.get().bytes().filter(|byte| matches!(byte, b',' | b'{' | b'['));
                source.nodes(nodes.count() as u64)?;
                serde_json::from_str(value.get()).map_err(wrong)?
            }
        };
        fields.insert(key, value);
    }
    Ok(fields)
}

/// Whether a source is such a file, by its name and its first bytes.
pub(crate) fn is_one(source: &dyn Source) -> Result<bool, ReadError> {
    let name = source.name().to_ascii_lowercase();
    if !name.ends_with(".json") {
        return Ok(false);
    }
    let head = source.head(HEAD)?;
    let has = |word: &[u8]| memmem::find(&head, word).is_some();
    let is_named = name.rsplit(['/', '\\', '!']).next() == Some("tokenizer.json");
    Ok(head.trim_ascii_start().starts_with(b"{")
        && (has(b"\"added_tokens\"") || is_named && has(b"\"model\""))
        && (is_named || has(b"\"pre_tokenizer\"")))
}

/// Bytes as text.
pub(crate) fn utf8<'b>(source: &dyn Source, bytes: &'b [u8]) -> Result<&'b str, ReadError> {
    std::str::from_utf8(bytes)
        .map_err(|error| ReadError::malformed(source.name(), format!("not JSON: {error}")))
}

fn malformed(source: &dyn Source, error: &serde_json::Error) -> ReadError {
    ReadError::malformed(source.name(), format!("not JSON: {error}"))
}
