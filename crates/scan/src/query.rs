//! Tables asked by SQL, with DataFusion.

use std::path::{Path, PathBuf};
use std::{fs, io};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use unskew_objects::{ObjectPlace, Objects, StoreSettings};

use crate::ScanError;

/// The name of the table in queries.
const TABLE: &str = "scan";

/// What a query gave.
#[derive(Debug)]
pub struct QueryResult {
    batches: Vec<RecordBatch>,
}

impl QueryResult {
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
/// changes nothing. Settings of stores come from the environment.
///
/// # Errors
/// If there is no Parquet file, or the query is wrong.
pub fn query(sql: &str, tables: &[String]) -> Result<QueryResult, ScanError> {
    let tables: Result<Vec<Objects>, ScanError> = tables
        .iter()
        .map(|table| Ok(Objects::at(&ObjectPlace::parse(table)?, &StoreSettings::from_env())?))
        .collect();
    query_of(sql, &tables?)
}

/// Asks the tables at these places, as [`query`] does.
///
/// # Errors
/// As [`query`].
pub fn query_of(sql: &str, tables: &[Objects]) -> Result<QueryResult, ScanError> {
    let copies = tempfile::tempdir().map_err(failed)?;
    let mut files = Vec::new();
    for table in tables {
        files.extend(parts(table, copies.path())?);
    }
    if files.is_empty() {
        let places: Vec<String> = tables.iter().map(|table| table.uri("")).collect();
        return Err(ScanError::Query(format!("no Parquet file here: {}", places.join(", "))));
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    let answer = runtime.block_on(async {
        let context = SessionContext::new();
        let frame = context.read_parquet(files, ParquetReadOptions::default()).await?;
        context.register_table(TABLE, frame.into_view())?;
        let reading = SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false);
        context.sql_with_options(sql, reading).await?.collect().await
    });
    let batches = answer.map_err(|error: DataFusionError| failed(error.strip_backtrace()))?;
    Ok(QueryResult { batches })
}

/// The Parquet files of a table, as paths. Those of a store are copied first: a query reads most of them, and more than
/// once.
fn parts(table: &Objects, copies: &Path) -> Result<Vec<String>, ScanError> {
    if let Some(path) = table.place().path() {
        if path.is_file() {
            return Ok(vec![path.display().to_string()]);
        }
        let entries = path.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries
            .map_err(|source| ScanError::Folder { path: path.display().to_string(), source })?;
        let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
        files.retain(|file| is_part(file));
        files.sort();
        return Ok(files.iter().map(|file| file.display().to_string()).collect());
    }
    let mut keys = vec![String::new()];
    if !is_part(Path::new(table.place().name())) {
        keys.clear();
        for listed in table.list("") {
            keys.push(listed?.key);
        }
        keys.retain(|key| is_part(Path::new(key)));
    }
    let mut files = Vec::new();
    for key in keys {
        let copied = copies.read_dir().map_or(0, Iterator::count);
        let file = copies.join(format!("{copied}.parquet"));
        fs::write(&file, table.get(&key)?).map_err(failed)?;
        files.push(file.display().to_string());
    }
    Ok(files)
}

fn is_part(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "parquet")
}

fn failed(error: impl std::fmt::Display) -> ScanError {
    ScanError::Query(error.to_string())
}
