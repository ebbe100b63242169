//! The arguments: one definition, from which help and errors follow. What a verb takes stands in a file
//! of its own.

#[cfg(not(all(feature = "fleet", feature = "run", feature = "scan", feature = "serve")))]
mod absent;
mod adapt;
#[cfg(any(feature = "run", feature = "serve"))]
mod client_options;
mod conform;
mod convert;
mod diff;
mod environment;
#[cfg(feature = "fleet")]
mod fleet;
#[cfg(feature = "fleet")]
mod fleet_serve;
mod format;
mod history;
mod judge;
mod lint;
mod look_up;
mod ops;
#[cfg(feature = "run")]
mod ops_run;
mod packages;
#[cfg(feature = "run")]
mod run;
mod running;
#[cfg(feature = "scan")]
mod scan;
#[cfg(feature = "serve")]
mod serve;
#[cfg(any(feature = "fleet", feature = "serve"))]
mod service;
mod shell;
mod tf;
mod usage;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use unskew_core::{Context, Date, Severity};

#[cfg(not(all(feature = "fleet", feature = "run", feature = "scan", feature = "serve")))]
pub use absent::DisabledVerbArgs;
pub use adapt::{Adapt, ShownExtensions, UnstampedChoice};
pub use conform::Conform;
pub use convert::Convert;
pub use diff::Diff;
pub use environment::{Env, EnvVerb, GpuArgs, LockArgs, LockMachine, SystemLibrariesArgs};
#[cfg(feature = "fleet")]
pub use fleet::{
    FleetArgs, FleetDecide, FleetFormat, FleetPlaces, FleetPlan, FleetPolicy, FleetPrune,
    FleetTask, ModelTask, PlanFormat, RuntimeTask,
};
#[cfg(feature = "fleet")]
pub use fleet_serve::{FleetServe, FleetToken, TokenTask};
pub use format::{GridFormat, ReportFormat};
pub use history::HistoryArgs;
pub use judge::{Check, Inspect, MatrixArgs, ProgramTextLength, RequiredAnswer};
pub use lint::Lint;
pub use look_up::{Explain, ExplainFormat, ReleasesArgs};
pub use ops::{Ops, OpsClosure, OpsTable, OpsVerb};
#[cfg(feature = "run")]
pub use ops_run::{ModelCall, OpsBisect, OpsRun};
#[cfg(feature = "run")]
pub use run::{RunArgs, RunFormat, Shown};
pub use running::{RunningArgs, Trusting};
#[cfg(feature = "query")]
pub use scan::QueryFormat;
#[cfg(feature = "scan")]
pub use scan::{Scan, ScanQuery, ScanTask};
#[cfg(feature = "serve")]
pub use serve::{Isolation, Proxy, Serve};
#[cfg(any(feature = "fleet", feature = "serve"))]
pub use service::{LogFormat, LogLevel};
pub use shell::{Completions, Man};
pub use tf::{Evolve, Task, Tf};
pub use usage::UsageArgs;

const EXIT_STATUS: &str = "\
Exit status:
  0  no finding of severity error
  1  at least one error, or a file could not be read (--deny warning: warnings count too;
     --deny unjudged: aspects that were not judged count too; --deny warning,unjudged: both)
  2  could not run: wrong arguments, or nothing could be read";

const RUNNING: &str = "\
A plug-in given by its path is loaded in a sandbox: no network, no writable files, no other programs.
Plug-ins inside a folder, wheel or store are only read. What only running can show is then not judged.";

const NAMES: &str = "\
A side is a path (model, checkpoint, plug-in, wheel, folder) or a release: torch@2.1,
tensorflow@2.15.0, jax@latest. A shorter version means the newest release with that prefix,
a family alone (torch) all its releases. Requirements of pip are read too: \"torch==2.1.2\",
\"torch>=2.1,<2.4\" (every release in the range), \"tf-nightly==2.16.0.dev20231101\" (judged
as the next release). To name a file called `torch`, write `./torch`.";

