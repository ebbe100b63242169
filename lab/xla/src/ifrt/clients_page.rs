//! The page of clients: `docs/reference/ifrt-clients.md`.

use std::fmt::Write as _;

use unskew_core::VersionRange;
use unskew_jax_matrix::{JaxHost, PROXY_STEPS};
use unskew_lab_harness::Page;
use unskew_peers::{ProbeOutcome, ProcessEnd};

/// Where it stands, from the root of the repository.
pub const PAGE: Page = Page("docs/reference/ifrt-clients.md");

pub const HEAD: &str = "<!-- made by `cargo lab ifrt clients --write` -->\n\n\
    # JAX clients of the IFRT proxy server\n\n\
    Real releases of JAX, unchanged, on `unskew serve` with real CPU plug-ins and four devices. *Steps* are those\n\
    of `lab/xla/probes/proxy_steps.py`: devices, transfers, jit, printing, a loop, a matrix product, gradients,\n\
    donation, a scan, sorting, a convolution, vmap, random numbers, arrays sharded over four devices, and\n\
    compilation ahead of time; a step passes if its result is right. *Losses* are the 200 of a small network\n\
    (`lab/xla/probes/proxy_training.py`): *equal* means bit for bit those of the same release that loads the same\n\
    plug-in itself; *not loaded* means that it does not load it, and trains only through the server.\n\n";

/// A release, and what came of it on each plug-in.
pub struct Row {
    pub host: JaxHost,
    /// The protocol versions that it announces.
    pub protocol: Option<VersionRange>,
    /// The SerDes versions that it announces.
    pub serdes: Option<VersionRange>,
    /// What came of it.
    pub cells: Vec<Cell>,
}

/// A release on a plug-in.
pub struct Cell {
    pub steps: ProbeOutcome,
    pub training: Training,
}

/// What came of the training.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Training {
    /// The losses are those of the plug-in itself.
    Equal,
    Differs,
    /// The release does not load the plug-in itself.
    NotLoaded,
    /// It failed on the server.
    Failed,
}

impl Training {
    /// As the table says it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Differs => "DIFFERENT",
            Self::NotLoaded => "not loaded",
            Self::Failed => "FAILED",
        }
    }
}

impl Cell {
    /// Whether everything that can be right is.
    pub fn is_good(&self) -> bool {
        let all = self.steps.passed() == PROXY_STEPS && self.steps.end == ProcessEnd::Finished;
        all && matches!(self.training, Training::Equal | Training::NotLoaded)
    }
}

impl Row {
    /// A release that has not run yet.
    pub fn of(host: JaxHost) -> Self {
        let release = unskew_releases::find(&format!("jax@{}", host.version)).ok();
        let party = release.map(|release| release.party());
        let known = party.as_ref().and_then(|party| party.capability::<unskew_ifrt::IfrtRelease>());
        let (protocol, serdes) = known.map_or((None, None), |known| (known.proxy, known.serdes));
        Self { host, protocol, serdes, cells: Vec::new() }
    }
}

/// The table as Markdown, a row a release.
pub fn table(plugins: &[&str], rows: &[Row]) -> String {
    let mut text = String::from("| JAX | protocol | SerDes |");
    for plugin in plugins {
        let _ = write!(text, " {plugin}: steps | losses |");
    }
    text.push_str("\n| --- | --- | --- |");
    text.push_str(&" --- | --- |".repeat(plugins.len()));
    text.push('\n');
    for row in rows {
        let known = |range: Option<VersionRange>| {
            range.map_or_else(|| "none".to_owned(), |range| range.to_string())
        };
        let (protocol, serdes) = (known(row.protocol), known(row.serdes));
        let _ = write!(text, "| {} | {protocol} | {serdes} |", row.host.version);
        for cell in &row.cells {
            let (passed, losses) = (cell.steps.passed(), cell.training.text());
            let _ = write!(text, " {passed} of {PROXY_STEPS} | {losses} |");
        }
        text.push('\n');
    }
    text
}
