//! Nodes whose operator the release does not have, or takes otherwise: the registry's functions in their place.
//!
//! A node calls one overload, and what it gives has its type and shape in a table. So a function can take its
//! place if it comes to one call ([`unfold`]), which gives the same; what comes to more is a blocker that
//! names the node. Operators that no release of the database has are left alone: they come with a library.

use unskew_ops::typing::{Choice, Given as Value, Literal, Operators as _, ScriptType, choose};
use unskew_ops::{
    Blocked, Decision, GivenArgument, OperatorCall, Registry, Schema, Target, Writer,
};
use unskew_script::{Function, Span};

use super::recast::Found;
use super::schema::Schema as Shapes;
use crate::code::Callable;
use crate::convert::Task;
use crate::convert::json::Json;
use crate::convert::unfold::{Arguments, One, Part, annotated, unfold};
use crate::{format, history};

/// The operator version of every graph of `torch.export`.
const OPERATOR_VERSION: u32 = 10;

/// The scalar types that are floats.
const FLOATS: [i64; 4] = [6, 7, 8, 13];

/// Fits the nodes of `graph`, and of the graphs in it, to the release.
pub(super) fn put(task: &Task<'_>, schema: &Shapes, graph: &mut Json, found: &mut Found) {
    let Some(registry) = history::registry() else { return };
    let producer = task.model.producer_by(task.to.operators.history());
    let writer =
        Writer { operator_version: OPERATOR_VERSION, since: producer.since, until: producer.until };
    let nodes = Nodes { task, schema, registry, writer };
    nodes.graph(graph, "graph_module.graph", found);
}

struct Nodes<'t> {
    task: &'t Task<'t>,
    /// The schema that the graph has by now.
    schema: &'t Shapes,
    registry: &'static Registry,
    writer: Writer,
}

/// The arguments of one node.
struct Site<'g> {
    inputs: &'g [Json],
    /// What is known of tensors, by name.
    tensors: Option<&'g Json>,
}

impl Nodes<'_> {
    fn graph(&self, graph: &mut Json, place: &str, found: &mut Found) {
        let tensors = graph.get("tensor_values").cloned();
        for (n, node) in
            graph.get_mut("nodes").map_or(&mut [][..], Json::items_mut).iter_mut().enumerate()
        {
            let place = format!("{place}.nodes[{n}]");
            for input in node.get_mut("inputs").map_or(&mut [][..], Json::items_mut) {
                let inner = input.get_mut("arg").and_then(|arg| arg.get_mut("as_graph"));
                if let Some(graph) = inner.and_then(|argument| argument.get_mut("graph")) {
                    self.graph(graph, &format!("{place}.as_graph.graph"), found);
                }
            }
            if let Some((target, inputs)) = self.node(node, tensors.as_ref(), &place, found) {
                node.set("target", Json::text(target));
                node.set("inputs", Json::List(inputs));
            }
        }
    }

    /// What a node calls instead, with which inputs; none if it stays.
    fn node(
        &self,
        node: &Json,
        tensors: Option<&Json>,
        place: &str,
        found: &mut Found,
    ) -> Option<(String, Vec<Json>)> {
        let target = node.get("target").and_then(Json::as_text)?;
        let (name, overload) = format::target(target)?;
        let table = &self.task.to.operators;
        let meant = self.meant(&name, &overload)?;
        let site = Site { inputs: node.get("inputs").map_or(&[][..], Json::items), tensors };
        let given = site.given(&meant);
        let call = OperatorCall { schema: &meant, given: &given };
        let release = Target { table, operator_version: OPERATOR_VERSION };
        let full = meant.full_name();
        let mut block = |why: &str| {
            found.block(format!("has no exact form of {full}: {why}"), place);
            None
        };
        match self.registry.decide(call, &self.writer, release) {
            // What the file leaves open, its verdict says; defaults were left out before.
            Decision::Keep
            | Decision::Fitted(_)
            | Decision::Blocked(Blocked::WriterUnknown { .. }) => None,
            Decision::Blocked(why) => block(&why.to_string()),
            Decision::Upgrade(step) | Decision::Downgrade(step) => {
                let Some(one) = unfold(step.function, &site) else {
                    return block("what takes its place is more than one call");
                };
                let Some((schema, inputs)) = self.call(step.function, &one, &site) else {
                    return block("what takes its place cannot be written as a node");
                };
                let overload =
                    if schema.overload.is_empty() { "default" } else { &schema.overload };
                let new = format!("torch.ops.{}.{overload}", schema.name.replacen("::", ".", 1));
                found.change(format!("{full} is computed by {}", schema.full_name()));
                Some((new, inputs))
            }
        }
    }

    /// The schema that the writer meant: that of the first release that can have written the file.
    fn meant(&self, name: &str, overload: &str) -> Option<Schema> {
        let definitions = self.task.to.operators.history().named(name);
        let same = || definitions.iter().filter(|one| one.schema.overload == overload);
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
        by_writer.or_else(|| same().last()).map(|definition| definition.schema.clone())
    }

    /// The overload that takes a call, and its inputs as a node has them.
    fn call(&self, function: &Function, one: &One, site: &Site<'_>) -> Option<(Schema, Vec<Json>)> {
        let values = one.given.iter().map(|(keyword, part)| {
            let (ty, literal) = match part {
                Part::Argument(name) => (annotated(function, name)?, site.literal(name)),
                Part::Literal(literal) => (type_of(literal)?, Some(literal.clone())),
            };
            let span = Span { start: 0, end: 0 };
            Some(Value { keyword: keyword.clone(), receiver: false, ty, literal, span })
        });
        let values: Vec<Value> = values.collect::<Option<_>>()?;
        let overloads = Callable(&self.task.to.operators).overloads(&one.operator);
        let Choice::One(signature, _) = choose(&overloads, &values) else { return None };
        let schema = signature.schema.clone();
        let mut inputs = Vec::new();
        for (n, (keyword, part)) in one.given.iter().enumerate() {
            let argument = match keyword {
                Some(name) => schema.arguments.iter().find(|argument| argument.name == *name)?,
                None => schema.arguments.get(n)?,
            };
            let value = match part {
                Part::Argument(name) => match site.input(name) {
                    Some(input) => input.get("arg")?.clone(),
                    // Not given: it has its default, which the new one may have too.
                    None => self.written(&site.default(function, name)?)?,
                },
                Part::Literal(literal) => self.written(literal)?,
            };
            let mut input = Json::object([("name", Json::text(&*argument.name)), ("arg", value)]);
            if site.inputs.iter().any(|input| input.get("kind").is_some()) {
                input.set("kind", Json::number(if argument.keyword_only { 2 } else { 1 }));
            }
            inputs.push(input);
        }
        Some((schema, inputs))
    }

    /// A literal as an argument; none where every argument stands with all that it is not.
    fn written(&self, literal: &Literal) -> Option<Json> {
        if self.schema.spells_out_unions() {
            return None;
        }
        Some(match literal {
            // Up to 2.5 nothing was an empty list.
            Literal::None if self.schema.writes_calls() => {
                Json::object([("as_none", Json::Bool(true))])
            }
            Literal::None => Json::object([("as_none", Json::List(Vec::new()))]),
            Literal::Bool(value) => Json::object([("as_bool", Json::Bool(*value))]),
            Literal::Int(number) => Json::object([("as_int", Json::number(*number))]),
            Literal::Float(bits) if bits.value().is_finite() => {
                Json::object([("as_float", Json::literal(&format!("{:?}", bits.value())))])
            }
            Literal::Text(text) => Json::object([("as_string", Json::text(&**text))]),
            _ => return None,
        })
    }
}

