//! What no bytes may do: panic, hang, or pass for something they are not.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_source::{BytesSource, Source, SourceProblem};
use unskew_tensorflow::read::{self, Encoding, TensorFlowFileKind};
use unskew_tensorflow::{AttrValue, DataType, party};

fn source(bytes: Vec<u8>) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("model/graph.pb", bytes))
}

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

fn attr(name: &str, value: &[u8]) -> Vec<u8> {
    field(5, &[field(1, name.as_bytes()), field(2, value)].concat())
}

fn node(name: &str, op: &str, inputs: &[&str], attrs: &[Vec<u8>]) -> Vec<u8> {
    let mut node = [field(1, name.as_bytes()), field(2, op.as_bytes())].concat();
    inputs.iter().for_each(|input| node.extend(field(3, input.as_bytes())));
    attrs.iter().for_each(|attr| node.extend(attr));
    field(1, &node)
}

/// A graph with something of everything: a tensor, lists, a function, versions.
fn graph() -> Vec<u8> {
    let float = [0x30, 1];
    let shape = field(2, &[0x08, 3]);
    let tensor = field(8, &[vec![0x08, 1], field(2, &shape), field(4, &[0; 12])].concat());
    let strides = field(1, &field(3, &[1, 2, 2, 1]));
    let shapes = field(1, &field(7, &shape));
    let function = field(10, &field(1, b"body"));
    let signature = [
        field(1, b"body"),
        field(2, &[field(1, b"x"), vec![0x18, 1]].concat()),
        field(3, &[field(1, b"y"), vec![0x18, 1]].concat()),
    ];
    let inner = [field(1, b"z"), field(2, b"Identity"), field(3, b"x"), attr("T", &float)].concat();
    let function_def = [field(1, &signature.concat()), field(3, &inner)].concat();
    [
        node("c", "Const", &[], &[attr("dtype", &float), attr("value", &tensor)]),
        node("n", "Conv2D", &["c", "c"], &[attr("T", &float), attr("strides", &strides)]),
        node("s", "StatefulPartitionedCall", &["^n", "c:0"], &[attr("f", &function)]),
        node("i", "Identity", &["n"], &[attr("T", &float), attr("_output_shapes", &shapes)]),
        field(2, &field(1, &function_def)),
        field(4, &[0x08, 0xb1, 4, 0x10, 12, 0x18, 7]),
    ]
    .concat()
}

fn saved_model() -> Vec<u8> {
    let op = field(1, &field(1, b"Const"));
    let info = [field(2, &op), field(4, b"serve"), field(5, b"2.4.1"), vec![0x38, 1]].concat();
    let version = field(2, &[0x08, 1, 0x10, 2]);
    let object = field(1, &field(4, &[field(1, b"trackable_list"), version].concat()));
    let meta = [field(1, &info), field(2, &graph()), field(7, &object)].concat();
    [vec![0x08, 1], field(2, &meta)].concat()
}

fn masked_crc(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
        }
    }
    (!crc).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// A table with one block, whose one entry has the empty key and this value.
fn table(value: &[u8]) -> Vec<u8> {
    fn block(entries: &[u8], bytes: &mut Vec<u8>) -> [u8; 2] {
        let start = bytes.len() as u8;
        let mut block = [entries, &[0, 0, 0, 0, 1, 0, 0, 0]].concat();
        let len = block.len() as u8;
        block.push(0);
        let crc = masked_crc(&block);
        bytes.extend(block);
        bytes.extend(crc.to_le_bytes());
        [start, len]
    }
    let mut bytes = Vec::new();
    let data = block(&[&[0, 0, value.len() as u8], value].concat(), &mut bytes);
    let index = block(&[&[0, 1, 2, b'a'], &data[..]].concat(), &mut bytes);
    let footer = bytes.len();
    bytes.extend([[0, 0], index].concat());
    bytes.resize(footer + 40, 0);
    bytes.extend(0xdb47_7524_8b80_fb57_u64.to_le_bytes());
    bytes
}

