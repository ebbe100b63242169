//! The arguments of `fleet`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use unskew_fleet::{AcceptUnjudged, WhatIf};

use super::{FleetServe, FleetToken};

#[derive(Debug, clap::Args)]
pub struct FleetArgs {
    /// The folder of the fleet [default: $UNSKEW_FLEET, else `fleet`]
    #[arg(long, global = true, value_name = "DIR")]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    pub places: FleetPlaces,
    #[command(subcommand)]
    pub task: FleetTask,
}

// Where the database and the artifacts of a fleet are, if not in the fleet's folder.
#[derive(Debug, clap::Args)]
pub struct FleetPlaces {
    /// The database: postgres://USER@HOST/NAME or a path [default: fleet.db in the folder of the fleet]
    #[arg(
        long,
        global = true,
        value_name = "URL|PATH",
        env = "UNSKEW_FLEET_DATABASE",
        hide_env_values = true
    )]
    pub database: Option<String>,
    /// The artifacts: s3://BUCKET/PREFIX or a folder [default: artifacts in the folder of the fleet]
    #[arg(
        long,
        global = true,
        value_name = "URL|DIR",
        env = "UNSKEW_FLEET_ARTIFACTS",
        hide_env_values = true
    )]
    pub artifacts: Option<String>,
}

// The subcommands of `unskew fleet`.
#[derive(Debug, Subcommand)]
pub enum FleetTask {
    /// Manage runtimes: releases, and devices with their own operators and version ranges
    Runtime(FleetRuntime),
    /// Manage models and their versions
    Model(FleetModel),
    /// Decide which artifact a runtime gets, and why
    #[command(after_help = "\
The newest compatible version is delivered: unchanged, else converted, else an older version.

Examples:
  unskew fleet decide gelu --runtime camera-7
  unskew fleet decide gelu --all --as-of 2026-06-01
  unskew fleet decide gelu --runtime camera-7 -o gelu.pt

Exit status: 0 if every requested runtime gets an artifact, else 1.")]
    Decide(FleetDecide),
    /// Plan the artifacts of the whole fleet: the fewest that serve the most devices
    #[command(after_help = "\
A what-if is add=RELEASE,DEVICES; move=RUNTIME,RELEASE; drop=RUNTIME; devices=RUNTIME,N;
without=OPERATOR[,RUNTIME]; window=AXIS,FIRST,LAST[,RUNTIME]. They are applied in the given order.

Examples:
  unskew fleet plan gelu
  unskew fleet plan gelu --max 2 --html plan.html --svg curve.svg
  unskew fleet plan gelu --what-if add=torch@2.15,500 --what-if without=aten::gelu,camera-7

Exit status: 0 if every device is served, else 1.")]
    Plan(FleetPlan),
    /// Delete unreferenced artifacts (garbage collection)
    #[command(after_help = "\
An artifact is kept while a version that is not retired or a current decision refers to it. Others are marked, and
deleted by a later run after the grace period. The newest version of a model is never retired.

Examples:
  unskew fleet prune --dry-run
  unskew fleet prune --keep 5 --grace 7
  unskew fleet prune --retire-before 2026-01-01")]
    Prune(FleetPrune),
    /// Run the HTTP service: models, runtimes, decisions, plans, uploads and jobs
    #[command(after_help = "\
Without any token the service listens on the loopback only. SIGTERM and Ctrl-C shut it down gracefully.

Examples:
  unskew fleet serve
  unskew fleet token create ops --role admin
  unskew fleet serve --listen 0.0.0.0:8471")]
    Serve(FleetServe),
    /// Manage the API tokens of the service
    Token(FleetToken),
}

#[derive(Debug, clap::Args)]
pub struct FleetRuntime {
    #[command(subcommand)]
    pub task: RuntimeTask,
}

