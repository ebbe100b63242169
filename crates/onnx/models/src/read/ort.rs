//! Files of the format `.ort`, which ONNX Runtime writes for itself: the same model, in a flatbuffer.
//!
//! Nodes say which form of their operator they mean, so that no opset decides. Every value has its type there, functions
//! are gone, and constants are tensors. Nodes stand in no order.

use std::collections::{HashMap, HashSet};

use unskew_source::flatbuffer::{FlatTable, Flatbuffer, Vector};
use unskew_source::{ReadError, Source};

use super::tensor::DIMS;
use crate::{
    Dim, OnnxAttribute, OnnxElementType, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor, ValueInfo,
    ValueType,
};

/// The mark of such a file, 4 bytes into it.
const MARK: &[u8] = b"ORTM";

/// How deep graphs stand in nodes of others, and types in types.
const DEPTH: usize = 32;

/// The longest text of an attribute that is kept, in bytes.
const TEXT: u64 = 256;

/// The most numbers of an attribute that are kept.
const NUMBERS: u64 = 4096;

/// The fields of the tables, by the package of ONNX Runtime.
mod field {
    pub(super) const VERSION: u64 = 0;
    pub(super) const MODEL: u64 = 1;
    pub(super) const TYPES: u64 = 3;
    pub(super) mod model {
        pub(in super::super) const IR: u64 = 0;
        pub(in super::super) const OPSETS: u64 = 1;
        pub(in super::super) const PRODUCER: [u64; 2] = [2, 3];
        pub(in super::super) const GRAPH: u64 = 7;
    }
    pub(super) mod graph {
        pub(in super::super) const INITIALIZERS: u64 = 0;
        pub(in super::super) const VALUES: u64 = 1;
        pub(in super::super) const NODES: u64 = 2;
        pub(in super::super) const INPUTS: u64 = 5;
        pub(in super::super) const OUTPUTS: u64 = 6;
    }
    pub(super) mod node {
        pub(in super::super) const NAME: u64 = 0;
        pub(in super::super) const DOMAIN: u64 = 2;
        pub(in super::super) const SINCE: u64 = 3;
        pub(in super::super) const OP: u64 = 5;
        pub(in super::super) const INPUTS: u64 = 8;
        pub(in super::super) const OUTPUTS: u64 = 9;
        pub(in super::super) const ATTRIBUTES: u64 = 10;
    }
    pub(super) mod attribute {
        pub(in super::super) const NAME: u64 = 0;
        pub(in super::super) const KIND: u64 = 2;
        pub(in super::super) const FLOAT: u64 = 3;
        pub(in super::super) const INT: u64 = 4;
        pub(in super::super) const TEXT: u64 = 5;
        pub(in super::super) const TENSOR: u64 = 6;
        pub(in super::super) const GRAPH: u64 = 7;
        pub(in super::super) const FLOATS: u64 = 8;
        pub(in super::super) const INTS: u64 = 9;
        pub(in super::super) const GRAPHS: u64 = 12;
    }
    pub(super) mod tensor {
        pub(in super::super) const NAME: u64 = 0;
        pub(in super::super) const DIMS: u64 = 2;
        pub(in super::super) const ELEMENT: u64 = 3;
        pub(in super::super) const RAW: u64 = 4;
    }
}

/// A file: the version of its format, and the model in it.
pub(crate) struct OrtModel {
    pub(crate) version: i64,
    pub(crate) model: OnnxModel,
    /// The forms of operators of which the file tells the types of kernels, as `domain:operator:version`.
    pub(crate) typed: HashSet<String>,
}

/// The model in a file of this format; none if it is none.
///
/// # Errors
/// If it is one, but broken; with the byte and the field.
pub(crate) fn packed(source: &dyn Source) -> Result<Option<OrtModel>, ReadError> {
    use unskew_source::SourceExt as _;
    if source.head(8)?.get(4..8) != Some(MARK) {
        return Ok(None);
    }
    let buffer = Flatbuffer::new(source);
    let root = buffer.root()?;
    let text = buffer.text(root, field::VERSION).map_err(|error| error.in_field("ort_version"))?;
    let version = text.parse().map_err(|_| {
        ReadError::malformed(source.name(), format!("not a version of the ORT format: {text:?}"))
            .in_field("ort_version")
    })?;
    let reader = OrtReader { buffer };
    let table = reader.buffer.child(root, field::MODEL)?;
    let table = table.ok_or_else(|| reader.buffer.error(0, "no model in the file"))?;
    let model = reader.model(table).map_err(|error| error.in_field("model"))?;
    let typed = match reader.buffer.child(root, field::TYPES)? {
        Some(table) => reader.all(table, 0, |entry| reader.buffer.text(entry, 0))?,
        None => Vec::new(),
    };
    Ok(Some(OrtModel { version, model, typed: typed.into_iter().collect() }))
}

