//! The arguments of `scan`.

use clap::{Subcommand, ValueEnum};
use unskew_scan::ScanShard;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Scan {
    /// Where to find artifacts: folders, Hugging Face hub caches, hf://, s3://, gs://, az://,
    /// https://, MLflow (mlflow+https://, models:/) and OCI registries (oci://)
    #[arg(required = true, value_name = "URI")]
    pub uris: Vec<String>,
    /// The runtimes to check against: releases, families, operator tables
    #[arg(long, required = true, num_args = 1.., value_name = "B")]
    pub with: Vec<String>,
    /// The folder or prefix for the Parquet files. An interrupted scan resumes here
    #[arg(long, short, required = true, value_name = "TABLE")]
    pub output: Option<String>,
    /// Do one shard of the work: I/N, with I from 1 to N
    #[arg(long, value_name = "I/N", default_value_t = ScanShard::WHOLE)]
    pub shard: ScanShard,
    /// Number of artifacts checked in parallel [default: one per core, 16 for remote stores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Write verdicts back to the registry: MLflow model version tags, OCI referrers
    #[arg(long)]
    pub report: bool,
    #[command(subcommand)]
    pub task: Option<ScanTask>,
}

// The subcommands of `unskew scan`.
#[derive(Debug, Subcommand)]
pub enum ScanTask {
    /// Query tables with SQL; together they are one table named scan
    #[command(after_help = "\
Examples:
  unskew scan query \"select runtime, verdict, count(*) from scan group by 1, 2\" table/
  unskew scan query \"select uri, error from scan where verdict = 'error'\" s3://bucket/table --format json

Needs the feature `query`: cargo build --release --features query")]
    Query(ScanQuery),
}

#[derive(Debug, clap::Args)]
pub struct ScanQuery {
    /// The SQL query
    pub sql: String,
    /// Parquet files, or folders and prefixes that contain them
    #[arg(required = true, value_name = "TABLE")]
    pub tables: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: QueryFormat,
}

/// Output format of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QueryFormat {
    /// A human-readable table
    Table,
    /// JSON Lines: one object per line
    Json,
}
