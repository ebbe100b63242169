//! Programs on trial: whether a plug-in compiles each, in a process of its own.
//!
//! The parent writes the programs into a file, whose name the child gets; the child reads them, enters the sandbox, loads
//! the plug-in, makes a client without options and says of each program what the plug-in said. A program that ends the
//! process is said by the parent, which goes on with the next in a new child.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use unskew_abi::SharedObject;
use unskew_abi::child::describe;
use unskew_abi::sandbox::{
    self, Bounds, ChildOutput, Confinement, SandboxedChild, Supervisor, TimeLimits,
};

use super::files;
use crate::conform::last_words;
use crate::convert::compile_options::CompileOptions;
use crate::host::{Client, PjrtProgram, Plugin};

/// After so many ends of the process no further child is started.
const MOST_DEATHS: usize = 4;

/// The longest answer that is kept, in bytes: what a compiler says may quote the whole program.
const LONGEST_ANSWER: usize = 4 << 10;

/// A program that a plug-in is asked to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileJob {
    /// StableHLO, as text or as bytecode.
    pub program: Vec<u8>,
    /// Into how many partitions it is split.
    pub partitions: i64,
}

/// What came of one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompileOutcome {
    /// The plug-in compiles it.
    Yes,
    /// The plug-in refuses it, in these words.
    No(String),
    /// The plug-in ends its process over it: how, and its last words.
    Died(String),
    /// Nothing came within the time, in seconds.
    Late(u64),
    /// It was not tried, because the process had ended too often or the time was over.
    NotTried,
}

/// What a plug-in showed and said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileTrial {
    /// How many devices its client has, without options.
    pub devices: usize,
    /// The kinds of memory that its devices have, each once.
    pub memories: Vec<String>,
    /// What came of each job, in their order.
    pub answers: Vec<CompileOutcome>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// The client is there.
    Client(usize, Vec<String>),
    Answer(CompileOutcome),
    Failed(String),
}

/// Writes jobs for [`compile_child_main`].
///
/// # Errors
/// If `out` takes no more.
pub fn write_jobs(jobs: &[CompileJob], out: &mut dyn Write) -> io::Result<()> {
    for job in jobs {
        out.write_all(&(job.program.len() as u64).to_le_bytes())?;
        out.write_all(&job.partitions.to_le_bytes())?;
        out.write_all(&job.program)?;
    }
    out.flush()
}

/// The jobs that [`write_jobs`] wrote; what is cut short is left out.
fn read_jobs(mut bytes: &[u8]) -> Vec<CompileJob> {
    let mut jobs = Vec::new();
    while let Some((head, rest)) = bytes.split_at_checked(16) {
        let (length, partitions) = head.split_at(8);
        let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or_default();
        let length = usize::try_from(number(length)).unwrap_or(usize::MAX);
        let Some((program, rest)) = rest.split_at_checked(length) else { break };
        let partitions = number(partitions).cast_signed();
        jobs.push(CompileJob { program: program.to_owned(), partitions });
        bytes = rest;
    }
    jobs
}

/// The main function of the child: has the plug-in at `path` compile the jobs in the file `jobs` from the one of this number
/// on, says to the parent what came of each, and returns the exit code.
pub fn compile_child_main(
    path: &Path,
    object: Option<&SharedObject>,
    jobs: &Path,
    from: usize,
) -> i32 {
    let read = std::fs::read(jobs);
    let Ok(supervisor) = Supervisor::enter(Bounds::WORK, files(path, object)) else { return 1 };
    supervisor.run_to_the_end(|| compile(path, read, from))
}

/// Has the plug-in compile jobs in this process, a copy.
fn compile(path: &Path, read: io::Result<Vec<u8>>, from: usize) -> i32 {
    let read = read.map_err(|error| format!("the programs cannot be read: {error}"));
    let opened = read.and_then(|jobs| Ok((read_jobs(&jobs), open(path)?)));
    let (jobs, client) = match opened {
        Ok(opened) => opened,
        Err(cause) => {
            say(&Line::Failed(cause));
            return 1;
        }
    };
    say(&Line::Client(devices(&client), memories(&client)));
    for job in jobs.get(from..).unwrap_or_default() {
        let options = CompileOptions::new(1, job.partitions).write();
        say(&Line::Answer(match client.compile(PjrtProgram::mlir(&job.program), &options) {
            Ok(_) => CompileOutcome::Yes,
            Err(error) => CompileOutcome::No(short(&error.to_string())),
        }));
    }
    0
}

fn open(path: &Path) -> Result<Client, String> {
    let plugin = Plugin::load(path).map_err(|error| error.to_string())?;
    plugin.create_client(&[]).map_err(|error| format!("it makes no client: {error}"))
}

