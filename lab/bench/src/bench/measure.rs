//! Whole processes: how long, and how much memory.
//!
//! The system tells the largest memory of all children together, so each command is measured by a
//! process of its own: this program again, with the hidden verb `__measure`. A child counts as at
//! least as large as the process that started it, which is why that one must be small.

use std::fmt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};

/// What some runs of one command took.
pub struct Measured {
    /// The time of each run, from the start of the process to its end, sorted.
    pub walls: Vec<Duration>,
    /// The largest resident memory of any run, in bytes.
    pub peak: u64,
}

impl Measured {
    pub fn least(&self) -> Duration {
        self.walls.first().copied().unwrap_or_default()
    }

    pub fn median(&self) -> Duration {
        self.walls.get(self.walls.len() / 2).copied().unwrap_or_default()
    }
}

/// One number in microseconds a line, and the peak in KiB last: how `__measure` answers.
impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for wall in &self.walls {
            writeln!(f, "{}", wall.as_micros())?;
        }
        writeln!(f, "{}", self.peak >> 10)
    }
}

/// Runs `command` so many times, one after the other.
///
/// # Errors
/// If it cannot be started, or one run ends with a status other than 0 and 1.
pub fn measure(runs: usize, command: &[String]) -> anyhow::Result<Measured> {
    let this = std::env::current_exe()?;
    let output = Command::new(this)
        .args(["__measure", &runs.to_string(), "--"])
        .args(command)
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "failed: {}", command.join(" "));
    let text = String::from_utf8(output.stdout)?;
    let mut numbers = text.lines().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    let peak = numbers.pop().context("no answer")? << 10;
    let mut walls: Vec<Duration> = numbers.into_iter().map(Duration::from_micros).collect();
    walls.sort_unstable();
    Ok(Measured { walls, peak })
}

/// The verb `__measure`: runs the command itself.
///
/// # Errors
/// As [`measure`].
pub fn here(runs: usize, command: &[String]) -> anyhow::Result<Measured> {
    let (program, arguments) = command.split_first().context("no command")?;
    let mut walls = Vec::with_capacity(runs);
    for _ in 0..runs {
        let begun = Instant::now();
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| program.clone())?;
        let status = child.wait()?;
        walls.push(begun.elapsed());
        ensure!(matches!(status.code(), Some(0 | 1)), "{status}: {}", command.join(" "));
    }
    Ok(Measured { walls, peak: peak()? })
}

/// The largest resident memory of any child so far.
#[cfg(unix)]
fn peak() -> anyhow::Result<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let kib = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    // macOS counts in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    if kib <= 0 {
        bail!("the system does not tell the memory of children");
    }
    Ok(kib.unsigned_abs() * unit)
}

#[cfg(not(unix))]
fn peak() -> anyhow::Result<u64> {
    bail!("the memory of children is measured on Unix only")
}
