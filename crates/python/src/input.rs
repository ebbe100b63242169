//! Input that Python names or hands over, as something to open.

use std::ffi::OsString;
use std::io;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unskew_artifact::{ArtifactFile, Content, OpenOptions, open_content};
use unskew_source::{BytesSource, Source};
use unskew_verbs::{ResolvedSide, VerbError, of_artifact, side};

/// What Python may hand over to be judged.
pub enum Input {
    /// A release, a path or a URI.
    Name(OsString),
    /// Bytes, wherever they are.
    Content(Content),
}

impl Input {
    /// From a path, a name, bytes, or a file object that can seek.
    ///
    /// # Errors
    /// If it is none of them.
    pub fn from_python(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = given.cast::<PyBytes>() {
            let source = BytesSource::new("<bytes>", bytes.as_bytes().to_vec());
            return Ok(Self::of_source(Arc::new(source)));
        }
        if given.hasattr("read")? && given.hasattr("seek")? {
            return Ok(Self::of_source(Arc::new(FileObject::new(given)?)));
        }
        match name(given)? {
            dash if dash == "-" => Err(PyValueError::new_err(
                "`-` is the standard input of the command; here, pass sys.stdin.buffer.read()",
            )),
            name => Ok(Self::Name(name)),
        }
    }

    fn of_source(source: Arc<dyn Source>) -> Self {
        let name = source.name().to_owned();
        Self::Content(Content::File(ArtifactFile { name, source, path: None, beside: None }))
    }

    /// The side that it is.
    ///
    /// # Errors
    /// As [`side()`].
    pub fn side(&self, options: &OpenOptions) -> Result<ResolvedSide, VerbError> {
        match self {
            Self::Name(name) => side(name, options),
            Self::Content(content) => of_artifact(open_content(content, options)?),
        }
    }
}

/// A path or a name.
///
/// # Errors
/// If it is neither a string nor a path.
pub fn name(given: &Bound<'_, PyAny>) -> PyResult<OsString> {
    given.extract::<std::path::PathBuf>().map(Into::into).map_err(|_| {
        let kind = given.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        PyTypeError::new_err(format!(
            "a path, the name of a release, bytes or a binary file object that can seek, not {kind}"
        ))
    })
}

/// A file object of Python, read by range with its own `seek` and `read`.
struct FileObject {
    name: String,
    size: u64,
    object: Py<PyAny>,
    /// Seeking and reading are two calls. Taken before Python's lock, never after it.
    turn: Mutex<()>,
}

impl FileObject {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let size = object.call_method1("seek", (0, 2))?.extract::<u64>()?;
        object.call_method1("seek", (0,))?;
        let nothing = object.call_method1("read", (0,))?;
        if !nothing.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err("the file object is in text mode; open it with 'rb'"));
        }
        let name = object.getattr("name").and_then(|name| name.extract::<String>());
        let name = name.unwrap_or_else(|_| "<file object>".to_owned());
        Ok(Self { name, size, object: object.clone().unbind(), turn: Mutex::new(()) })
    }
}

impl Source for FileObject {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let _turn = self.turn.lock().map_err(|_| io::Error::other("a reader panicked"))?;
        Python::attach(|py| {
            let object = self.object.bind(py);
            let mut read = || -> PyResult<usize> {
                object.call_method1("seek", (offset,))?;
                let read = object.call_method1("read", (buffer.len(),))?;
                let bytes = read.cast::<PyBytes>()?.as_bytes();
                let count = bytes.len().min(buffer.len());
                buffer[..count].copy_from_slice(&bytes[..count]);
                Ok(count)
            };
            read().map_err(|error| io::Error::other(error.to_string()))
        })
    }
}
