//! The schema of the table, and rows as its columns.
//!
//! Types are those that every engine has: text, 64-bit integers, lists, structs; no unsigned numbers, no maps.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Fields, Schema};

use crate::VerdictRow;

/// The version of the schema, in the metadata of every part under `unskew.scan.schema`. A new column at the end makes
/// no new version; anything else does.
pub const SCHEMA_VERSION: u32 = 3;

/// The schema of the table: [`VerdictRow`] tells what each column is.
pub fn table_schema() -> Schema {
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let list = |name: &str, item: DataType| {
        Field::new(name, DataType::List(Arc::new(Field::new("item", item, false))), false)
    };
    let fields = vec![
        text("uri", false),
        text("piece", true),
        text("collection", true),
        text("revision", true),
        text("etag", true),
        text("sha256", true),
        Field::new("size", DataType::Int64, false),
        Field::new("bytes_read", DataType::Int64, false),
        text("kind", true),
        text("producer", true),
        list("versions", DataType::Struct(version_fields())),
        list("operators", DataType::Utf8),
        text("runtime", true),
        text("verdict", false),
        text("phase", true),
        text("severity", true),
        list("rules", DataType::Utf8),
        list("findings", DataType::Struct(finding_fields())),
        list("adaptations", DataType::Utf8),
        text("error", true),
        list("unjudged", DataType::Utf8),
    ];
    let version = ("unskew.scan.schema".to_owned(), SCHEMA_VERSION.to_string());
    Schema::new_with_metadata(fields, [version].into())
}

fn version_fields() -> Fields {
    ["axis", "version"].map(|name| Field::new(name, DataType::Utf8, false)).to_vec().into()
}

fn finding_fields() -> Fields {
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    vec![
        text("rule", false),
        text("severity", false),
        text("phase", true),
        text("message", false),
        text("fix", true),
    ]
    .into()
}

pub(crate) fn batch(rows: &[VerdictRow]) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let text = |of: fn(&VerdictRow) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(of)))
    };
    let maybe = |of: fn(&VerdictRow) -> &Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(|row| of(row).as_deref()).collect::<StringArray>())
    };
    let number = |of: fn(&VerdictRow) -> u64| -> ArrayRef {
        let number = |row| i64::try_from(of(row)).unwrap_or(i64::MAX);
        Arc::new(Int64Array::from_iter_values(rows.iter().map(number)))
    };
    let columns: Vec<ArrayRef> = vec![
        text(|row| &row.uri),
        maybe(|row| &row.piece),
        maybe(|row| &row.collection),
        maybe(|row| &row.revision),
        maybe(|row| &row.etag),
        maybe(|row| &row.sha256),
        number(|row| row.size),
        number(|row| row.bytes_read),
        maybe(|row| &row.kind),
        maybe(|row| &row.producer),
        versions(rows),
        names(rows, |row| &row.operators),
        maybe(|row| &row.runtime),
        text(|row| &row.verdict),
        maybe(|row| &row.phase),
        maybe(|row| &row.severity),
        names(rows, |row| &row.rules),
        findings(rows),
        names(rows, |row| &row.adaptations),
        maybe(|row| &row.error),
        names(rows, |row| &row.unjudged),
    ];
    RecordBatch::try_new(Arc::new(table_schema()), columns)
}

fn names(rows: &[VerdictRow], of: fn(&VerdictRow) -> &[String]) -> ArrayRef {
    let item = Field::new("item", DataType::Utf8, false);
    let mut lists = ListBuilder::new(StringBuilder::new()).with_field(item);
    for row in rows {
        for name in of(row) {
            lists.values().append_value(name);
        }
        lists.append(true);
    }
    Arc::new(lists.finish())
}

fn structs(fields: Fields) -> ListBuilder<StructBuilder> {
    let item = Field::new("item", DataType::Struct(fields.clone()), false);
    ListBuilder::new(StructBuilder::from_fields(fields, 0)).with_field(item)
}

fn append(into: &mut StructBuilder, texts: &[Option<&str>]) {
    for (at, text) in texts.iter().enumerate() {
        if let Some(field) = into.field_builder::<StringBuilder>(at) {
            field.append_option(*text);
        }
    }
    into.append(true);
}

fn versions(rows: &[VerdictRow]) -> ArrayRef {
    let mut lists = structs(version_fields());
    for row in rows {
        for (axis, version) in &row.versions {
            append(lists.values(), &[Some(axis), Some(version)]);
        }
        lists.append(true);
    }
    Arc::new(lists.finish())
}

fn findings(rows: &[VerdictRow]) -> ArrayRef {
    let mut lists = structs(finding_fields());
    for row in rows {
        for one in &row.findings {
            let texts = [
                Some(one.rule.as_str()),
                Some(one.severity.as_str()),
                one.phase.as_deref(),
                Some(one.message.as_str()),
                one.fix.as_deref(),
            ];
            append(lists.values(), &texts);
        }
        lists.append(true);
    }
    Arc::new(lists.finish())
}
