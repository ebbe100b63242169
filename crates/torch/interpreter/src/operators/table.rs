//! All operators by name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unskew_torch_schemas::{FunctionSchema, SchemaArgument, SchemaType};

use super::FAMILIES;
use super::compositions::compositions;
use super::declaration::{Body, Forms};
use super::operator_entry::{OperatorEntry, ResultTarget};

/// By name, each with its overloads in the order in which they are tried.
static TABLE: LazyLock<BTreeMap<String, Vec<OperatorEntry>>> = LazyLock::new(|| {
    let mut table: BTreeMap<String, Vec<OperatorEntry>> = BTreeMap::new();
    for (schema, wanted, body) in declared() {
        // A schema that cannot be read is missing, which a test finds.
        let Ok(schema) = schema.parse::<FunctionSchema>() else { continue };
        for (schema, target) in forms(schema, wanted) {
            let defaults = schema.arguments.iter().map(super::bind::default).collect();
            let entry = OperatorEntry { schema, defaults, body, target };
            table.entry(entry.schema.name.clone()).or_default().push(entry);
        }
    }
    table
});

/// Every operator as it is declared: its schema, its forms, and what calculates it.
fn declared() -> impl Iterator<Item = (&'static str, Forms, Body)> {
    let native = FAMILIES.iter().copied().flatten();
    native.map(|one| (one.schema, one.forms, Body::Native(one.run))).chain(compositions())
}

/// Every operator that the interpreter has, by its schema, sorted by name.
pub fn operators() -> impl Iterator<Item = &'static FunctionSchema> {
    TABLE.values().flatten().map(|entry| &entry.schema)
}

pub(crate) fn find(name: &str) -> &'static [OperatorEntry] {
    TABLE.get(name).map_or(&[], Vec::as_slice)
}

/// Operators whose overload `Tensor` has an out form of another name than most.
const TENSOR_OUT: [&str; 18] = [
    "eq",
    "ne",
    "not_equal",
    "lt",
    "less",
    "le",
    "less_equal",
    "gt",
    "greater",
    "ge",
    "greater_equal",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "remainder",
    "fmod",
];

/// Overloads without an out form, of operators that have one otherwise.
const NO_OUT: [&str; 13] = [
    "divide.Scalar",
    "divide.Scalar_mode",
    "multiply.Scalar",
    "subtract.Scalar",
    "true_divide.Scalar",
    "frobenius_norm",
    "masked_fill.Scalar",
    "masked_fill.Tensor",
    "relu6",
    "selu",
    "index_fill.int_Scalar",
    "rsub.Scalar",
    "rsub.Tensor",
];

fn out_name(schema: &FunctionSchema) -> Option<String> {
    let (full, name) = (schema.full_name(), schema.name.trim_start_matches("aten::"));
    if NO_OUT.contains(&full.trim_start_matches("aten::")) {
        return None;
    }
    Some(match (name, schema.overload.as_str()) {
        ("xlogy", overload) => format!("Out{overload}"),
        ("lerp", "Tensor") => "Tensor_out".to_owned(),
        (name, "Tensor") if TENSOR_OUT.contains(&name) => "Tensor_out".to_owned(),
        ("sum", "dim_IntList") => "IntList_out".to_owned(),
        (_, "" | "Tensor" | "dim") => "out".to_owned(),
        (_, "Tensor_mode") => "out_mode".to_owned(),
        (_, other) => format!("{other}_out"),
    })
}

/// The overload name of the form that writes into `self`.
fn in_place_name(schema: &FunctionSchema) -> &str {
    match (schema.name.as_str(), schema.overload.as_str()) {
        ("aten::floor_divide", "") => "Tensor",
        ("aten::pow", overload) => overload.trim_start_matches("Tensor_"),
        (_, overload) => overload,
    }
}

fn forms(schema: FunctionSchema, forms: Forms) -> Vec<(FunctionSchema, ResultTarget)> {
    let mut all = Vec::new();
    if forms == Forms::All {
        let mut own = schema.clone();
        own.name.push('_');
        own.overload = in_place_name(&schema).to_owned();
        all.push((own, ResultTarget::First));
    }
    if let Some(overload) = out_name(&schema).filter(|_| forms != Forms::Plain) {
        let mut own = schema.clone();
        own.overload = overload;
        own.arguments.push(SchemaArgument {
            name: "out".into(),
            ty: SchemaType::Named("Tensor".into()),
            alias: None,
            default: None,
            keyword_only: true,
        });
        all.push((own, ResultTarget::Last));
    }
    if forms != Forms::OnlyOut {
        all.push((schema, ResultTarget::New));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_is_read_and_stands_once() {
        let mut seen = std::collections::BTreeSet::new();
        for (schema, ..) in declared() {
            let schema: FunctionSchema = schema.parse().unwrap();
            assert!(seen.insert(schema.to_string()), "{schema}");
        }
        for schema in operators() {
            for argument in &schema.arguments {
                let Some(text) = &argument.default else { continue };
                assert!(super::super::bind::default(argument).is_some(), "{schema}: {text}");
            }
        }
    }
}
