//! Runs checks in a child process, and goes on after one that ended it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::bench::Bench;
use super::checks::{Check, Needs, checks, fresh_from};
use super::outcome::Outcome;
use crate::probe::child::{describe, ended_soon, listen, tail};

/// What the child's own lines begin with; plug-ins write to the same output.
const MARK: &str = "@unskew-conform ";

/// After so many crashes and hangs of one group the rest of it is left alone.
const MOST_DEATHS: usize = 8;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Begins(usize),
    Done(usize, Outcome),
    NotLoaded(String),
    End,
}

/// The main function of the child: makes the checks `from` to `to` of the plug-in at `path`, says on
/// standard output what each found, and returns the exit code.
pub fn conform_child_main(path: &Path, from: usize, to: usize) -> i32 {
    say(&Line::Begins(from));
    let mut bench = match Bench::open(path) {
        Ok(bench) => bench,
        Err(cause) => {
            say(&Line::NotLoaded(cause));
            return 1;
        }
    };
    let range = checks().iter().enumerate().take(to).skip(from);
    for (index, check) in range {
        say(&Line::Begins(index));
        let outcome = check.run(&mut bench);
        say(&Line::Done(index, outcome));
    }
    say(&Line::End);
    0
}

/// Writes one line, apart from whatever the plug-in wrote before.
fn say(line: &Line) {
    if let Ok(json) = serde_json::to_string(line) {
        let mut output = std::io::stdout().lock();
        let _ = write!(output, "\n{MARK}{json}\n").and_then(|()| output.flush());
    }
}

/// How a child ended.
enum End {
    /// It made all its checks.
    Done,
    /// It could not load the plug-in.
    NotLoaded(String),
    /// It ended in a check, which has this outcome.
    In(usize, Outcome),
    /// It could not be started.
    NotStarted(String),
}

/// Makes every check, each child process started by `command(from, to)`, each check for at most
/// `limit`.
pub(crate) fn run_all(command: &dyn Fn(usize, usize) -> Command, limit: Duration) -> Vec<Outcome> {
    let count = checks().len();
    let mut found: Vec<Option<Outcome>> = vec![None; count];
    for (start, end) in [(0, fresh_from()), (fresh_from(), count)] {
        let mut next = start;
        while next < end {
            let stop = next_group_that_can_run(&found, next, end);
            next = stop;
            if next >= end {
                break;
            }
            match run_child(command(next, end), limit, next, &mut found) {
                End::Done => break,
                End::NotLoaded(cause) | End::NotStarted(cause) => {
                    fill(&mut found, next, end, &cause);
                    break;
                }
                End::In(index, outcome) => {
                    if let Some(place) = found.get_mut(index) {
                        *place = Some(outcome);
                    }
                    next = index + 1;
                }
            }
        }
    }
    let not_run = || Outcome::NotRun("the child process did not say".to_owned());
    let outcomes: Vec<Outcome> = found.into_iter().map(|o| o.unwrap_or_else(not_run)).collect();
    explain_dependents(outcomes)
}

/// Where to go on: not with what a crash has made impossible, nor in a group that crashes all over.
fn next_group_that_can_run(found: &[Option<Outcome>], mut next: usize, end: usize) -> usize {
    let died = |outcome: &Option<Outcome>| {
        matches!(outcome, Some(Outcome::Crashed { .. } | Outcome::NoEnd { .. }))
    };
    while next < end {
        let check = &checks()[next];
        let group = checks().iter().zip(found).filter(|(other, _)| other.group == check.group);
        let given_up = group.filter(|(_, outcome)| died(outcome)).count() >= MOST_DEATHS;
        if !given_up && !lacks(check, found) {
            break;
        }
        next += 1;
    }
    next
}

/// Whether a check needs what another one died in providing.
fn lacks(check: &Check, found: &[Option<Outcome>]) -> bool {
    let provider = |(other, outcome): (&Check, &Option<Outcome>)| {
        other.provides.is_some_and(|provided| provided <= check.needs)
            && outcome.as_ref().is_some_and(|o| !matches!(o, Outcome::Pass(_)))
    };
    check.needs > Needs::Table && checks().iter().zip(found).any(provider)
}

