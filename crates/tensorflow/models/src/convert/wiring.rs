//! Wiring of a graph: what it proves about the inputs and outputs of a node.
//!
//! A shape is known where the graph says it (a constant, a placeholder, a variable, the shapes that its
//! exporter noted), or where it is the shape of something else (`Relu(x)` has the shape of `x`). Two shapes that
//! are not known may so be known to be the same.

use super::table::{self, Replacement, Seed};
use crate::body::Body;
use crate::elementwise::{BROADCAST, SHAPED_LIKE_THE_FIRST};
use crate::{AttrValue, NodeDef};
use foldhash::{HashMap, HashMapExt as _, HashSet};

/// The replacements of an op whose conditions about the wiring hold: one bit for each row of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProvedReplacements(u64);

impl ProvedReplacements {
    /// Whether what `row` asks of the wiring holds.
    pub(super) fn holds(self, row: &Replacement) -> bool {
        !row.asks_the_wiring() || index(row).is_some_and(|at| self.0 & 1 << at != 0)
    }
}

/// Whether it depends on the nodes around a node of this op which others may replace it.
pub(crate) fn asks_the_wiring(op: &str) -> bool {
    !table::asking(op).is_empty()
}

/// How many rows of the table have a bit.
const PROVED: usize = u64::BITS as usize;

fn index(row: &Replacement) -> Option<usize> {
    table::replacements()
        .iter()
        .position(|other| std::ptr::eq(other, row))
        .filter(|at| *at < PROVED)
}

/// Makes the key and the counter of a generator of a seed.
const KEY_COUNTER: &str = "StatelessRandomGetKeyCounter";

const ALGORITHM: &str = "StatelessRandomGetAlg";

/// Makes the key and counter of a seed, and says the algorithm too.
const KEY_COUNTER_ALGORITHM: &str = "StatelessRandomGetKeyCounterAlg";

/// The numbers of the algorithm of the first version: its own, and that of whatever device a node runs on. Devices but
/// TPUs have this one.
const PHILOX: [i64; 2] = [1, 3];

/// How far shapes are followed from node to node.
const DEPTH: usize = 64;

/// A shape: its dimensions, or that of an output (a node by its number, or an argument by its name).
#[derive(Clone, Debug, PartialEq, Eq)]
enum KnownShape<'g> {
    Dims(Vec<i64>),
    Of(&'g str, &'g str),
}

/// The nodes of a graph or of the body of a function, and what is read of them.
pub(crate) struct Wiring<'b, 'g> {
    body: &'b Body<'g>,
    /// What is read of each node, by whom: `(node, output as it is written)` to the ops of the readers. Made
    /// when it is asked for.
    read: Option<HashMap<(&'g str, &'g str), HashSet<&'g str>>>,
}

/// The own shape of a placeholder, which is one for the whole of a run; a variable's is not.
fn stays<'g>(node: &NodeDef, own: impl FnOnce() -> KnownShape<'g>) -> Option<KnownShape<'g>> {
    node.op.starts_with("Placeholder").then(own)
}

impl<'b, 'g> Wiring<'b, 'g> {
    pub(crate) fn new(body: &'b Body<'g>) -> Self {
        Self { body, read: None }
    }

    fn in_function(&self) -> bool {
        self.body.function.is_some()
    }

    /// What is proved for the replacements of `node`, those that follow one another included.
    pub(crate) fn proved(&mut self, node: &'g NodeDef) -> ProvedReplacements {
        let mut proved = ProvedReplacements::default();
        for (at, row) in table::asking(&node.op).iter().filter(|(at, _)| *at < PROVED) {
            if self.proves(row, node) {
                proved.0 |= 1 << at;
            }
        }
        proved
    }

