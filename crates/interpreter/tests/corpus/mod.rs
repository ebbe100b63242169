//! The files that 24 releases wrote, with the inputs that they were given and what they gave.
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use serde_json::Value as Json;
use unskew_interpreter::{Dtype, Number, Tensor, Value};
use unskew_source::{BytesSource, Source};

/// Every file by `release/name`.
pub fn files() -> BTreeMap<String, Vec<u8>> {
    let packed = include_bytes!("../../../torch/tests/data/archives.tar.xz");
    let mut archive = tar::Archive::new(liblzma::read::XzDecoder::new(&packed[..]));
    let mut files = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(name, bytes);
    }
    files
}

/// What a release recorded for a model.
pub struct Recorded {
    /// `1.10.2/add`.
    pub model: String,
    pub inputs: Vec<Value>,
    /// What it gave; none if it refused.
    pub output: Option<Value>,
}

pub fn recorded() -> Vec<Recorded> {
    let packed = include_bytes!("../data/outputs.jsonl.xz");
    let mut text = String::new();
    liblzma::read::XzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    text.lines()
        .map(|line| {
            let row: Json = serde_json::from_str(line).unwrap();
            Recorded {
                model: row["model"].as_str().unwrap().to_owned(),
                inputs: row["inputs"].as_array().unwrap().iter().map(value).collect(),
                output: row.get("outputs").map(value),
            }
        })
        .collect()
}

fn number(json: &Json) -> Number {
    match json {
        Json::Bool(yes) => Number::Bool(*yes),
        _ if json.is_i64() => Number::Int(json.as_i64().unwrap()),
        _ => Number::Float(json.as_f64().unwrap()),
    }
}

/// A tensor is an object; several outputs are a list.
pub fn value(json: &Json) -> Value {
    match json {
        Json::Array(items) => Value::tuple(items.iter().map(value).collect()),
        Json::Object(_) => {
            let dtype = Dtype::named(json["dtype"].as_str().unwrap()).unwrap();
            let ints = |list: &Json| -> Vec<usize> {
                list.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect()
            };
            let numbers: Vec<Number> =
                json["values"].as_array().unwrap().iter().map(number).collect();
            Tensor::new(dtype, &ints(&json["shape"]), &numbers).unwrap().into()
        }
        other => number(other).into(),
    }
}

pub fn source(name: &str, bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(BytesSource::new(name, bytes.to_vec()))
}

/// How two outputs differ: types and shapes must be the same, floats within a tolerance.
pub fn difference(wanted: &Value, found: &Value, tolerance: f64) -> Option<String> {
    let (wanted, found) = (wanted.tensors(), found.tensors());
    if wanted.len() != found.len() {
        return Some(format!("{} tensors instead of {}", found.len(), wanted.len()));
    }
    wanted.iter().zip(&found).find_map(|(wanted, found)| {
        if (wanted.dtype(), wanted.shape()) != (found.dtype(), found.shape()) {
            return Some(format!("{found} instead of {wanted}"));
        }
        let pairs = wanted.numbers().into_iter().zip(found.numbers());
        pairs.enumerate().find_map(|(at, (wanted, found))| {
            (!near(wanted, found, tolerance))
                .then(|| format!("element {at}: {found} instead of {wanted}"))
        })
    })
}

/// Equal, but for what rounding may change in a float.
pub fn near(wanted: Number, found: Number, tolerance: f64) -> bool {
    match (wanted, found) {
        (Number::Complex(a, b), Number::Complex(c, d)) => {
            near(Number::Float(a), Number::Float(c), tolerance)
                && near(Number::Float(b), Number::Float(d), tolerance)
        }
        (Number::Float(a), Number::Float(b)) => {
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * a.abs().max(0.1)
        }
        (a, b) => a == b,
    }
}
