//! The test programs that cargo built, run as many at once as there are cores. `cargo test` runs one after the other, and
//! each of them ends with its slowest test, while the other cores wait.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write as _};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

/// Programs that need a machine without other tests: they choose moments and measure times.
const ALONE: [&str; 2] = ["cli fleet_kill", "cli fleet_two"];

/// A program of tests.
pub struct Program {
    /// The crate and the file of tests, such as `unskew-cli it`.
    name: String,
    /// The folder of the crate: cargo starts its tests there.
    folder: PathBuf,
    /// Where cargo put the program: `target/debug/deps/it-…`.
    path: PathBuf,
    /// Large ones link the most, and most often run the longest.
    size: u64,
}

/// What cargo says of something that it built. [Fields](https://doc.rust-lang.org/cargo/reference/external-tools.html)
/// that are not needed are left out.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    target: Option<Target>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// The programs that `cargo test --no-run --message-format json` named, those first that should begin first.
///
/// # Errors
/// If the output is no JSON, or a program is not there.
pub fn built(output: impl BufRead) -> anyhow::Result<Vec<Program>> {
    let mut programs = Vec::new();
    for line in output.lines() {
        let message: Message = serde_json::from_str(&line?).context("what cargo says it built")?;
        let (Some(path), Some(manifest), Some(target), Some(Profile { test: true })) =
            (message.executable, message.manifest_path, message.target, message.profile)
        else {
            continue;
        };
        let folder = manifest.parent().context("a manifest lies in a folder")?.to_owned();
        let krate = folder.file_name().unwrap_or_default().display().to_string();
        let size = path.metadata().with_context(|| path.display().to_string())?.len();
        programs.push(Program { name: format!("{krate} {}", target.name), folder, path, size });
    }
    programs.sort_by(|one, other| other.size.cmp(&one.size).then(one.name.cmp(&other.name)));
    Ok(programs)
}

/// Runs them all, with `variable` set; prints of each what [`condense`](super::transcript::condense) leaves, when it is
/// over. Gives back the lines about failures.
///
/// # Errors
/// If one cannot be started, or its output cannot be read.
pub fn run(programs: Vec<Program>, variable: (&str, &str)) -> anyhow::Result<Vec<String>> {
    ensure!(!programs.is_empty(), "cargo built no program of tests");
    let (alone, together): (VecDeque<_>, VecDeque<_>) =
        programs.into_iter().partition(|program| ALONE.contains(&program.name.as_str()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut failures = side_by_side(together, cores, variable)?;
    failures.extend(side_by_side(alone, 1, variable)?);
    Ok(failures)
}

/// Runs programs, so many at once.
fn side_by_side(
    programs: VecDeque<Program>,
    workers: usize,
    variable: (&str, &str),
) -> anyhow::Result<Vec<String>> {
    let waiting = Mutex::new(programs);
    let next = || waiting.lock().ok().and_then(|mut waiting| waiting.pop_front());
    let worker = || -> anyhow::Result<Vec<String>> {
        let mut failures = Vec::new();
        while let Some(program) = next() {
            let failed = one(&program, variable).with_context(|| program.name.clone())?;
            failures.extend(failed);
        }
        Ok(failures)
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let mut failures = Vec::new();
        for worker in workers {
            failures.extend(worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??);
        }
        Ok(failures)
    })
}

/// Runs one program; gives back the lines about what failed in it.
fn one(program: &Program, (name, value): (&str, &str)) -> anyhow::Result<Vec<String>> {
    let begun = Instant::now();
    let (output, printed) = std::io::pipe()?;
    let mut command = Command::new(&program.path);
    command.arg("--show-output").current_dir(&program.folder).env(name, value);
    command.env("CARGO_MANIFEST_DIR", &program.folder);
    command.stderr(printed.try_clone()?).stdout(printed);
    let mut child = command.spawn().with_context(|| program.path.display().to_string())?;
    // The command holds the ends that are written to: the output would have no end.
    drop(command);
    let mut shown = Vec::new();
    let mut failures = super::transcript::condense(BufReader::new(output), &mut shown)?;
    let status = child.wait()?;
    let seconds = begun.elapsed().as_secs();
    let how = if status.success() { "passed" } else { "FAILED" };
    if !status.success() {
        failures.insert(0, format!("{}: {status}", program.name));
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} {how} in {seconds} s", program.name)?;
    out.write_all(&shown)?;
    out.flush()?;
    Ok(failures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_programs_of_tests_are_run() {
        let this = std::env::current_exe().unwrap();
        let line = |executable: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/a/cli/Cargo.toml","target":{{"name":"it"}},
                "profile":{{"test":{test}}},"executable":{executable}}}"#
            )
            .replace('\n', "")
        };
        let this = serde_json::to_string(&this).unwrap();
        let output = [
            line(&this, true),
            line(&this, false),
            line("null", true),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ]
        .join("\n");
        let programs = built(output.as_bytes()).unwrap();
        assert_eq!(programs.len(), 1);
        assert_eq!(programs[0].name, "cli it");
        assert!(run(Vec::new(), ("UNSKEW_REAL", "0")).is_err());
    }
}
