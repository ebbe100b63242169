//! `cargo lab hostile`: the command on files that nobody would write.
//!
//! Small files of every format are changed, in their bytes and in their structure, and the real command is run on
//! each: `inspect`, `check`, `convert`, `diff`, `lint`, `lock`, `env`, `history`, `ops run`, `scan`. Before them comes what is small and stands
//! for something large (`bombs`). A file may be refused or judged.
//! It may not end the command by a panic or a signal, and if it takes more than 2 seconds of processor time or
//! 256 MiB, then the command must have said which budget that was over.
//!
//! Made with `cargo run --release -p unskew-lab-bench -- hostile`: without optimization the changes cost more time than the command.
//!
//! A run is repeated by its seed. What fails is kept with the command that was run.

mod bombs;
mod folders;
mod mutate;
mod seeds;
mod table;
mod worker;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};

pub use worker::{Batch, run as run_batch};

use table::Table;

/// What a command may take without saying why it took more.
const TIME: Duration = Duration::from_secs(2);
const MEMORY: u64 = 256 << 20;

/// How many mutations one process makes.
const BATCH: u64 = 200;

/// What makes the command with all verbs that are tried.
const BUILD: &str = "cargo build --release -p unskew-cli --features run,scan";

/// Runs the command on mutated files of every format.
#[derive(clap::Args)]
pub struct Hostile {
    /// How many files
    #[arg(long, default_value_t = 30_000)]
    runs: u64,
    /// Another seed makes other files
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many at a time; as many as there are processors if nothing is said
    #[arg(long)]
    jobs: Option<usize>,
    /// This program instead of the release build
    #[arg(long, value_name = "PATH")]
    unskew: Option<PathBuf>,
    /// Writes docs/reference/hostile-inputs.md
    #[arg(long)]
    write: bool,
}

/// Runs everything and prints the table.
///
/// # Errors
/// If the command cannot be run, or a file made it fail.
pub fn run(hostile: &Hostile) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let folder = target.join("hostile");
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => seeds::unpack(root, &folder.join("seeds"))?,
    }
    let unskew = hostile.unskew.clone().unwrap_or_else(|| target.join("release/unskew"));
    ensure!(unskew.is_file(), "{}: no such program; build it: {BUILD}", unskew.display());
    let asked = Command::new(&unskew).args(["ops", "run", "--help"]).output()?;
    ensure!(asked.status.success(), "{} has no `ops run`: {BUILD}", unskew.display());
    let asked = Command::new(&unskew).args(["scan", "--help"]).output()?;
    ensure!(asked.status.success(), "{} has no `scan`: {BUILD}", unskew.display());
    let counts = seeds::Seeds::find(root, &folder.join("seeds"))?.counts();
    println!("seeds: {counts:?}");
    let table = Mutex::new(Table::default());
    let count: usize = bombs::all(root)?.iter().map(|bomb| bomb.commands.len()).sum();
    let batch = Batch {
        seed: hostile.seed,
        bombs: true,
        from: 0,
        to: count as u64,
        unskew: unskew.clone(),
        folder: folder.join("bombs"),
    };
    batches(batch, &table)?;
    let next = AtomicU64::new(0);
    let jobs = hostile.jobs.or_else(|| std::thread::available_parallelism().ok().map(Into::into));
    std::thread::scope(|scope| {
        let work = || -> anyhow::Result<()> {
            loop {
                let from = next.fetch_add(BATCH, Ordering::Relaxed);
                if from >= hostile.runs {
                    return Ok(());
                }
                let (to, unskew, folder) =
                    ((from + BATCH).min(hostile.runs), unskew.clone(), folder.clone());
                batches(
                    Batch { seed: hostile.seed, bombs: false, from, to, unskew, folder },
                    &table,
                )?;
            }
        };
        let workers: Vec<_> = (0..jobs.unwrap_or(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??;
        }
        anyhow::Ok(())
    })?;
    let table = table.into_inner().map_err(|_| anyhow::anyhow!("a worker panicked"))?;
    print!("{table}");
    if hostile.write {
        let place = root.join("docs/reference/hostile-inputs.md");
        fs::write(place, table.page(hostile.runs, hostile.seed, &counts))?;
    }
    if table.bad() > 0 {
        bail!("{} files made the command fail; they are in {}", table.bad(), folder.display());
    }
    Ok(())
}

/// Runs a batch, by several processes if some of its files took too much.
fn batches(mut batch: Batch, table: &Mutex<Table>) -> anyhow::Result<()> {
    while batch.from < batch.to {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("__hostile")
            .args(["--seed", &batch.seed.to_string(), "--from", &batch.from.to_string()])
            .args(["--to", &batch.to.to_string()])
            .args(batch.bombs.then_some("--bombs"))
            .arg("--unskew")
            .arg(&batch.unskew)
            .arg("--folder")
            .arg(&batch.folder)
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().context("no output")?;
        let mut last = None;
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            let nth =
                table.lock().map_err(|_| anyhow::anyhow!("a worker panicked"))?.take(&line)?;
            last = Some(nth);
        }
        ensure!(child.wait()?.success(), "a batch from {} on failed", batch.from);
        batch.from = last.context("a batch said nothing")? + 1;
    }
    Ok(())
}
