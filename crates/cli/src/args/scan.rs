//! The arguments of `scan`.

use unskew_scan::Shard;

#[derive(Debug, clap::Args)]
pub struct Scan {
    /// Where artifacts lie: folders, caches of the Hugging Face hub, s3://, gs://, az://, https://,
    /// MLflow (mlflow+https://, models:/) and OCI registries (oci://)
    #[arg(required = true, value_name = "URI")]
    pub uris: Vec<String>,
    /// The runtimes: releases, families of them, operator tables
    #[arg(long, required = true, num_args = 1.., value_name = "B")]
    pub with: Vec<String>,
    /// The folder or prefix of Parquet files that rows go to; a scan goes on where the last one ended
    #[arg(long, short, value_name = "TABLE")]
    pub output: String,
    /// Do one part of the work: I/N, with I from 1 to N
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    pub shard: Shard,
    /// How many artifacts are judged at once [default: one a processor, 16 for stores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Write what is judged back: tags of the versions in MLflow, reports that refer to the manifests in OCI registries
    #[arg(long)]
    pub report: bool,
}
