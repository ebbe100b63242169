//! `cargo lab jax`: JAX releases on plug-ins, as a table.
//!
//! Each cell is run as it is, through the adapter that `unskew adapt` makes for that release, and with the
//! handlers of jaxlib. `--write` puts the table into the documentation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};
use unskew_jax_matrix::{JaxCell, JaxHost, JaxTableRow, PLUGINS, STEPS, run_each, table};
use unskew_lab_harness::{Page, WritePage};
use unskew_peers::ProbeOutcome;

/// The page that `--write` makes.
const PAGE: Page = Page("docs/reference/jax-on-plugins.md");

const HEAD: &str = "<!-- made by `cargo lab jax --write` -->\n\n# JAX releases on PJRT plug-ins\n\n\
    Real releases of JAX, each loading real CPU plug-ins and running the 21 steps of `lab/xla/probes/jax_steps.py`: \
    devices, jit, gradients, loops, sorting, random numbers, bfloat16, a linear solve, a callback to Python, \
    donation, memory, sharding, cost and memory analysis, a serialized executable, a thousand calls. A step \
    passes if its result is right.\n\n\
    *Direct* is JAX with the plug-in as it is. *Through the adapter* is the same with what \
    `unskew adapt PLUGIN --for jax@VERSION` makes of it. *With handlers* is with `unskew_jax` \
    (docs/guide/jax-ffi-handlers.md), through the adapter where there is one.\n\n";

/// Runs JAX releases on plug-ins and prints what worked.
#[derive(Args)]
pub struct Jax {
    /// A JAX release; all that have an environment if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// A shared object; the plug-ins of the corpus if none is named.
    #[arg(long = "plugin")]
    plugins: Vec<PathBuf>,
    /// What to run; everything if nothing is named.
    #[arg(long)]
    via: Vec<Via>,
    /// How many cells run at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// How many seconds a cell may take.
    #[arg(long, default_value_t = 180)]
    limit: u64,
    #[command(flatten)]
    write: WritePage,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Via {
    /// JAX with the plug-in as it is.
    Direct,
    /// Through the adapter made for that release.
    Adapter,
    /// With the handlers of jaxlib, through the adapter if that is run too.
    Handlers,
}

impl Jax {
    fn runs(&self, via: Via) -> bool {
        self.via.is_empty() || self.via.contains(&via)
    }

    fn hosts(&self) -> anyhow::Result<Vec<JaxHost>> {
        if self.releases.is_empty() {
            return Ok(JaxHost::all());
        }
        self.releases.iter().map(|version| JaxHost::named(version).map_err(Into::into)).collect()
    }

    /// The plug-ins with the names that the page calls them by; those of the corpus if none is named.
    fn plugins(&self) -> Vec<(String, PathBuf)> {
        if self.plugins.is_empty() {
            let named = |plugin: &unskew_jax_matrix::CorpusPlugin| {
                (format!("{} (0.{})", plugin.name, plugin.minor), plugin.path())
            };
            return PLUGINS.iter().map(named).collect();
        }
        let named = |path: &PathBuf| (path.display().to_string(), path.clone());
        self.plugins.iter().map(named).collect()
    }
}

/// A row whose cells are still to be run.
struct Plan {
    row: JaxTableRow,
    /// The cells of the row, each with what it is run as.
    cells: Vec<(Via, JaxCell)>,
}

/// Runs what was asked for.
///
/// # Errors
/// If a cell cannot be run, or there is none. What a cell does is no error.
pub fn run(jax: &Jax) -> anyhow::Result<()> {
    let scratch = unskew_peers::root().join("target/jax-adapters");
    let mut plans = Vec::new();
    for host in jax.hosts()? {
        for (name, path) in jax.plugins() {
            let path = path.canonicalize().with_context(|| path.display().to_string())?;
            plans.push(plan(jax, &host, &name, &path, &scratch));
        }
    }
    ensure!(!plans.is_empty(), "no JAX environment; `cargo xtask corpus` makes some");
    let cells: Vec<JaxCell> =
        plans.iter().flat_map(|plan| &plan.cells).map(|(_, cell)| cell.clone()).collect();
    let report = |cell: &JaxCell, outcome: &ProbeOutcome| {
        let plugin = cell.plugin.display();
        eprintln!("jax {} on {plugin}: {} of {STEPS}", cell.host.version, outcome.passed());
    };
    let limit = Duration::from_secs(jax.limit);
    let mut outcomes = run_each(&cells, jax.jobs, limit, &report)?.into_iter();
    let rows: Vec<JaxTableRow> = plans.into_iter().map(|plan| plan.finish(&mut outcomes)).collect();
    let page = table(&rows);
    PAGE.publish(HEAD, &page, &jax.write)?;
    Ok(())
}

fn plan(jax: &Jax, host: &JaxHost, name: &str, path: &Path, scratch: &Path) -> Plan {
    let mut cells = Vec::new();
    let mut row = JaxTableRow {
        host: host.clone(),
        plugin: name.to_owned(),
        direct: None,
        adapter: None,
        handlers: None,
    };
    if jax.runs(Via::Direct) {
        cells.push((Via::Direct, JaxCell::new(host, path)));
    }
    let mut best = path.to_owned();
    if jax.runs(Via::Adapter) {
        match adapt(path, host, scratch) {
            Ok(adapted) => {
                best.clone_from(&adapted);
                cells.push((Via::Adapter, JaxCell::new(host, adapted)));
            }
            Err(error) => row.adapter = Some(Err(format!("{error:#}"))),
        }
    }
    if jax.runs(Via::Handlers) {
        cells.push((Via::Handlers, JaxCell::new(host, best).with_handlers()));
    }
    Plan { row, cells }
}

impl Plan {
    /// Takes the outcomes of its cells, which come in the order of the plans.
    fn finish(mut self, outcomes: &mut impl Iterator<Item = ProbeOutcome>) -> JaxTableRow {
        for (via, _) in &self.cells {
            let outcome = outcomes.next();
            match via {
                Via::Direct => self.row.direct = outcome,
                Via::Adapter => self.row.adapter = outcome.map(Ok),
                Via::Handlers => self.row.handlers = outcome,
            }
        }
        self.row
    }
}

/// What `unskew adapt` makes of a plug-in for a release: the path of the shared object that JAX loads.
///
/// # Errors
/// What `unskew adapt` says.
pub fn adapt(plugin: &Path, host: &JaxHost, scratch: &Path) -> anyhow::Result<PathBuf> {
    let stem = plugin.file_stem().context("a plug-in needs a name")?.to_string_lossy();
    let folder = scratch.join(format!("{stem}-for-{}", host.version));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "unskew-cli", "--", "adapt"])
        .arg(plugin)
        .args(["--for", &format!("jax@{}", host.version), "-o"])
        .arg(&folder)
        .current_dir(unskew_peers::root())
        .output()
        .context("cargo")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}", said.lines().next().unwrap_or("`unskew adapt` failed"));
    let entries = fs::read_dir(&folder)?.flatten().map(|entry| entry.path());
    let mut objects: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "so")).collect();
    ensure!(objects.len() == 1, "`unskew adapt` made {} shared objects, not 1", objects.len());
    objects.pop().context("no shared object")
}
