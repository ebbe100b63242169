//! Parts of a table as bytes.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{Array as _, StringArray};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::columns::batch;
use crate::{Question, SCHEMA_VERSION, VerdictRow, table_schema};

/// The names of what stands in the metadata of a part.
const SCHEMA: &str = "unskew.scan.schema";
const QUESTION: &str = "unskew.scan.question";

/// An artifact in one of its states: URI and ETag.
pub(crate) type ArtifactState = (String, Option<String>);

pub(crate) fn write(rows: &[VerdictRow], question: &Question) -> Result<Vec<u8>, ParquetError> {
    let asked =
        serde_json::to_string(question).map_err(|e| ParquetError::General(e.to_string()))?;
    let metadata = vec![
        KeyValue::new(SCHEMA.to_owned(), SCHEMA_VERSION.to_string()),
        KeyValue::new(QUESTION.to_owned(), asked),
    ];
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("unskew {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(metadata))
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), Arc::new(table_schema()), Some(properties))?;
    writer.write(&batch(rows)?)?;
    writer.into_inner()
}

pub(crate) fn states(part: Vec<u8>) -> Result<HashSet<ArtifactState>, ParquetError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(part))?;
    let metadata = builder.metadata().file_metadata().key_value_metadata();
    let version = metadata.and_then(|all| all.iter().find(|one| one.key == SCHEMA));
    let version = version.and_then(|one| one.value.as_deref());
    if version != Some(SCHEMA_VERSION.to_string().as_str()) {
        let found = version.unwrap_or("none");
        return Err(ParquetError::General(format!(
            "its schema version is not {SCHEMA_VERSION}: {found}"
        )));
    }
    let mask = ProjectionMask::columns(builder.parquet_schema(), ["uri", "etag"]);
    let mut states = HashSet::new();
    for batch in builder.with_projection(mask).build()? {
        let batch = batch?;
        let column = |name| {
            let column = batch.column_by_name(name);
            let texts = column.and_then(|column| column.as_any().downcast_ref::<StringArray>());
            texts.ok_or_else(|| ParquetError::General(format!("no text in column {name}")))
        };
        let (uris, etags) = (column("uri")?, column("etag")?);
        for at in 0..batch.num_rows() {
            let etag = etags.is_valid(at).then(|| etags.value(at).to_owned());
            states.insert((uris.value(at).to_owned(), etag));
        }
    }
    Ok(states)
}
