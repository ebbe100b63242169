//! Runs checks in a child process, and goes on after one that ended it.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use unskew_abi::SharedObject;
use unskew_abi::child::describe;
use unskew_abi::sandbox::{
    self, Bounds, ChildOutput, Confinement, SandboxedChild, Supervisor, TimeLimits,
};

use super::bench::Bench;
use super::check_outcome::CheckOutcome;
use super::checks::{Check, SIZES, checks, fresh_from};
use crate::probe::files;
use crate::sys::trial::{Questions, in_copies};

/// After so many crashes and hangs of one group the rest of it is left alone.
pub(crate) const MOST_DEATHS: usize = 8;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Begins(usize),
    Done(usize, CheckOutcome),
    NotLoaded(String),
    End,
}

/// The main function of the child: makes the checks `from` to `to` of the plug-in at `path`, of whose file `object` was read,
/// says to the parent what each found, and returns the exit code.
pub fn conform_child_main(
    path: &Path,
    object: Option<&SharedObject>,
    from: usize,
    to: usize,
) -> i32 {
    let Ok(supervisor) = Supervisor::enter(Bounds::WORK, files(path, object)) else { return 1 };
    say(&Line::Begins(from));
    in_copies(&supervisor, from, |from, questions| make(path, from, to, questions))
}

/// Makes checks in this process, a copy.
fn make(path: &Path, from: usize, to: usize, questions: Questions) -> i32 {
    let mut bench = match Bench::open(path, questions) {
        Ok(bench) => bench,
        Err(cause) => {
            say(&Line::NotLoaded(cause));
            return 1;
        }
    };
    let range = checks().iter().enumerate().take(to).skip(from);
    for (index, check) in range {
        bench.questions.part(index, index == from);
        say(&Line::Begins(index));
        let outcome = check.run(&mut bench);
        say(&Line::Done(index, outcome));
    }
    say(&Line::End);
    0
}

fn say(line: &Line) {
    if let Ok(json) = serde_json::to_string(line) {
        sandbox::say(&json);
    }
}

enum End {
    /// It made all its checks.
    Done,
    /// It could not load the plug-in.
    NotLoaded(String),
    /// It ended in a check, which has this outcome.
    In(usize, CheckOutcome),
    /// It could not be started.
    NotStarted(String),
}

/// Makes every check, each child process started by `command(from, to)`, each check for at most the time of one answer.
///
/// Those that make a client come first: what dies in a proper call is not asked with a wrong size.
pub(crate) fn run_all(
    command: &dyn Fn(usize, usize) -> Command,
    limits: TimeLimits,
    confinement: Confinement,
) -> Vec<CheckOutcome> {
    let count = checks().len();
    let mut found: Vec<Option<CheckOutcome>> = vec![None; count];
    for (start, end) in [(fresh_from(), count), (0, fresh_from())] {
        let mut next = start;
        while next < end {
            if limits.is_over() {
                fill(&mut found, next, end, &limits.over());
                break;
            }
            if let Some(obstacle) = obstacle(next, &found) {
                found[next] = Some(obstacle);
                next += 1;
                continue;
            }
            let stop = (next + 1..end).find(|&at| obstacle(at, &found).is_some()).unwrap_or(end);
            next = match run_child((command(next, stop), confinement), &limits, next, &mut found) {
                End::Done => stop,
                End::NotLoaded(cause) | End::NotStarted(cause) => {
                    fill(&mut found, next, end, &cause);
                    end
                }
                End::In(index, outcome) => {
                    if let Some(place) = found.get_mut(index) {
                        *place = Some(outcome);
                    }
                    index + 1
                }
            };
        }
    }
    let not_run = || CheckOutcome::NotRun("the child process did not say".to_owned());
    let outcomes = found.into_iter().map(|o| o.unwrap_or_else(not_run)).collect();
    explain_dependents(outcomes)
}

fn ends_the_process(outcome: &CheckOutcome) -> bool {
    matches!(outcome, CheckOutcome::Crashed { .. } | CheckOutcome::NoEnd { .. })
}

