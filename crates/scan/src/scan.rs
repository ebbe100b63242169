//! All of it, in parallel.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::{
    ArtifactJudge, Inventory, InventoryItem, ScanError, ScanShard, VerdictRow, VerdictTable,
};

/// How a scan is made.
#[derive(Clone, Debug)]
pub struct ScanSettings {
    /// What of it is done here.
    pub shard: ScanShard,
    /// How many artifacts are judged at once; none means as many as there are processors.
    pub jobs: Option<usize>,
    /// How many artifacts one part of the table holds at most.
    pub part: usize,
    /// After how long a part is written even if it holds fewer.
    pub patience: Duration,
}

impl Default for ScanSettings {
    fn default() -> Self {
        let patience = Duration::from_secs(30);
        Self { shard: ScanShard::WHOLE, jobs: None, part: 2000, patience }
    }
}

/// What a scan has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Artifacts that were judged now.
    pub artifacts: usize,
    /// Artifacts of this shard whose rows were there already.
    pub done_before: usize,
    /// Artifacts judged now that could not be read, all or in part; those over a budget are among them.
    pub unread: usize,
    /// The bytes that were read of them.
    pub bytes: u64,
    /// How many rows say what.
    pub verdicts: BTreeMap<String, usize>,
    /// How many findings of each severity.
    pub severities: BTreeMap<String, usize>,
    /// How many aspects of all rows were not judged.
    pub unjudged: usize,
    /// Parts that were written.
    pub parts: usize,
}

/// What happens while a scan goes on.
#[derive(Clone, Copy, Debug)]
pub enum ScanEvent<'r> {
    /// It is known what is to be done.
    Begun(usize),
    /// One more artifact is judged: its rows.
    Judged(&'r [VerdictRow]),
}

/// Scans what the inventories have, and writes rows to the table; `watch` hears of each step.
///
/// # Errors
/// If an inventory cannot say what it has, or the table cannot be read or written. What was written before stays, and the
/// next scan goes on from there.
pub fn scan(
    inventories: &[Box<dyn Inventory>],
    judge: &ArtifactJudge,
    table: &VerdictTable,
    settings: &ScanSettings,
    watch: &(dyn Fn(ScanEvent<'_>) + Sync),
) -> Result<Summary, ScanError> {
    let done = table.done(settings.shard)?;
    let mut items: BTreeMap<(String, Option<String>), InventoryItem> = BTreeMap::new();
    let mut summary = Summary::default();
    for inventory in inventories {
        for item in inventory.items()?.into_iter().filter(|item| settings.shard.has(&item.key)) {
            match done.contains(&item.state()) {
                true => summary.done_before += 1,
                // Two sources may overlap.
                false => drop(items.insert(item.state(), item)),
            }
        }
    }
    drop(done);
    let items: Vec<InventoryItem> = items.into_values().collect();
    watch(ScanEvent::Begun(items.len()));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.jobs.unwrap_or(0)).build();
    let pool = pool.map_err(|error| ScanError::Threads(error.to_string()))?;
    let stopped = AtomicBool::new(false);
    let (sender, judged) = sync_channel::<Result<Vec<VerdictRow>, ScanError>>(256);
    let written = std::thread::scope(|scope| {
        let work = || {
            pool.install(|| {
                items.par_iter().try_for_each_with(sender, |sender, item| {
                    if stopped.load(Ordering::Relaxed) {
                        return None;
                    }
                    let rows = judge.rows(item);
                    if let Ok(rows) = &rows {
                        watch(ScanEvent::Judged(rows));
                    }
                    sender.send(rows).ok()
                })
            })
        };
        scope.spawn(work);
        let written = write(&judged, table, settings, &mut summary);
        stopped.store(true, Ordering::Relaxed);
        // Whoever waits to send something learns that nobody takes it any more.
        drop(judged);
        written
    });
    written.map(|()| summary)
}

/// Takes rows as they come and writes them in parts.
fn write(
    judged: &Receiver<Result<Vec<VerdictRow>, ScanError>>,
    table: &VerdictTable,
    settings: &ScanSettings,
    summary: &mut Summary,
) -> Result<(), ScanError> {
    let (mut rows, mut artifacts, mut begun) = (Vec::new(), 0, Instant::now());
    // What was judged before a scan cannot go on is written all the same.
    let mut failed = None;
    loop {
        let left = settings.patience.saturating_sub(begun.elapsed());
        let ended = match judged.recv_timeout(left) {
            Ok(Err(error)) => {
                failed = Some(error);
                true
            }
            Ok(Ok(own)) => {
                count(&own, summary);
                rows.extend(own);
                artifacts += 1;
                false
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        };
        let full = artifacts >= settings.part || begun.elapsed() >= settings.patience;
        if !rows.is_empty() && (ended || full) {
            table.add(settings.shard, &rows)?;
            summary.parts += 1;
            rows.clear();
            artifacts = 0;
        }
        if ended {
            return failed.map_or(Ok(()), Err);
        }
        if full {
            begun = Instant::now();
        }
    }
}

/// Counts the rows of one artifact.
fn count(rows: &[VerdictRow], summary: &mut Summary) {
    summary.artifacts += 1;
    summary.bytes += rows.first().map_or(0, |row| row.bytes_read);
    summary.unread += usize::from(rows.iter().any(VerdictRow::is_unread));
    for row in rows {
        *summary.verdicts.entry(row.verdict.clone()).or_default() += 1;
        summary.unjudged += row.unjudged.len();
        for finding in &row.findings {
            *summary.severities.entry(finding.severity.clone()).or_default() += 1;
        }
    }
}
