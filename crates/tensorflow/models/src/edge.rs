//! Edges of a graph, from outputs to inputs, those that say the same taken together.
//!
//! Whether an output is there and of which type it is depends on how a release defines the op, so what is kept is
//! which nodes (by their [`crate::Use`]) are joined, and where. What functions give and take stands in the graph.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt as _};
use smallvec::SmallVec;
use unskew_core::Places;

use crate::body::Body;
use crate::graph::{at_colon, is_control};
use crate::op_def::{ArgDef, ArgKind, ElementType};
use crate::{AttrValue, DataType, FunctionDef, GraphDef, NodeDef, NodeScope};

/// Where nodes of a graph stand among its uses, by the place of the node; none for calls of functions.
pub(crate) type UseByNode = Vec<Option<usize>>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OutputName<'g> {
    /// The one of this number: `conv:1`.
    Number(u64),
    /// The one of this number among those of a name: `conv:output:1`, in bodies of functions.
    Named(Cow<'g, str>, u64),
    /// One that no op has: in the body of a function, a node without an output.
    None(Cow<'g, str>),
}

/// What an input is joined to; outputs by their numbers in [`Edges::output`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EdgeSource<F> {
    /// An output of nodes of a use.
    Use(usize, u32),
    /// A value of this type: of a function, or an argument of one.
    Known(DataType),
    /// An output that a function of this name does not have, or an argument.
    Nothing(F, u32),
}

impl OutputName<'_> {
    fn into_owned(self) -> OutputName<'static> {
        match self {
            Self::Number(number) => OutputName::Number(number),
            Self::Named(name, number) => OutputName::Named(name.into_owned().into(), number),
            Self::None(written) => OutputName::None(written.into_owned().into()),
        }
    }
}

/// What an output is joined to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EdgeTarget {
    /// The input of this number of nodes of a use.
    Use(usize, u64),
    /// Something that takes this type, if it is known: a function, or what one returns.
    Known(Option<DataType>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    pub(crate) groups: Vec<EdgeGroup>,
    outputs: Vec<OutputName<'static>>,
    /// The names of those that are named, in one text: a graph has thousands of groups, and most are right.
    names: String,
}

/// Edges of a graph between equal ends, judged once for all of them.
#[derive(Clone, Debug)]
pub(crate) struct EdgeGroup {
    pub(crate) from: EdgeSource<Box<str>>,
    pub(crate) to: EdgeTarget,
    pub(crate) scope: NodeScope,
    /// The first few by name, `node <- input`: where that stands among the names.
    named: SmallVec<[Range<usize>; 1]>,
    count: usize,
}

impl Edges {
    pub(crate) fn output(&self, number: u32) -> Option<&OutputName<'static>> {
        self.outputs.get(number as usize)
    }

    pub(crate) fn places(&self, group: &EdgeGroup) -> Places {
        let mut places = Places::default();
        let mut named = group.named.iter();
        for _ in 0..group.count {
            places.add_with(|| {
                let name = named.next().and_then(|range| self.names.get(range.clone()));
                name.unwrap_or_default().to_owned()
            });
        }
        places
    }
}

/// The type at an input or output of an op, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndType {
    /// A value of this type; whether it is a reference.
    Is(DataType, bool),
    /// Nothing: there are so many.
    Beyond(u64),
    /// Attributes do not say.
    Unknown,
}

/// The value of this number among those that `args` stand for.
pub(crate) fn at<'a>(
    args: &[ArgDef],
    number: u64,
    value: &impl Fn(&str) -> Option<&'a AttrValue>,
) -> EndType {
    let mut before = 0u64;
    for arg in args {
        let Some(count) = count(arg, value) else { return EndType::Unknown };
        if number - before < count {
            return element(arg, number - before, value);
        }
        before = before.saturating_add(count);
    }
    EndType::Beyond(before)
}

