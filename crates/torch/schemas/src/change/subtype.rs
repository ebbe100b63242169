//! Subtyping: which types stand for which others.

use crate::SchemaType;

/// Names that are numbers or texts at run time.
const NUMBERS: [&str; 5] = ["SymInt", "ScalarType", "Layout", "MemoryFormat", "QScheme"];

/// Whether a value of `narrow` is a value of `wide`.
pub fn is_subtype(narrow: &SchemaType, wide: &SchemaType) -> bool {
    match (narrow, wide) {
        (SchemaType::Optional(narrow), SchemaType::Optional(wide)) => is_subtype(narrow, wide),
        (narrow, SchemaType::Optional(wide)) => {
            matches!(narrow, SchemaType::Named(name) if name == "NoneType")
                || is_subtype(narrow, wide)
        }
        (SchemaType::Tuple(narrow), SchemaType::Tuple(wide)) => {
            narrow.len() == wide.len()
                && narrow.iter().zip(wide).all(|(narrow, wide)| is_subtype(narrow, wide))
        }
        // Lists can be written to, so that their elements must be the same; lengths are compared apart.
        (SchemaType::List(one, _), SchemaType::List(other, _)) => is_same(one, other),
        (SchemaType::Applied(one, ones), SchemaType::Applied(other, others)) => {
            one == other
                && ones.len() == others.len()
                && ones.iter().zip(others).all(|(one, other)| is_same(one, other))
        }
        (SchemaType::Named(one), SchemaType::Named(other)) => {
            let (one, other) = (runtime(one), runtime(other));
            one == other
                || other == "Any"
                || (other == "Scalar" && matches!(one, "int" | "float" | "complex"))
        }
        (_, SchemaType::Named(other)) => other == "Any",
        _ => false,
    }
}

/// Whether two types are one at run time.
pub fn is_same(one: &SchemaType, other: &SchemaType) -> bool {
    is_subtype(one, other) && is_subtype(other, one)
}

/// The name of the type at run time: dtypes and symbolic numbers are numbers there.
fn runtime(name: &str) -> &str {
    match name {
        name if NUMBERS.contains(&name) => "int",
        "Dimname" => "str",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_type(text: &str) -> SchemaType {
        let schema: crate::FunctionSchema = format!("a::b({text} x) -> ()").parse().unwrap();
        schema.arguments[0].ty.clone()
    }

    #[test]
    fn what_stands_for_what() {
        for (narrow, wide) in [
            ("int", "Scalar"),
            ("float", "Scalar"),
            ("Tensor", "Tensor?"),
            ("int", "SymInt"),
            ("SymInt", "int"),
            ("ScalarType?", "int?"),
            ("int[2]", "int[]"),
            ("int", "Scalar?"),
            ("Tensor", "Any"),
        ] {
            assert!(is_subtype(&parse_type(narrow), &parse_type(wide)), "{narrow} {wide}");
        }
        for (narrow, wide) in [
            ("Scalar", "int"),
            ("bool", "Scalar"),
            ("Tensor?", "Tensor"),
            ("int[]", "Scalar[]"),
            ("int", "float"),
            ("int", "int[]"),
        ] {
            assert!(!is_subtype(&parse_type(narrow), &parse_type(wide)), "{narrow} {wide}");
        }
    }
}