    fn proves(&mut self, row: &Replacement, node: &'g NodeDef) -> bool {
        let batch = |shape: Option<&KnownShape<'g>>| match shape {
            Some(KnownShape::Dims(dims)) => {
                dims.len().checked_sub(2).and_then(|end| dims.get(..end)).map(<[i64]>::to_vec)
            }
            _ => None,
        };
        let shape = |input: usize| self.input_shape(node, input, 0);
        let fits = if row.same_batch {
            let (a, b) = (shape(0), shape(1));
            // The shapes of two matrices are no batches, and one tensor has the batches of itself.
            batch(a.as_ref()).is_some_and(|a| Some(a) == batch(b.as_ref())) || a.is_some() && a == b
        } else if row.scalar_or_same {
            let (condition, a, b) = (shape(0), shape(1), shape(2));
            a.is_some() && a == b && (condition == a || condition == Some(KnownShape::Dims(vec![])))
        } else if let Some(input) = row.rank_one {
            matches!(shape(input), Some(KnownShape::Dims(dims)) if dims.len() == 1)
        } else {
            true
        };
        fits && row.constants.iter().all(|(input, value)| self.is_constant(node, *input, *value))
            && row.one_diagonal.is_none_or(|input| self.is_one_element(node, input))
            && row.seed.as_ref().is_none_or(|seed| self.seed(node, seed).is_some())
            && row.free.iter().all(|free| {
                let number = free.output.to_string();
                let written = if self.in_function() { &*free.name } else { &*number };
                let readers = self.readers();
                let used = readers
                    .iter()
                    .find(|((name, output), _)| **name == *node.name && *output == written);
                used.is_none_or(|(_, ops)| ops.iter().all(|op| free.but.iter().any(|b| b == op)))
            })
    }

    /// The node that makes the key of a generator and the counter behind it, if they come from a seed and the algorithm
    /// is the one of the device.
    pub(super) fn seed(&self, node: &NodeDef, seed: &Seed) -> Option<&'g NodeDef> {
        let from = |input: usize, output: usize, names: &[&str]| -> Option<&'g NodeDef> {
            let read = node.data().nth(input)?;
            let (name, rest) = read.split_once(':').unwrap_or((read, "0"));
            let number = output.to_string();
            let is = match self.in_function() {
                true => rest.split(':').next().is_some_and(|rest| names.contains(&rest)),
                false => rest == number,
            };
            self.body.get(name).filter(|_| is)
        };
        let key = from(seed.key, 0, &["key"])?;
        let counter = from(seed.key + 1, 1, &["counter"])?;
        if !std::ptr::eq(key, counter) {
            return None;
        }
        let all = &*key.op == KEY_COUNTER_ALGORITHM;
        let output = if all { 2 } else { 0 };
        let of_device = match from(seed.key + 2, output, &["alg"]) {
            Some(asked) if all => std::ptr::eq(asked, key),
            Some(asked) => &*asked.op == ALGORITHM,
            None => false,
        };
        let named = PHILOX.iter().any(|one| self.is_constant(node, seed.key + 2, *one));
        ((all || &*key.op == KEY_COUNTER) && (of_device || named)).then_some(key)
    }

    fn input_shape(&self, node: &'g NodeDef, input: usize, depth: usize) -> Option<KnownShape<'g>> {
        let input = node.data().nth(input)?;
        let (name, output) = input.split_once(':').unwrap_or((input, "0"));
        if depth < DEPTH { self.shape(name, output, depth + 1) } else { None }
    }

    fn constant(&self, node: &NodeDef, input: usize) -> Option<&'g AttrValue> {
        let input = node.data_inputs().nth(input)?;
        let node = self.body.get(input).filter(|node| &*node.op == "Const")?;
        node.attr("value")
    }

    fn is_constant(&self, node: &NodeDef, input: usize, value: i64) -> bool {
        match self.constant(node, input) {
            Some(AttrValue::Tensor { zero: true, .. }) => value == 0,
            Some(AttrValue::Tensor { small: Some(small), .. }) => value == i64::from(*small),
            _ => false,
        }
    }

    fn is_one_element(&self, node: &NodeDef, input: usize) -> bool {
        let Some(AttrValue::Tensor { shape, .. }) = self.constant(node, input) else {
            return false;
        };
        shape.0.as_ref().is_some_and(|dims| dims.iter().all(|dim| *dim == 1))
    }

    fn shape(&self, name: &'g str, output: &'g str, depth: usize) -> Option<KnownShape<'g>> {
        let own = || KnownShape::Of(name, output);
        let Some(node) = self.body.get(name) else {
            // An argument of the function, which is a tensor like any other.
            return self.in_function().then(own);
        };
        let number: usize = output.rsplit(':').next()?.parse().ok()?;
        let known = |value: &AttrValue| match value {
            AttrValue::Shape(shape) => shape
                .0
                .clone()
                .filter(|dims| dims.iter().all(|dim| *dim >= 0))
                .map(KnownShape::Dims),
            AttrValue::Tensor { shape, .. } => shape.0.clone().map(KnownShape::Dims),
            _ => None,
        };
        let noted = match node.attr("_output_shapes") {
            // In a function the number counts from the first of its name.
            Some(AttrValue::List(shapes)) if !self.in_function() || shapes.len() == 1 => {
                shapes.get(number).and_then(known)
            }
            _ => None,
        };
        if noted.is_some() {
            return noted;
        }
        let input = |at: usize| self.input_shape(node, at, depth);
        match &*node.op {
            "Const" => node.attr("value").and_then(known),
            // Graphs of producers below 22 wrote no shape as an empty one.
            "Placeholder" | "Variable" => {
                let shape = node.attr("shape").and_then(known);
                shape
                    .filter(|shape| *shape != KnownShape::Dims(vec![]))
                    .or_else(|| stays(node, own))
            }
            "PlaceholderV2" | "VarHandleOp" | "VariableV2" => {
                node.attr("shape").and_then(known).or_else(|| stays(node, own))
            }
            // A variable whose shape is not known may be of another one at the next reading.
            "ReadVariableOp" => input(0)
                .filter(|shape| matches!(shape, KnownShape::Dims(_)))
                .or_else(|| Some(own())),
            op if SHAPED_LIKE_THE_FIRST.contains(&op) => input(0).or_else(|| Some(own())),
            op if BROADCAST.contains(&op) => match (input(0)?, input(1)?) {
                (a, b) if a == b => Some(a),
                (a, KnownShape::Dims(dims)) if dims.is_empty() => Some(a),
                (KnownShape::Dims(dims), b) if dims.is_empty() => Some(b),
                _ => Some(own()),
            },
            _ => Some(own()),
        }
    }

    fn readers(&mut self) -> &HashMap<(&'g str, &'g str), HashSet<&'g str>> {
        let (nodes, returns) = (self.body.nodes, self.body.returns());
        self.read.get_or_insert_with(|| {
            let mut read: HashMap<_, HashSet<&str>> = HashMap::new();
            let parts = |input: &'g str| {
                let (name, rest) = input.split_once(':').unwrap_or((input, "0"));
                (name, rest.split(':').next().unwrap_or(rest))
            };
            for node in nodes {
                for input in node.data() {
                    read.entry(parts(input)).or_default().insert(&node.op);
                }
            }
            for (_, result) in returns {
                read.entry(parts(result)).or_default().insert("");
            }
            read
        })
    }
}
