//! Model of a `model.json`: who wrote it, the graph or the configuration, and the manifest of its weights.

use std::sync::Arc;

use memchr::memmem;
use serde_json::Value;
use unskew_source::{ReadError, Source, SourceExt as _, read_json};

/// How far into a file the words are looked for that tell it from other JSON.
const HEAD: u64 = 4 << 10;

const WORDS: [&str; 3] = ["\"modelTopology\"", "\"layers-model\"", "\"graph-model\""];

/// What the JSON has of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TfjsFormat {
    /// A graph, made of a SavedModel, a frozen graph or a module of TensorFlow Hub.
    Graph,
    /// A configuration of Keras.
    Layers,
}

impl TfjsFormat {
    /// As parties and findings name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Graph => "TensorFlow.js graph model",
            Self::Layers => "TensorFlow.js layers model",
        }
    }
}

/// A node of the graph, or of a function in its library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TfjsNode {
    /// With the function that it stands in: `body/add`.
    pub name: String,
    /// The name of its op.
    pub op: String,
}

/// A tensor in the shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TfjsWeight {
    /// As the graph or the layer names it.
    pub name: String,
    /// As TensorFlow.js writes types: `float32`, `int32`, `bool`.
    pub dtype: String,
    /// How many values it has.
    pub values: u64,
    /// The type in which it is packed, if it is.
    pub quantized: Option<String>,
}

impl TfjsWeight {
    /// How many bytes it takes in the shards, or at least takes if it has texts; none for a type that nobody reads.
    pub fn bytes(&self) -> Option<u64> {
        let size = match self.quantized.as_deref().unwrap_or(&self.dtype) {
            "bool" | "uint8" | "int8" => 1,
            "uint16" | "int16" | "float16" | "bfloat16" => 2,
            // A text has its length in front of it.
            "float32" | "int32" | "uint32" | "string" => 4,
            "float64" | "int64" | "uint64" | "complex64" => 8,
            _ => return None,
        };
        Some(self.values.saturating_mul(size))
    }
}

/// Weights that lie one after the other in shards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeightGroup {
    /// The shards by their paths, relative to `model.json`.
    pub paths: Vec<String>,
    /// In the order of their bytes.
    pub weights: Vec<TfjsWeight>,
    /// How large each shard is, none if it is not there; empty if nobody looked.
    pub sizes: Vec<Option<u64>>,
}

/// A model of TensorFlow.js. A capability of its party.
#[derive(Clone, Debug)]
pub struct TfjsModel {
    /// As `format` in the file says; files without it are of a graph if their topology has nodes.
    pub format: TfjsFormat,
    /// What wrote the model: `keras v2.15.0`, `2.15.0`.
    pub generated_by: Option<String>,
    /// What made this file of it: `TensorFlow.js Converter v4.22.0`.
    pub converted_by: Option<String>,
    /// The nodes of the graph and of what initializes it; none in a configuration.
    pub nodes: Vec<TfjsNode>,
    /// The configuration: the class of the model and what it is made with.
    pub config: Option<Arc<Value>>,
    /// The weights, by the shards that they share.
    pub groups: Vec<WeightGroup>,
}

impl TfjsModel {
    /// The model in `source`; none if it is none.
    ///
    /// # Errors
    /// If it is one, but broken or too large.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        let head = source.head(HEAD)?;
        let is = |word: &&str| memmem::find(&head, word.as_bytes()).is_some();
        let named = source.name().to_ascii_lowercase().ends_with(".json");
        if !named || !head.trim_ascii_start().starts_with(b"{") || !WORDS.iter().any(is) {
            return Ok(None);
        }
        let json = read_json(&**source)?;
        Ok(Self::from_json(json))
    }

    fn from_json(mut json: Value) -> Option<Self> {
        let mut topology = json.get_mut("modelTopology").map(Value::take)?;
        topology.is_object().then_some(())?;
        let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
        let format = match text(&json, "format").as_deref() {
            Some("graph-model") => TfjsFormat::Graph,
            Some("layers-model") => TfjsFormat::Layers,
            _ if topology.get("node").is_some() => TfjsFormat::Graph,
            _ => TfjsFormat::Layers,
        };
        let keras = text(&topology, "keras_version").map(|version| format!("Keras {version}"));
        let mut nodes = Vec::new();
        let mut config = None;
        if format == TfjsFormat::Graph {
            graph(&topology, &mut nodes);
            if let Some(first) = json.get("modelInitializer") {
                graph(first, &mut nodes);
            }
        } else {
            let inner = topology.get_mut("model_config").map(Value::take);
            config = Some(Arc::new(inner.unwrap_or(topology)));
        }
        Some(Self {
            format,
            generated_by: text(&json, "generatedBy").or(keras),
            converted_by: text(&json, "convertedBy"),
            nodes,
            config,
            groups: list(&json, "weightsManifest").map(group).collect(),
        })
    }
}

/// The elements of a list that may be absent.
fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn graph(graph: &Value, nodes: &mut Vec<TfjsNode>) {
    let text = |value: &Value, key: &str| {
        value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let node = |value: &Value| TfjsNode { name: text(value, "name"), op: text(value, "op") };
    nodes.extend(list(graph, "node").map(node));
    for function in graph.get("library").into_iter().flat_map(|library| list(library, "function")) {
        let name = function.get("signature").map(|one| text(one, "name")).unwrap_or_default();
        nodes.extend(
            list(function, "nodeDef")
                .map(node)
                .map(|node| TfjsNode { name: format!("{name}/{}", node.name), ..node }),
        );
    }
}

fn group(value: &Value) -> WeightGroup {
    let paths = list(value, "paths").filter_map(Value::as_str).map(str::to_owned).collect();
    let weights = list(value, "weights").map(weight).collect();
    WeightGroup { paths, weights, sizes: Vec::new() }
}

fn weight(value: &Value) -> TfjsWeight {
    let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
    let sizes = list(value, "shape").map(|size| size.as_u64().unwrap_or(0));
    TfjsWeight {
        name: text(value, "name").unwrap_or_default(),
        dtype: text(value, "dtype").unwrap_or_default(),
        values: sizes.fold(1, u64::saturating_mul),
        quantized: value.get("quantization").and_then(|one| text(one, "dtype")),
    }
}
