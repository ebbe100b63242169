//! What `config.json` of a model folder asks of the library that loads it.

use std::sync::Arc;

use memchr::memmem;
use serde_json::{Map, Value};
use unskew_source::{ReadError, Source, SourceExt, read_json};

/// How far into a file the words are looked for by which it is known.
const HEAD: u64 = 1 << 16;

/// How many architectures are read. A folder has one, some have a handful.
const ARCHITECTURES: usize = 64;

/// What `config.json` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelConfig {
    /// `model_type`: by it `AutoConfig` finds the code.
    pub model_type: Option<String>,
    /// `architectures`: the classes of the model, as they are in the library that wrote it.
    pub architectures: Vec<String>,
    /// `transformers_version`: who wrote it.
    pub written_by: Option<String>,
    /// Whether the code of the configuration or of the model lies in the folder: `auto_map`.
    pub has_own_code: bool,
    /// How positions are encoded.
    pub rope: RopeConfig,
    /// The keys under which the type of the weights is written: `dtype`, `torch_dtype`.
    pub dtype: DtypeKeys,
    /// `quantization_config.quant_method`.
    pub quantization: Option<String>,
    /// `tokenizer_class`, which counts where `tokenizer_config.json` names none.
    pub tokenizer_class: Option<String>,
}

/// The rotary position embedding of a configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RopeConfig {
    /// `rope_parameters`, as transformers 5 writes it: one dictionary, or one for each type of layer.
    pub parameters: Vec<RopeParameters>,
    /// The fields of `rope_scaling`, as transformers 4 writes it; none if it is missing or null.
    pub scaling: Option<RopeScaling>,
    /// `rope_theta` at the top.
    pub theta: Option<f64>,
}

/// One dictionary of `rope_parameters`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RopeParameters {
    /// `rope_type`: `default`, `llama3`.
    pub kind: Option<String>,
    /// `rope_theta`.
    pub theta: Option<f64>,
}

/// `rope_scaling`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RopeScaling {
    /// `rope_type`, or `type` in older files.
    pub kind: Option<String>,
    /// The names of its fields.
    pub fields: Vec<String>,
}

/// Under which keys a configuration has the type of its weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DtypeKeys {
    /// Under none: weights are loaded in single precision.
    #[default]
    Neither,
    /// `dtype` alone, which older releases do not read.
    New {
        /// Whether that is a smaller one than `float32`.
        is_smaller: bool,
    },
    /// `torch_dtype`, alone or beside the other one.
    Old,
}

impl ModelConfig {
    /// Reads a configuration; none if the file is something else.
    ///
    /// # Errors
    /// If it is one, but not JSON, or larger than 64 MiB.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        if !source.name().to_ascii_lowercase().ends_with(".json") {
            return Ok(None);
        }
        let head = source.head(HEAD)?;
        let has = |word: &[u8]| memmem::find(&head, word).is_some();
        let is_known = has(b"\"model_type\"") || has(b"\"architectures\"");
        if !head.trim_ascii_start().starts_with(b"{") || !is_known {
            return Ok(None);
        }
        let json = read_json(&**source)?;
        let Some(json) = json.as_object() else { return Ok(None) };
        let is_one = json.get("model_type").is_some_and(Value::is_string)
            || json.get("architectures").is_some_and(Value::is_array);
        Ok(is_one.then(|| Self::from_json(json)))
    }

    fn from_json(json: &Map<String, Value>) -> Self {
        let names = |value: &Value| value.as_str().map(str::to_owned);
        let architectures = json.get("architectures").and_then(Value::as_array);
        let quantization = json.get("quantization_config").and_then(Value::as_object);
        Self {
            model_type: text(json, "model_type"),
            architectures: architectures
                .map(|all| all.iter().take(ARCHITECTURES).filter_map(names).collect())
                .unwrap_or_default(),
            written_by: text(json, "transformers_version"),
            has_own_code: json.get("auto_map").is_some_and(Value::is_object),
            rope: RopeConfig::from_json(json),
            dtype: DtypeKeys::from_json(json),
            quantization: quantization.and_then(|one| text(one, "quant_method")),
            tokenizer_class: text(json, "tokenizer_class"),
        }
    }
}

impl RopeConfig {
    fn from_json(json: &Map<String, Value>) -> Self {
        let number = |json: &Map<String, Value>| json.get("rope_theta").and_then(Value::as_f64);
        let one = |json: &Map<String, Value>| RopeParameters {
            kind: text(json, "rope_type").or_else(|| text(json, "type")),
            theta: number(json),
        };
        let mut parameters = Vec::new();
        if let Some(all) = json.get("rope_parameters").and_then(Value::as_object) {
            // One for each type of layer, or one for all of them.
            let nested: Vec<_> = all.values().filter_map(Value::as_object).map(one).collect();
            parameters = if nested.is_empty() { vec![one(all)] } else { nested };
        }
        let scaling = json.get("rope_scaling").and_then(Value::as_object);
        let scaling = scaling.map(|one| RopeScaling {
            kind: text(one, "rope_type").or_else(|| text(one, "type")),
            fields: one.keys().cloned().collect(),
        });
        Self { parameters, scaling, theta: number(json) }
    }
}

impl DtypeKeys {
    fn from_json(json: &Map<String, Value>) -> Self {
        let named = |key: &str| json.get(key).and_then(Value::as_str);
        match (named("torch_dtype"), named("dtype")) {
            (Some(_), _) => Self::Old,
            (None, Some(dtype)) => Self::New { is_smaller: dtype != "float32" },
            (None, None) => Self::Neither,
        }
    }
}

/// A text of an object, of a length that a message can show.
pub(crate) fn text(json: &Map<String, Value>, key: &str) -> Option<String> {
    const LONGEST: usize = 256;
    let text = json.get(key)?.as_str()?;
    (!text.is_empty() && text.len() <= LONGEST).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> ModelConfig {
        let json: Value = serde_json::from_str(text).unwrap();
        ModelConfig::from_json(json.as_object().unwrap())
    }

    #[test]
    fn rope_is_read_in_the_forms_of_both_major_versions() {
        let old = config(r#"{"rope_theta": 5e5, "rope_scaling": {"type": "linear", "factor": 2}}"#);
        assert_eq!(old.rope.theta, Some(5e5));
        assert_eq!(old.rope.scaling.unwrap().kind.as_deref(), Some("linear"));
        let new =
            config(r#"{"rope_parameters": {"a": {"rope_theta": 1}, "b": {"rope_theta": 2}}}"#);
        assert_eq!(new.rope.parameters.len(), 2);
        let new = config(r#"{"rope_parameters": {"rope_type": "default", "rope_theta": 7}}"#);
        assert_eq!(new.rope.parameters[0].theta, Some(7.0));
    }

    #[test]
    fn the_key_of_the_type_counts_where_the_old_one_is_missing() {
        let keys = |text: &str| config(text).dtype;
        assert_eq!(keys(r#"{"dtype": "bfloat16"}"#), DtypeKeys::New { is_smaller: true });
        assert_eq!(keys(r#"{"dtype": "bfloat16", "torch_dtype": "bfloat16"}"#), DtypeKeys::Old);
        assert_eq!(keys("{}"), DtypeKeys::Neither);
    }
}
