//! The two sides of a child process that plays hosts.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use unskew_abi::SharedObject;
use unskew_abi::child::describe;
use unskew_abi::sandbox::{self, Bounds, Confinement, Heard, readable};

use super::{PluginTrial, Preflight, PreflightFailure};

/// How long a plug-in gets to be loaded, and with each host, unless the caller says otherwise.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(10);

/// More lines than a plan has hosts: who says more is not our child.
const MOST_LINES: usize = 256;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Loaded,
    Played(Box<PluginTrial>),
    Failed(PreflightFailure),
    End,
}

fn say(line: &Line) {
    if let Ok(json) = serde_json::to_string(line) {
        sandbox::say(&json);
    }
}

/// The main function of the child: plays every host on the plug-in at `path`, of whose file `object` was
/// read, says to the parent what it did with each, and returns the exit code.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn child_main(path: &Path, object: &SharedObject, limit: Duration) -> i32 {
    use crate::sys::LoadedPlugin;

    if sandbox::enter(Bounds::LOOK, &readable(path, Some(object))).is_err() {
        return 1;
    }
    if !object.exports("SE_InitPlugin") {
        say(&Line::Failed(PreflightFailure::NotAsked("it registers no device".to_owned())));
        return 1;
    }
    let loaded = match LoadedPlugin::open(path, object) {
        Ok(loaded) => loaded,
        Err(cause) => {
            say(&Line::Failed(PreflightFailure::NotLoaded(cause)));
            return 1;
        }
    };
    say(&Line::Loaded);
    let mut late = None;
    for script in super::plan::plan(|entry| object.exports(entry)) {
        let trial = match &late {
            // What blocks once blocks again, and each time costs the whole limit.
            Some(stage) => not_made(script, format!("it did not come back from {stage} before")),
            None => one(&loaded, script, limit),
        };
        if matches!(trial.end, super::TrialEnd::Late(_)) {
            late = Some(trial.stage.clone());
        }
        say(&Line::Played(Box::new(trial)));
    }
    say(&Line::End);
    0
}

/// The main function of the child, where nothing can be played.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn child_main(path: &Path, object: &SharedObject, _: Duration) -> i32 {
    if sandbox::enter(Bounds::LOOK, &readable(path, Some(object))).is_err() {
        return 1;
    }
    let reason = "plug-ins are put on trial on Linux on x86-64 only".to_owned();
    say(&Line::Failed(PreflightFailure::NotAsked(reason)));
    1
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn not_made(script: super::HostScript, reason: String) -> PluginTrial {
    PluginTrial { end: super::TrialEnd::NotMade(reason), ..PluginTrial::new(script) }
}

/// One host in a copy of this process.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn one(
    loaded: &crate::sys::LoadedPlugin,
    script: super::HostScript,
    limit: Duration,
) -> PluginTrial {
    use super::TrialEnd;
    use crate::sys::{in_a_copy, play};

    loaded.forget();
    let ended = in_a_copy(limit, |say| {
        play(loaded, script, &mut |trial| {
            if let Ok(mut json) = serde_json::to_vec(trial) {
                json.push(b'\n');
                say(&json);
            }
        });
    });
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => return not_made(script, format!("cannot copy the process: {error}")),
    };
    // The last line that came whole: what a plug-in interrupted is not there.
    let lines = ended.said.split_inclusive(|byte| *byte == b'\n').rev();
    let read =
        lines.filter(|line| line.ends_with(b"\n")).find_map(|l| serde_json::from_slice(l).ok());
    let mut trial: PluginTrial = read.unwrap_or_else(|| PluginTrial::new(script));
    let done = trial.stage.is_empty() && !ended.said.is_empty();
    trial.end = match ended.status {
        Some(status) if done && status.success() => TrialEnd::Played,
        Some(status) => TrialEnd::Died(describe(status)),
        None => TrialEnd::Late(limit.as_secs()),
    };
    trial.lacking = loaded.lacking();
    let words = String::from_utf8_lossy(&ended.words);
    let last = words.lines().map(str::trim).rfind(|line| !line.is_empty());
    trial.said = last.unwrap_or_default().chars().take(400).collect();
    trial
}

/// Runs `command`, which must end up in [`child_main`]; the child gets `limit` to load the plug-in, and
/// again for each host, with a little over for itself.
///
/// Never fails: what could not be played is in [`Preflight::failure`].
pub fn preflight_in_child(
    command: Command,
    limit: Duration,
    confinement: Confinement,
) -> Preflight {
    let mut found = Preflight::default();
    let program = command.get_program().to_owned();
    let child = match sandbox::Trial::start(command, confinement) {
        Ok(child) => child,
        Err(error) => {
            return Preflight::not_asked(format!("cannot start {}: {error}", program.display()));
        }
    };
    let mut loaded = false;
    let mut until = Instant::now() + limit;
    let ended = loop {
        let left = until.saturating_duration_since(Instant::now());
        let line = match child.hear(left) {
            Heard::Line(line) => line,
            Heard::Late => break Some(PreflightFailure::Late(limit.as_secs())),
            Heard::Refused(cause) => {
                break Some(PreflightFailure::NotRun(sandbox::no_sandbox(&cause)));
            }
            Heard::Closed => break Some(PreflightFailure::Died(String::new())),
        };
        match serde_json::from_str(&line) {
            Ok(Line::Loaded) => loaded = true,
            Ok(Line::Played(trial)) if found.trials.len() < MOST_LINES => found.trials.push(*trial),
            Ok(Line::Failed(failure)) => break Some(failure),
            Ok(Line::End) => break None,
            _ => continue,
        }
        until = Instant::now() + limit + Duration::from_secs(2);
    };
    let (status, said) = child.end(matches!(ended, Some(PreflightFailure::Died(_))));
    found.failure = match (ended, status) {
        (Some(PreflightFailure::Died(_)), Ok(status)) => {
            Some(PreflightFailure::Died(words(describe(status), &said)))
        }
        (Some(PreflightFailure::NotLoaded(cause)), _)
            if confinement == Confinement::Sandbox && sandbox::is_refusal(&cause) =>
        {
            Some(PreflightFailure::NotRun(format!("it does not load in the sandbox: {cause}")))
        }
        (Some(PreflightFailure::Late(seconds)), _) if loaded => {
            Some(PreflightFailure::Stopped(seconds))
        }
        (ended, _) => ended,
    };
    found
}

/// How the child ended, and the last line of what it wrote.
fn words(how: String, said: &str) -> String {
    match said.lines().last() {
        Some(line) if !line.trim().is_empty() => format!("{how}; last words: {}", line.trim()),
        _ => how,
    }
}
