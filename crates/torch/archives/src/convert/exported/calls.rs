//! Nodes whose operator the release does not have, or takes otherwise: the registry's functions in their place.
//!
//! A node calls one overload, and what it gives has its type and shape in a table. So a function takes its place as the
//! calls that it comes to ([`specialize`]), a node each. The last gives what the node gave; what the others give needs a row
//! in the table ([`shapes`]), and where its shape cannot be told there is a blocker that names the node. Operators that
//! no release of the database has are left alone: they come with a library.

use std::sync::Arc;

use unskew_script::FunctionDefinition;
use unskew_torch_operators::{
    BlockReason, CallDecision, CallTarget, FileWriter, OperatorCall, OperatorRegistry,
};
use unskew_torch_schemas::FunctionSchema;
use unskew_torch_schemas::matching::{
    GivenValue as Value, Literal, OverloadChoice, OverloadSource as _, ScriptType, choose,
};

use super::node_arguments::NodeArguments;
use super::schema_migrator::MigrationReport;
use super::shapes;
use crate::code::Callable;
use crate::convert::specialize::{
    KnownArguments as _, PartialValue, ResidualCall, annotated, unfold,
};
use crate::convert::task::ConversionTask;
use crate::exported::schema::ExportSchema as Shapes;
use crate::format;
use crate::json::JsonValue;

/// The operator version of every graph of `torch.export`.
const OPERATOR_VERSION: u32 = 10;

/// Fits the nodes of `graph`, and of the graphs in it, to the release.
pub(super) fn put(
    task: &ConversionTask<'_>,
    schema: &Shapes,
    graph: &mut JsonValue,
    found: &mut MigrationReport,
) {
    let registry = unskew_torch_operators::registry();
    let producer = task.model.producer_by(task.to.operators.history());
    let writer = FileWriter {
        operator_version: OPERATOR_VERSION,
        since: producer.since,
        until: producer.until,
    };
    let nodes = Nodes { task, schema, registry, writer };
    nodes.graph(graph, "graph_module.graph", found);
}

struct Nodes<'t> {
    task: &'t ConversionTask<'t>,
    /// The schema that the graph has by now.
    schema: &'t Shapes,
    registry: &'static OperatorRegistry,
    writer: FileWriter,
}