pub(crate) fn output<'a>(
    args: &[ArgDef],
    output: &OutputName<'_>,
    value: &impl Fn(&str) -> Option<&'a AttrValue>,
) -> EndType {
    let all = || match at(args, u64::MAX, value) {
        EndType::Beyond(count) => EndType::Beyond(count),
        _ => EndType::Unknown,
    };
    match output {
        OutputName::Number(number) => at(args, *number, value),
        OutputName::None(_) => all(),
        OutputName::Named(name, number) => {
            let Some(arg) = args.iter().find(|arg| arg.name == **name) else { return all() };
            match count(arg, value) {
                None => EndType::Unknown,
                Some(count) if *number < count => element(arg, *number, value),
                Some(_) => all(),
            }
        }
    }
}

fn count<'a>(arg: &ArgDef, value: &impl Fn(&str) -> Option<&'a AttrValue>) -> Option<u64> {
    match &arg.kind {
        ArgKind::One(_) => Some(1),
        ArgKind::Many(attr, _) => u64::try_from(value(attr)?.int()?).ok(),
        ArgKind::Each(attr) => value(attr)?.len(),
    }
}

fn element<'a>(
    arg: &ArgDef,
    number: u64,
    value: &impl Fn(&str) -> Option<&'a AttrValue>,
) -> EndType {
    let dtype = match &arg.kind {
        ArgKind::One(kind) | ArgKind::Many(_, kind) => match kind {
            ElementType::Fixed(dtype) => Some(*dtype),
            ElementType::Attr(attr) => value(attr).and_then(dtype_of),
        },
        ArgKind::Each(attr) => match (value(attr), usize::try_from(number)) {
            (Some(AttrValue::List(types)), Ok(number)) => types.get(number).and_then(dtype_of),
            _ => None,
        },
    };
    dtype.map_or(EndType::Unknown, |dtype| EndType::Is(dtype, arg.reference))
}

fn dtype_of(value: &AttrValue) -> Option<DataType> {
    match value {
        AttrValue::Type(dtype) => Some(*dtype),
        _ => None,
    }
}

/// Gathers the joints of a graph.
pub(crate) struct EdgeIndex<'g> {
    library: HashMap<&'g str, &'g FunctionDef>,
    outputs: OutputNumbers<'g>,
    found: HashMap<(EdgeSource<&'g str>, EdgeTarget, NodeScope), usize>,
    edges: Edges,
}

/// The number of the first output of a node of a graph, which most inputs name.
const FIRST: u32 = 0;

/// The outputs that inputs name, by numbers: thousands of inputs name a few.
struct OutputNumbers<'g> {
    /// The first of a node comes first.
    all: Vec<OutputName<'g>>,
    numbers: HashMap<OutputName<'g>, u32>,
    /// What is written behind the name of a node, in a graph and in the body of a function.
    written: [HashMap<&'g str, Option<u32>>; 2],
}

impl Default for OutputNumbers<'_> {
    fn default() -> Self {
        let mut outputs =
            Self { all: Vec::new(), numbers: HashMap::new(), written: Default::default() };
        outputs.number(OutputName::Number(0));
        outputs
    }
}

impl<'g> OutputNumbers<'g> {
    /// The one that is written so; none if that is no output.
    fn number_of(
        &mut self,
        rest: Option<&'g str>,
        input: &'g str,
        in_function: bool,
    ) -> Option<u32> {
        let rest = match rest {
            Some(rest) => rest,
            None if in_function => return Some(self.number(OutputName::None(input.into()))),
            None => return Some(FIRST),
        };
        let at = usize::from(in_function);
        if let Some(known) = self.written[at].get(rest) {
            return *known;
        }
        let output = match in_function {
            false => rest.parse().ok().map(OutputName::Number),
            true => {
                let parts = at_colon(rest).and_then(|(name, at)| Some((name, at.parse().ok()?)));
                let Some((name, number)) = parts else {
                    // It is shown with the name of the node.
                    return Some(self.number(OutputName::None(input.into())));
                };
                Some(OutputName::Named(name.into(), number))
            }
        };
        let number = output.map(|output| self.number(output));
        self.written[at].insert(rest, number);
        number
    }

