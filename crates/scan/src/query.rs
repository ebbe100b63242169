//! Tables asked by SQL, with DataFusion.

use std::fs;
use std::path::{Path, PathBuf};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use tempfile::TempDir;
use unskew_objects::Objects;

use crate::ScanError;

/// The name of the table in queries.
const TABLE: &str = "scan";

/// What a query gave.
#[derive(Debug)]
pub struct Answer {
    batches: Vec<RecordBatch>,
}

impl Answer {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// As a table for people.
    ///
    /// # Errors
    /// If a value cannot be shown.
    pub fn table(&self) -> Result<String, ScanError> {
        let table = pretty_format_batches(&self.batches).map_err(failed)?;
        Ok(format!("{table}\n"))
    }

    /// As JSON, one object a line.
    ///
    /// # Errors
    /// If a value cannot be written.
    pub fn json(&self) -> Result<String, ScanError> {
        let mut writer = LineDelimitedWriter::new(Vec::new());
        writer.write_batches(&self.batches.iter().collect::<Vec<_>>()).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(String::from_utf8_lossy(&writer.into_inner()).into_owned())
    }
}

/// Asks tables, as one table `scan`: paths or URIs of Parquet files, and of folders or prefixes of them. A query reads and
/// changes nothing.
///
/// # Errors
/// If there is no Parquet file, or the query is wrong.
pub fn query(sql: &str, tables: &[String]) -> Result<Answer, ScanError> {
    let folder = tempfile::tempdir().map_err(failed)?;
    let mut files = Vec::new();
    for table in tables {
        files.extend(parts(table, &folder)?);
    }
    if files.is_empty() {
        return Err(ScanError::Query(format!("no Parquet file here: {}", tables.join(", "))));
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    let batches = runtime.block_on(async {
        let context = SessionContext::new();
        let frame = context.read_parquet(files, ParquetReadOptions::default()).await?;
        context.register_table(TABLE, frame.into_view())?;
        let reading = SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false);
        context.sql_with_options(sql, reading).await?.collect().await
    });
    Ok(Answer {
        batches: batches.map_err(|error: DataFusionError| failed(error.strip_backtrace()))?,
    })
}

/// The Parquet files of a table. Those of a store are copied first: a query reads most of them, and more than once.
fn parts(table: &str, folder: &TempDir) -> Result<Vec<String>, ScanError> {
    let place = unskew_objects::Place::parse(table)?;
    if let Some(path) = place.path() {
        if !path.is_dir() {
            return Ok(vec![path.display().to_string()]);
        }
        let entries = path.read_dir().map_err(|e| failed(format!("cannot read {table}: {e}")))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| is_part(file));
        files.sort();
        return Ok(files.iter().map(|file| file.display().to_string()).collect());
    }
    let objects = Objects::open(table)?;
    let mut keys = Vec::new();
    if is_part(Path::new(place.name())) {
        keys.push(String::new());
    } else {
        for listed in objects.list("") {
            keys.push(listed?.key);
        }
        keys.retain(|key| is_part(Path::new(key)));
    }
    let mut files = Vec::new();
    for key in keys {
        let file = folder.path().join(format!("{}.parquet", files_in(folder)));
        fs::write(&file, objects.get(&key)?).map_err(failed)?;
        files.push(file.display().to_string());
    }
    Ok(files)
}

fn is_part(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "parquet")
}

/// How many files were copied already.
fn files_in(folder: &TempDir) -> usize {
    folder.path().read_dir().map_or(0, Iterator::count)
}

fn failed(error: impl std::fmt::Display) -> ScanError {
    ScanError::Query(error.to_string())
}
