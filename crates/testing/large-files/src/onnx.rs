//! An ONNX model of a thousand nodes, as exporters write transformers: opset 17, weights in it or in a file beside it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use unskew_source::Rope;

/// Layers of 19 nodes, each with four square weights.
const LAYERS: usize = 53;

/// The elements of a float.
const FLOAT: u64 = 1;
/// Those of a whole number of 64 bits.
const INT64: u64 = 7;

/// Opset 17, in which axes of `ReduceMean` are an attribute, and `Softmax` is of one axis.
const OPSET: u64 = 17;

/// Writes a model whose weights have this many rows and columns, in it or beside it as a hole of a file.
pub fn write(path: &Path, edge: usize, outside: bool) -> std::io::Result<()> {
    let size = (edge * edge * 4) as u64;
    let beside = PathBuf::from(format!("{}.data", path.display()));
    let mut graph = Rope::default();
    let mut from = "x".to_owned();
    for layer in 0..LAYERS {
        from = nodes(&mut graph, layer, &from);
    }
    graph.text(2, "layers");
    for layer in 0..LAYERS {
        for (at, name) in ["q", "k", "v", "o"].iter().enumerate() {
            let place = (layer * 4 + at) as u64 * size;
            let outside = outside.then(|| (file_name(&beside), place));
            graph.message(5, weight(&format!("{name}{layer}"), edge, outside));
        }
        graph.message(
            5,
            small(&format!("g{layer}"), FLOAT, &vec![1.0_f32.to_le_bytes(); edge].concat()),
        );
    }
    graph.message(5, small("eps", FLOAT, &1e-5_f32.to_le_bytes()));
    graph.message(11, value("x", &[128, edge]));
    graph.message(12, value(&from, &[128, edge]));
    let mut opset = Rope::default();
    opset.text(1, "");
    opset.number(2, OPSET);
    let mut model = Rope::default();
    model.number(1, 8);
    model.message(7, graph);
    model.message(8, opset);
    fs::write(path, model.new_bytes())?;
    if outside {
        File::create(beside)?.set_len(LAYERS as u64 * 4 * size)?;
    }
    Ok(())
}

/// One layer: a norm, an attention of one head, and the sum with what came in. Gives the name of what it makes.
fn nodes(graph: &mut Rope, layer: usize, from: &str) -> String {
    let name = |what: &str| format!("{what}_{layer}");
    let weight = |what: &str| format!("{what}{layer}");
    let mut node = |op: &str, inputs: &[&str], output: &str, attribute: Option<Rope>| {
        let mut node = Rope::default();
        inputs.iter().for_each(|input| node.text(1, input));
        node.text(2, output);
        node.text(3, &format!("/layers.{layer}/{op}_{output}"));
        node.text(4, op);
        if let Some(attribute) = attribute {
            node.message(5, attribute);
        }
        graph.message(1, node);
    };
    let [mean, away, square, spread, sum, root, even, norm] =
        ["mean", "away", "square", "spread", "sum", "root", "even", "norm"].map(name);
    node("ReduceMean", &[from], &mean, Some(ints("axes", &[-1])));
    node("Sub", &[from, &mean], &away, None);
    node("Mul", &[&away, &away], &square, None);
    node("ReduceMean", &[&square], &spread, Some(ints("axes", &[-1])));
    node("Add", &[&spread, "eps"], &sum, None);
    node("Sqrt", &[&sum], &root, None);
    node("Div", &[&away, &root], &even, None);
    node("Mul", &[&even, &weight("g")], &norm, None);
    let [query, key, turned, values, scores, shares, found, back, out] =
        ["query", "key", "turned", "values", "scores", "shares", "found", "back", "out"].map(name);
    node("MatMul", &[&norm, &weight("q")], &query, None);
    node("MatMul", &[&norm, &weight("k")], &key, None);
    node("MatMul", &[&norm, &weight("v")], &values, None);
    node("Transpose", &[&key], &turned, Some(ints("perm", &[1, 0])));
    node("MatMul", &[&query, &turned], &scores, None);
    node("Softmax", &[&scores], &shares, Some(int("axis", -1)));
    node("MatMul", &[&shares, &values], &found, None);
    node("MatMul", &[&found, &weight("o")], &back, None);
    let [flat, other] = ["flat", "other"].map(name);
    node("Relu", &[&back], &flat, None);
    node("Identity", &[&flat], &other, None);
    node("Add", &[from, &other], &out, None);
    out
}

fn int(name: &str, number: i64) -> Rope {
    let mut attribute = Rope::default();
    attribute.text(1, name);
    attribute.number(3, number as u64);
    attribute.number(20, 2);
    attribute
}

fn ints(name: &str, all: &[i64]) -> Rope {
    let mut attribute = Rope::default();
    attribute.text(1, name);
    all.iter().for_each(|number| attribute.number(8, *number as u64));
    attribute.number(20, INT64);
    attribute
}

/// A square of weights: zeros in the model, or a place in a file.
fn weight(name: &str, edge: usize, outside: Option<(String, u64)>) -> Rope {
    let bytes = edge * edge * 4;
    let mut tensor = Rope::default();
    tensor.number(1, edge as u64);
    tensor.number(1, edge as u64);
    tensor.number(2, FLOAT);
    tensor.text(8, name);
    match outside {
        None => {
            let mut zeros = Rope::default();
            zeros.bytes(&vec![0; bytes]);
            tensor.message(9, zeros);
        }
        Some((file, place)) => {
            for (key, value) in
                [("location", file), ("offset", place.to_string()), ("length", bytes.to_string())]
            {
                let mut entry = Rope::default();
                entry.text(1, key);
                entry.text(2, &value);
                tensor.message(13, entry);
            }
            tensor.number(14, 1);
        }
    }
    tensor
}

/// A tensor of one dimension, or a number alone.
fn small(name: &str, element: u64, bytes: &[u8]) -> Rope {
    let mut tensor = Rope::default();
    if bytes.len() > 4 {
        tensor.number(1, (bytes.len() / 4) as u64);
    }
    tensor.number(2, element);
    tensor.text(8, name);
    let mut raw = Rope::default();
    raw.bytes(bytes);
    tensor.message(9, raw);
    tensor
}

fn value(name: &str, dims: &[usize]) -> Rope {
    let mut shape = Rope::default();
    for size in dims {
        let mut dim = Rope::default();
        dim.number(1, *size as u64);
        shape.message(1, dim);
    }
    let mut tensor = Rope::default();
    tensor.number(1, FLOAT);
    tensor.message(2, shape);
    let mut kind = Rope::default();
    kind.message(1, tensor);
    let mut value = Rope::default();
    value.text(1, name);
    value.message(2, kind);
    value
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