    fn number(&mut self, output: OutputName<'g>) -> u32 {
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        match self.numbers.entry(output) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.all.push(new.key().clone());
                *new.insert(next)
            }
        }
    }

    fn get(&self, number: u32) -> Option<&OutputName<'g>> {
        self.all.get(number as usize)
    }
}

/// What an input in a body may name.
struct NamedEndpoints<'b, 'g> {
    body: &'b Body<'g>,
    arguments: HashMap<&'g str, &'g ArgDef>,
    uses: &'b UseByNode,
}

impl<'g> EdgeIndex<'g> {
    pub(crate) fn new(graph: &'g GraphDef) -> Self {
        let mut library = HashMap::with_capacity(graph.functions.len());
        for function in &graph.functions {
            library.entry(&*function.signature.name).or_insert(function);
        }
        let nodes = graph.functions.iter().map(|function| function.nodes.len());
        let nodes = nodes.sum::<usize>() + graph.nodes.len();
        // Of a thousand nodes some 700 edges are alike to no other.
        let groups = nodes / 4 * 3;
        let found = HashMap::with_capacity(groups);
        let edges = Edges {
            groups: Vec::with_capacity(groups),
            names: String::with_capacity(groups * 64),
            ..Edges::default()
        };
        Self { library, outputs: OutputNumbers::default(), found, edges }
    }

    /// Adds the edges between the nodes of a body of this scope; `uses` are those of the nodes.
    pub(crate) fn add(&mut self, body: &Body<'g>, scope: NodeScope, uses: &UseByNode) {
        let inputs = body.function.map_or(&[][..], |function| &function.signature.inputs);
        // Of several that have a name the first counts.
        let arguments = inputs.iter().rev().map(|arg| (&*arg.name, arg)).collect();
        let ends = NamedEndpoints { body, arguments, uses };
        for (i, node) in body.nodes.iter().enumerate() {
            let data = body.inputs(i).filter(|(input, _)| !is_control(input));
            for ((input, source), number) in data.zip(0u64..) {
                let Some(from) = self.from(input, source, &ends) else { continue };
                let to = match uses.get(i).copied().flatten() {
                    Some(place) => EdgeTarget::Use(place, number),
                    None => EdgeTarget::Known(self.argument(node, number)),
                };
                self.join(from, to, (body, scope), (&node.name, input));
            }
        }
        let outputs = body.function.map_or(&[][..], |function| &function.signature.outputs);
        for (name, result) in body.returns() {
            let output = outputs.iter().find(|arg| arg.name == **name);
            let source = body.find(at_colon(result).map_or(&**result, |(name, _)| name));
            let Some(from) = self.from(result, source, &ends) else { continue };
            let to = EdgeTarget::Known(output.and_then(fixed));
            self.join(from, to, (body, scope), ("returns", result));
        }
    }

    pub(crate) fn into_all(self) -> Edges {
        let outputs = self.outputs.all.into_iter().map(OutputName::into_owned).collect();
        Edges { outputs, ..self.edges }
    }

    fn join(
        &mut self,
        from: EdgeSource<&'g str>,
        to: EdgeTarget,
        (body, scope): (&Body<'_>, NodeScope),
        (reader, input): (&str, &str),
    ) {
        let Edges { groups, names, .. } = &mut self.edges;
        let place = match self.found.entry((from, to, scope)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let from = match from {
                    EdgeSource::Use(place, output) => EdgeSource::Use(place, output),
                    EdgeSource::Known(dtype) => EdgeSource::Known(dtype),
                    EdgeSource::Nothing(function, output) => {
                        EdgeSource::Nothing(function.into(), output)
                    }
                };
                groups.push(EdgeGroup { from, to, scope, named: SmallVec::new(), count: 0 });
                *new.insert(groups.len() - 1)
            }
        };
        let Some(group) = groups.get_mut(place) else { return };
        group.count += 1;
        if group.named.len() < Places::NAMED {
            let start = names.len();
            if let Some(function) = body.function {
                names.extend([&*function.signature.name, "/"]);
            }
            names.extend([reader, " <- ", input]);
            group.named.push(start..names.len());
        }
    }

