//! One batch of a run: makes each file, runs the command on it, and says what became of that.
//!
//! The system tells time and memory of all children together: time as a sum, memory as a maximum. So the batch is a
//! process of its own, which runs one command after the other, and ends after one that took too much: what comes
//! behind it would be hidden.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use nix::sys::resource::{Usage, UsageWho, getrusage};

use super::seeds::Seeds;
use super::{MEMORY, TIME};
use super::{bombs, folders, mutate};
use unskew_random::Random;

/// After so long a command is ended.
const PATIENCE: Duration = Duration::from_secs(90);

/// What a batch is.
#[derive(clap::Args, Clone)]
pub struct Batch {
    #[arg(long)]
    pub seed: u64,
    /// The files are bombs, and each number is a command on one of them.
    #[arg(long)]
    pub bombs: bool,
    #[arg(long)]
    pub from: u64,
    #[arg(long)]
    pub to: u64,
    #[arg(long)]
    pub unskew: PathBuf,
    /// Where packed fixtures were unpacked, and where what fails is kept.
    #[arg(long)]
    pub folder: PathBuf,
}

/// Prints a line for each mutation: its number, format, verb, what became of it, milliseconds and MiB.
///
/// # Errors
/// If a file cannot be written or the command cannot be started.
pub fn run(batch: &Batch) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let place = tempfile::tempdir()?;
    let trials: Box<dyn Iterator<Item = anyhow::Result<Trial>>> = match batch.bombs {
        true => Box::new(of_bombs(root, batch)?),
        false => Box::new(of_seeds(root, batch)?),
    };
    for (nth, trial) in (batch.from..batch.to).zip(trials) {
        let Trial { format, name, bytes, seed, command, span } = trial?;
        let file = place.path().join(&name);
        fs::write(&file, bytes)?;
        let table = place.path().join("table");
        let folder = place.path().join("folder");
        if command.contains("FOLDER") {
            folders::around(root, &folder, &file)?;
        }
        let arguments = command.split(' ').map(|word| match word {
            "FILE" => file.clone().into_os_string(),
            "SEED" => seed.clone().into_os_string(),
            "OUT" => place.path().join("out").into_os_string(),
            "FOLDER" => folder.clone().into_os_string(),
            "TABLE" => table.clone().into_os_string(),
            "MODEL" => root.join("crates/cli/tests/files/div-1.4.0.pt").into_os_string(),
            "SPAN" => format!("{span} weeks").into(),
            word => word.into(),
        });
        let said = place.path().join("said");
        let ran =
            measured(Command::new(&batch.unskew).args(arguments).current_dir(place.path()), &said)?;
        let became = ran.became(&said);
        let verb = command
            .split(" FILE")
            .next()
            .and_then(|verb| verb.split(" FOLDER").next())
            .unwrap_or(command)
            .replace(' ', "_");
        println!(
            "{nth}\t{format}\t{verb}\t{became}\t{}\t{}",
            ran.time.as_millis(),
            ran.memory >> 20
        );
        if ran.is_bad(became) {
            keep(&batch.folder, nth, &file, command, &said)?;
        }
        fs::remove_file(&file)?;
        for made in [&table, &folder] {
            if made.exists() {
                fs::remove_dir_all(made)?;
            }
        }
        if ran.memory > MEMORY {
            break;
        }
    }
    Ok(())
}

/// A file, and a command that is run on it.
struct Trial {
    format: &'static str,
    name: String,
    bytes: Vec<u8>,
    /// The file of which it was made; none of a bomb.
    seed: PathBuf,
    command: &'static str,
    /// A number of weeks.
    span: u64,
}

fn of_seeds(
    root: &Path,
    batch: &Batch,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<Trial>> + use<>> {
    let seeds = Seeds::find(root, &batch.folder.join("seeds"))?;
    let seed = batch.seed;
    Ok((batch.from..batch.to).map(move |nth| {
        let mut random = Random::nth(seed, nth);
        let (format, all, commands) = seeds.format(&mut random);
        let (seed, other) = (random.choose(all), random.choose(all));
        let command = *random.choose(commands);
        let bytes = mutate::file(&seed.name, &seed.bytes()?, &other.bytes()?, &mut random);
        let span = random.next() >> random.below(64);
        let (name, seed) = (seed.name.clone(), seed.path.clone());
        Ok(Trial { format, name, bytes, seed, command, span })
    }))
}

fn of_bombs(
    root: &Path,
    batch: &Batch,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<Trial>> + use<>> {
    let trials = bombs::all(root)?.into_iter().flat_map(|bomb| {
        bomb.commands.iter().map(move |command| {
            Ok(Trial {
                format: "bombs",
                name: bomb.name.clone(),
                bytes: bomb.bytes.clone(),
                seed: PathBuf::new(),
                command,
                span: 0,
            })
        })
    });
    Ok(trials.skip(usize::try_from(batch.from)?))
}

/// Keeps what failed: the file, and what was run.
fn keep(folder: &Path, nth: u64, file: &Path, command: &str, said: &Path) -> anyhow::Result<()> {
    let kept = folder.join("kept").join(nth.to_string());
    fs::create_dir_all(&kept)?;
    fs::copy(file, kept.join(file.file_name().unwrap_or_default()))?;
    fs::copy(said, kept.join("stderr.txt"))?;
    Ok(fs::write(kept.join("command.txt"), command)?)
}

/// What a command took.
struct Ran {
    status: ExitStatus,
    time: Duration,
    /// The largest of all children until now.
    memory: u64,
}

impl Ran {
    fn became(&self, said: &Path) -> &'static str {
        let said = fs::read(said).unwrap_or_default();
        let says = |what: &str| memchr::memmem::find(&said, what.as_bytes()).is_some();
        match self.status.code() {
            _ if says("panicked at") => "panic",
            None => "abort",
            // A scan goes on, and says at its end what was over a budget.
            Some(0..=2) if says("over budget") => "budget",
            Some(0 | 1) => "answer",
            Some(2) if says("budget") || says("limit") => "budget",
            Some(2) => "error",
            Some(_) => "abort",
        }
    }

    fn is_bad(&self, became: &str) -> bool {
        let too_much = self.time > TIME || self.memory > MEMORY;
        matches!(became, "panic" | "abort") || (too_much && became != "budget")
    }
}

fn measured(command: &mut Command, said: &Path) -> anyhow::Result<Ran> {
    let (before, _) = children()?;
    let stderr = fs::File::create(said)?;
    let scans = command.get_args().next().is_some_and(|verb| verb == "scan");
    let stdout = if scans { stderr.try_clone()?.into() } else { Stdio::null() };
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr)
        .env("RUST_BACKTRACE", "0")
        .spawn()
        .context("cannot start the command")?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill()?;
            break child.wait()?;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let (after, memory) = children()?;
    Ok(Ran { status, time: after.saturating_sub(before), memory })
}

/// Time and largest memory of the children that ended.
fn children() -> anyhow::Result<(Duration, u64)> {
    let usage: Usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let time = micros(usage.user_time()) + micros(usage.system_time());
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    Ok((Duration::from_micros(u64::try_from(time)?), u64::try_from(usage.max_rss())? * unit))
}
