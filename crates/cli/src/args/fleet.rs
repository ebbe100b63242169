//! The arguments of `fleet`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use unskew_fleet::{AcceptUnjudged, WhatIf};

use super::{FleetServe, FleetToken};

#[derive(Debug, clap::Args)]
pub struct Fleet {
    /// The folder of the fleet [default: $UNSKEW_FLEET, else `fleet`]
    #[arg(long, global = true, value_name = "DIR")]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    pub places: FleetPlaces,
    #[command(subcommand)]
    pub task: FleetTask,
}

/// Where a fleet is, if it is not all in one folder.
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

/// One task.
#[derive(Debug, Subcommand)]
pub enum FleetTask {
    /// The runtimes in the field: releases, and devices with operators and ranges of their own
    Runtime(FleetRuntime),
    /// The models, with the history of their artifacts
    Model(FleetModel),
    /// Which artifact a runtime gets, and why
    #[command(after_help = "\
The newest version that fits is delivered: as it is, else converted, else an older one.

Examples:
  unskew fleet decide gelu --runtime camera-7
  unskew fleet decide gelu --all --as-of 2026-06-01
  unskew fleet decide gelu --runtime camera-7 -o gelu.pt

Exit status: 0 if every runtime that was asked for gets something, else 1.")]
    Decide(FleetDecide),
    /// Which artifacts the whole fleet needs: the fewest that serve the most devices
    #[command(after_help = "\
A what-if is add=RELEASE,DEVICES; move=RUNTIME,RELEASE; drop=RUNTIME; devices=RUNTIME,N;
without=OPERATOR[,RUNTIME]; window=AXIS,FIRST,LAST[,RUNTIME]. Several are applied in their order.

Examples:
  unskew fleet plan gelu
  unskew fleet plan gelu --max 2 --html plan.html --svg curve.svg
  unskew fleet plan gelu --what-if add=torch@2.15,500 --what-if without=aten::gelu,camera-7

Exit status: 0 if every device is served, else 1.")]
    Plan(FleetPlan),
    /// Take away what nothing refers to any more
    #[command(after_help = "\
An artifact stays if a version that is not retired is made of it, or if an answer that holds today names it. What
does not stay is marked, and taken out of the depot by a later run. The newest version of a model is never retired.

Examples:
  unskew fleet prune --dry-run
  unskew fleet prune --keep 5 --grace 7
  unskew fleet prune --retire-before 2026-01-01")]
    Prune(FleetPrune),
    /// Answer over HTTP: models, runtimes, decisions, plans, uploads and jobs
    #[command(after_help = "\
Without any token the service listens on the loopback only. It ends in order on SIGTERM or Ctrl-C.

Examples:
  unskew fleet serve
  unskew fleet token create ops --role admin
  unskew fleet serve --listen 0.0.0.0:8471")]
    Serve(FleetServe),
    /// The tokens that open the service
    Token(FleetToken),
}

#[derive(Debug, clap::Args)]
pub struct FleetRuntime {
    #[command(subcommand)]
    pub task: RuntimeTask,
}

/// What is done with runtimes.
#[derive(Debug, Subcommand)]
pub enum RuntimeTask {
    /// Add a runtime, or put it in place of one of the same name
    #[command(after_help = "\
Examples:
  unskew fleet runtime add torch@2.1 --devices 1200
  unskew fleet runtime add torch@1.10 --name phones --devices 400
  unskew fleet runtime add camera-7.json")]
    Add {
        /// A release, a runtime profile, or an operator table as `unskew ops table` writes it
        #[arg(value_name = "RUNTIME")]
        runtime: PathBuf,
        /// What it is called [default: what the profile says, or the release]
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// How many devices have it
        #[arg(long, value_name = "N")]
        devices: Option<u64>,
    },
    /// List the runtimes
    List(FleetPrint),
    /// Show the profile of a runtime
    Show {
        /// Its name
        name: String,
    },
    /// Take a runtime out
    Remove {
        /// Its name
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub struct FleetModel {
    #[command(subcommand)]
    pub task: ModelTask,
}

/// What is done with models.
#[derive(Debug, Subcommand)]
pub enum ModelTask {
    /// Publish a file or a SavedModel folder as the next version of a model
    Add {
        /// The model
        name: String,
        /// The artifact, which is copied
        #[arg(value_name = "ARTIFACT")]
        artifact: PathBuf,
    },
    /// List the models
    List(FleetPrint),
    /// Show the versions of a model
    Show {
        /// The model
        name: String,
        #[command(flatten)]
        print: FleetPrint,
    },
}

#[derive(Debug, clap::Args)]
pub struct FleetPrint {
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: FleetFormat,
}

/// What is good enough.
#[derive(Debug, clap::Args)]
pub struct FleetPolicy {
    /// What to deliver though it was not judged: nothing, the common aspects (kernels, behaviour, data), or all
    #[arg(long, value_name = "WHAT", default_value = "common", value_parser = accept_unjudged)]
    pub accept_unjudged: AcceptUnjudged,
    /// Where no exact conversion exists, deliver one that drops what the runtime does not know
    #[arg(long)]
    pub accept_lossy: bool,
}

#[derive(Debug, clap::Args)]
pub struct FleetPrune {
    /// Retire all but so many of the newest versions of each model
    #[arg(long, value_name = "N")]
    pub keep: Option<usize>,
    /// Retire versions that were published before this day
    #[arg(long, value_name = "DATE")]
    pub retire_before: Option<unskew_core::Date>,
    /// Leave what is marked in the depot for so many days, for those who were told of it
    #[arg(long, value_name = "DAYS", default_value_t = 1)]
    pub grace: u32,
    /// Only say what would be done
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub struct FleetDecide {
    /// The model
    pub model: String,
    /// The runtime; can be given several times
    #[arg(long, value_name = "RUNTIME", required_unless_present = "all")]
    pub runtime: Vec<String>,
    /// Every runtime of the fleet
    #[arg(long, conflicts_with = "runtime")]
    pub all: bool,
    #[command(flatten)]
    pub policy: FleetPolicy,
    /// Write what is delivered here; for one runtime
    #[arg(long, short, value_name = "OUT", conflicts_with = "all")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub print: FleetPrint,
}

#[derive(Debug, clap::Args)]
pub struct FleetPlan {
    /// The model
    pub model: String,
    /// At most so many artifacts
    #[arg(long, value_name = "N")]
    pub max: Option<usize>,
    /// Let an older version serve a runtime that takes a newer one: fewer artifacts, older devices
    #[arg(long)]
    pub any_version: bool,
    /// Plan for a fleet that differs by this; can be given several times
    #[arg(long, value_name = "CHANGE")]
    pub what_if: Vec<WhatIf>,
    #[command(flatten)]
    pub policy: FleetPolicy,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: PlanFormat,
    /// Write to this file, which appears whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the page of the plan to this file as well
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the coverage curve to this file as well
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// How something of a fleet is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FleetFormat {
    /// For people
    #[value(alias = "full")]
    Text,
    /// The documented schema
    Json,
}

/// How a plan is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanFormat {
    /// For people
    #[value(alias = "full")]
    Text,
    /// The documented schema
    Json,
    /// One page that needs nothing else: the curve and the matrix with its reasons
    Html,
    /// The coverage curve as a drawing
    Svg,
}

fn accept_unjudged(word: &str) -> Result<AcceptUnjudged, String> {
    AcceptUnjudged::parse(word).ok_or_else(|| "it is nothing, common or all".to_owned())
}
