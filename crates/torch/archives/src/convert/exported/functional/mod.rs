//! Graphs without operators that write to their arguments.
//!
//! Up to 2.4 a graph of `torch.export` calculates new tensors only; since 2.5 it may write to those that it has
//! (`relu_`, `add_`, `fill_`). Here each such operator is replaced by the one that gives what it wrote, and whoever
//! read the tensor behind it reads the new one. Tensors that share memory are followed (`memory`): what is written to
//! a view is put back into what it is a view of (`view`), and other views of it are taken anew when they are read. What
//! is written to a buffer or an input is given back beside the outputs, as the signature says.
//!
//! It is done exactly or not at all. A write is a blocker where the graph does not tell whether another tensor
//! shares the memory and that one is read later, where there is no operator that puts a view back, and where the
//! graph gives back memory of the caller that it writes to.

mod memory;
mod meta;
mod types;
mod view;
mod write;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use unskew_torch_schemas::{FunctionSchema, OperatorTable};

use super::schema_migrator::MigrationReport;
use crate::format::target;
use crate::json::JsonValue;
use memory::{Memory, MemoryOrigin};
pub(super) use meta::each_tensor;

/// How many nodes may come in the place of one, on the whole.
const GROWTH: usize = 16;

/// How deep views may depend on the sizes of other views.
const DEPTH: usize = 64;

const TOO_LARGE: &str =
    "takes no operator that writes to its arguments, and the graph without them is too large";

/// Replaces the nodes that write to their arguments, in the graphs within the graph too.
pub(super) fn put(program: &mut JsonValue, table: &OperatorTable, found: &mut MigrationReport) {
    let mut schemas = NodeSchemas { table, known: HashMap::new() };
    let Some(module) = program.get_mut("graph_module") else { return };
    if !module.get("graph").is_some_and(|graph| writes(graph, &mut schemas)) {
        return;
    }
    let mut signature = module.take("signature").unwrap_or(JsonValue::Null);
    if let Some(graph) = module.get_mut("graph") {
        let origins = origins(&signature);
        let mutated =
            Functionalizer::new(&mut schemas, graph, &origins, "graph_module.graph", found).run();
        give_back(&mut signature, graph, &mutated);
    }
    module.set("signature", signature);
}

struct NodeSchemas<'t> {
    /// The operators of the release that the graph is for.
    table: &'t OperatorTable,
    known: HashMap<String, Option<Arc<FunctionSchema>>>,
}

impl NodeSchemas<'_> {
    /// What a node calls, as the newest release has it; none of what is no operator, or of a library.
    fn schema_of(&mut self, target: &str) -> Option<Arc<FunctionSchema>> {
        if let Some(known) = self.known.get(target) {
            return known.clone();
        }
        let schema = self::target(target).and_then(|(name, overload)| {
            let history = self.table.history();
            let definitions = history.named(&name);
            let newest = history.releases().iter().rev().find_map(|release| {
                let mut same = definitions.iter().filter(|one| one.overload() == overload);
                same.find(|one| one.runs.contains(*release))
            });
            newest?.schema().cloned()
        });
        self.known.insert(target.to_owned(), schema.clone());
        schema
    }
}

fn writes(graph: &JsonValue, schemas: &mut NodeSchemas<'_>) -> bool {
    graph.get("nodes").map_or(&[][..], JsonValue::items).iter().any(|node| {
        let schema = node
            .get("target")
            .and_then(JsonValue::as_text)
            .and_then(|name| schemas.schema_of(name));
        schema.is_some_and(|schema| schema.arguments.iter().any(|one| one.is_written()))
            || inner_graphs(node).any(|graph| writes(graph, schemas))
    })
}

fn inner_graphs(node: &JsonValue) -> impl Iterator<Item = &JsonValue> {
    let inputs = node.get("inputs").map_or(&[][..], JsonValue::items).iter();
    inputs.filter_map(|input| input.get("arg")?.get("as_graph")?.get("graph"))
}