fn facts(bytes: Vec<u8>) -> (String, Vec<String>) {
    let party = party(&source(bytes)).unwrap().unwrap();
    let facts = party.facts.iter().map(|fact| format!("{}: {}", fact.label, fact.value));
    (party.kind.clone(), facts.collect())
}

#[test]
fn each_kind_of_file_is_told_from_the_others() {
    let (kind, said) = facts(graph());
    assert_eq!(kind, "GraphDef");
    assert_eq!(said[0], "versions: producer 561, min_consumer 12, bad_consumers 7");
    assert_eq!(said[1], "nodes: 5 of 4 ops");
    let (kind, said) = facts(saved_model());
    assert_eq!(kind, "SavedModel");
    for fact in ["exporter: tensorflow 2.4.1", "tags: serve", "versioned objects: 1"] {
        assert!(said.iter().any(|said| said == fact), "{fact}: {said:?}");
    }
    let meta = [field(1, &field(5, b"1.1.0")), field(2, &graph())].concat();
    assert_eq!(facts(meta).0, "MetaGraphDef");
}

#[test]
fn headers_of_both_kinds_of_checkpoints_are_read() {
    let (kind, said) = facts(table(&[0x08, 1, 0x1a, 2, 0x08, 1]));
    assert_eq!(kind, "checkpoint, format 2");
    assert_eq!(said[0], "versions: producer 1, min_consumer 0, bad_consumers none");
    let meta = field(1, &[field(1, &field(1, b"w")), field(2, &[0x08, 1, 0x10, 2])].concat());
    let (kind, said) = facts(table(&meta));
    assert_eq!(kind, "checkpoint, format 1");
    assert_eq!(said[0], "versions: producer 1, min_consumer 2, bad_consumers none");
}

#[test]
fn a_block_whose_checksum_is_wrong_is_an_error_that_names_its_byte() {
    let mut bytes = table(&[0x08, 1, 0x1a, 2, 0x08, 1]);
    bytes[4] ^= 1;
    let error = party(&source(bytes)).unwrap_err();
    assert_eq!(error.offset, Some(0));
    assert!(error.to_string().contains("checksum"), "{error}");
}

#[test]
fn a_graph_as_text_says_the_same_as_its_bytes() {
    let text = r#"
        # a comment
        node { name: "c" op: 'Const'
          attr { key: "dtype" value { type: DT_FLOAT } }
          attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } }
            tensor_content: "\000\001\"" float_val: [1.0, -2e3, inf] } } }
        }
        node < name: "n" op: "Conv2D" input: ["c", "c"]
          attr { key: "T" value { type: DT_FLOAT } }
          attr { key: "strides" value { list { i: 1 i: 2 i: 2 i: 1 } } } >
        versions { producer: 561; min_consumer: 0xc bad_consumers: -1 }
    "#;
    let text = source(text.as_bytes().to_vec());
    assert_eq!(read::recognize(&*text).unwrap(), Some((TensorFlowFileKind::Graph, Encoding::Text)));
    let graph = read::graph(&read::transcode(&*text, TensorFlowFileKind::Graph).unwrap()).unwrap();
    let versions = graph.versions.unwrap();
    assert_eq!((versions.producer, versions.min_consumer), (561, 12));
    assert!(versions.bad_consumers.contains(&-1));
    assert_eq!(graph.nodes[1].attr("T"), Some(&AttrValue::Type(DataType(1))));
    assert_eq!(graph.nodes[1].attr("strides").unwrap().to_string(), "[1, 2, 2, 1]");
    assert_eq!(graph.nodes[0].attr("value").unwrap().to_string(), "tensor(float [3])");
    assert_eq!(graph.nodes[1].data_inputs().collect::<Vec<_>>(), ["c", "c"]);
}

#[test]
fn a_torn_text_names_the_byte_and_the_field() {
    let text =
        "node {\n  name: \"c\"\n  op: \"Const\"\n  attr { key: \"dtype\" value { type: DT_FL";
    let error = party(&source(text.as_bytes().to_vec())).unwrap_err();
    assert_eq!(error.offset, Some(text.len() as u64), "{error}");
    let text = "node { name: \"c\" op: } ";
    let error = party(&source(text.as_bytes().to_vec())).unwrap_err();
    assert_eq!(error.field.as_deref(), Some("op"), "{error}");
}

