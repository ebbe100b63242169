//! Model of an ONNX file: its structure, and of tensors what they are and where they lie.

use std::ops::Range;

use crate::{OnnxElementType, ValueType};

/// A model: what `ModelProto` says, without the values of tensors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnnxModel {
    /// The version of the format; 0 if it is not said.
    pub ir_version: i64,
    /// The version of each set of operators, by domain. The domain of ONNX itself is empty.
    pub opsets: Vec<(Box<str>, i64)>,
    /// Who wrote it: name and version, as far as they are said.
    pub producer: [Box<str>; 2],
    /// Keys of its metadata, with how long their values are.
    pub metadata: Vec<(Box<str>, u64)>,
    /// The graph that runs, with its nodes and initializers.
    pub graph: OnnxGraph,
    /// The functions that the model defines.
    pub functions: Vec<OnnxFunction>,
    /// Whether it has information for training.
    pub training: bool,
}

/// A graph: that of the model, or one inside an attribute.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnnxGraph {
    /// The name, which graphs inside of nodes must have.
    pub name: Box<str>,
    /// The nodes, in the order of the file.
    pub nodes: Vec<OnnxNode>,
    /// The inputs, with their types.
    pub inputs: Vec<ValueInfo>,
    /// The outputs, with their types.
    pub outputs: Vec<ValueInfo>,
    /// What the model says about the types of other values.
    pub values: Vec<ValueInfo>,
    /// Tensors that are stored with the model.
    pub initializers: Vec<OnnxTensor>,
}

/// The name of a value, with its type if that is said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueInfo {
    /// The name by which nodes mean it.
    pub name: Box<str>,
    /// The declared type; none where the file has no or an unknown one.
    pub kind: Option<ValueType>,
    /// The declared dimensions; none where the file does not say how many there are.
    pub dims: Option<Vec<Dim>>,
    /// Whether the file says no type at all, or elements of no type.
    pub is_untyped: bool,
}

/// A dimension of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Dim {
    /// Nothing is said of it.
    #[default]
    Unknown,
    /// So many elements.
    Size(i64),
    /// The same size wherever this name stands.
    Symbol(Box<str>),
}

/// A node: one call of an operator or of a function of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnnxNode {
    /// The name, often empty.
    pub name: Box<str>,
    /// The operator without its domain: `Conv`.
    pub op: Box<str>,
    /// The domain of the operator, empty for ONNX itself.
    pub domain: Box<str>,
    /// Which form of a function of the model is meant; mostly empty.
    pub overload: Box<str>,
    /// The opset version that brought the form of the operator, where the node says it: in files of the format `.ort`.
    pub since: Option<i64>,
    /// Names of the values that it takes; empty for one that is left out.
    pub inputs: Vec<Box<str>>,
    /// Names of the values that it makes.
    pub outputs: Vec<Box<str>>,
    /// The attributes that are written, in the order of the file.
    pub attributes: Vec<(Box<str>, OnnxAttribute)>,
    /// What is wrong with how its attributes are written, with the name of the first one.
    pub broken: Option<Box<str>>,
}

/// The value of an attribute, as far as it decides something.
#[derive(Clone, Debug, PartialEq)]
pub enum OnnxAttribute {
    /// A whole number, field `i`.
    Int(i64),
    /// A number with a fraction, field `f`.
    Float(f32),
    /// Whole numbers, field `ints`.
    Ints(Vec<i64>),
    /// Numbers with fractions, field `floats`.
    Floats(Vec<f32>),
    /// A text that is kept: mode or padding, not data.
    Text(Box<str>),
    /// A tensor, as the value of `Constant`.
    Tensor(OnnxTensor),
    /// A subgraph, as of `If` and `Loop`.
    Graph(Box<OnnxGraph>),
    /// Several subgraphs, field `graphs`.
    Graphs(Vec<OnnxGraph>),
    /// The attribute of the function around it that has this name.
    Of(Box<str>),
    /// Anything else, by the number of its kind in `AttributeProto.AttributeType`.
    Other(i64),
}