    /// What an input names, whose node stands at `source`; none if that is not there, which is another fault, or not
    /// known.
    fn from(
        &mut self,
        input: &'g str,
        source: Option<usize>,
        ends: &NamedEndpoints<'_, 'g>,
    ) -> Option<EdgeSource<&'g str>> {
        let body = ends.body;
        let Some(place) = source else {
            let (name, rest) = match at_colon(input) {
                Some((name, rest)) => (name, Some(rest)),
                None => (input, None),
            };
            let arg = ends.arguments.get(name)?;
            return match (fixed(arg)?, rest) {
                (dtype, None | Some("0")) => Some(EdgeSource::Known(dtype)),
                _ => {
                    let output = self.outputs.number(OutputName::None(input.into()));
                    Some(EdgeSource::Nothing(&body.function?.signature.name, output))
                }
            };
        };
        // What stands before the colon is the name of the node.
        let node = body.nodes.get(place)?;
        let rest = input.get(node.name.len() + 1..);
        let output = self.outputs.number_of(rest, input, body.function.is_some())?;
        if let Some(place) = ends.uses.get(place).copied().flatten() {
            return Some(EdgeSource::Use(place, output));
        }
        let callee = self.library.get(&*node.op)?;
        let outputs = &callee.signature.outputs;
        if outputs.iter().any(|arg| fixed(arg).is_none()) {
            return None;
        }
        match self::output(outputs, self.outputs.get(output)?, &|_| None) {
            EndType::Is(dtype, _) => Some(EdgeSource::Known(dtype)),
            EndType::Beyond(_) => Some(EdgeSource::Nothing(&callee.signature.name, output)),
            EndType::Unknown => None,
        }
    }

    /// The type of an argument of the function that `node` calls.
    fn argument(&self, node: &NodeDef, number: u64) -> Option<DataType> {
        let inputs = &self.library.get(&*node.op)?.signature.inputs;
        let known = inputs.iter().all(|arg| fixed(arg).is_some());
        known.then(|| inputs.get(usize::try_from(number).ok()?).and_then(fixed)).flatten()
    }
}

/// The type of an argument that is one value of one type.
fn fixed(arg: &ArgDef) -> Option<DataType> {
    match &arg.kind {
        ArgKind::One(ElementType::Fixed(dtype)) => Some(*dtype),
        _ => None,
    }
}

impl std::fmt::Display for OutputName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Named(name, number) => write!(f, "{name}:{number}"),
            Self::None(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpDef;

    #[test]
    fn values_are_counted_along_the_arguments_without_being_listed() {
        let op: OpDef =
            "Q(a: N * T, b: &float) -> (y: [L], z: int32) {N: int, T: type, L: list(type)}"
                .parse()
                .unwrap();
        let many = AttrValue::Int(1 << 60);
        let of = AttrValue::Type(DataType(3));
        let list =
            AttrValue::List(vec![AttrValue::Type(DataType(1)), AttrValue::Type(DataType(9))]);
        let value = |name: &str| match name {
            "N" => Some(&many),
            "T" => Some(&of),
            _ => Some(&list),
        };
        assert_eq!(at(&op.inputs, 5, &value), EndType::Is(DataType(3), false));
        assert_eq!(at(&op.inputs, 1 << 60, &value), EndType::Is(DataType(1), true));
        assert_eq!(at(&op.inputs, (1 << 60) + 1, &value), EndType::Beyond((1 << 60) + 1));
        let named = |name: &str, number| {
            output(&op.outputs, &OutputName::Named(name.into(), number), &value)
        };
        assert_eq!(named("y", 1), EndType::Is(DataType(9), false));
        assert_eq!(named("y", 2), EndType::Beyond(3));
        assert_eq!(named("z", 0), EndType::Is(DataType(3), false));
        assert_eq!(named("x", 0), EndType::Beyond(3));
    }
}
