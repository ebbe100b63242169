//! The two sides of a child process that plays hosts.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use unskew_abi::SharedObject;
use unskew_abi::child::describe;
use unskew_abi::sandbox::{
    self, Bounds, ChildOutput, Confinement, Supervisor, TimeLimits, readable,
};

use super::{PluginTrial, Preflight, PreflightFailure};

/// How long a plug-in gets to be loaded, and with each host, unless the caller says otherwise.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(10);

/// What a child gets for itself.
const A_LITTLE: Duration = Duration::from_secs(2);

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
    use crate::sys::{LoadedPlugin, StandIns};
    use unskew_abi::sandbox::{Errors, end_as};

    let files = readable(path, Some(object));
    let Ok(supervisor) = Supervisor::enter(Bounds::LOOK, files) else { return 1 };
    let failed = |failure| {
        say(&Line::Failed(failure));
        1
    };
    if !object.exports("SE_InitPlugin") {
        return failed(PreflightFailure::NotAsked("it registers no device".to_owned()));
    }
    let stand_ins = match StandIns::load(object) {
        Ok(stand_ins) => stand_ins,
        Err(cause) => return failed(PreflightFailure::NotLoaded(cause)),
    };
    let begun = Instant::now();
    let ended = supervisor.run(Errors::Kept, &mut |_| false, |mut supervisor| {
        match LoadedPlugin::open(path) {
            // Whoever ends before this has not come to the end.
            Ok(_) => i32::from(supervisor.write_all(LOADED).is_err()),
            Err(cause) => failed(PreflightFailure::NotLoaded(cause)),
        }
    });
    match ended {
        Ok(ended) if ended.said.is_empty() => end_as(&ended),
        Ok(_) => {}
        Err(error) => return failed(PreflightFailure::NotAsked(not_copied(&error))),
    }
    let runner = HostRunner {
        supervisor: &supervisor,
        stand_ins: &stand_ins,
        path,
        limit,
        loading: begun.elapsed(),
    };
    say(&Line::Loaded);
    let limits = TimeLimits::start(limit);
    let mut late = None;
    for script in super::plan::plan(|entry| object.exports(entry)) {
        let trial = match &late {
            // What blocks once blocks again, and each time costs the whole limit.
            Some(at) => not_made(script, format!("it did not come back from {at} before")),
            None if limits.is_over() => not_made(script, limits.over()),
            None => runner.play(script),
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
    if Supervisor::enter(Bounds::LOOK, readable(path, Some(object))).is_err() {
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

fn not_copied(error: &std::io::Error) -> String {
    format!("cannot copy the process: {error}")
}

/// What a copy says once the plug-in is loaded.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const LOADED: &[u8] = b"loaded\n";

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
struct HostRunner<'a> {
    supervisor: &'a Supervisor,
    stand_ins: &'a crate::sys::StandIns,
    path: &'a Path,
    limit: Duration,
    /// How long it took to load the plug-in once.
    loading: Duration,
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
impl HostRunner<'_> {
    /// One host, in a copy of this process that loads the plug-in for it.
    fn play(&self, script: super::HostScript) -> PluginTrial {
        use super::TrialEnd;
        use crate::sys::{LoadedPlugin, play};
        use unskew_abi::sandbox::{Errors, die_of_faults};

        self.stand_ins.forget();
        let mut since = Instant::now();
        let mut is_loaded = false;
        // Nor does loading it once more cost the time of the host.
        let mut is_late = |said: &[u8]| {
            if !is_loaded && said.starts_with(LOADED) {
                (is_loaded, since) = (true, Instant::now());
            }
            let loading = if is_loaded { Duration::ZERO } else { self.loading };
            since.elapsed() >= self.limit + loading
        };
        let ended = self.supervisor.run(Errors::Kept, &mut is_late, |mut supervisor| {
            let Ok(loaded) = LoadedPlugin::open(self.path) else { return 1 };
            // If nobody reads it any more, nobody needs it.
            let _ = supervisor.write_all(LOADED);
            die_of_faults();
            play(&loaded, script, &mut |trial| {
                if let Ok(mut json) = serde_json::to_vec(trial) {
                    json.push(b'\n');
                    let _ = supervisor.write_all(&json);
                }
            });
            0
        });
        let ended = match ended {
            Ok(ended) => ended,
            Err(error) => return not_made(script, not_copied(&error)),
        };
        // The last line that came whole: what a plug-in interrupted is not there.
        let lines = ended.said.split_inclusive(|byte| *byte == b'\n').rev();
        let read: Option<PluginTrial> =
            lines.filter(|line| line.ends_with(b"\n")).find_map(|l| serde_json::from_slice(l).ok());
        let done = read.as_ref().is_some_and(|trial| trial.stage.is_empty());
        let mut trial = read.unwrap_or_else(|| PluginTrial::new(script));
        trial.end = match ended.status {
            Some(status) if done && status.success() => TrialEnd::Played,
            Some(status) => TrialEnd::Died(describe(status)),
            None => TrialEnd::Late(self.limit.as_secs()),
        };
        trial.lacking = self.stand_ins.lacking();
        let words = String::from_utf8_lossy(&ended.errors);
        let last = words.lines().map(str::trim).rfind(|line| !line.is_empty());
        trial.said = last.unwrap_or_default().chars().take(400).collect();
        trial
    }
}

/// Runs `command`, which must end up in [`child_main`]; the child gets the time of one answer to load the plug-in, and
/// again for each host, with a little over for itself. All of it ends when the clock of the whole is over.
///
/// Never fails: what could not be played is in [`Preflight::failure`].
pub fn preflight_in_child(
    command: Command,
    limits: impl Into<TimeLimits>,
    confinement: Confinement,
) -> Preflight {
    let limits = limits.into();
    let limit = limits.answer;
    let mut found = Preflight::default();
    let program = command.get_program().to_owned();
    let child = match sandbox::SandboxedChild::start(command, confinement) {
        Ok(child) => child,
        Err(error) => {
            return Preflight::not_asked(format!("cannot start {}: {error}", program.display()));
        }
    };
    let mut loaded = false;
    let begun = Instant::now();
    let mut until = begun + limit;
    let mut loading = Duration::ZERO;
    let ended = loop {
        let left = until.saturating_duration_since(Instant::now());
        let whole = limits.left() + A_LITTLE;
        let line = match child.hear(left.min(whole)) {
            ChildOutput::Line(line) => line,
            // It may have been about to answer.
            ChildOutput::Late if whole < left => {
                break Some(PreflightFailure::NotRun(limits.over()));
            }
            ChildOutput::Late => break Some(PreflightFailure::Late(limit.as_secs())),
            ChildOutput::Refused(cause) => {
                break Some(PreflightFailure::NotRun(sandbox::no_sandbox(&cause)));
            }
            ChildOutput::Closed => break Some(PreflightFailure::Died(String::new())),
        };
        match serde_json::from_str(&line) {
            Ok(Line::Loaded) => (loaded, loading) = (true, begun.elapsed()),
            Ok(Line::Played(trial)) if found.trials.len() < MOST_LINES => found.trials.push(*trial),
            Ok(Line::Failed(failure)) => break Some(failure),
            Ok(Line::End) => break None,
            _ => continue,
        }
        // Each host has the plug-in loaded anew.
        until = Instant::now() + limit + loading + A_LITTLE;
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
