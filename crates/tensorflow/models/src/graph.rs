//! A graph as it was read: nodes, functions, versions; tensors by their heads.

use std::sync::Arc;

use unskew_core::DataVersions;

use crate::{AttrValue, Attrs, Inputs, OpDef, SharedText};

/// A graph with its library of functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphDef {
    /// The nodes in the order of the file.
    pub nodes: Vec<NodeDef>,
    /// The functions of its library.
    pub functions: Vec<FunctionDef>,
    /// Which function is the gradient of which.
    pub gradients: Vec<(String, String)>,
    /// The versions; none if the graph carries none, which counts as producer 0.
    pub versions: Option<DataVersions>,
}

/// A node of a graph or of the body of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeDef {
    /// Unique in its graph or function body.
    pub name: SharedText,
    /// The op, or the function that it calls.
    pub op: Arc<str>,
    /// What it reads, data before what it only waits for.
    pub inputs: Inputs,
    /// Attributes that are written in the node; defaults may be left out.
    pub attrs: Attrs,
    /// Whether it is assigned to a GPU: `/device:GPU:0`.
    pub on_gpu: bool,
}

/// A function of a library.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FunctionDef {
    /// Name, arguments and results, in the form of an op.
    pub signature: OpDef,
    /// The nodes of the body, in the order of the file.
    pub nodes: Vec<NodeDef>,
    /// Its results by name, and where each comes from: `node:output:0`.
    pub returns: Vec<(Box<str>, Box<str>)>,
    /// What is said of it as a whole: where it is best called, whether XLA compiles it.
    pub attrs: Attrs,
}

impl NodeDef {
    /// The value of an attribute.
    pub fn attr(&self, name: &str) -> Option<&AttrValue> {
        self.attrs.get(name)
    }

    /// The inputs that data comes from, as they are written.
    pub fn data(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().filter(|input| !is_control(input))
    }

    /// How many inputs have data.
    pub fn data_input_count(&self) -> u64 {
        self.data().count() as u64
    }

    /// The names of the nodes that data comes from.
    pub fn data_inputs(&self) -> impl Iterator<Item = &str> {
        self.data().map(source_of)
    }

    /// The names of all nodes that must run before, for data or for control.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(source_of)
    }
}

/// Whether an input is only waited for: `^init`.
pub(crate) fn is_control(input: &str) -> bool {
    input.as_bytes().first() == Some(&b'^')
}

/// The name of the node in an input: without `^` and without the number of the output.
pub(crate) fn source_of(input: &str) -> &str {
    let name = input.strip_prefix('^').unwrap_or(input);
    at_colon(name).map_or(name, |(name, _)| name)
}

/// What stands before the first colon and behind it, as `split_once` says, which takes longer for a few bytes.
pub(crate) fn at_colon(text: &str) -> Option<(&str, &str)> {
    let at = memchr::memchr(b':', text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}
