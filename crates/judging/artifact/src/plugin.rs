//! Shared objects: read without running them. One that the user named is then run in the sandbox of a child process: a
//! PJRT plug-in is asked there, a pluggable device of TensorFlow put on trial.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use unskew_abi::SharedObject;
use unskew_abi::sandbox::{Confinement, TimeLimits};
use unskew_core::Party;
use unskew_pjrt::{Probe, ProbeError, ProbeFailure, ProbeStage, known_plugin, probe_in_child};
use unskew_source::{FileSource, ReadError, Source};
use unskew_stream_executor::preflight::{self, Preflight};

use crate::compiler::compiler;
use crate::location::Location;
use crate::{OpenOptions, RunPolicy};

/// Why nothing was run.
const ONLY_READ: &str = "it was only read";
const NOT_NAMED: &str = "what lies in a folder, a wheel or a store is only read";
const NO_FILE: &str = "it is not a file of its own";

/// The command that asks a plug-in, and what it may do; or why it is not asked.
type PluginCommand = Result<(Command, Confinement), String>;

/// How the plug-in that lies here is asked.
fn way(location: Location<'_>, options: &OpenOptions) -> PluginCommand {
    let Some(command) = &options.probe else { return Err(ONLY_READ.to_owned()) };
    match (options.running, location) {
        (RunPolicy::Never, _) => Err(ONLY_READ.to_owned()),
        (RunPolicy::Named, Location::At(path)) => Ok((command(path), Confinement::Sandbox)),
        (RunPolicy::Named, _) => Err(NOT_NAMED.to_owned()),
        (RunPolicy::All, Location::At(path) | Location::Found(path)) => {
            Ok((command(path), Confinement::None))
        }
        (RunPolicy::All, Location::Within | Location::Among(_)) => Err(NO_FILE.to_owned()),
    }
}

fn path_of(location: Location<'_>) -> Option<&Path> {
    match location {
        Location::At(path) | Location::Found(path) => Some(path),
        Location::Within | Location::Among(_) => None,
    }
}

/// Why no process of this machine can ask it: nothing is wrong with a plug-in for another machine.
fn obstacle(object: &SharedObject) -> Option<String> {
    let (its, here) = object.built_for();
    (!object.is_for_here()).then(|| format!("it is built for {its}, and this machine runs {here}"))
}

/// The parties of the plug-in in `source`: one for each interface that it serves. None if it is no shared object, or one
/// that is no plug-in.
///
/// # Errors
/// If it is a broken shared object.
pub(crate) fn parties(
    source: &Arc<dyn Source>,
    location: Location<'_>,
    options: &OpenOptions,
) -> Result<Vec<Party>, ReadError> {
    let Some(object) = SharedObject::read(source)? else { return Ok(Vec::new()) };
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let mut parties = Vec::new();
    let clock = TimeLimits::start(options.limit.max(options.trial));
    let pjrt = unskew_pjrt::recognizes(&object);
    if pjrt {
        let probe = match (obstacle(&object), way(location, options)) {
            (Some(reason), _) | (None, Err(reason)) => Err(not_run(reason)),
            (None, Ok((command, confinement))) => {
                probe_in_child(command, options.limit, confinement)
            }
        };
        let answered = probe.is_ok();
        let mut party = pjrt_party(name, &object, probe, source);
        if let Some(path) = answered.then(|| path_of(location)).flatten()
            && let Some(prober) = &options.probe
            && let Ok((_, confinement)) = way(location, options)
        {
            let asked = compiler(path, Arc::clone(prober), confinement, options.limit);
            party = party.with_capability(Arc::new(asked));
        }
        parties.push(party);
    }
    // Some serve both; those that only bring kernels along with PJRT are PJRT plug-ins.
    let device = match pjrt {
        true => unskew_stream_executor::is_device(&object),
        false => unskew_stream_executor::recognizes(&object),
    };
    if device {
        parties.push(device_party(name, &object, location, options, clock));
    }
    Ok(parties)
}

