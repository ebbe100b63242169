//! The schemas of `torch.export` by version: `data/exported.tsv`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unskew_core::Version;

use crate::json::JsonValue;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldType {
    /// A type of the schema, or `int`, `str`, `bool`, `float`, `bytes`.
    Named(&'static str),
    List(Box<FieldType>),
    /// A map from texts.
    Dict(Box<FieldType>),
    Optional(Box<FieldType>),
    /// A tuple; its members are not looked into.
    Tuple,
}

/// What the absence of a field means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Absence {
    Means(JsonValue),
    /// Nothing that runs depends on the field.
    Harmless,
    /// A rule of its own converts the field.
    OwnRule,
    /// A value cannot be expressed without the field.
    Inexpressible,
}

/// A field of a struct, an alternative of a union, or a value of an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) ty: FieldType,
    pub(crate) default: Option<JsonValue>,
    pub(crate) absence: Absence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShapeKind {
    Struct,
    Union,
    Enum,
}

/// A type of one schema version.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) kind: ShapeKind,
    pub(crate) fields: Vec<Field>,
}

impl Shape {
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// All types of one schema version.
#[derive(Clone, Debug)]
pub(crate) struct ExportSchema {
    pub(crate) version: Version,
    types: BTreeMap<&'static str, Shape>,
}

struct SchemaRow {
    kind: ShapeKind,
    ty: &'static str,
    field: Field,
    since: Version,
    until: Option<Version>,
}

static ROWS: LazyLock<Vec<SchemaRow>> = LazyLock::new(|| {
    let lines = include_str!("../../data/exported.tsv").lines();
    lines.filter_map(row).collect()
});

fn row(line: &'static str) -> Option<SchemaRow> {
    let columns: Vec<&'static str> = line.split('\t').collect();
    let &[kind, ty, name, is, default, since, until, absent] = columns.as_slice() else {
        return None;
    };
    let kind = match kind {
        "struct" => ShapeKind::Struct,
        "union" => ShapeKind::Union,
        "enum" => ShapeKind::Enum,
        _ => return None,
    };
    let absence = match absent {
        "-" => Absence::Inexpressible,
        "*" => Absence::Harmless,
        "!" => Absence::OwnRule,
        json => Absence::Means(JsonValue::literal(json)),
    };
    let default = (default != "-").then(|| JsonValue::literal(default));
    let field = Field { name, ty: self::ty(is), default, absence };
    Some(SchemaRow { kind, ty, field, since: since.parse().ok()?, until: until.parse().ok() })
}

/// `list[opt[int]]` as a type.
fn ty(text: &'static str) -> FieldType {
    let inner = |head: &str| text.strip_prefix(head)?.strip_suffix(']');
    if let Some(inner) = inner("list[") {
        FieldType::List(Box::new(ty(inner)))
    } else if let Some(inner) = inner("opt[") {
        FieldType::Optional(Box::new(ty(inner)))
    } else if let Some(inner) = inner("dict[str,") {
        FieldType::Dict(Box::new(ty(inner)))
    } else if text.starts_with("tuple[") {
        FieldType::Tuple
    } else {
        FieldType::Named(text)
    }
}

impl Field {
    /// The number of a value of an enumeration.
    pub(crate) fn number(&self) -> Option<&str> {
        match &self.ty {
            FieldType::Named(number) => Some(number),
            _ => None,
        }
    }
}

impl ExportSchema {
    /// The types that the rows give for this version, whether a release has it or not.
    pub(crate) fn nearest(version: Version) -> Self {
        Self::with_rows(version)
    }

    /// The schema of this version; none if no release of its major version is known.
    pub(crate) fn for_version(version: Version) -> Option<Self> {
        let newest = ROWS.iter().map(|row| row.since).max()?;
        let known = ROWS.iter().any(|row| row.since.major() == version.major());
        if version.major() > newest.major() || !known {
            return None;
        }
        Some(Self::with_rows(version))
    }

    fn with_rows(version: Version) -> Self {
        let mut types: BTreeMap<&'static str, Shape> = BTreeMap::new();
        let rows = ROWS
            .iter()
            .filter(|row| row.since <= version && row.until.is_none_or(|until| version <= until));
        for SchemaRow { kind, ty, field, .. } in rows {
            let shape = types.entry(ty).or_insert(Shape { kind: *kind, fields: Vec::new() });
            shape.fields.push(field.clone());
        }
        Self { version, types }
    }

    pub(crate) fn shape(&self, name: &str) -> Option<&Shape> {
        self.types.get(name)
    }

    /// Whether a union stands with all its alternatives, those that are not meant as null: up to 2.2.
    pub(crate) fn spells_out_unions(&self) -> bool {
        self.version < Version::number(5)
    }

    /// Whether symbolic expressions are written as the calls that build them: since 2.6.
    pub(crate) fn writes_calls(&self) -> bool {
        self.version >= Version::pair(8, 2)
    }

    /// Whether a reader takes the texts `Infinity`, `-Infinity` and `NaN` for floats: since 2.7.
    pub(crate) fn has_floats_as_text(&self) -> bool {
        self.version >= Version::pair(8, 7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_is_a_row_and_every_type_is_defined_where_it_is_used() {
        let lines = include_str!("../../data/exported.tsv").lines();
        assert_eq!(lines.filter(|line| !line.starts_with(['#', 'k'])).count(), ROWS.len());
        let plain = ["int", "str", "bool", "float", "bytes"];
        fn names<'t>(ty: &'t FieldType, all: &mut Vec<&'t str>) {
            match ty {
                FieldType::Named(name) => all.push(name),
                FieldType::List(inner) | FieldType::Dict(inner) | FieldType::Optional(inner) => {
                    names(inner, all)
                }
                FieldType::Tuple => {}
            }
        }
        for version in
            ["1", "2", "5.1", "5.3", "7.3", "8.2", "8.7", "8.8", "8.14", "8.15", "8.17", "8.20"]
        {
            let schema = ExportSchema::for_version(version.parse().unwrap()).unwrap();
            assert!(schema.shape("ExportedProgram").is_some(), "{version}");
            for shape in schema.types.values().filter(|shape| shape.kind != ShapeKind::Enum) {
                let mut used = Vec::new();
                shape.fields.iter().for_each(|field| names(&field.ty, &mut used));
                let own = ["SchemaVersion"];
                for name in used {
                    let known = plain.contains(&name) || own.contains(&name);
                    assert!(known || schema.shape(name).is_some(), "{version}: {name}");
                }
            }
        }
        assert!(ExportSchema::for_version(Version::pair(9, 1)).is_none());
        assert!(ExportSchema::for_version(Version::pair(8, 99)).is_some());
        assert!(ExportSchema::for_version(Version::pair(3, 0)).is_none());
    }
}
