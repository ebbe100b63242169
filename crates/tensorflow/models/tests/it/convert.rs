//! Conversions of any graph: they end, they are exact the second time, they never read a tensor.

use std::io;
use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::{Conversion, DataConsumer, Date, check};
use unskew_source::{BytesSource, ConvertedArtifact, Source, SourceExt as _};
use unskew_tensorflow::{
    GraphConvertOptions, OpHistory, OpRegistry, TensorFlowRuntime, convert, convert_saved_model,
    party,
};

const HISTORY: &str = "#releases\t1.4.1 2.4.4 2.15.1\n\
    Add(x: T, y: T) -> (z: T) {T: type}\t1.4.1-\n\
    AddV2(x: T, y: T) -> (z: T) {T: type}\t2.4.4-\n\
    Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type}\t1.4.1\n\
    Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type, Truncate: bool = false}\t2.4.4-\n\
    Const() -> (output: dtype) {value: tensor, dtype: type}\t1.4.1-\n\
    DisableCopyOnRead(resource: resource) -> () stateful\t2.15.1\n\
    Gather(params: P, indices: I) -> (output: P) {P: type, I: type}\t1.4.1-\n\
    NoOp() -> ()\t1.4.1-\n\
    Placeholder() -> (output: dtype) {dtype: type, shape: shape = ?}\t1.4.1-\n\
    Select(condition: bool, t: T, e: T) -> (output: T) {T: type}\t1.4.1-\n\
    SelectV2(condition: bool, t: T, e: T) -> (output: T) {T: type}\t2.4.4-\n\
    VarHandleOp() -> (resource: resource) {dtype: type, shape: shape}\t1.4.1-2.4.4\n\
    VarHandleOp() -> (resource: resource) {debug_name: string = \"\", dtype: type, shape: shape}\t2.15.1\n";

fn runtime(version: &str) -> TensorFlowRuntime {
    let version = version.parse().unwrap();
    let history = Arc::new(OpHistory::from_text(HISTORY).unwrap());
    TensorFlowRuntime {
        version,
        released: Date::constant(2024, 3, 8),
        graph_def: DataConsumer { version: 24, min_producer: 0 },
        checkpoint: DataConsumer { version: 1, min_producer: 0 },
        ops: OpRegistry::new(history, version, false),
        known: Arc::new([]),
        kernels: None,
        usage: unskew_tensorflow::RuntimeUsage::default(),
    }
}

/// A field whose payload is these bytes.
fn field(number: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut len = payload.len();
    while len >= 0x80 {
        bytes.push(len as u8 | 0x80);
        len >>= 7;
    }
    bytes.push(len as u8);
    bytes.extend(payload);
    bytes
}

fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut node = [field(1, name.as_bytes()), field(2, op.as_bytes())].concat();
    inputs.iter().for_each(|input| node.extend(field(3, input.as_bytes())));
    for (name, value) in attrs {
        node.extend(field(5, &[field(1, name.as_bytes()), field(2, value)].concat()));
    }
    field(1, &node)
}

fn float() -> Vec<u8> {
    vec![0x30, 1]
}

fn source(bytes: Vec<u8>) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("graph.pb", bytes))
}

fn converted(file: &Arc<dyn Source>, to: &TensorFlowRuntime) -> (Conversion, Arc<dyn Source>) {
    let (plan, output) = convert(file, to, &GraphConvertOptions::default()).unwrap().unwrap();
    let ConvertedArtifact::File(file) = output else { unreachable!("a file becomes a file") };
    (plan, file)
}

/// A graph of some of these nodes.
fn graph(parts: &[u8]) -> Vec<u8> {
    let of_float = ("T", float());
    let placeholder = [("dtype", float())];
    let mut graph = node("x", "Placeholder", &[], &placeholder);
    for (at, part) in parts.iter().enumerate() {
        let name = format!("n{at}");
        graph.extend(match part % 6 {
            0 => node(&name, "AddV2", &["x", "x"], std::slice::from_ref(&of_float)),
            1 => {
                let truncate = vec![0x28, part >> 4 & 1];
                let attrs = [("SrcT", float()), ("DstT", float()), ("Truncate", truncate)];
                node(&name, "Cast", &["x"], &attrs)
            }
            2 => node(&name, "SelectV2", &["x", "x", "x"], std::slice::from_ref(&of_float)),
            3 => node(&name, "SelectV2", &["x", "n0", "x"], std::slice::from_ref(&of_float)),
            4 => {
                let attrs = [("dtype", float()), ("debug_name", field(2, b"v/"))];
                node(&name, "VarHandleOp", &[], &attrs)
            }
            _ => node(&name, "DisableCopyOnRead", &["x", "^n0"], &[]),
        });
    }
    graph
}

proptest! {
    #[test]
    fn a_second_conversion_finds_nothing_to_do_and_check_announces_what_the_first_did(
        parts in proptest::collection::vec(any::<u8>(), 1..12),
        release in prop_oneof![Just("1.4.1"), Just("2.4.4"), Just("2.15.1")],
    ) {
        let (file, to) = (source(graph(&parts)), runtime(release));
        let context = unskew_core::Context::for_tests();
        let announced = check(&party(&file).unwrap().unwrap(), &to.party(), &context);
        let (_, once) = converted(&file, &to);
        let (again, twice) = converted(&once, &to);
        prop_assert!(again.changes_nothing(), "{:?}", again.rewrites);
        prop_assert_eq!(once.all().unwrap(), twice.all().unwrap());
        let after = check(&party(&once).unwrap().unwrap(), &to.party(), &context);
        prop_assert_eq!(announced.works(), after.works(), "{:?}", announced.findings);
    }

    #[test]
    fn a_torn_graph_is_an_error_or_nothing_and_never_a_panic(
        parts in proptest::collection::vec(any::<u8>(), 1..8), cut in any::<prop::sample::Index>(),
    ) {
        let bytes = graph(&parts);
        let file = source(bytes[..cut.index(bytes.len())].to_vec());
        drop(convert(&file, &runtime("1.4.1"), &GraphConvertOptions::default()));
    }
}

