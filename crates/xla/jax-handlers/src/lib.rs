//! jaxlib's CPU handlers for a plug-in in a process that is not Python's.
//!
//! LAPACK and its like are calls of handlers, which jaxlib has in Python modules: they take LAPACK from scipy, by Python.
//! So the library of an interpreter is loaded into the process, and the package `unskew_jax` does there what it does in
//! a process of JAX:
//!
//! 1. [`PythonInterpreter::ask`] runs an interpreter that has jaxlib, scipy and `unskew_jax`, and asks where its library is and
//!    where its modules are. [`PythonInterpreter::surroundings`] are variables for the process that is to load the library.
//! 2. [`give`] is called in that process, once, with the plug-in loaded: it starts Python and hands the handlers over.
//!    Python stays in the process until its end, without holding its lock.
//!
//! The code of the interpreter and its packages runs with the permissions of the process.

mod python;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// What an interpreter says of itself.
const ASK: &str = "\
import sys
sys.path = [part for part in sys.path if part]
import json, os, sysconfig
import jaxlib, scipy, unskew_jax
folder, name = sysconfig.get_config_var('LIBDIR'), sysconfig.get_config_var('LDLIBRARY')
library = os.path.join(folder or '', name or '')
shared = bool(sysconfig.get_config_var('Py_ENABLE_SHARED')) and os.path.exists(library)
print(json.dumps({
    'library': library if shared else None,
    'home': sys.base_prefix,
    'path': [os.path.abspath(part) for part in sys.path],
    'jaxlib': jaxlib.__version__,
}))
";

/// Why handlers cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum HandlersError {
    /// The interpreter cannot be run.
    #[error("{}: {source}", python.display())]
    Run {
        /// The interpreter.
        python: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The interpreter lacks a package that is needed.
    #[error("{}: {said}; it needs the packages jaxlib, scipy and unskew_jax", python.display())]
    Packages {
        /// The interpreter.
        python: PathBuf,
        /// The last line of what it printed.
        said: String,
    },
    /// The interpreter was built without a library that other programs can load.
    #[error(
        "{}: it was built without a shared library (libpython), so no other program can load it; \
         take one that was built with --enable-shared",
        .0.display()
    )]
    NotShared(PathBuf),
    /// The library is not what it should be.
    #[error("{}: {what}", library.display())]
    Library {
        /// The library of the interpreter.
        library: PathBuf,
        /// What the linker says.
        what: String,
    },
    /// Python has handed nothing over.
    #[error("no handlers: {0}")]
    Refused(String),
    /// No place for what Python says.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// An interpreter that has jaxlib, scipy and `unskew_jax`.
#[derive(Clone, Debug)]
pub struct PythonInterpreter {
    library: PathBuf,
    home: OsString,
    path: OsString,
    /// Its release of jaxlib.
    pub jaxlib: String,
}

#[derive(Deserialize)]
struct InterpreterReport {
    library: Option<PathBuf>,
    home: String,
    path: Vec<PathBuf>,
    jaxlib: String,
}

impl PythonInterpreter {
    /// Runs an interpreter, and asks it.
    ///
    /// # Errors
    /// If it cannot be run, lacks a package, or has no shared library.
    pub fn ask(python: &Path) -> Result<Self, HandlersError> {
        let mut command = Command::new(python);
        command.args(["-c", ASK]).env("UNSKEW_JAX", "0").stdin(Stdio::null());
        let output = command
            .output()
            .map_err(|source| HandlersError::Run { python: python.to_owned(), source })?;
        // Packages may print of themselves before.
        let printed = String::from_utf8_lossy(&output.stdout);
        let last = printed.lines().last().unwrap_or_default();
        let Ok(said) = serde_json::from_str::<InterpreterReport>(last) else {
            let errors = String::from_utf8_lossy(&output.stderr);
            let said = errors.lines().last().unwrap_or("it says nothing of itself").to_owned();
            return Err(HandlersError::Packages { python: python.to_owned(), said });
        };
        let library = said.library.ok_or_else(|| HandlersError::NotShared(python.to_owned()))?;
        let path = std::env::join_paths(said.path).unwrap_or_default();
        Ok(Self { library, home: said.home.into(), path, jaxlib: said.jaxlib })
    }

    /// The library that [`give`] is to load.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// Variables for the process that loads the library: by them it finds its modules.
    pub fn surroundings(&self) -> [(&'static str, OsString); 3] {
        [
            ("PYTHONHOME", self.home.clone()),
            ("PYTHONPATH", self.path.clone()),
            ("UNSKEW_JAX", "0".into()),
        ]
    }
}

/// What a plug-in was given.
#[derive(Clone, Debug, Deserialize)]
pub struct Given {
    /// The version of the FFI that the plug-in has.
    pub ffi: (u16, u16),
    /// The names of the handlers.
    pub names: Vec<String>,
}

/// What Python leaves behind.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Given(Given),
    Failed { error: String },
}

/// Starts Python in this process, out of this library, and has it hand jaxlib's handlers to a plug-in that is loaded.
/// With the descriptor of a socket for `callbacks`, which is
/// Python's from then on, it also takes the calls of functions that clients run: it asks there who runs one.
///
/// # Errors
/// If the library cannot be loaded, or the plug-in takes no handlers.
pub fn give(library: &Path, plugin: &Path, callbacks: Option<i32>) -> Result<Given, HandlersError> {
    let answer = tempfile::NamedTempFile::new()?;
    let text = |path: &Path| serde_json::Value::from(path.to_string_lossy()).to_string();
    let code = format!(
        "import json\n\
         try:\n    \
             import unskew_jax\n    \
             given = unskew_jax.give({}, callbacks={})\n    \
             said = {{'ffi': given.ffi, 'names': given.names}}\n\
         except BaseException as error:\n    \
             said = {{'error': f'{{type(error).__name__}}: {{error}}'}}\n\
         with open({}, 'w', encoding='utf-8') as file:\n    \
             json.dump(said, file)\n",
        text(plugin),
        // Python has it from now on.
        callbacks.map_or("None".to_owned(), |descriptor| descriptor.to_string()),
        text(answer.path()),
    );
    python::run(library, &code)?;
    let said = std::fs::read_to_string(answer.path())?;
    match serde_json::from_str(&said) {
        Ok(Answer::Given(given)) => Ok(given),
        Ok(Answer::Failed { error }) => Err(HandlersError::Refused(error)),
        Err(_) => Err(HandlersError::Refused("Python ended before it was done".to_owned())),
    }
}