#[test]
fn a_text_that_nests_without_end_is_refused() {
    let text = format!("node {{ name: \"c\" unknown {{ {}", "x {".repeat(100_000));
    let error = party(&source(text.into_bytes())).unwrap_err();
    assert!(matches!(*error.problem, SourceProblem::TooDeep { .. }), "{error}");
}

#[test]
fn a_graph_that_is_cut_off_is_an_error_that_names_the_byte() {
    let whole = graph();
    let torn = whole[..whole.len() - 3].to_vec();
    let error = party(&source(torn)).unwrap_err();
    assert!(matches!(*error.problem, SourceProblem::Truncated { .. }), "{error}");
    assert!(error.offset.is_some());
}

#[test]
fn a_small_file_that_would_grow_large_is_refused() {
    // Two bytes for an argument without a name, of which each costs a hundred in memory.
    let arguments = [0x12, 0].repeat(4 << 20);
    let signature = [field(1, b"f"), arguments].concat();
    let library = field(2, &field(1, &field(1, &signature)));
    let error = party(&source(library)).unwrap_err();
    assert!(matches!(*error.problem, SourceProblem::TooLarge { .. }), "{error}");
}

#[test]
fn what_stands_behind_attributes_is_read_of_each_node() {
    let of_type = attr("T", &[0x30, 1]);
    let head = |name: &str| [field(1, name.as_bytes()), field(2, b"Identity")].concat();
    let behind = [field(1, b"last"), field(3, b"x")].concat();
    let nodes = [
        [head("a"), of_type.clone(), behind.clone()].concat(),
        [head("b"), of_type.clone(), behind].concat(),
        [head("c"), of_type.clone()].concat(),
        [head("d"), of_type.clone()].concat(),
        [head("e"), field(3, b"y"), of_type, field(6, b"kept by nobody")].concat(),
    ];
    let bytes: Vec<u8> = nodes.iter().flat_map(|node| field(1, node)).collect();
    let graph = read::graph(&*source(bytes)).unwrap();
    let names: Vec<&str> = graph.nodes.iter().map(|node| &*node.name).collect();
    assert_eq!(names, ["last", "last", "c", "d", "e"]);
    let inputs: Vec<Vec<&str>> = graph.nodes.iter().map(|it| it.inputs.iter().collect()).collect();
    assert_eq!(inputs, [vec!["x"], vec!["x"], vec![], vec![], vec!["y"]]);
    let float = AttrValue::Type(DataType(1));
    assert!(graph.nodes.iter().all(|node| node.attr("T") == Some(&float) && node.attrs.len() == 1));
}

#[test]
fn a_name_or_an_input_that_is_no_text_is_an_error_where_it_stands() {
    for (number, texts) in [(1, vec![&b"\xff"[..]]), (3, vec![&b"\xc3"[..], &b"\xa9"[..]])] {
        let fields: Vec<u8> = texts.iter().flat_map(|text| field(number, text)).collect();
        let error = read::graph(&*source(field(1, &fields))).unwrap_err();
        assert!(error.to_string().contains("byte 2"), "{error}");
        assert!(error.to_string().contains("not UTF-8"), "{error}");
    }
}

#[test]
fn other_files_are_not_taken_for_graphs() {
    let onnx = [vec![0x08, 7], field(2, b"pytorch"), field(3, b"1.9"), field(7, b"xx")].concat();
    let others: [&[u8]; 8] = [
        b"",
        b"PK\x03\x04",
        b"\x7fELF\x02\x01\x01",
        b"{\"node\": []}",
        b"node: a list of things",
        b"ML\xefR\x0d",
        &onnx,
        // A message of two texts: a name, and what is no op.
        b"\x0a\x07\x0a\x01a\x12\x02b c",
    ];
    for bytes in others {
        assert!(party(&source(bytes.to_vec())).unwrap().is_none(), "{bytes:?}");
    }
}

