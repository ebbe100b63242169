//! Shared objects: read without running them. That is enough for TensorFlow's pluggable devices; PJRT
//! plug-ins are then asked in a child process.

use std::path::Path;
use std::sync::Arc;

use unskew_abi::SharedObject;
use unskew_core::Party;
use unskew_pjrt::{ProbeError, ProbeFailure, Stage, probe_in_child};
use unskew_source::{FileSource, ReadError, Source};

use crate::Options;

/// The party of the plug-in in `source`, which lies at `path` if it is a file of its own. None if it
/// is no shared object, or one that is no plug-in.
///
/// # Errors
/// If it is a broken shared object.
pub(crate) fn party(
    source: &Arc<dyn Source>,
    path: Option<&Path>,
    options: &Options,
) -> Result<Option<Party>, ReadError> {
    let Some(object) = SharedObject::read(source)? else { return Ok(None) };
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    if !unskew_pjrt::recognizes(&object) {
        let device = unskew_stream_executor::recognizes(&object);
        return Ok(device.then(|| unskew_stream_executor::from_object(name, &object)));
    }
    // A PJRT plug-in may serve TensorFlow too: libtpu exports both entries, and hosts of PJRT are many.
    let probe = match (&options.probe, path) {
        (Some(command), Some(path)) => probe_in_child(command(path), options.limit),
        (Some(_), None) => Err(not_asked("it lies in an archive")),
        (None, _) => Err(not_asked("plug-ins are only read, not run")),
    };
    Ok(Some(unskew_pjrt::party(name, &object, probe)))
}

/// Whether `source` is a plug-in that has to be a file of its own to be asked.
pub(crate) fn needs_file(source: &Arc<dyn Source>) -> bool {
    matches!(SharedObject::read(source), Ok(Some(object)) if unskew_pjrt::recognizes(&object))
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
/// prints what it says about itself, and returns the exit status of the process.
pub fn probe_main(path: &Path) -> i32 {
    let source = FileSource::open(path).ok().map(|file| Arc::new(file) as Arc<dyn Source>);
    let object = source.and_then(|source| SharedObject::read(&source).ok().flatten());
    unskew_pjrt::child_main(path, object.as_ref())
}
