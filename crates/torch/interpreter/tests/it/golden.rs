//! Random calls that PyTorch 2.15.0 carried out (`data/golden.py` made them), carried out here: the same
//! types, shapes and numbers, and the same calls refused.

use std::collections::BTreeMap;
use std::io::Read;

use serde_json::Value as Json;
use unskew_interpreter::{
    Dtype, Interpreter, ReleaseSemantics, RunProblem, ScalarValue, ScriptValue, Tensor,
};

use crate::corpus;

fn rows() -> Vec<Json> {
    let packed = include_bytes!("../data/golden.jsonl.xz");
    let mut text = String::new();
    liblzma::read::XzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(json: &Json) -> ScalarValue {
    match json {
        Json::Bool(yes) => ScalarValue::Bool(*yes),
        Json::String(text) => ScalarValue::Float(text.parse().unwrap()),
        Json::Array(parts) => {
            ScalarValue::Complex(number(&parts[0]).float(), number(&parts[1]).float())
        }
        _ if json.is_i64() => ScalarValue::Int(json.as_i64().unwrap()),
        _ => ScalarValue::Float(json.as_f64().unwrap()),
    }
}

fn value(json: &Json) -> ScriptValue {
    match json {
        Json::Null => ScriptValue::None,
        Json::Array(items) => ScriptValue::list(items.iter().map(value).collect()),
        Json::Object(_) => {
            let dtype = Dtype::named(json["dtype"].as_str().unwrap()).unwrap();
            let shape: Vec<usize> = json["shape"]
                .as_array()
                .unwrap()
                .iter()
                .map(|n| n.as_u64().unwrap() as usize)
                .collect();
            let numbers: Vec<ScalarValue> =
                json["values"].as_array().unwrap().iter().map(number).collect();
            Tensor::new(dtype, &shape, &numbers).unwrap().into()
        }
        Json::String(text) => match text.parse::<f64>() {
            Ok(number) => ScriptValue::from(number),
            Err(_) => ScriptValue::from(text.as_str()),
        },
        other => number(other).into(),
    }
}

/// What rounding may change, by how many bits a type has.
fn tolerance(dtype: Dtype) -> f64 {
    match dtype {
        Dtype::BF16 => 2e-2,
        Dtype::F16 => 3e-3,
        Dtype::F64 => 1e-9,
        _ => 2e-5,
    }
}

fn difference(wanted: &ScriptValue, found: &ScriptValue) -> Option<String> {
    let (a, b) = (wanted.tensors(), found.tensors());
    if a.is_empty() && b.is_empty() {
        return (wanted.to_string() != found.to_string())
            .then(|| format!("{found} instead of {wanted}"));
    }
    let widest = a.iter().map(|tensor| tolerance(tensor.dtype())).fold(0.0, f64::max);
    corpus::difference(wanted, found, widest)
}

#[test]
fn random_calls_give_what_pytorch_gave() {
    let interpreter = Interpreter::new(ReleaseSemantics::newest());
    let (mut equal, mut refused) = (0, 0);
    let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows() {
        let name = row["op"].as_str().unwrap();
        let args: Vec<ScriptValue> = row["args"].as_array().unwrap().iter().map(value).collect();
        let named: Vec<(String, ScriptValue)> = row
            .get("named")
            .and_then(Json::as_object)
            .into_iter()
            .flatten()
            .map(|(name, json)| (name.clone(), value(json)))
            .collect();
        let result = interpreter.operator(name, args, named);
        let what = match (row.get("out"), result) {
            (Some(wanted), Ok(found)) => match difference(&value(wanted), &found) {
                None => {
                    equal += 1;
                    continue;
                }
                Some(difference) => difference,
            },
            (None, Err(error))
                if matches!(error.problem, RunProblem::Refused(_) | RunProblem::Unsupported(_)) =>
            {
                refused += 1;
                continue;
            }
            (None, Err(error)) => format!("refused otherwise: {error}"),
            (None, Ok(found)) => format!("not refused: {}", found.type_name()),
            (Some(_), Err(error)) => format!("refused: {error}"),
        };
        let given: Vec<String> = row["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| {
                a.get("dtype").map_or_else(
                    || a.to_string(),
                    |d| format!("{}{}", d.as_str().unwrap(), a["shape"]),
                )
            })
            .collect();
        others.entry(name.to_owned()).or_default().push(format!("({}) {what}", given.join(", ")));
    }
    for (name, lines) in &others {
        println!("{:4} {name}", lines.len());
        lines
            .iter()
            .take(3)
            .for_each(|line| println!("       {}", line.chars().take(170).collect::<String>()));
    }
    println!("{equal} equal, {refused} refused by both");
    assert!(others.is_empty());
}
