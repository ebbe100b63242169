//! Elements of an exported program: each field, alternative and value of its schema that it has.
//!
//! A reader of the same major version refuses a program for an element that its own schema lacks, so these are all that
//! a verdict needs. They are collected along the types of the schema while the text is read, without a tree.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use unskew_core::{Places, Version};

use super::schema::{ExportSchema, FieldType, Shape, ShapeKind};

/// The type of a program's outputs, which are arguments and more narrowly read.
pub(crate) const OUTPUT: &str = "output";

/// The type of a program's inputs that its user gives, which are arguments.
pub(crate) const INPUT: &str = "input";

/// The type of operators of higher order, by their names.
pub(crate) const REGION: &str = "region";

/// The type of the one result of an operator of higher order whose node does not say whether it is a tuple: up to 2.6.
pub(crate) const RESULT: &str = "result";

/// The type of sizes whose range holds 0, by their names.
pub(crate) const ZERO_SIZE: &str = "size";

/// Whether an expression is the name of a size that a tensor brings: `s0`. What shows only when a program runs is `u0`.
pub(crate) fn is_size(name: &str) -> bool {
    let digits = name.strip_prefix('s').filter(|digits| !digits.is_empty());
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Something that a program has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Element {
    /// The type of the schema: `Node`, or [`OUTPUT`].
    pub(crate) ty: &'static str,
    /// The field, the alternative, or the value of an enumeration.
    pub(crate) name: Cow<'static, str>,
}

/// The elements of programs, and where they first stand.
pub(crate) type Elements = BTreeMap<Element, Places>;

/// The elements of a program of this schema version. One of a version that is not known is read by the nearest.
///
/// # Errors
/// If the text is no JSON.
pub(crate) fn of_program(text: &str, version: Version) -> Result<Elements, serde_json::Error> {
    let schema = ExportSchema::nearest(version);
    let found = RefCell::new(Elements::new());
    let walk =
        ElementWalk { schema: &schema, found: &found, ty: &PROGRAM, place: ElementPlace::Root };
    let mut reader = serde_json::Deserializer::from_str(text);
    walk.deserialize(&mut reader)?;
    reader.end()?;
    Ok(found.into_inner())
}

static PROGRAM: FieldType = FieldType::Named("ExportedProgram");

/// Where a value stands: the field, and what it stands in.
#[derive(Clone, Copy)]
enum ElementPlace<'p> {
    Root,
    Field(&'p ElementPlace<'p>, &'p str),
    Item(&'p ElementPlace<'p>, usize),
}

impl fmt::Display for ElementPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(name),
            Self::Field(outer, name) => write!(f, "{outer}.{name}"),
            Self::Item(outer, n) => write!(f, "{outer}[{n}]"),
        }
    }
}

impl ElementPlace<'_> {
    /// Whether it is what a user gives.
    fn is_input(&self) -> bool {
        matches!(self, Self::Field(Self::Field(_, input), name) if *input == "user_input" && *name == "arg")
    }

    /// The size whose least value it is, if it is one.
    fn least_of(&self) -> Option<&str> {
        match self {
            Self::Field(Self::Field(Self::Field(Self::Root, ranges), size), "min_val")
                if *ranges == "range_constraints" && is_size(size) =>
            {
                Some(size)
            }
            _ => None,
        }
    }

    /// Whether it is an item of the outputs of the whole program.
    fn is_output(&self) -> bool {
        let Self::Item(Self::Field(Self::Field(Self::Field(Self::Root, _), graph), name), _) = self
        else {
            return false;
        };
        *graph == "graph" && *name == "outputs"
    }
}

/// A walk along one value.
#[derive(Clone, Copy)]
struct ElementWalk<'w> {
    schema: &'w ExportSchema,
    found: &'w RefCell<Elements>,
    ty: &'w FieldType,
    place: ElementPlace<'w>,
}

impl<'w> ElementWalk<'w> {
    fn add(&self, ty: &'static str, name: Cow<'static, str>) {
        let mut found = self.found.borrow_mut();
        found.entry(Element { ty, name }).or_default().add_with(|| self.place.to_string());
    }

    fn within<'n>(self, ty: &'n FieldType, place: ElementPlace<'n>) -> ElementWalk<'n>
    where
        'w: 'n,
    {
        ElementWalk { schema: self.schema, found: self.found, ty, place }
    }

