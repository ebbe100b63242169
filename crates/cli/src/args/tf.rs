//! The arguments of `tf`.

use std::ffi::OsString;

use clap::Subcommand;

use super::ReportFormat;

#[derive(Debug, clap::Args)]
pub struct Tf {
    #[command(subcommand)]
    pub task: Task,
}

// The subcommands of `unskew tf`.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Plan how to add, remove, restrict or change an op, or ban a consumer: steps with versions and dates
    #[command(after_help = "\
Cases: add-op, switch-wrappers, remove-op, restrict-op, change-op, ban-consumer.

Examples:
  unskew tf evolve change-op --op Softsign
  unskew tf evolve ban-consumer --op Softsign --consumer 2474
  unskew tf evolve --check                  TensorFlow's own history
  unskew tf evolve --check v1.pb v2.pb v3.pb")]
    Evolve(Evolve),
}

#[derive(Debug, clap::Args)]
pub struct Evolve {
    /// The case. With --check, the registries, oldest first: files or releases [default: all releases]
    #[arg(value_name = "CASE")]
    pub case: Vec<OsString>,
    /// The op to change
    #[arg(long, value_name = "OP", conflicts_with = "check")]
    pub op: Option<String>,
    /// The new op that replaces it [default: its name with V2, V3, ...]
    #[arg(long, value_name = "OP", conflicts_with = "check")]
    pub new: Option<String>,
    /// The GraphDef version of the consumer to ban
    #[arg(long, value_name = "VERSION", conflicts_with = "check")]
    pub consumer: Option<i64>,
    /// Check a history of registries against TensorFlow's versioning rules
    #[arg(long)]
    pub check: bool,
    /// Output format of --check
    #[arg(long, value_name = "FORMAT", default_value = "full", requires = "check")]
    pub format: ReportFormat,
}
