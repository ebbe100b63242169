//! Arguments of a node, in the words of the registry.

use unskew_script::FunctionDefinition;
use unskew_script::typing::literal_of;
use unskew_torch_schemas::FunctionSchema;
use unskew_torch_schemas::matching::GivenArgument;
use unskew_torch_schemas::matching::Literal;

use super::shapes;
use crate::convert::specialize::KnownArguments;
use crate::json::JsonValue;

pub(super) struct NodeArguments<'g> {
    pub(super) inputs: &'g [JsonValue],
    /// What is known of tensors, by name.
    pub(super) tensors: Option<&'g JsonValue>,
}

impl NodeArguments<'_> {
    pub(super) fn input(&self, name: &str) -> Option<&JsonValue> {
        let is = |input: &&JsonValue| input.get("name").and_then(JsonValue::as_text) == Some(name);
        self.inputs.iter().find(is)
    }

    /// What the node gives, as the registry wants it.
    pub(super) fn given(&self, schema: &FunctionSchema) -> Vec<GivenArgument> {
        let one = |input: &JsonValue| {
            let name = input.get("name").and_then(JsonValue::as_text).unwrap_or_default();
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

    /// The type of the elements of an argument, by its number in a graph.
    fn own_dtype(&self, name: &str) -> Option<i64> {
        let tensor = self.input(name)?.get("arg")?.get("as_tensor")?.get("name")?.as_text()?;
        let value = self.tensors?.get(tensor)?;
        value.get("dtype").or_else(|| value.get("meta")?.get("dtype"))?.as_int()
    }

    pub(super) fn default(&self, function: &FunctionDefinition, name: &str) -> Option<Literal> {
        let parameter = function.parameters.iter().find(|one| one.name.text == name)?;
        literal_of(parameter.default.as_ref()?)
    }
}

impl KnownArguments for NodeArguments<'_> {
    fn literal(&self, name: &str) -> Option<Literal> {
        read(self.input(name)?.get("arg")?)
    }

    fn is_floating_point(&self, name: &str) -> Option<bool> {
        Some(shapes::FLOATS.contains(&self.own_dtype(name)?))
    }

    fn dtype(&self, name: &str) -> Option<i64> {
        shapes::of_graph(self.own_dtype(name)?)
    }

    fn is_given(&self, name: &str) -> bool {
        self.input(name).is_some()
    }

    fn is_something(&self, name: &str) -> bool {
        let member = self.input(name).and_then(|input| meant(input.get("arg")?));
        member.is_some_and(|(kind, _)| kind != "as_none")
    }
}

fn meant(argument: &JsonValue) -> Option<(&str, &JsonValue)> {
    let mut members = argument.fields().iter();
    let set = members.find(|(_, value)| *value != JsonValue::Null);
    let set = set.or_else(|| argument.fields().iter().find(|(kind, _)| kind == "as_none"));
    set.map(|(kind, value)| (kind.as_str(), value))
}

fn read(argument: &JsonValue) -> Option<Literal> {
    let (kind, value) = meant(argument)?;
    Some(match kind {
        "as_none" => Literal::None,
        "as_bool" => Literal::Bool(*value == JsonValue::Bool(true)),
        "as_int" => Literal::Int(value.as_int()?),
        "as_float" => Literal::from(value.to_string().parse::<f64>().ok()?),
        "as_string" => Literal::Text(value.as_text()?.into()),
        "as_ints" => {
            let items: Option<_> =
                value.items().iter().map(|n| n.as_int().map(Literal::Int)).collect();
            Literal::List(items?)
        }
        _ => return None,
    })
}
