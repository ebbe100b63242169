//! What was done, as a row of the table that a job is.

use std::sync::Arc;

use datafusion::arrow::array::{Array as _, ArrayRef, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::error::{DataFusionError, Result};
use unskew_scan::Summary;

/// The columns, all of 64-bit integers.
const COLUMNS: [&str; 7] =
    ["shard", "artifacts", "done_before", "unread", "bytes", "errors", "parts"];

/// What was done of one shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Which shard, from 1.
    pub shard: i64,
    /// Artifacts that were judged now.
    pub artifacts: i64,
    /// Artifacts whose rows were there already.
    pub done_before: i64,
    /// Artifacts judged now that could not be read.
    pub unread: i64,
    /// The bytes that were read of them.
    pub bytes: i64,
    /// How many findings of severity error there are.
    pub errors: i64,
    /// Parts that were written.
    pub parts: i64,
}

impl Done {
    pub(crate) fn of(shard: u32, summary: &Summary) -> Self {
        let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        Self {
            shard: i64::from(shard),
            artifacts: number(summary.artifacts),
            done_before: number(summary.done_before),
            unread: number(summary.unread),
            bytes: i64::try_from(summary.bytes).unwrap_or(i64::MAX),
            errors: number(summary.severities.get("error").copied().unwrap_or(0)),
            parts: number(summary.parts),
        }
    }

    fn values(&self) -> [i64; 7] {
        [
            self.shard,
            self.artifacts,
            self.done_before,
            self.unread,
            self.bytes,
            self.errors,
            self.parts,
        ]
    }

    /// The report as a batch of one row.
    pub(crate) fn batch(&self) -> Result<RecordBatch> {
        let columns =
            self.values().map(|value| Arc::new(Int64Array::from(vec![value])) as ArrayRef);
        Ok(RecordBatch::try_new(schema(), columns.to_vec())?)
    }

    pub(crate) fn rows(batch: &RecordBatch) -> Result<Vec<Self>> {
        let column = |name: &str| {
            let column =
                batch.column_by_name(name).and_then(|column| column.as_any().downcast_ref());
            column.ok_or_else(|| DataFusionError::Execution(format!("no numbers in column {name}")))
        };
        let columns: Vec<&Int64Array> = COLUMNS.into_iter().map(column).collect::<Result<_>>()?;
        let row = |at: usize| match columns[..] {
            [shard, artifacts, done_before, unread, bytes, errors, parts] => Self {
                shard: shard.value(at),
                artifacts: artifacts.value(at),
                done_before: done_before.value(at),
                unread: unread.value(at),
                bytes: bytes.value(at),
                errors: errors.value(at),
                parts: parts.value(at),
            },
            _ => unreachable!("there are as many columns as names"),
        };
        Ok((0..batch.num_rows()).map(row).collect())
    }
}

/// The schema of what was done.
pub(crate) fn schema() -> SchemaRef {
    let fields: Vec<Field> =
        COLUMNS.iter().map(|name| Field::new(*name, DataType::Int64, false)).collect();
    Arc::new(Schema::new(fields))
}