struct OrtReader<'s> {
    buffer: Flatbuffer<'s>,
}

impl OrtReader<'_> {
    fn model(&self, table: FlatTable) -> Result<OnnxModel, ReadError> {
        let [name, version] = field::model::PRODUCER;
        let graph = self.buffer.child(table, field::model::GRAPH)?;
        let graph = graph.ok_or_else(|| self.buffer.error(0, "no graph in the model"))?;
        Ok(OnnxModel {
            ir_version: self.buffer.scalar(table, field::model::IR, 8)? as i64,
            opsets: self.all(table, field::model::OPSETS, |opset| {
                let domain = super::domain(self.buffer.text(opset, 0)?.into());
                Ok((domain, self.buffer.scalar(opset, 1, 8)? as i64))
            })?,
            producer: [
                self.buffer.text(table, name)?.into(),
                self.buffer.text(table, version)?.into(),
            ],
            graph: self.graph(graph, 0)?,
            ..OnnxModel::default()
        })
    }

    /// What the tables of a vector mean.
    fn all<T>(
        &self,
        table: FlatTable,
        field: u64,
        one: impl Fn(FlatTable) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        let vector = self.buffer.vector(table, field, 4)?;
        (0..vector.len).map(|at| one(self.buffer.element(vector, at)?)).collect()
    }

    fn names(&self, table: FlatTable, field: u64) -> Result<Vec<Box<str>>, ReadError> {
        let vector = self.buffer.vector(table, field, 4)?;
        (0..vector.len).map(|at| Ok(self.buffer.element_text(vector, at)?.into())).collect()
    }

    fn graph(&self, table: FlatTable, depth: usize) -> Result<OnnxGraph, ReadError> {
        if depth >= DEPTH {
            return Err(self.buffer.error(0, "graphs that nest too deep"));
        }
        use field::graph;
        let values = self.all(table, graph::VALUES, |table| self.value(table))?;
        let by_name: HashMap<&str, &ValueInfo> =
            values.iter().map(|value| (&*value.name, value)).collect();
        let named = |names: Vec<Box<str>>| -> Vec<ValueInfo> {
            let value = |name: Box<str>| match by_name.get(&*name) {
                Some(value) => (*value).clone(),
                None => ValueInfo { name, ..ValueInfo::default() },
            };
            names.into_iter().map(value).collect()
        };
        let inputs = named(self.names(table, graph::INPUTS)?);
        let outputs = named(self.names(table, graph::OUTPUTS)?);
        Ok(OnnxGraph {
            name: Box::default(),
            nodes: self.all(table, graph::NODES, |table| self.node(table, depth))?,
            inputs,
            outputs,
            initializers: self.all(table, graph::INITIALIZERS, |table| self.tensor(table))?,
            values,
        })
    }

    fn value(&self, table: FlatTable) -> Result<ValueInfo, ReadError> {
        let name = self.buffer.text(table, 0)?.into();
        let (kind, dims) = match self.buffer.child(table, 2)? {
            Some(kind) => self.kind(kind, 0)?,
            None => (None, None),
        };
        Ok(ValueInfo { name, kind, dims, is_untyped: false })
    }

    /// A type; none for one that has no name here. With the dimensions of a tensor.
    fn kind(
        &self,
        table: FlatTable,
        depth: usize,
    ) -> Result<(Option<ValueType>, Option<Vec<Dim>>), ReadError> {
        let Some(inner) = self.buffer.child(table, 2)?.filter(|_| depth < DEPTH) else {
            return Ok((None, None));
        };
        let of = |field: u64| -> Result<Option<ValueType>, ReadError> {
            match self.buffer.child(inner, field)? {
                Some(table) => Ok(self.kind(table, depth + 1)?.0),
                None => Ok(None),
            }
        };
        let element = || Ok::<_, ReadError>(OnnxElementType(self.buffer.int(inner, 0, 0)?));
        Ok(match self.buffer.scalar(table, 1, 1)? {
            1 => {
                let shape = self.buffer.child(inner, 1)?;
                let dims =
                    shape.map(|shape| self.all(shape, 0, |dim| self.dim(dim))).transpose()?;
                (Some(element()?).filter(|one| one.0 != 0).map(ValueType::Tensor), dims)
            }
            2 => (of(0)?.map(|kind| ValueType::Sequence(Box::new(kind))), None),
            3 => {
                let key = element()?;
                (of(1)?.map(|kind| ValueType::Map(key, Box::new(kind))), None)
            }
            _ => (None, None),
        })
    }

    fn dim(&self, table: FlatTable) -> Result<Dim, ReadError> {
        let Some(value) = self.buffer.child(table, 0)? else { return Ok(Dim::Unknown) };
        Ok(match self.buffer.scalar(value, 0, 1)? {
            1 => Dim::Size(self.buffer.scalar(value, 1, 8)? as i64),
            2 => Dim::Symbol(self.buffer.text(value, 2)?.into()),
            _ => Dim::Unknown,
        })
    }

    fn node(&self, table: FlatTable, depth: usize) -> Result<OnnxNode, ReadError> {
        use field::node;
        let op: Box<str> = self.buffer.text(table, node::OP)?.into();
        let attributes = self.all(table, node::ATTRIBUTES, |table| self.attribute(table, depth));
        Ok(OnnxNode {
            name: self.buffer.text(table, node::NAME)?.into(),
            domain: super::domain(self.buffer.text(table, node::DOMAIN)?.into()),
            since: Some(i64::from(self.buffer.int(table, node::SINCE, 0)?)),
            inputs: self.names(table, node::INPUTS)?,
            outputs: self.names(table, node::OUTPUTS)?,
            attributes: attributes.map_err(|error| error.in_field(format!("attribute of {op}")))?,
            op,
            ..OnnxNode::default()
        })
    }

    fn attribute(
        &self,
        table: FlatTable,
        depth: usize,
    ) -> Result<(Box<str>, OnnxAttribute), ReadError> {
        use field::attribute;
        let buffer = &self.buffer;
        let name = buffer.text(table, attribute::NAME)?.into();
        let kind = buffer.int(table, attribute::KIND, 0)?;
        let numbers = |field: u64, size: u64| -> Result<Vec<u64>, ReadError> {
            let vector: Vector = buffer.vector(table, field, size)?;
            if vector.len > NUMBERS {
                return Ok(Vec::new());
            }
            (0..vector.len).map(|at| buffer.number(vector.at + at * size, size)).collect()
        };
        let float = |bits: u64| f32::from_bits(bits as u32);
        let other = || Ok(OnnxAttribute::Other(i64::from(kind)));
        let value: Result<OnnxAttribute, ReadError> = match kind {
            1 => buffer
                .scalar(table, attribute::FLOAT, 4)
                .map(|bits| OnnxAttribute::Float(float(bits))),
            2 => buffer.scalar(table, attribute::INT, 8).map(|one| OnnxAttribute::Int(one as i64)),
            3 => match buffer.place(table, attribute::TEXT)? {
                Some(at) if buffer.number(at, 4)? <= TEXT => {
                    buffer.text_at(at, TEXT).map(|text| OnnxAttribute::Text(text.into()))
                }
                Some(_) => other(),
                None => Ok(OnnxAttribute::Text(Box::default())),
            },
            4 => match buffer.child(table, attribute::TENSOR)? {
                Some(tensor) => self.tensor(tensor).map(OnnxAttribute::Tensor),
                None => other(),
            },
            5 => match buffer.child(table, attribute::GRAPH)? {
                Some(graph) => Ok(OnnxAttribute::Graph(Box::new(self.graph(graph, depth + 1)?))),
                None => other(),
            },
            6 => numbers(attribute::FLOATS, 4)
                .map(|all| OnnxAttribute::Floats(all.into_iter().map(float).collect())),
            7 => numbers(attribute::INTS, 8)
                .map(|all| OnnxAttribute::Ints(all.into_iter().map(|one| one as i64).collect())),
            10 => self
                .all(table, attribute::GRAPHS, |graph| self.graph(graph, depth + 1))
                .map(OnnxAttribute::Graphs),
            _ => other(),
        };
        Ok((name, value?))
    }

    fn tensor(&self, table: FlatTable) -> Result<OnnxTensor, ReadError> {
        use field::tensor;
        let dims = self.buffer.vector(table, tensor::DIMS, 8)?;
        if dims.len > DIMS as u64 {
            return Err(self.buffer.error(dims.at, "a tensor of more than 1024 dimensions"));
        }
        let size = |at| Ok(self.buffer.number(dims.at + at * 8, 8)? as i64);
        Ok(OnnxTensor {
            name: self.buffer.text(table, tensor::NAME)?.into(),
            element: OnnxElementType(self.buffer.int(table, tensor::ELEMENT, 0)?),
            dims: (0..dims.len).map(size).collect::<Result<_, ReadError>>()?,
            stored: self.buffer.vector(table, tensor::RAW, 1)?.len,
            ..OnnxTensor::default()
        })
    }
}