/// Why a check is not made: what it needs could not be made, the function that it would call with a
/// wrong size dies in a proper call, or its group crashes all over.
fn obstacle(at: usize, found: &[Option<CheckOutcome>]) -> Option<CheckOutcome> {
    let check = checks().get(at)?;
    let known = || checks().iter().zip(found).filter_map(|(c, o)| Some((c, o.as_ref()?)));
    if let Some((provider, outcome)) = known().find(|(other, o)| other.fails_to_provide(check, o)) {
        return Some(not_made(provider, outcome));
    }
    let same = |(other, o): &(&Check, &CheckOutcome)| {
        check.group == SIZES && other.name == check.name && ends_the_process(o)
    };
    if let Some((call, outcome)) = known().find(same) {
        return Some(not_made(call, outcome));
    }
    let deaths = known().filter(|(c, o)| c.group == check.group && ends_the_process(o)).count();
    (deaths >= MOST_DEATHS)
        .then(|| CheckOutcome::NotRun(format!("after {MOST_DEATHS} ends of the process")))
}

fn not_made(cause: &Check, outcome: &CheckOutcome) -> CheckOutcome {
    CheckOutcome::NotRun(format!("{}: {}: {outcome}", cause.name, outcome.word()))
}

fn fill(found: &mut [Option<CheckOutcome>], from: usize, to: usize, cause: &str) {
    for outcome in found.iter_mut().take(to).skip(from).filter(|o| o.is_none()) {
        *outcome = Some(CheckOutcome::NotRun(cause.to_owned()));
    }
}

/// What depends on a client or a program that could not be made was not run, whatever it answered.
fn explain_dependents(outcomes: Vec<CheckOutcome>) -> Vec<CheckOutcome> {
    let mut explained = outcomes.clone();
    for (check, outcome) in checks().iter().zip(&mut explained) {
        let mut providers = checks().iter().zip(&outcomes);
        if let Some((provider, cause)) =
            providers.find(|(o, found)| o.fails_to_provide(check, found))
        {
            *outcome = not_made(provider, cause);
        }
    }
    explained
}

fn run_child(
    (command, confinement): (Command, Confinement),
    limits: &TimeLimits,
    from: usize,
    found: &mut [Option<CheckOutcome>],
) -> End {
    let child = match SandboxedChild::start(command, confinement) {
        Ok(child) => child,
        Err(error) => {
            return End::NotStarted(format!("cannot start the child process: {error}"));
        }
    };
    let mut current = from;
    let answer = follow(&child, limits, &mut current, found);
    let (status, said) = child.end(matches!(answer, Answer::Closed));
    match answer {
        Answer::End(end) => end,
        Answer::Late => End::In(current, CheckOutcome::NoEnd { seconds: limits.answer.as_secs() }),
        // It may have been about to answer.
        Answer::Over => End::In(current, CheckOutcome::NotRun(limits.over())),
        Answer::Closed => {
            let cause = match status {
                Ok(status) => describe(status),
                Err(error) => format!("cannot wait for the child: {error}"),
            };
            End::In(current, CheckOutcome::Crashed { cause, said: last_words(&said) })
        }
    }
}

enum Answer {
    End(End),
    Late,
    /// The time of the whole is over.
    Over,
    Closed,
}

fn follow(
    child: &SandboxedChild,
    limits: &TimeLimits,
    current: &mut usize,
    found: &mut [Option<CheckOutcome>],
) -> Answer {
    let mut since = Instant::now();
    loop {
        let Some(left) = limits.answer.checked_sub(since.elapsed()) else { return Answer::Late };
        let whole = limits.left();
        let line = match child.hear(left.min(whole)) {
            _ if whole.is_zero() => return Answer::Over,
            ChildOutput::Line(line) => line,
            ChildOutput::Late if whole < left => return Answer::Over,
            ChildOutput::Late => return Answer::Late,
            ChildOutput::Refused(cause) => {
                return Answer::End(End::NotStarted(sandbox::no_sandbox(&cause)));
            }
            ChildOutput::Closed => return Answer::Closed,
        };
        match serde_json::from_str(&line) {
            Ok(Line::Begins(index)) => *current = index,
            Ok(Line::Done(index, outcome)) => {
                if let Some(place) = found.get_mut(index) {
                    *place = Some(outcome);
                }
            }
            Ok(Line::NotLoaded(cause)) => return Answer::End(End::NotLoaded(cause)),
            Ok(Line::End) => return Answer::End(End::Done),
            Err(_) => continue,
        }
        since = Instant::now();
    }
}

/// The line that says most: the fatal one of XLA's log if there is one, else the last that is not of a
/// stack trace.
pub(crate) fn last_words(said: &str) -> String {
    // What the runtime of this program says of it, after the plug-in's own words.
    if said.contains("cannot catch foreign exceptions") {
        return "a C++ exception leaves the plug-in through the C interface".to_owned();
    }
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