/// What the inputs of a program are, by the names of their tensors.
fn origins(signature: &JsonValue) -> HashMap<String, MemoryOrigin> {
    let specs = signature.get("input_specs").map_or(&[][..], JsonValue::items).iter();
    let origin = |spec: &JsonValue| {
        let (kind, value) = spec.fields().iter().find(|(_, value)| *value != JsonValue::Null)?;
        let arg = value.get("arg")?;
        let name = arg.get("as_tensor").unwrap_or(arg).get("name")?.as_text()?.to_owned();
        let origin = match kind.as_str() {
            "buffer" => MemoryOrigin::Buffer(value.get("buffer_name")?.as_text()?.to_owned()),
            "user_input" => MemoryOrigin::UserInput,
            _ => MemoryOrigin::Fixed("a parameter or a constant"),
        };
        Some((name, origin))
    };
    specs.filter_map(origin).collect()
}

/// An input that is written to: its name, what it is, and the tensor that it has in the end.
struct MutatedInput {
    input: String,
    origin: MemoryOrigin,
    value: String,
}

/// Has the program give back what was written to its inputs, and name its outputs as they are named now.
fn give_back(signature: &mut JsonValue, graph: &mut JsonValue, mutated: &[MutatedInput]) {
    let outputs = graph.get("outputs").map_or(&[][..], JsonValue::items).to_vec();
    let mut specs =
        signature.take("output_specs").map_or_else(Vec::new, |all| all.items().to_vec());
    for (spec, output) in specs.iter_mut().zip(&outputs) {
        let JsonValue::Object(fields) = spec else { continue };
        let Some((_, value)) = fields.iter_mut().find(|(_, value)| *value != JsonValue::Null)
        else {
            continue;
        };
        let Some(tensor) = output.get("as_tensor") else { continue };
        let is_plain = value.get("arg").is_some_and(|arg| arg.get("as_tensor").is_none());
        value.set("arg", if is_plain { tensor.clone() } else { output.clone() });
    }
    let tensor = |one: &MutatedInput| JsonValue::object([("name", JsonValue::text(&*one.value))]);
    // In the order in which PyTorch expects them: buffers, then inputs.
    let (buffers, inputs): (Vec<&MutatedInput>, Vec<&MutatedInput>) =
        mutated.iter().partition(|one| matches!(one.origin, MemoryOrigin::Buffer(_)));
    let (mut first, mut first_specs) = (Vec::new(), Vec::new());
    for one in buffers.into_iter().chain(inputs) {
        let (kind, field, name) = match &one.origin {
            MemoryOrigin::Buffer(buffer) => ("buffer_mutation", "buffer_name", buffer),
            _ => ("user_input_mutation", "user_input_name", &one.input),
        };
        let spec = JsonValue::object([("arg", tensor(one)), (field, JsonValue::text(&**name))]);
        first_specs.push(JsonValue::object([(kind, spec)]));
        first.push(JsonValue::object([("as_tensor", tensor(one))]));
    }
    first.extend(outputs);
    first_specs.extend(specs);
    graph.set("outputs", JsonValue::List(first));
    signature.set("output_specs", JsonValue::List(first_specs));
}

/// A walk along the nodes of one graph.
struct Functionalizer<'w, 't> {
    schemas: &'w mut NodeSchemas<'t>,
    graph: &'w mut JsonValue,
    found: &'w mut MigrationReport,
    place: String,
    /// Where the node stands that is looked at.
    here: String,
    memory: Memory,
    /// What is known of tensors, by name.
    rows: HashMap<String, JsonValue>,
    /// Rows of tensors that the graph did not have.
    added: Vec<(String, JsonValue)>,
    /// Names that no new tensor may have.
    taken: HashSet<String>,
    nodes: Vec<JsonValue>,
    /// How many nodes there may be.
    most: usize,
    /// How many views are being taken anew, each for the next.
    depth: usize,
}

