//! `unskew scan query SQL TABLE...`.

use crate::args::ScanQuery;
use crate::exit::CallStatus;

#[cfg(feature = "query")]
pub fn run(args: &ScanQuery) -> anyhow::Result<CallStatus> {
    use crate::args::QueryFormat;
    use crate::print::{self, Printable};

    let answer = unskew_scan::query(&args.sql, &args.tables)?;
    print::out(match args.format {
        QueryFormat::Table => answer.table()?.into(),
        QueryFormat::Json => Printable::json(&answer.json()?),
    })?;
    Ok(CallStatus::Clean)
}

#[cfg(not(feature = "query"))]
pub fn run(args: &ScanQuery) -> anyhow::Result<CallStatus> {
    anyhow::bail!(
        "this command was built without DataFusion; build it with `cargo build --release --features query`, or ask the \
         Parquet files with any other engine; not asked ({:?}): {} of {}",
        args.format,
        args.sql,
        args.tables.join(", ")
    )
}