/// A source of 4 GB: a node, a tensor of zeros that nobody may read, and versions.
struct Weights {
    head: Vec<u8>,
    tail: Vec<u8>,
}

const WEIGHTS: u64 = 4 << 30;

impl Source for Weights {
    fn name(&self) -> &str {
        "frozen.pb"
    }
    fn size(&self) -> u64 {
        self.head.len() as u64 + WEIGHTS + self.tail.len() as u64
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let end = self.head.len() as u64 + WEIGHTS;
        // A table would end in eight magic bytes.
        let allowed = offset < 16 << 10 || offset >= end || offset == self.size() - 8;
        assert!(allowed, "byte {offset} was read");
        let n = buffer.len().min((self.size() - offset) as usize);
        for (at, byte) in (offset..).zip(&mut buffer[..n]) {
            let tail = at.checked_sub(end).and_then(|at| self.tail.get(at as usize));
            *byte = self.head.get(at as usize).or(tail).copied().unwrap_or(0);
        }
        Ok(n)
    }
}

#[test]
fn weights_are_passed_over_where_they_lie() {
    let varint = |mut n: u64| {
        let mut bytes = Vec::new();
        while n >= 0x80 {
            bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        bytes.push(n as u8);
        bytes
    };
    // From the inside out: each message is the one before with a head in front.
    let mut head = vec![0x08, 1, 0x22];
    head.extend(varint(WEIGHTS));
    for (number, before) in [
        (8u8, vec![]),
        (2, field(1, b"value")),
        (5, [field(1, b"w"), field(2, b"Const")].concat()),
        (1, vec![]),
    ] {
        let mut outer = before;
        outer.push(number << 3 | 2);
        outer.extend(varint(head.len() as u64 + WEIGHTS));
        outer.extend(head);
        head = outer;
    }
    let weights: Arc<dyn Source> = Arc::new(Weights { head, tail: field(4, &[0x08, 27]) });
    let party = party(&weights).unwrap().unwrap();
    assert_eq!(party.origin, "producer 27");
}

proptest! {
    #[test]
    fn a_registry_of_any_bytes_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = unskew_tensorflow::diff::ReleaseRegistry::read(&source(bytes.clone()));
        // Behind the beginning of a real one.
        let op = field(1, &[field(1, b"A"), field(4, &[field(1, b"T"), field(2, b"type")].concat())].concat());
        let _ = unskew_tensorflow::diff::ReleaseRegistry::read(&source([op, bytes].concat()));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let file = source(bytes);
        let _ = party(&file);
        let _ = read::graph(&*file);
        let _ = read::saved_model(&*file);
        let _ = read::meta_graph(&*file);
        let _ = read::op_list(&*file);
        let _ = read::checkpoint(&*file);
        let _ = read::transcode(&*file, TensorFlowFileKind::Graph);
    }

    #[test]
    fn changed_files_are_read_or_refused(
        which in 0..4usize, at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()
    ) {
        let mut bytes = match which {
            0 => graph(),
            1 => saved_model(),
            2 => table(&[0x08, 1, 0x1a, 2, 0x08, 1]),
            _ => field(1, &field(1, b"Const")),
        };
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let cut = bytes.len() - cut.index(bytes.len()) / 8;
        bytes.truncate(cut);
        let file = source(bytes);
        let _ = party(&file);
        let _ = read::saved_model(&*file);
        let _ = read::op_list(&*file);
    }

    #[test]
    fn changed_texts_are_read_or_refused(at in 0..200usize, byte in any::<char>()) {
        let text = "node { name: \"c\" op: \"Const\" attr { key: \"value\" value { tensor { float_val: 1.5 \
            tensor_content: \"\\000\" } } } input: ['a'] } versions { producer: 27 }";
        let mut chars: Vec<char> = text.chars().collect();
        let at = at % chars.len();
        chars[at] = byte;
        let _ = party(&source(chars.into_iter().collect::<String>().into_bytes()));
    }
}
