//! What `adapter_config.json` says.

use std::sync::Arc;

use memchr::memmem;
use serde_json::{Map, Value};
use unskew_source::{ReadError, Source, SourceExt as _, read_json};

/// The name by which PEFT looks for the file.
const NAME: &str = "adapter_config.json";

/// How far into a file the words are looked for by which it is known.
const HEAD: u64 = 1 << 16;

/// The configuration of an adapter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PeftConfiguration {
    /// `peft_type`: `LORA`.
    pub peft_type: String,
    /// All of its fields, the type among them.
    pub fields: Map<String, Value>,
}

impl PeftConfiguration {
    /// The configuration in `source`; none if it is something else.
    ///
    /// # Errors
    /// If it is one, but not JSON, too large, or nested too deep.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        let name = source.name().to_ascii_lowercase();
        if !name.ends_with(".json") {
            return Ok(None);
        }
        let head = source.head(HEAD)?;
        let is_named = name.rsplit(['/', '\\', '!']).next() == Some(NAME);
        let is_one = is_named || memmem::find(&head, b"\"peft_type\"").is_some();
        if !is_one || !head.trim_ascii_start().starts_with(b"{") {
            return Ok(None);
        }
        let Value::Object(fields) = read_json(&**source)? else { return Ok(None) };
        let Some(peft_type) = fields.get("peft_type").and_then(Value::as_str) else {
            return Ok(None);
        };
        // Longer than any name of a type, and short enough for a message.
        let peft_type = peft_type.chars().take(100).collect();
        Ok(Some(Self { peft_type, fields }))
    }

    /// `peft_version`, which releases since 0.18 write.
    pub(crate) fn written_by(&self) -> Option<&str> {
        let version = self.fields.get("peft_version")?.as_str()?;
        (version.len() < 40).then_some(version)
    }
}