// The subcommands of `unskew fleet runtime`.
#[derive(Debug, Subcommand)]
pub enum RuntimeTask {
    /// Add a runtime, or replace the one of the same name
    #[command(after_help = "\
Examples:
  unskew fleet runtime add torch@2.1 --devices 1200
  unskew fleet runtime add torch@1.10 --name phones --devices 400
  unskew fleet runtime add camera-7.json")]
    Add {
        /// A release, a runtime profile, or an operator table as `unskew ops table` writes it
        #[arg(value_name = "RUNTIME")]
        runtime: PathBuf,
        /// Its name [default: the name in the profile, or the release]
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// The number of devices with this runtime
        #[arg(long, value_name = "N")]
        devices: Option<u64>,
    },
    /// List the runtimes
    List(FleetPrint),
    /// Show the profile of a runtime
    Show {
        /// The name of the runtime
        name: String,
    },
    /// Remove a runtime
    Remove {
        /// The name of the runtime
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub struct FleetModel {
    #[command(subcommand)]
    pub task: ModelTask,
}

// The subcommands of `unskew fleet model`.
#[derive(Debug, Subcommand)]
pub enum ModelTask {
    /// Publish a file or a SavedModel folder as the next version of a model
    Add {
        /// The name of the model
        name: String,
        /// The artifact; the fleet stores a copy
        #[arg(value_name = "ARTIFACT")]
        artifact: PathBuf,
    },
    /// List the models
    List(FleetPrint),
    /// Show the versions of a model
    Show {
        /// The name of the model
        name: String,
        #[command(flatten)]
        print: FleetPrint,
    },
}

#[derive(Debug, clap::Args)]
pub struct FleetPrint {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: FleetFormat,
}

// Which imperfect artifacts may be delivered.
#[derive(Debug, clap::Args)]
pub struct FleetPolicy {
    /// Which unjudged aspects to accept: nothing, common (kernels, behaviour, data), or all
    #[arg(long, value_name = "WHAT", default_value = "common", value_parser = accept_unjudged)]
    pub accept_unjudged: AcceptUnjudged,
    /// If no exact conversion exists, deliver a lossy one, without what the runtime does not support
    #[arg(long)]
    pub accept_lossy: bool,
}

#[derive(Debug, clap::Args)]
pub struct FleetPrune {
    /// Retire all but the newest N versions of each model
    #[arg(long, value_name = "N")]
    pub keep: Option<usize>,
    /// Retire versions published before this day
    #[arg(long, value_name = "DATE")]
    pub retire_before: Option<unskew_core::Date>,
    /// Keep marked artifacts for this many days, for clients that still refer to them
    #[arg(long, value_name = "DAYS", default_value_t = 1)]
    pub grace: u32,
    /// Print what would be deleted, and delete nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub struct FleetDecide {
    /// The name of the model
    pub model: String,
    /// A runtime by its name (repeatable)
    #[arg(long, value_name = "RUNTIME", required_unless_present = "all")]
    pub runtime: Vec<String>,
    /// Decide for every runtime of the fleet
    #[arg(long, conflicts_with = "runtime")]
    pub all: bool,
    #[command(flatten)]
    pub policy: FleetPolicy,
    /// Write the delivered artifact here (one runtime only)
    #[arg(long, short, value_name = "OUT", conflicts_with = "all")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub print: FleetPrint,
}

#[derive(Debug, clap::Args)]
pub struct FleetPlan {
    /// The name of the model
    pub model: String,
    /// The maximum number of artifacts
    #[arg(long, value_name = "N")]
    pub max: Option<usize>,
    /// Let an older version serve runtimes that support a newer one: fewer artifacts, older models
    #[arg(long)]
    pub any_version: bool,
    /// Plan with this hypothetical change (repeatable)
    #[arg(long, value_name = "CHANGE")]
    pub what_if: Vec<WhatIf>,
    #[command(flatten)]
    pub policy: FleetPolicy,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: PlanFormat,
    /// Write to this file, atomically
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write the plan as an HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also write the coverage curve as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// Output format of lists and decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FleetFormat {
    /// Human-readable text
    #[value(alias = "full")]
    Text,
    /// JSON in the documented schema
    Json,
}

/// Output format of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanFormat {
    /// Human-readable text
    #[value(alias = "full")]
    Text,
    /// JSON in the documented schema
    Json,
    /// One self-contained page: the curve, and the matrix with its reasons
    Html,
    /// The coverage curve as an image
    Svg,
}

fn accept_unjudged(word: &str) -> Result<AcceptUnjudged, String> {
    AcceptUnjudged::parse(word).ok_or_else(|| "expected nothing, common or all".to_owned())
}
