//! Shared objects: read without running them, and then run in a child process. A PJRT plug-in is asked
//! there, a pluggable device of TensorFlow put on trial.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use unskew_abi::SharedObject;
use unskew_core::Party;
use unskew_pjrt::{ProbeError, ProbeFailure, Stage, probe_in_child};
use unskew_source::{FileSource, ReadError, Source};
use unskew_stream_executor::preflight::{self, Preflight};

use crate::Options;

/// The parties of the plug-in in `source`, which lies at `path` if it is a file of its own: one for each
/// interface that it serves. None if it is no shared object, or one that is no plug-in.
///
/// # Errors
/// If it is a broken shared object.
pub(crate) fn parties(
    source: &Arc<dyn Source>,
    path: Option<&Path>,
    options: &Options,
) -> Result<Vec<Party>, ReadError> {
    let Some(object) = SharedObject::read(source)? else { return Ok(Vec::new()) };
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let mut parties = Vec::new();
    let pjrt = unskew_pjrt::recognizes(&object);
    if pjrt {
        let probe = match (&options.probe, path) {
            (Some(command), Some(path)) => probe_in_child(command(path), options.limit),
            (Some(_), None) => Err(not_asked("it lies in an archive")),
            (None, _) => Err(not_asked("plug-ins are only read, not run")),
        };
        parties.push(unskew_pjrt::party(name, &object, probe));
    }
    // Some serve both; those that only bring kernels along with PJRT are PJRT plug-ins.
    let device = match pjrt {
        true => unskew_stream_executor::registers_device(&object),
        false => unskew_stream_executor::recognizes(&object),
    };
    if device {
        parties.push(device_party(name, &object, path, options));
    }
    Ok(parties)
}

/// The party of a pluggable device, with what it does on trial if it may be run.
fn device_party(
    name: &str,
    object: &SharedObject,
    path: Option<&Path>,
    options: &Options,
) -> Party {
    let (Some(command), true) = (&options.probe, unskew_stream_executor::registers_device(object))
    else {
        return unskew_stream_executor::from_object(name, object);
    };
    let preflight = match (preflight::obstacle(object), path) {
        (Some(obstacle), _) => Preflight::not_asked(obstacle),
        (None, None) => Preflight::not_asked("it lies in an archive"),
        (None, Some(path)) => {
            let mut command = command(path);
            command.arg(options.trial.as_secs().to_string());
            preflight::preflight_in_child(command, options.trial)
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
    let source = FileSource::open(path).ok().map(|file| Arc::new(file) as Arc<dyn Source>);
    let object = source.and_then(|source| SharedObject::read(&source).ok().flatten());
    object.is_some_and(|object| unskew_stream_executor::registers_device(&object))
}

fn not_asked(reason: &str) -> ProbeError {
    ProbeError {
        cause: ProbeFailure::NotAsked(reason.to_owned()),
        stage: Stage::Start,
        so_far: None,
        said: String::new(),
    }
}

/// What the child process does whose command is [`Options::probe`]: loads the plug-in at `path`,
/// prints what it says about itself, and returns the exit status of the process. With a `trial`, hosts of
/// pluggable devices are played on it, for so long each.
pub fn probe_main(path: &Path, trial: Option<Duration>) -> i32 {
    let source = FileSource::open(path).ok().map(|file| Arc::new(file) as Arc<dyn Source>);
    let object = source.and_then(|source| SharedObject::read(&source).ok().flatten());
    match (trial, object) {
        (Some(limit), Some(object)) => preflight::child_main(path, &object, limit),
        (_, object) => unskew_pjrt::child_main(path, object.as_ref()),
    }
}
