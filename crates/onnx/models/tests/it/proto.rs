//! Messages of ONNX, field by field.

/// A field that is a message, a text or bytes.
pub fn bytes(number: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    let value = value.as_ref();
    let mut out = varint(number << 3 | 2);
    out.extend(varint(value.len() as u64));
    out.extend(value);
    out
}

/// A field that is a number.
pub fn number(number: u64, value: i64) -> Vec<u8> {
    let mut out = varint(number << 3);
    out.extend(varint(value as u64));
    out
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// A `NodeProto`: operator, inputs, outputs, attributes.
pub fn node(op: &str, inputs: &[&str], outputs: &[&str], attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut out: Vec<u8> = inputs.iter().flat_map(|name| bytes(1, name)).collect();
    out.extend(outputs.iter().flat_map(|name| bytes(2, name)));
    out.extend(bytes(4, op));
    out.extend(attributes.iter().flat_map(|one| bytes(5, one)));
    out
}

/// An `AttributeProto` that is a number.
pub fn int(name: &str, value: i64) -> Vec<u8> {
    [bytes(1, name), number(3, value), number(20, 2)].concat()
}

/// An `AttributeProto` that is a graph.
pub fn graph(name: &str, value: &[u8]) -> Vec<u8> {
    [bytes(1, name), bytes(6, value), number(20, 5)].concat()
}

/// A `ValueInfoProto` of a tensor.
pub fn value(name: &str, element: i64) -> Vec<u8> {
    [bytes(1, name), bytes(2, bytes(1, number(1, element)))].concat()
}

/// A `GraphProto` of the name `net`: nodes, inputs, outputs.
pub fn body(nodes: &[Vec<u8>], inputs: &[Vec<u8>], outputs: &[Vec<u8>]) -> Vec<u8> {
    let mut out: Vec<u8> = nodes.iter().flat_map(|node| bytes(1, node)).collect();
    out.extend(bytes(2, "net"));
    out.extend(inputs.iter().flat_map(|value| bytes(11, value)));
    out.extend(outputs.iter().flat_map(|value| bytes(12, value)));
    out
}

/// A `ModelProto` of IR version 8.
pub fn model(opset: i64, graph: &[u8], more: &[u8]) -> Vec<u8> {
    [number(1, 8), bytes(7, graph), bytes(8, number(2, opset)), more.to_vec()].concat()
}
