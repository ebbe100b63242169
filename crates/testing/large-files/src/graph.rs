//! A frozen graph of 1,127 nodes: 224 times a convolution, then a classifier.
//!
//! As TensorFlow freezes one: weights are `Const` nodes whose tensors lie between the others, and
//! there is no library. The field numbers are those of `GraphDef`, `NodeDef` and `AttrValue`.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use crate::sparse::{SparseFile, Weights};

const BLOCKS: usize = 224;
/// The numbers of `DT_FLOAT` and `DT_INT32` in `types.proto`.
const FLOAT: u64 = 1;
const INT32: u64 = 3;

/// Writes the graph; it has `9 * 4 * 224 * channels^2` bytes and a little more.
pub fn write(path: &Path, channels: usize, weights: Weights) -> io::Result<()> {
    let mut file = SparseFile::create(path, weights)?;
    let classes = 50 * channels;
    let mut image = Message::default();
    for dim in [1, 32, 32, channels as u64] {
        image = image.message(2, Message::default().int(1, dim));
    }
    let shape = Message::default().message(7, image);
    node(&mut file, "input", "Placeholder", &[], &[("dtype", dtype(FLOAT)), ("shape", shape)])?;
    let mut last = "input".to_owned();
    for block in 0..BLOCKS {
        let name = |part: &str| format!("block_{block}/{part}");
        constant(&mut file, &name("kernel"), &[3, 3, channels, channels])?;
        constant(&mut file, &name("bias"), &[channels])?;
        node(&mut file, &name("conv"), "Conv2D", &[&last, &name("kernel")], &convolution())?;
        let (add, relu) = (name("add"), name("relu"));
        let format = ("data_format", text("NHWC"));
        let inputs = [&*name("conv"), &name("bias")];
        node(&mut file, &add, "BiasAdd", &inputs, &[("T", dtype(FLOAT)), format])?;
        node(&mut file, &relu, "Relu", &[&add], &[("T", dtype(FLOAT))])?;
        last = relu;
    }
    // The axes 1 and 2, over which the image is averaged.
    let axes = tensor(INT32, &[2]).bytes(4, &[1, 0, 0, 0, 2, 0, 0, 0]);
    let axes = Message::default().message(8, axes);
    node(&mut file, "axes", "Const", &[], &[("dtype", dtype(INT32)), ("value", axes)])?;
    let mean =
        [("T", dtype(FLOAT)), ("Tidx", dtype(INT32)), ("keep_dims", Message::default().int(5, 0))];
    node(&mut file, "mean", "Mean", &[&last, "axes"], &mean)?;
    constant(&mut file, "dense/kernel", &[channels, classes])?;
    let t = [("T", dtype(FLOAT))];
    node(&mut file, "dense/matmul", "MatMul", &["mean", "dense/kernel"], &t)?;
    node(&mut file, "softmax", "Softmax", &["dense/matmul"], &t)?;
    node(&mut file, "output", "Identity", &["softmax"], &t)?;
    // The producer of TensorFlow 1.15.
    file.bytes(&Message::default().message(4, Message::default().int(1, 134)).0)?;
    file.finish()
}

/// Writes the graph as a SavedModel into `folder`: with a signature, without variables, which the constants stand
/// for.
#[allow(dead_code, reason = "not every program that has this module measures SavedModels")]
pub fn write_saved_model(folder: &Path, channels: usize, weights: Weights) -> io::Result<()> {
    fs::create_dir_all(folder.join("variables"))?;
    let graph = folder.join("graph.part");
    write(&graph, channels, weights)?;
    let size = fs::metadata(&graph)?.len() as usize;
    let tensor = |name: &str| {
        let info = Message::default().bytes(1, name.as_bytes()).int(2, FLOAT);
        Message::default().bytes(1, b"x").message(2, info)
    };
    let signature = Message::default()
        .message(1, tensor("input:0"))
        .message(2, tensor("output:0"))
        .bytes(3, b"tensorflow/serving/predict");
    let signature = Message::default().bytes(1, b"serving_default").message(2, signature);
    let tail = Message::default().message(5, signature);
    let info = Message::default().bytes(4, b"serve").bytes(5, b"1.15.0");
    let head = Message::default().message(1, info).open(2, &Message::default(), size);
    let model = Message::default().int(1, 1).open(2, &head, size + tail.0.len());
    let mut file = File::create(folder.join("saved_model.pb"))?;
    file.write_all(&model.0)?;
    io::copy(&mut File::open(&graph)?, &mut file)?;
    file.write_all(&tail.0)?;
    fs::remove_file(&graph)
}

fn convolution() -> [(&'static str, Message); 4] {
    let strides = Message::default().message(1, Message::default().bytes(3, &[1, 1, 1, 1]));
    [
        ("T", dtype(FLOAT)),
        ("data_format", text("NHWC")),
        ("padding", text("SAME")),
        ("strides", strides),
    ]
}

fn node(
    file: &mut SparseFile,
    name: &str,
    op: &str,
    inputs: &[&str],
    attrs: &[(&str, Message)],
) -> io::Result<()> {
    let mut node = Message::default().bytes(1, name.as_bytes()).bytes(2, op.as_bytes());
    for input in inputs {
        node = node.bytes(3, input.as_bytes());
    }
    for (name, value) in attrs {
        let attr = Message::default().bytes(1, name.as_bytes()).message(2, value.clone());
        node = node.message(5, attr);
    }
    file.bytes(&Message::default().message(1, node).0)
}

/// A node whose last bytes are weights of this shape.
fn constant(file: &mut SparseFile, name: &str, shape: &[usize]) -> io::Result<()> {
    let len = 4 * shape.iter().product::<usize>();
    let tensor = tensor(FLOAT, shape).open(4, &Message::default(), len);
    let value = Message::default().open(8, &tensor, len);
    let value = Message::default().bytes(1, b"value").open(2, &value, len);
    let attr = Message::default().bytes(1, b"dtype").message(2, dtype(FLOAT));
    let node = Message::default().bytes(1, name.as_bytes()).bytes(2, b"Const").message(5, attr);
    let node = node.open(5, &value, len);
    file.bytes(&Message::default().open(1, &node, len).0)?;
    file.weights(len)
}

fn tensor(of: u64, shape: &[usize]) -> Message {
    let dims = shape.iter().fold(Message::default(), |dims, dim| {
        dims.message(2, Message::default().int(1, *dim as u64))
    });
    Message::default().int(1, of).message(2, dims)
}

fn dtype(of: u64) -> Message {
    Message::default().int(6, of)
}

fn text(text: &str) -> Message {
    Message::default().bytes(2, text.as_bytes())
}

/// A protobuf message under construction.
#[derive(Clone, Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    fn int(mut self, field: u64, n: u64) -> Self {
        self.number(field << 3);
        self.number(n);
        self
    }

    fn bytes(self, field: u64, bytes: &[u8]) -> Self {
        self.message(field, Self(bytes.to_vec()))
    }

    fn message(self, field: u64, message: Self) -> Self {
        self.open(field, &message, 0)
    }

    /// A field whose payload goes on for `more` bytes after what is here.
    fn open(mut self, field: u64, payload: &Self, more: usize) -> Self {
        self.number(field << 3 | 2);
        self.number((payload.0.len() + more) as u64);
        self.0.extend(&payload.0);
        self
    }
}