/// Will these two pieces of ML software, built at different times, work together?
#[derive(Debug, Parser)]
#[command(version, name = "unskew", after_help = EXIT_STATUS, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub verb: Verb,
    #[command(flatten)]
    pub global: Global,
}

// The options of every verb.
#[derive(Debug, clap::Args)]
pub struct Global {
    /// Of standard output and standard error.
    #[command(flatten)]
    pub color: Color,
    /// Evaluate compatibility windows as of this day (YYYY-MM-DD) instead of today
    #[arg(long, global = true, value_name = "DATE")]
    as_of: Option<Date>,
    /// Exit with 1 for findings of this severity or above; `unjudged`: also for what was not judged
    #[arg(long, global = true, value_name = "WHAT", value_delimiter = ',')]
    deny: Vec<Deny>,
    /// Print no report, only errors: the exit status says what was found
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print every finding of a rule instead of the first ones, and how much was read
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Multiply the memory and time limits by N, for files that you trust
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    pub budget: u64,
}

// When output has colors.
#[derive(Debug, clap::Args)]
pub struct Color {
    /// When to color the output
    #[arg(long = "color", global = true, value_name = "WHEN", default_value = "auto")]
    choice: ColorChoice,
}

impl Verb {
    /// Which limits a watchdog enforces on this verb; none for verbs that run programs or serve.
    pub fn watch(&self) -> Option<Watch> {
        match self {
            Self::Inspect(_)
            | Self::Check(_)
            | Self::Matrix(_)
            | Self::Diff(_)
            | Self::Env(_)
            | Self::Lock(_)
            | Self::Lint(_)
            | Self::History(_)
            | Self::Convert(_) => Some(Watch::MemoryAndTime),
            // A program has a limit of steps; how long these take is its own affair.
            Self::Ops(ops)
                if matches!(ops.what, ops::OpsVerb::Run(_) | ops::OpsVerb::Bisect(_)) =>
            {
                Some(Watch::Memory)
            }
            Self::Ops(_) => Some(Watch::MemoryAndTime),
            _ => None,
        }
    }
}

/// The resources that a watchdog limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Resident memory, without a limit of time.
    Memory,
    /// Resident memory and CPU time.
    MemoryAndTime,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Deny {
    Error,
    Warning,
    Note,
    Unjudged,
}