impl Site<'_> {
    fn input(&self, name: &str) -> Option<&Json> {
        let is = |input: &&Json| input.get("name").and_then(Json::as_text) == Some(name);
        self.inputs.iter().find(is)
    }

    /// What the node gives, as the registry wants it.
    fn given(&self, schema: &Schema) -> Vec<GivenArgument> {
        let one = |input: &Json| {
            let name = input.get("name").and_then(Json::as_text).unwrap_or_default();
            let argument = schema.arguments.iter().find(|argument| argument.name == name);
            GivenArgument {
                name: name.to_owned(),
                by_name: argument.is_none_or(|argument| argument.keyword_only),
                value: input.get("arg").and_then(read).map(|literal| literal.to_string()),
                ty: None,
            }
        };
        let mut all: Vec<GivenArgument> = self.inputs.iter().map(one).collect();
        let place =
            |given: &GivenArgument| schema.arguments.iter().position(|one| one.name == given.name);
        // An argument that stands behind one that is left to its default is given by its name.
        for (at, given) in all.iter_mut().enumerate() {
            given.by_name |= place(given).is_none_or(|place| place != at);
        }
        all
    }

    /// The default of a parameter.
    fn default(&self, function: &Function, name: &str) -> Option<Literal> {
        let parameter = function.parameters.iter().find(|one| one.name.text == name)?;
        Literal::of(parameter.default.as_ref()?)
    }
}

impl Arguments for Site<'_> {
    fn literal(&self, name: &str) -> Option<Literal> {
        read(self.input(name)?.get("arg")?)
    }

    fn is_floating_point(&self, name: &str) -> Option<bool> {
        let tensor = self.input(name)?.get("arg")?.get("as_tensor")?.get("name")?.as_text()?;
        let value = self.tensors?.get(tensor)?;
        let dtype = value.get("dtype").or_else(|| value.get("meta")?.get("dtype"))?.as_int()?;
        Some(FLOATS.contains(&dtype))
    }

    fn is_something(&self, name: &str) -> bool {
        let member = self.input(name).and_then(|input| meant(input.get("arg")?));
        member.is_some_and(|(kind, _)| kind != "as_none")
    }
}

/// The member of a union that is meant.
fn meant(argument: &Json) -> Option<(&str, &Json)> {
    let mut members = argument.fields().iter();
    let set = members.find(|(_, value)| *value != Json::Null);
    let set = set.or_else(|| argument.fields().iter().find(|(kind, _)| kind == "as_none"));
    set.map(|(kind, value)| (kind.as_str(), value))
}

/// An argument that is a literal.
fn read(argument: &Json) -> Option<Literal> {
    let (kind, value) = meant(argument)?;
    Some(match kind {
        "as_none" => Literal::None,
        "as_bool" => Literal::Bool(*value == Json::Bool(true)),
        "as_int" => Literal::Int(value.as_int()?),
        "as_float" => Literal::from(value.to_string().parse::<f64>().ok()?),
        "as_string" => Literal::Text(value.as_text()?.into()),
        _ => return None,
    })
}

fn type_of(literal: &Literal) -> Option<ScriptType> {
    Some(match literal {
        Literal::None => ScriptType::None,
        Literal::Bool(_) => ScriptType::Bool,
        Literal::Int(_) => ScriptType::Int,
        Literal::Float(_) => ScriptType::Float,
        Literal::Text(_) => ScriptType::Str,
        Literal::List(_) | Literal::Tuple(_) => return None,
    })
}