/// A file of which nobody may read the tensor.
struct Guarded {
    head: Vec<u8>,
    tensor: u64,
    tail: Vec<u8>,
}

impl Source for Guarded {
    fn name(&self) -> &str {
        "guarded.pb"
    }

    fn size(&self) -> u64 {
        self.head.len() as u64 + self.tensor + self.tail.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let tail = self.head.len() as u64 + self.tensor;
        let rest = match offset.checked_sub(tail) {
            Some(at) => self.tail.get(at as usize..).unwrap_or(&[]),
            None => self.head.get(offset as usize..).unwrap_or(&[]),
        };
        if rest.is_empty() && offset < tail {
            // Blocks are read ahead, so a little of the tensor comes along.
            let within = offset - self.head.len() as u64;
            assert!(within < 1 << 16, "byte {within} of the tensor was read");
            let n = buffer.len().min((tail - offset) as usize);
            buffer[..n].fill(0);
            return Ok(n);
        }
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
}

#[test]
fn a_graph_with_gigabytes_of_weights_is_converted_without_reading_them() {
    let tensor = 3u64 << 30;
    let varint = |mut n: u64| {
        let mut bytes = Vec::new();
        while n >= 0x80 {
            bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        bytes.push(n as u8);
        bytes
    };
    // Const { value: tensor { dtype: float, content } }, written from the inside out.
    let mut head = [vec![0x22], varint(tensor)].concat();
    head.splice(0..0, [0x08, 1]);
    for (before, number) in [(Vec::new(), 8), (field(1, b"value"), 2), (Vec::new(), 5)] {
        let len = head.len() as u64 + tensor;
        head = [before, vec![number << 3 | 2], varint(len), head].concat();
    }
    let named = [field(1, b"c"), field(2, b"Const")].concat();
    let len = (named.len() + head.len()) as u64 + tensor;
    let head = [vec![0x0a], varint(len), named, head].concat();
    let tail = node("y", "AddV2", &["c", "c"], &[("T", float())]);
    let size = head.len() as u64 + tensor + tail.len() as u64;
    let file: Arc<dyn Source> = Arc::new(Guarded { head, tensor, tail });
    let (plan, output) = converted(&file, &runtime("1.4.1"));
    assert_eq!(plan.rewrites[0].adaptation, "replace-op");
    assert_eq!(output.size(), size - 2, "AddV2 became Add");
}

#[test]
fn a_text_that_changes_becomes_bytes_with_everything_that_it_says() {
    let text = br#"node { name: "c" op: "Const" device: "/cpu" attr { key: "value" value { tensor {
        dtype: DT_DOUBLE double_val: [1.5, -2] uint32_val: 7 tensor_content: "a\000" } } } }
        node { name: "y" op: "AddV2" input: "c" input: "c" attr { key: "T" value { type: DT_FLOAT } } }"#;
    let file = source(text.to_vec());
    let (plan, output) = converted(&file, &runtime("1.4.1"));
    let names: Vec<_> = plan.rewrites.iter().map(|rewrite| rewrite.adaptation).collect();
    assert_eq!(names, ["replace-op", "text-to-bytes"]);
    let doubles = [&[0x31][..], &1.5f64.to_le_bytes(), &[0x31], &(-2f64).to_le_bytes()].concat();
    let tensor = [&[8, 2], &doubles[..], &[0x80, 1, 7], &field(4, b"a\0")].concat();
    let c = [field(1, b"c"), field(2, b"Const"), field(4, b"/cpu")].concat();
    let value = field(5, &[field(1, b"value"), field(2, &field(8, &tensor))].concat());
    let y = node("y", "Add", &["c", "c"], &[("T", float())]);
    assert_eq!(output.all().unwrap(), [field(1, &[c, value].concat()), y].concat());
    // What needs nothing stays a text.
    let (plan, output) = converted(&file, &runtime("2.4.4"));
    assert!(plan.changes_nothing());
    assert_eq!(output.all().unwrap(), text);
}

#[test]
fn a_text_with_something_that_would_be_lost_does_not_become_bytes() {
    let text = br#"node { name: "x" op: "AddV2" from_the_future: 1 attr { key: "T" value { type: DT_FLOAT } } }"#;
    let error = convert(&source(text.to_vec()), &runtime("1.4.1"), &GraphConvertOptions::default());
    let error = error.err().unwrap().to_string();
    assert!(error.contains("from_the_future"), "{error}");
}

#[test]
fn a_saved_model_as_text_becomes_one_of_bytes() {
    let text =
        br#"saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: "serve" } graph_def {
        node { name: "x" op: "AddV2" attr { key: "T" value { type: DT_FLOAT } } } } }"#;
    let text = Arc::new(BytesSource::new("saved_model.pbtxt", text.to_vec()));
    let files = [("saved_model.pbtxt".to_owned(), text as Arc<dyn Source>)];
    let made = convert_saved_model(&files, &runtime("1.4.1"), &GraphConvertOptions::default());
    let Some((_, ConvertedArtifact::Folder(files))) = made.unwrap() else {
        unreachable!("a folder")
    };
    assert_eq!(files[0].0, "saved_model.pb");
    assert_eq!(
        party(&(files[0].1.clone() as Arc<dyn Source>)).unwrap().unwrap().kind,
        "SavedModel"
    );
}
