//! Sources of Python modules: what is read is read the same again.

use unskew_python_source::PythonModule;

/// Gives the bytes to the reader, as the text that they are.
pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(PythonModule::read(&text), PythonModule::read(&text));
}