fn fill(found: &mut [Option<Outcome>], from: usize, to: usize, cause: &str) {
    for outcome in found.iter_mut().take(to).skip(from).filter(|o| o.is_none()) {
        *outcome = Some(Outcome::NotRun(cause.to_owned()));
    }
}

/// What depends on a client or a program that could not be made was not run, whatever it answered.
fn explain_dependents(outcomes: Vec<Outcome>) -> Vec<Outcome> {
    let mut explained = outcomes.clone();
    for (check, outcome) in checks().iter().zip(&mut explained) {
        let provider = checks().iter().zip(&outcomes).find(|(other, found)| {
            other.provides.is_some_and(|provided| provided <= check.needs)
                && !matches!(found, Outcome::Pass(_))
        });
        match provider {
            Some((provider, cause)) => {
                let cause = format!("{}: {}: {cause}", provider.name, cause.word());
                *outcome = Outcome::NotRun(cause);
            }
            None if matches!(outcome, Outcome::NotRun(why) if why.starts_with("the child")) => {
                *outcome = Outcome::NotRun(format!("after {MOST_DEATHS} ends of the process"));
            }
            None => {}
        }
    }
    explained
}

fn run_child(
    mut command: Command,
    limit: Duration,
    from: usize,
    found: &mut [Option<Outcome>],
) -> End {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            return End::NotStarted(format!("cannot start the child process: {error}"));
        }
    };
    let said = Arc::new(Mutex::new(Vec::new()));
    let lines = listen(&mut child, &said);
    let mut current = from;
    match follow(&lines, limit, &mut current, found) {
        Answer::End(end) => {
            let _ = child.kill();
            let _ = child.wait();
            end
        }
        Answer::Late => {
            let _ = child.kill();
            let _ = child.wait();
            End::In(current, Outcome::NoEnd { seconds: limit.as_secs() })
        }
        Answer::Closed => {
            let cause = death(&mut child);
            // The pipe of the error output may still hold the plug-in's last words.
            std::thread::sleep(Duration::from_millis(10));
            let last = last_words(&tail(&said));
            End::In(current, Outcome::Crashed { cause, said: last })
        }
    }
}

enum Answer {
    End(End),
    Late,
    Closed,
}

fn follow(
    lines: &Receiver<String>,
    limit: Duration,
    current: &mut usize,
    found: &mut [Option<Outcome>],
) -> Answer {
    let mut since = Instant::now();
    loop {
        let Some(left) = limit.checked_sub(since.elapsed()) else { return Answer::Late };
        let line = match lines.recv_timeout(left) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => return Answer::Late,
            Err(RecvTimeoutError::Disconnected) => return Answer::Closed,
        };
        match line.strip_prefix(MARK).and_then(|json| serde_json::from_str(json).ok()) {
            Some(Line::Begins(index)) => *current = index,
            Some(Line::Done(index, outcome)) => {
                if let Some(place) = found.get_mut(index) {
                    *place = Some(outcome);
                }
            }
            Some(Line::NotLoaded(cause)) => return Answer::End(End::NotLoaded(cause)),
            Some(Line::End) => return Answer::End(End::Done),
            // What the plug-in writes itself is no sign of life.
            None => continue,
        }
        since = Instant::now();
    }
}

fn death(child: &mut Child) -> String {
    if !ended_soon(child) {
        let _ = child.kill();
    }
    match child.wait() {
        Ok(status) => describe(status),
        Err(error) => format!("cannot wait for the child: {error}"),
    }
}

/// The line that says most: the fatal one of XLA's log if there is one, else the last that is not of a
/// stack trace.
fn last_words(said: &str) -> String {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let fatal = lines().find(|line| line.contains("Check failed") || line.contains(" F "));
    let trace = |line: &&str| line.starts_with(['@', '*', '#']) || line.starts_with("0x");
    let line = fatal.or_else(|| lines().rfind(|line| !trace(line))).unwrap_or_default();
    without_place(line).to_owned()
}

/// A line of a log without its head: the time, the thread and the line of the source differ from run to
/// run and from build to build (`F0000 00:00:17.33 27236 helpers.cc:405] Check failed`).
fn without_place(line: &str) -> &str {
    match line.split_once("] ") {
        Some((head, rest)) if head.contains(".cc:") || head.contains(".h:") => rest,
        _ => line,
    }
}