/// A tensor: what it is and where it lies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnnxTensor {
    /// The name by which nodes mean it.
    pub name: Box<str>,
    /// The type of its elements.
    pub element: OnnxElementType,
    /// The sizes of its dimensions.
    pub dims: Vec<i64>,
    /// Where it lies, if that is another file.
    pub external: Option<ExternalData>,
    /// The bytes of it that stand in the model.
    pub stored: u64,
    /// In which form its elements stand in the model.
    pub data: TensorData,
    /// Its elements, if they are few whole numbers that stand in the model; else none.
    pub ints: Vec<i64>,
    /// Its elements, if they are few numbers of 32 bits with fractions that stand in the model; else none.
    pub floats: Vec<f32>,
    /// Where its message lies in the file.
    pub place: Range<u64>,
}

/// How the elements of a tensor stand in a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TensorData {
    /// None stand there.
    #[default]
    Nothing,
    /// As bytes, so many of them; field `raw_data`.
    Raw(u64),
    /// One by one, in the field of this number, so many of them.
    Listed(u32, u64),
    /// One by one, too many to be counted.
    Uncounted,
}

impl OnnxAttribute {
    /// The graphs in it.
    pub fn graphs(&self) -> &[OnnxGraph] {
        match self {
            Self::Graph(graph) => std::slice::from_ref(&**graph),
            Self::Graphs(graphs) => graphs,
            _ => &[],
        }
    }
}

impl OnnxModel {
    /// Every graph: that of the model, the bodies of its functions, and all inside of nodes.
    pub(crate) fn graphs(&self) -> impl Iterator<Item = &OnnxGraph> {
        let bodies = self.functions.iter().map(|function| &function.body);
        std::iter::once(&self.graph).chain(bodies).flat_map(OnnxGraph::all)
    }
}

impl OnnxTensor {
    /// How many bytes its dimensions ask for; none for texts, and for sizes that no tensor has.
    pub fn bytes(&self) -> Option<u64> {
        let count = self
            .dims
            .iter()
            .try_fold(1_u64, |all, size| all.checked_mul(u64::try_from(*size).ok()?))?;
        self.element.bytes(count)
    }
}

/// Where a tensor lies that is not in the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalData {
    /// The file, relative to the folder of the model.
    pub location: Box<str>,
    /// The first byte in it.
    pub offset: Option<u64>,
    /// The length in the external file, in bytes.
    pub length: Option<u64>,
    /// What of these is no number.
    pub broken: Option<Box<str>>,
}

/// A function of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnnxFunction {
    /// The domain in which it is defined.
    pub domain: Box<str>,
    /// The name by which nodes call it.
    pub name: Box<str>,
    /// Which of several of that name.
    pub overload: Box<str>,
    /// The sets of operators that its nodes mean.
    pub opsets: Vec<(Box<str>, i64)>,
    /// Names of its inputs.
    pub inputs: Vec<Box<str>>,
    /// Names of its outputs.
    pub outputs: Vec<Box<str>>,
    /// Attributes that a call need not say.
    pub defaults: Vec<(Box<str>, OnnxAttribute)>,
    /// Its nodes, and the types of values in it.
    pub body: OnnxGraph,
}

impl OnnxGraph {
    /// Every graph in it and it itself, the outer ones first.
    pub fn all(&self) -> Vec<&Self> {
        let mut all = vec![self];
        let mut at = 0;
        while let Some(graph) = all.get(at).copied() {
            let attributes = graph.nodes.iter().flat_map(|node| &node.attributes);
            for (_, attribute) in attributes {
                all.extend(attribute.graphs());
            }
            at += 1;
        }
        all
    }

    /// Every tensor in it, in the order in which they stand.
    pub fn tensors(&self) -> impl Iterator<Item = &OnnxTensor> {
        self.all().into_iter().flat_map(|graph| {
            let attributes = graph.nodes.iter().flat_map(|node| &node.attributes);
            let constants = attributes.filter_map(|(_, attribute)| match attribute {
                OnnxAttribute::Tensor(tensor) => Some(tensor),
                _ => None,
            });
            graph.initializers.iter().chain(constants)
        })
    }
}