impl<'w, 't> Functionalizer<'w, 't> {
    fn new(
        schemas: &'w mut NodeSchemas<'t>,
        graph: &'w mut JsonValue,
        origins: &HashMap<String, MemoryOrigin>,
        place: &str,
        found: &'w mut MigrationReport,
    ) -> Self {
        let mut rows = HashMap::new();
        let mut taken = HashSet::new();
        for table in ["tensor_values", "sym_int_values", "sym_bool_values", "sym_float_values"] {
            let values = graph.get(table).map_or(&[][..], JsonValue::fields);
            taken.extend(values.iter().map(|(name, _)| name.clone()));
            if table == "tensor_values" {
                rows.extend(values.iter().cloned());
            }
        }
        let nodes = graph.get("nodes").map_or(0, |nodes| nodes.items().len());
        let mut walk = Self {
            schemas,
            place: place.to_owned(),
            here: place.to_owned(),
            memory: Memory::default(),
            rows,
            added: Vec::new(),
            taken,
            nodes: Vec::with_capacity(nodes),
            most: nodes.saturating_mul(GROWTH).saturating_add(1000),
            depth: 0,
            found,
            graph,
        };
        let inputs = walk.graph.get("inputs").map_or_else(Vec::new, |all| all.items().to_vec());
        for input in &inputs {
            for name in meta::tensors(input) {
                let origin = origins.get(name).cloned();
                let origin =
                    origin.unwrap_or(MemoryOrigin::Fixed("an operand of a graph in the graph"));
                walk.memory.root(name, origin);
            }
        }
        walk
    }

    /// Goes along all nodes, and says what inputs were written to.
    fn run(mut self) -> Vec<MutatedInput> {
        let nodes = match self.graph.take("nodes") {
            Some(JsonValue::List(nodes)) => nodes,
            _ => Vec::new(),
        };
        for (n, node) in nodes.into_iter().enumerate() {
            self.here = format!("{}.nodes[{n}]", self.place);
            self.node(node);
            if self.nodes.len() > self.most {
                self.block(TOO_LARGE);
                break;
            }
        }
        self.here = format!("{}.outputs", self.place);
        let mut outputs = self.graph.take("outputs").unwrap_or(JsonValue::Null);
        for name in outputs.items().iter().flat_map(meta::tensors) {
            if self.memory.gives_away(name) {
                self.block(&format!(
                    "takes no operator that writes to what a graph gives back: {name}"
                ));
            }
        }
        self.rename(&mut outputs);
        let mut mutated = Vec::new();
        for (tensor, origin) in self.memory.mutated_inputs() {
            let (input, value) = (self.memory.name(tensor).to_owned(), self.read(tensor));
            mutated.push(MutatedInput { input, origin, value });
        }
        self.graph.set("nodes", JsonValue::List(self.nodes));
        self.graph.set("outputs", outputs);
        if !self.added.is_empty() {
            let mut table =
                self.graph.take("tensor_values").unwrap_or(JsonValue::Object(Vec::new()));
            if let JsonValue::Object(rows) = &mut table {
                rows.extend(self.added);
            }
            self.graph.set("tensor_values", table);
        }
        mutated
    }

    fn block(&mut self, what: &str) {
        self.found.block(what, &self.here);
    }

    /// One node, with what takes its place.
    fn node(&mut self, mut node: JsonValue) {
        for (n, input) in
            node.get_mut("inputs").map_or(&mut [][..], JsonValue::items_mut).iter_mut().enumerate()
        {
            let graph = input.get_mut("arg").and_then(|arg| arg.get_mut("as_graph"));
            if let Some(graph) = graph.and_then(|argument| argument.get_mut("graph")) {
                let place = format!("{}.inputs[{n}].arg.as_graph.graph", self.here);
                Functionalizer::new(self.schemas, graph, &HashMap::new(), &place, self.found).run();
            }
        }
        let target = node.get("target").and_then(JsonValue::as_text).unwrap_or_default().to_owned();
        let schema = self.schemas.schema_of(&target);
        match schema {
            Some(schema) if schema.arguments.iter().any(|one| one.is_written()) => {
                self.write(node, &target, &schema);
            }
            schema => self.keep(node, schema.as_deref()),
        }
    }