/// The party of a PJRT plug-in. One that was not run may be public, and then it is known what it says.
fn pjrt_party(
    name: &str,
    object: &SharedObject,
    probe: Result<Probe, ProbeError>,
    source: &Arc<dyn Source>,
) -> Party {
    let not_run = matches!(&probe, Err(error) if matches!(error.cause, ProbeFailure::NotRun(_)));
    // What cannot be read to its end is not known.
    let known = not_run.then(|| known_plugin(&**source).ok().flatten()).flatten();
    match known {
        Some(known) => {
            let text = format!("{}, by the digest of its file; it was not run", known.package);
            unskew_pjrt::party(name, object, Ok(known.probe)).fact("known as", text)
        }
        None if not_run => {
            unskew_pjrt::party_of_code(name, object, probe, unskew_pjrt::built(source))
        }
        None => unskew_pjrt::party(name, object, probe),
    }
}

/// The party of a pluggable device, with what it does on trial if it may be run.
fn device_party(
    name: &str,
    object: &SharedObject,
    location: Location<'_>,
    options: &OpenOptions,
    clock: TimeLimits,
) -> Party {
    if !unskew_stream_executor::registers_device(object) {
        return unskew_stream_executor::from_object(name, object);
    }
    let preflight = match (preflight::obstacle(object), way(location, options)) {
        (_, Err(reason)) => Preflight::not_run(reason),
        (Some(obstacle), _) => Preflight::not_asked(obstacle),
        (None, Ok((mut command, confinement))) => {
            command.arg(options.trial.as_secs().to_string());
            preflight::preflight_in_child(command, clock.with_answer(options.trial), confinement)
        }
    };
    unskew_stream_executor::asked(name, object, preflight)
}

/// Whether `source` is a plug-in that has to be a file of its own to be asked.
pub(crate) fn needs_file(source: &Arc<dyn Source>) -> bool {
    let asked = |object: &SharedObject| {
        unskew_pjrt::recognizes(object) || unskew_stream_executor::registers_device(object)
    };
    matches!(SharedObject::read(source), Ok(Some(object)) if asked(&object))
}

/// Whether the file at `path` is a pluggable device of TensorFlow; what cannot be read is none.
pub(crate) fn is_device(path: &Path) -> bool {
    read(path).is_some_and(|object| unskew_stream_executor::registers_device(&object))
}

fn not_run(reason: String) -> ProbeError {
    let cause = ProbeFailure::NotRun(reason);
    ProbeError { cause, stage: ProbeStage::Start, so_far: None, said: String::new() }
}

/// What the child process does whose command is [`OpenOptions::probe`]: loads the plug-in at `path`,
/// prints what it says about itself, and returns the exit status of the process. With a `trial`, hosts of
/// pluggable devices are played on it, for so long each.
pub fn probe_main(path: &Path, trial: Option<Duration>) -> i32 {
    match (trial, read(path)) {
        (Some(limit), Some(object)) => preflight::child_main(path, &object, limit),
        (_, object) => unskew_pjrt::child_main(path, object.as_ref()),
    }
}

/// The same for programs: the plug-in compiles those of the file `programs`, from the one of this number on.
pub fn compile_main(path: &Path, programs: &Path, from: usize) -> i32 {
    unskew_pjrt::compile_child_main(path, read(path).as_ref(), programs, from)
}

/// The same for checks of a PJRT plug-in: those from `from` to `to` are made.
pub fn conform_main(path: &Path, from: usize, to: usize) -> i32 {
    unskew_pjrt::conform::conform_child_main(path, read(path).as_ref(), from, to)
}

/// What the file at `path` says as a shared object, if it is one.
fn read(path: &Path) -> Option<SharedObject> {
    let source = FileSource::open(path).ok().map(|file| Arc::new(file) as Arc<dyn Source>);
    source.and_then(|source| SharedObject::read(&source).ok().flatten())
}