fn devices(client: &Client) -> usize {
    client.addressable_devices().map_or(0, |devices| devices.len())
}

/// What cannot be told has no kind.
fn memories(client: &Client) -> Vec<String> {
    let all = client.memories().unwrap_or_default();
    let mut kinds: Vec<String> = all.iter().filter_map(|memory| memory.kind().ok()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn short(text: &str) -> String {
    let end = text.floor_char_boundary(LONGEST_ANSWER);
    text.get(..end).unwrap_or_default().to_owned()
}

fn say(line: &Line) {
    if let Ok(json) = serde_json::to_string(line) {
        sandbox::say(&json);
    }
}

/// Has a plug-in compile jobs: `command(from)` starts a child that ends up in [`compile_child_main`] with these jobs, from the
/// one of that number on. The client and each program get the time of one answer; programs that are not reached before the
/// clock of the whole is over are not tried.
///
/// # Errors
/// Why the plug-in could not be asked: it does not load, or makes no client; or why it may not run.
pub fn compile_in_children(
    command: &dyn Fn(usize) -> Command,
    count: usize,
    limits: impl Into<TimeLimits>,
    confinement: Confinement,
) -> Result<CompileTrial, String> {
    let limits = limits.into();
    let mut compiler = CompileTrial::default();
    for _ in 0..MOST_DEATHS {
        let from = compiler.answers.len();
        let child = SandboxedChild::start(command(from), confinement)
            .map_err(|error| format!("the child process cannot be started: {error}"))?;
        let mut has_client = false;
        let end = follow(&child, &limits, count, &mut compiler, &mut has_client);
        let (status, said) = child.end(matches!(end, End::Closed));
        let over = match end {
            End::Done => return Ok(compiler),
            End::Failed(cause) => return Err(cause),
            End::Late => CompileOutcome::Late(limits.answer.as_secs()),
            End::Over => break,
            End::Closed => {
                let status = status.map(describe).unwrap_or_default();
                let words = last_words(&said);
                CompileOutcome::Died(if words.is_empty() {
                    status
                } else {
                    format!("{status}: {words}")
                })
            }
        };
        if !has_client {
            return Err(match over {
                CompileOutcome::Died(how) => {
                    format!("it ends its process before it has a client: {how}")
                }
                _ => format!("it has no client within {} s", limits.answer.as_secs()),
            });
        }
        compiler.answers.push(over);
        if compiler.answers.len() == count {
            return Ok(compiler);
        }
    }
    compiler.answers.resize(count, CompileOutcome::NotTried);
    Ok(compiler)
}

enum End {
    Done,
    Failed(String),
    Late,
    /// The time of the whole is over.
    Over,
    Closed,
}

fn follow(
    child: &SandboxedChild,
    limits: &TimeLimits,
    count: usize,
    compiler: &mut CompileTrial,
    has_client: &mut bool,
) -> End {
    let mut since = Instant::now();
    while compiler.answers.len() < count || !*has_client {
        let Some(left) = limits.answer.checked_sub(since.elapsed()) else { return End::Late };
        let whole = limits.left();
        let line = match child.hear(left.min(whole)) {
            _ if whole.is_zero() => return End::Over,
            ChildOutput::Line(line) => line,
            ChildOutput::Late if whole < left => return End::Over,
            ChildOutput::Late => return End::Late,
            ChildOutput::Refused(cause) => return End::Failed(sandbox::no_sandbox(&cause)),
            ChildOutput::Closed => return End::Closed,
        };
        match serde_json::from_str(&line) {
            Ok(Line::Client(devices, memories)) => {
                (compiler.devices, compiler.memories, *has_client) = (devices, memories, true);
            }
            Ok(Line::Answer(answer)) => compiler.answers.push(answer),
            Ok(Line::Failed(cause)) => return End::Failed(cause),
            Err(_) => continue,
        }
        since = Instant::now();
    }
    End::Done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_read_as_they_were_written_and_a_cut_one_is_left_out() {
        let job = |program: &[u8], partitions| CompileJob { program: program.to_vec(), partitions };
        let jobs = [job(b"module {}", 1), job(b"", 1 << 20), job(b"ML\xefR", 2)];
        let mut bytes = Vec::new();
        write_jobs(&jobs, &mut bytes).unwrap();
        assert_eq!(read_jobs(&bytes), jobs);
        assert_eq!(read_jobs(&bytes[..bytes.len() - 1]), jobs[..2]);
        assert_eq!(read_jobs(&bytes[..7]), []);
    }

    #[test]
    fn a_long_answer_ends_at_a_letter() {
        let long = "ä".repeat(LONGEST_ANSWER);
        assert!(short(&long).len() <= LONGEST_ANSWER && long.starts_with(&short(&long)));
    }
}