    /// The shape of the value, if it is of a type of the schema.
    fn shape(&self) -> Option<(&'static str, &'w Shape)> {
        match self.ty {
            FieldType::Named(name) => Some((name, self.schema.shape(name)?)),
            _ => None,
        }
    }
}

impl<'de> DeserializeSeed<'de> for ElementWalk<'_> {
    type Value = bool;

    /// Whether the value is something, not null.
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<bool, D::Error> {
        if let FieldType::Optional(ty) = self.ty {
            return self.within(ty, self.place).deserialize(reader);
        }
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ElementWalk<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_i64<E>(self, number: i64) -> Result<bool, E> {
        if let Some(size) = self.place.least_of().filter(|_| number < 1) {
            self.add(ZERO_SIZE, size.to_owned().into());
        }
        if let Some((ty, shape)) = self.shape().filter(|(_, shape)| shape.kind == ShapeKind::Enum) {
            let number = number.to_string();
            let known = shape.fields.iter().find(|field| field.number() == Some(&number));
            self.add(ty, known.map_or(number.into(), |field| field.name.into()));
        }
        Ok(true)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<bool, E> {
        self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        let FieldType::List(ty) = self.ty else {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(true);
        };
        let mut numbers = 0..;
        while let Some(n) = numbers.next()
            && items
                .next_element_seed(self.within(ty, ElementPlace::Item(&self.place, n)))?
                .is_some()
        {}
        Ok(true)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<bool, A::Error> {
        let shape = self.shape();
        while let Some(name) = fields.next_key::<Cow<'de, str>>()? {
            let place = ElementPlace::Field(&self.place, &name);
            match (self.ty, shape) {
                (FieldType::Dict(ty), _) => {
                    fields.next_value_seed(self.within(ty, place))?;
                }
                (_, Some((ty, shape))) => {
                    let field = shape.field(&name);
                    let given = match field {
                        Some(field) => fields.next_value_seed(self.within(&field.ty, place))?,
                        None => {
                            fields.next_value::<IgnoredAny>()?;
                            true
                        }
                    };
                    let name = field.map_or_else(|| name.into_owned().into(), |it| it.name.into());
                    // Up to 2.2 a union has all its alternatives, those that are not meant as null.
                    if given || shape.kind != ShapeKind::Union {
                        if ty == "Argument" && self.place.is_output() {
                            self.add(OUTPUT, Cow::clone(&name));
                        }
                        if ty == "Argument" && self.place.is_input() {
                            self.add(INPUT, Cow::clone(&name));
                        }
                        self.add(ty, name);
                    }
                }
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(elements: &Elements, ty: &str, name: &str) -> Option<String> {
        let mut all = elements.iter();
        let (_, places) = all.find(|(one, _)| one.ty == ty && one.name == name)?;
        places.named().first().cloned()
    }

    #[test]
    fn fields_alternatives_and_values_are_found_at_their_types() {
        let text = r#"{"graph_module": {"graph": {"outputs": [{"as_int": 3}], "nodes": [{"target": "a",
            "inputs": [{"name": "x", "arg": {"as_scalar_type": 29}, "unheard": null}]}],
            "tensor_values": {"t": {"dtype": 7}}}}, "guards_code": []}"#;
        let found = of_program(text, Version::pair(8, 14)).unwrap();
        let place = "graph_module.graph.nodes[0].inputs[0]";
        assert_eq!(has(&found, "NamedArgument", "unheard").unwrap(), place);
        assert_eq!(has(&found, "Argument", "as_scalar_type").unwrap(), format!("{place}.arg"));
        assert!(has(&found, "ScalarType", "FLOAT8E4M3FN").is_some());
        assert!(has(&found, "ScalarType", "FLOAT").is_some());
        assert!(has(&found, OUTPUT, "as_int").is_some());
        assert!(has(&found, OUTPUT, "as_scalar_type").is_none());
        assert!(has(&found, "ExportedProgram", "guards_code").is_some());
        assert!(has(&found, "Graph", "t").is_none());
    }

    #[test]
    fn an_alternative_that_is_null_is_not_meant() {
        let text = r#"{"graph_module": {"graph": {"outputs": [{"as_int": null, "as_tensor": {"name": "x"}}]}}}"#;
        let found = of_program(text, Version::number(2)).unwrap();
        assert!(has(&found, "Argument", "as_int").is_none());
        assert!(has(&found, "Argument", "as_tensor").is_some());
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        assert!(of_program("{", Version::pair(8, 14)).is_err());
    }
}