impl Color {
    /// Applies the choice to every output stream of this process.
    pub fn write_global(&self) {
        match self.choice {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

impl Global {
    /// The day that verdicts are computed for. The only place that reads the clock.
    pub fn context(&self) -> Context {
        let today = || jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
        Context::on(self.as_of.unwrap_or_else(today))
    }

    /// The day given by `--as-of`.
    #[cfg(any(feature = "fleet", feature = "scan"))]
    pub fn day(&self) -> Option<Date> {
        self.as_of
    }

    /// The lowest severity that makes the exit status 1.
    pub fn deny(&self) -> Severity {
        let severity = |deny: &Deny| match deny {
            Deny::Error => Some(Severity::Error),
            Deny::Warning => Some(Severity::Warning),
            Deny::Note => Some(Severity::Note),
            Deny::Unjudged => None,
        };
        self.deny.iter().filter_map(severity).min().unwrap_or(Severity::Error)
    }

    /// `aspects` if `--deny unjudged` is given, else 0.
    pub fn unjudged(&self, aspects: usize) -> usize {
        if self.denies_unjudged() { aspects } else { 0 }
    }

    /// Whether `--deny unjudged` is given.
    pub fn denies_unjudged(&self) -> bool {
        self.deny.iter().any(|deny| matches!(deny, Deny::Unjudged))
    }
}

/// The subcommands of `unskew`. The options of one are described when it is used: to describe all takes a quarter of the
/// time of `--version`. So what is written over options that several share is no doc comment: clap would show it as
/// what the subcommand is about.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Verb {
    /// Show what a file is and every version that it carries
    #[command(after_help = format!("\
Examples:
  unskew inspect model.pt
  unskew inspect saved_model/ libpjrt_cpu.so wheel.whl --format json
  unskew inspect libpjrt_cpu.so --static
  unskew inspect net.stablehlo --text\n\n{RUNNING}"))]
    Inspect(Inspect),
    /// Check whether two things work together
    #[command(after_help = format!("{NAMES}\n
Examples:
  unskew check model.pt torch@1.10
  unskew check frozen_graph.pb --with tensorflow@2.4 tensorflow@2.15
  unskew check libpjrt_cpu.so --with jax@0.6.2 --deny warning
  unskew check model.pt --with torch            with which releases?
  unskew check model.pt --with torch@2.1 --require run\n\n{RUNNING}\n\n{EXIT_STATUS}"))]
    Check(Check),
    /// Check many pairs and print a table
    #[command(after_help = format!("{NAMES}\n`all` means every release.\n
Examples:
  unskew matrix models/ --with torch
  unskew matrix *.pb --with tensorflow --format html -o matrix.html
  unskew matrix a.pt b.pb --with all --format csv\n\n{RUNNING}\n\n{EXIT_STATUS}"))]
    Matrix(MatrixArgs),
    /// Show what breaks at import in a Python environment, and which pins fix it
    #[command(after_help = format!("\
Examples:
  unskew env                      the environment in .venv
  unskew env venv/bin/python
  unskew env /usr/lib/python3/dist-packages --format json

Judged are all packages that meet: native extensions and PyTorch or TensorFlow (by symbols), generated
code and protobuf or grpcio, jax and jaxlib, modules and NumPy. Nothing is run and nothing is imported.\n\n{EXIT_STATUS}"))]
    Env(Env),
    /// Show what breaks at import in what a lock file pins, before it is installed
    #[command(after_help = format!("\
Examples:
  unskew lock uv.lock
  unskew lock requirements.txt --python 3.12 --format github
  unskew lock poetry.lock --machine aarch64 --format sarif

Wheels are known by their SHA-256. What is not known is not judged, by name.\n\n{EXIT_STATUS}"))]
    Lock(LockArgs),
    /// Show what changed between two operator registries or two C headers, and which changes break compatibility
    #[command(after_help = format!("\
Each side is a release (tensorflow@2.12, torch@1.10), an OpList of TensorFlow (bytes or text), a list
of PyTorch operators with one schema a line, or a C header or a folder of them. Files may lie in a folder,
an archive (sdk.zip!include), a revision (v1.0:include) or a package (pypi:NAME==VERSION!FOLDER).

Examples:
  unskew diff tensorflow@2.11 tensorflow@2.12
  unskew diff ops-before.pb ops-after.pbtxt --format github
  unskew diff torch@1.10 torch@2.1 --format concise
  unskew diff include-before/ include/ --policy pjrt
  unskew diff --git v1.0..HEAD include\n\n{EXIT_STATUS}"))]
    Diff(Diff),
    /// Check the changes since a baseline against the promises in unskew.toml, for CI
    #[command(after_help = format!("\
Examples:
  unskew lint                                     with the baseline of unskew.toml
  unskew lint --baseline git:origin/main...       with the merge base of this branch and main
  unskew lint --baseline pypi:tensorflow-cpu==2.20.0 --fetch --format sarif
  unskew lint --as-of 2027-01-31                  evaluated for that day\n\n{EXIT_STATUS}"))]
    Lint(Lint),
    /// Print the completions of a shell
    #[command(after_help = "\
Examples:
  unskew completions bash > ~/.local/share/bash-completion/completions/unskew
  unskew completions zsh > ~/.zfunc/_unskew
  unskew completions fish > ~/.config/fish/completions/unskew.fish
  unskew completions powershell >> $PROFILE")]
    Completions(Completions),
    /// Print the manual page, or write one for every verb
    #[command(after_help = "\
Examples:
  unskew man | man -l -
  unskew man -o ~/.local/share/man/man1")]
    Man(Man),
    /// Explain a rule, or an error message: which rule it is of, what its numbers say, and what to run next
    #[command(after_help = "\
Examples:
  unskew explain            lists every rule
  unskew explain CO001
  unskew explain \"RuntimeError: operator torchvision::nms does not exist\"
  python serve.py 2>&1 | unskew explain -")]
    Explain(Explain),
    /// Query the built-in database of releases
    #[command(after_help = "\
Examples:
  unskew releases
  unskew releases torch
  unskew releases torch@2.1 --op aten::gelu
  unskew releases --axis ifrt.serdes --as-of 2026-07-01")]
    Releases(ReleasesArgs),
    /// Compute from a dated history which versions to support and which may be removed
    #[command(after_help = "\
Examples:
  unskew history CHANGELOG.md --at 2024-03-15 --window \"12 weeks\"
  unskew history serdes_version.h --landed git --svg timeline.svg
  unskew history pjrt.api --since 2026-01-01 --when 0.106")]
    History(HistoryArgs),
    /// Convert an artifact for another release, or report why that is impossible
    #[command(after_help = format!("\
Examples:
  unskew convert net.pt --to torch@1.4 -o old.pt
  unskew convert net.pt2 --to torch@2.15 --dry-run
  unskew convert saved_model/ --to tensorflow@2.4 -o converted/

The result is checked before it is written. If no exact conversion exists, nothing is written.\n\n{EXIT_STATUS}"))]
    Convert(Convert),
    /// Work with PyTorch operators: operator tables, selective-build lists, running models
    Ops(Ops),
    #[cfg(not(feature = "fleet"))]
    /// (not in this build: feature `fleet`) Manage models and runtimes; decide which artifact each runtime gets
    #[command(disable_help_flag = true)]
    Fleet(DisabledVerbArgs),
    #[cfg(not(feature = "scan"))]
    /// (not in this build: feature `scan`) Check every artifact of folders and stores; write a table
    #[command(disable_help_flag = true)]
    Scan(DisabledVerbArgs),
    #[cfg(not(feature = "serve"))]
    /// (not in this build: feature `serve`) Serve a PJRT plug-in to JAX clients over the network
    #[command(disable_help_flag = true)]
    Serve(DisabledVerbArgs),
    #[cfg(not(feature = "serve"))]
    /// (not in this build: feature `serve`) Open a tunnel to `unskew serve` on another machine, with TLS and a token
    #[command(disable_help_flag = true)]
    Proxy(DisabledVerbArgs),
    #[cfg(feature = "fleet")]
    /// Manage models and runtimes; decide which artifact each runtime gets; plan for the whole fleet
    #[command(after_help = "\
Examples:
  unskew fleet runtime add torch@2.1 --devices 1200
  unskew fleet model add gelu gelu.pt
  unskew fleet decide gelu --all
  unskew fleet plan gelu")]
    Fleet(FleetArgs),
    #[cfg(feature = "scan")]
    /// Check every artifact of folders and stores; write a table of Parquet files
    #[command(after_help = format!("\
Examples:
  unskew scan models/ --with torch@2.1 tensorflow@2.15 -o table/
  unskew scan s3://bucket/models --with torch -o s3://bucket/scan --shard 3/16
  unskew scan ~/.cache/huggingface/hub --with torch@2.15 -o table/

A scan can be resumed: run it again, and it continues with the missing rows.\n\n{EXIT_STATUS}"))]
    Scan(Box<Scan>),
    /// Wrap a PJRT plug-in for hosts of another PJRT version
    #[command(after_help = "\
Examples:
  unskew adapt pjrt_c_api_cpu_plugin.so --for jax@0.6.2 -o adapted/
  unskew adapt libpjrt.so --present 0.54 -o adapted/
  unskew adapt libpjrt.so --emulate 0.48 --guard -o old/

The result is a shared object and a settings file beside it; keep both together. It loads the
plug-in from its present path.

This runs the plug-in to read its version: in a sandbox, or with your permissions if you pass --run.")]
    Adapt(Adapt),
    /// Test whether a PJRT plug-in or a pluggable device conforms to its C API, and which hosts can use it
    #[command(after_help = format!("\
Examples:
  unskew conform libpjrt_cpu.so
  unskew conform libpjrt_cpu.so --verbose
  unskew conform --diff old.so new.so\n
This runs the plug-in in a sandbox. Pass --run to run it with your permissions, if it needs a device,
the network or its own files.\n\n{EXIT_STATUS}"))]
    Conform(Conform),
    /// Plan a compatible change of a TensorFlow op
    Tf(Tf),
    /// Run some checks of a plug-in: a child process of `conform`
    #[command(name = "__conform", hide = true)]
    ConformChild { path: PathBuf, from: usize, to: usize },
    #[cfg(not(feature = "run"))]
    /// (not in this build: feature `run`) Compile a StableHLO program on a PJRT plug-in and run it
    #[command(disable_help_flag = true)]
    Run(DisabledVerbArgs),
    #[cfg(feature = "run")]
    /// Compile a StableHLO program on a PJRT plug-in and run it
    #[command(after_help = "\
An input is a .npy file, a number for every element, or generated: zeros, ones, iota, random[:SEED].
A .npz file gives several inputs. With several devices, separate one input for each by commas: a.npy,b.npy.

Examples:
  unskew run pjrt_c_api_cpu_plugin.so add.mlir --input a.npy --input b.npy -o results/
  unskew run libpjrt.so model.stablehlo --fill random --repeat 100 --timings
  unskew run libpjrt.so sum.mlir --replicas 2 --input 1,2

This runs the plug-in with your permissions, in a child process. Plug-ins built from XLA log little by default;
TF_CPP_MIN_LOG_LEVEL=0 enables all their logs.")]
    Run(RunArgs),
    #[cfg(feature = "serve")]
    /// Serve a PJRT plug-in over the network to JAX clients since 0.4.31
    #[command(after_help = "\
Examples:
  unskew serve pjrt_c_api_cpu_plugin.so
  unskew serve libpjrt.so --port 9000 --sessions 8
  unskew serve --client jax@0.6.2

This runs the plug-in with your permissions, in a child process. Whoever connects can run programs on it.

It listens on the loopback only, because connections of JAX are unauthenticated and unencrypted. With
--tls-certificate, --tls-key and --token-file it has a second port, 8471, for `unskew proxy` on other machines.")]
    Serve(Serve),
    #[cfg(feature = "serve")]
    /// Open a tunnel to `unskew serve` on another machine, with TLS and a token
    #[command(after_help = "\
Examples:
  unskew proxy gpu.example.org --token-file token
  unskew proxy 192.0.2.7:9001 --token-file token --ca certificate.pem --port 9000

JAX then connects to grpc://127.0.0.1:8470. The tunnel listens on the loopback of this machine; every user of
this machine can use it.")]
    Proxy(Proxy),
    #[cfg(feature = "fleet")]
    /// Read artifacts within resource limits: a child process of `fleet serve`
    #[command(name = "__inspect", hide = true)]
    InspectionChild { memory: u64, seconds: u64 },
    #[cfg(feature = "scan")]
    /// Judge artifacts within resource limits: a child process of `scan`
    #[command(name = "__judge", hide = true)]
    JudgeProcess { memory: u64, seconds: u64 },
    /// Load a plug-in and print what it reports: a child process of other verbs
    #[command(name = "__probe", hide = true)]
    Probe {
        path: PathBuf,
        seconds: Option<u64>,
        /// Programs to compile, as a file of jobs
        #[arg(long)]
        programs: Option<PathBuf>,
        /// The number of the first of them
        #[arg(long, default_value_t = 0)]
        from: usize,
    },
}