impl Nodes<'_> {
    fn graph(&self, graph: &mut JsonValue, place: &str, found: &mut MigrationReport) {
        let mut tensors = graph.get("tensor_values").cloned();
        let mut all = Vec::new();
        let nodes = graph.get_mut("nodes").map_or(&mut [][..], JsonValue::items_mut);
        for (n, node) in nodes.iter_mut().enumerate() {
            let place = format!("{place}.nodes[{n}]");
            for input in node.get_mut("inputs").map_or(&mut [][..], JsonValue::items_mut) {
                let inner = input.get_mut("arg").and_then(|arg| arg.get_mut("as_graph"));
                if let Some(graph) = inner.and_then(|argument| argument.get_mut("graph")) {
                    self.graph(graph, &format!("{place}.as_graph.graph"), found);
                }
            }
            match self.node(node, &mut tensors, &place, found) {
                Some(instead) => all.extend(instead),
                None => all.push(node.clone()),
            }
        }
        if let (true, Some(tensors)) = (all.len() > nodes.len(), tensors) {
            graph.set("tensor_values", tensors);
        }
        if graph.get("nodes").is_some() {
            graph.set("nodes", JsonValue::List(all));
        }
    }

    /// The nodes that take the place of one; none if it stays.
    fn node(
        &self,
        node: &JsonValue,
        tensors: &mut Option<JsonValue>,
        place: &str,
        found: &mut MigrationReport,
    ) -> Option<Vec<JsonValue>> {
        let target = node.get("target").and_then(JsonValue::as_text)?;
        let (name, overload) = format::target(target)?;
        let table = &self.task.to.operators;
        let meant = self.meant(&name, &overload)?;
        let inputs = node.get("inputs").map_or(&[][..], JsonValue::items);
        let site = NodeArguments { inputs, tensors: tensors.as_ref() };
        let given = site.given(&meant);
        let call = OperatorCall { schema: &meant, given: &given };
        let release = CallTarget { table, operator_version: OPERATOR_VERSION };
        let full = meant.full_name();
        let mut block = |why: &str| {
            found.block(format!("has no exact form of {full}: {why}"), place);
            None
        };
        match self.registry.decide(call, &self.writer, release) {
            // What the file leaves open, its verdict says; defaults were left out before.
            CallDecision::Keep
            | CallDecision::Fitted(_)
            | CallDecision::Blocked(BlockReason::WriterUnknown { .. }) => None,
            CallDecision::Blocked(why) => block(&why.to_string()),
            CallDecision::Upgrade(step) | CallDecision::Downgrade(step) => {
                let Some(calls) = unfold(step.function, &site) else {
                    return block(
                        "what takes its place depends on values that the graph does not say",
                    );
                };
                match self.instead(node, step.function, &calls, tensors) {
                    Ok((nodes, names)) => {
                        found.change(format!("{full} is computed by {}", names.join(", ")));
                        Some(nodes)
                    }
                    Err(why) => block(why),
                }
            }
        }
    }

    /// A node for each call, and the operators; what they give is added to the table of tensors.
    fn instead(
        &self,
        node: &JsonValue,
        function: &FunctionDefinition,
        calls: &[ResidualCall],
        tensors: &mut Option<JsonValue>,
    ) -> Result<(Vec<JsonValue>, Vec<String>), &'static str> {
        const UNWRITTEN: &str = "what takes its place cannot be written as a node";
        let inputs = node.get("inputs").map_or(&[][..], JsonValue::items);
        let (mut nodes, mut names, mut given) = (Vec::new(), Vec::new(), Vec::<String>::new());
        for (n, one) in calls.iter().enumerate() {
            let site = NodeArguments { inputs, tensors: tensors.as_ref() };
            let (schema, inputs) = self.call(function, one, &site, &given).ok_or(UNWRITTEN)?;
            let overload = if schema.overload.is_empty() { "default" } else { &schema.overload };
            let target = format!("torch.ops.{}.{overload}", schema.name.replacen("::", ".", 1));
            let mut new = node.clone();
            new.set("target", JsonValue::text(target));
            if n + 1 < calls.len() {
                let table = tensors.as_mut().ok_or(UNWRITTEN)?;
                let value = shapes::result(&schema, &inputs, table)
                    .ok_or("the shape of a part of what takes its place cannot be told")?;
                let name = fresh(node, n, table).ok_or(UNWRITTEN)?;
                table.set(&name, value);
                let tensor = JsonValue::object([("name", JsonValue::text(&*name))]);
                let mut output = node.get("outputs").and_then(|all| all.items().first()).cloned();
                let output = output.as_mut().ok_or(UNWRITTEN)?;
                output.set("as_tensor", tensor);
                new.set("outputs", JsonValue::List(vec![output.clone()]));
                if new.get("name").is_some() {
                    new.set("name", JsonValue::text(&*name));
                }
                given.push(name);
            }
            new.set("inputs", JsonValue::List(inputs));
            nodes.push(new);
            names.push(schema.full_name());
        }
        Ok((nodes, names))
    }

    /// The schema that the writer meant: that of the first release that can have written the file.
    fn meant(&self, name: &str, overload: &str) -> Option<Arc<FunctionSchema>> {
        let definitions = self.task.to.operators.history().named(name);
        let same = || definitions.iter().filter(|one| one.overload() == overload);
        let releases = self.task.to.operators.history().releases().iter();
        let minor = |release: &unskew_core::Version| {
            unskew_core::Version::pair(release.major(), release.minor())
        };
        let mut wrote = releases.filter(|release| {
            let minor = minor(release);
            self.writer.since.is_none_or(|since| since <= minor)
                && self.writer.until.is_none_or(|until| minor <= until)
        });
        let by_writer =
            wrote.find_map(|release| same().find(|definition| definition.runs.contains(*release)));
        by_writer.or_else(|| same().last())?.schema().cloned()
    }

    /// The overload that takes a call, and its inputs as a node has them. `earlier` are the tensors that the calls
    /// before it give.
    fn call(
        &self,
        function: &FunctionDefinition,
        one: &ResidualCall,
        site: &NodeArguments<'_>,
        earlier: &[String],
    ) -> Option<(Arc<FunctionSchema>, Vec<JsonValue>)> {
        let values = one.given.iter().map(|(keyword, part)| {
            let (ty, literal) = match part {
                PartialValue::Argument(name) => {
                    (known_type(function, site, name)?, site.literal(name))
                }
                PartialValue::Literal(literal) => (literal.ty()?, Some(literal.clone())),
                PartialValue::Call(_) => (ScriptType::Tensor, None),
            };
            Some(Value { keyword: keyword.clone(), receiver: false, ty, literal })
        });
        let values: Vec<Value> = values.collect::<Option<_>>()?;
        let overloads = Callable(&self.task.to.operators).overloads(&one.operator);
        let OverloadChoice::One(signature, _) = choose(&overloads, &values) else { return None };
        let schema = signature.schema.clone();
        let mut inputs = Vec::new();
        for (n, (keyword, part)) in one.given.iter().enumerate() {
            let argument = match keyword {
                Some(name) => schema.arguments.iter().find(|argument| argument.name == *name)?,
                None => schema.arguments.get(n)?,
            };
            let is_dtype = matches!(argument.ty.to_string().as_str(), "ScalarType" | "ScalarType?");
            let value = match part {
                PartialValue::Argument(name) => match site.input(name) {
                    Some(input) => input.get("arg")?.clone(),
                    // Not given: it has its default, which the new one may have too.
                    None => self.written(&site.default(function, name)?)?,
                },
                PartialValue::Literal(Literal::Int(number)) if is_dtype => {
                    self.union("as_scalar_type", JsonValue::number(shapes::in_graph(*number)?))
                }
                PartialValue::Literal(literal) => self.written(literal)?,
                PartialValue::Call(number) => {
                    let name = JsonValue::text(earlier.get(*number)?.as_str());
                    self.union("as_tensor", JsonValue::object([("name", name)]))
                }
            };
            let mut input =
                JsonValue::object([("name", JsonValue::text(&*argument.name)), ("arg", value)]);
            if site.inputs.iter().any(|input| input.get("kind").is_some()) {
                input.set("kind", JsonValue::number(if argument.keyword_only { 2 } else { 1 }));
            }
            inputs.push(input);
        }
        // Every node gives one tensor.
        (schema.returns.len() == 1).then_some((schema, inputs))
    }

    fn written(&self, literal: &Literal) -> Option<JsonValue> {
        Some(match literal {
            // Up to 2.5 nothing was an empty list.
            Literal::None if self.schema.writes_calls() => {
                self.union("as_none", JsonValue::Bool(true))
            }
            Literal::None => self.union("as_none", JsonValue::List(Vec::new())),
            Literal::Bool(value) => self.union("as_bool", JsonValue::Bool(*value)),
            Literal::Int(number) => self.union("as_int", JsonValue::number(*number)),
            Literal::Float(bits) if bits.value().is_finite() => {
                self.union("as_float", JsonValue::literal(&format!("{:?}", bits.value())))
            }
            Literal::Text(text) => self.union("as_string", JsonValue::text(&**text)),
            Literal::List(items) => {
                let number = |item: &Literal| match item {
                    Literal::Int(number) => Some(JsonValue::number(*number)),
                    _ => None,
                };
                let items: Option<Vec<JsonValue>> = items.iter().map(number).collect();
                self.union("as_ints", JsonValue::List(items?))
            }
            _ => return None,
        })
    }

    /// An argument of a kind; in the first schemas with all that it is not.
    fn union(&self, kind: &str, value: JsonValue) -> JsonValue {
        let shape = self.schema.shape("Argument").filter(|_| self.schema.spells_out_unions());
        let Some(shape) = shape else { return JsonValue::object([(kind, value)]) };
        let others = shape.fields.iter().map(|field| (field.name.to_owned(), JsonValue::Null));
        let mut argument = JsonValue::Object(others.collect());
        argument.set(kind, value);
        argument
    }
}

/// The type of a parameter, which is something where what is given is.
fn known_type(
    function: &FunctionDefinition,
    site: &NodeArguments<'_>,
    name: &str,
) -> Option<ScriptType> {
    Some(match (site.literal(name).as_ref().and_then(Literal::ty), annotated(function, name)?) {
        (Some(ty), ScriptType::Optional(_)) => ty,
        (_, ScriptType::Optional(inner)) if site.is_something(name) => (*inner).clone(),
        (_, ty) => ty,
    })
}

/// A name for what a part of a node's calculation gives, which no other tensor has.
fn fresh(node: &JsonValue, part: usize, tensors: &JsonValue) -> Option<String> {
    let output = node.get("outputs")?.items().first()?.get("as_tensor")?.get("name")?.as_text()?;
    let names = (0..1000).map(|n| match n {
        0 => format!("{output}_part_{part}"),
        n => format!("{output}_part_{part}_{n}"),
    });
    names.into_iter().find(|name| tensors.get(name).is_none())
}