    /// A node that writes to nothing, with the tensors that are meant by now.
    fn keep(&mut self, node: JsonValue, schema: Option<&FunctionSchema>) {
        let given: Vec<String> = meta::inputs(&node).map(str::to_owned).collect();
        let kind =
            if given.is_empty() { view::ResultMemory::New } else { self.kind(&node, schema) };
        let outputs: Vec<String> =
            node.get("outputs").into_iter().flat_map(meta::tensors).map(str::to_owned).collect();
        if let Some(schema) = schema {
            for name in view::written_unsaid(schema, &node) {
                if !self.memory.written_unsaid(&name) {
                    self.block(&format!(
                        "takes no operator that writes to its arguments, and {} writes to {name} too",
                        schema.full_name()
                    ));
                }
            }
        }
        let before = node.clone();
        self.emit(node);
        match kind {
            view::ResultMemory::New => {
                outputs.iter().for_each(|name| self.memory.root(name, MemoryOrigin::Made))
            }
            view::ResultMemory::Same => {
                let whole = given.first().map_or(0, |name| self.memory.id(name));
                outputs.iter().for_each(|name| self.memory.same(name, whole));
            }
            view::ResultMemory::View(back) => {
                let whole = given.first().map_or(0, |name| self.memory.id(name));
                self.memory.view(whole, &outputs, before, back);
            }
            view::ResultMemory::Perhaps => self.memory.perhaps(&given, &outputs),
        }
    }

    /// Adds a node whose arguments have the names of the graph as it was.
    fn emit(&mut self, mut node: JsonValue) {
        for input in node.get_mut("inputs").map_or(&mut [][..], JsonValue::items_mut) {
            self.rename(input);
        }
        self.nodes.push(node);
    }

    /// Has an argument name the tensors that are meant by now.
    fn rename(&mut self, argument: &mut JsonValue) {
        meta::each_tensor(argument, &mut |name| {
            let tensor = self.memory.id(name);
            let now = match self.memory.value_of(name) {
                memory::CurrentValue::Is(now) if self.memory.doubt(tensor).is_none() => now,
                _ => self.read(tensor),
            };
            *name = now;
        });
    }

    /// The name that has the value of a tensor by now.
    fn read(&mut self, tensor: usize) -> String {
        let name = self.memory.name(tensor);
        if let Some(why) = self.memory.doubt(tensor) {
            let what = format!(
                "takes no operator that writes to its arguments, and the graph does not tell whether {name} is \
                 the memory of {why}, which is written to before it is read"
            );
            self.block(&what);
        } else if let memory::CurrentValue::TakenBy(view) = self.memory.value(tensor) {
            self.replay(view);
        }
        match self.memory.value(tensor) {
            memory::CurrentValue::Is(value) => value,
            memory::CurrentValue::TakenBy(_) => self.memory.name(tensor).to_owned(),
        }
    }

    /// Takes a view anew.
    fn replay(&mut self, view: usize) {
        self.depth += 1;
        // From the whole to the view, so that no chain of views makes a deep stack.
        for view in self.memory.stale_views(view) {
            let Some((mut node, given)) = self.memory.template(view) else { continue };
            if self.nodes.len() > self.most || self.depth > DEPTH {
                self.block(TOO_LARGE);
                break;
            }
            let mut given = given.into_iter();
            for input in node.get_mut("inputs").map_or(&mut [][..], JsonValue::items_mut) {
                meta::each_tensor(input, &mut |name| {
                    if let Some(tensor) = given.next() {
                        *name = self.read(tensor);
                    }
                });
            }
            let mut now = Vec::new();
            let mut outputs = node.take("outputs").unwrap_or(JsonValue::Null);
            meta::each_tensor(&mut outputs, &mut |name| {
                let fresh = self.fresh(name);
                if let Some(row) = self.rows.get(name.as_str()).cloned() {
                    self.row(&fresh, row);
                }
                now.push(fresh.clone());
                *name = fresh;
            });
            node.set("outputs", outputs);
            if let (Some(_), Some(name)) = (node.get("name"), now.first()) {
                node.set("name", JsonValue::text(&**name));
            }
            self.nodes.push(node);
            self.memory.taken(view, now);
        }
        self.depth -= 1;
    }

    /// A name like this one that no tensor has.
    fn fresh(&mut self, name: &str) -> String {
        let mut n = 1_usize;
        loop {
            let fresh = format!("{name}_now_{n}");
            if self.taken.insert(fresh.clone()) {
                return fresh;
            }
            n += 1;
        }
    }

    fn row(&mut self, name: &str, row: JsonValue) {
        self.rows.insert(name.to_owned(), row.clone());
        self.added.push((name.to_owned(), row));
    }
}
