//! From the libraries of a real package to columns of the table.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_abi::SharedObject;
use unskew_core::Version;
use unskew_source::{ReadError, Source};

use crate::symbol::Strings;
use crate::{Build, Column, Framework, Machine};

/// Columns with the names of their symbols.
pub type Columns = Vec<(Column, BTreeSet<String>)>;

/// Whether a file of a framework's package is a library whose exports others may be bound to.
pub fn is_offered(framework: Framework, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match framework {
        Framework::Torch => path.starts_with("torch/lib/") && framework.owns_library(name),
        // Python loads this module so that all see its symbols, and those of what it is linked against.
        Framework::TensorFlow => {
            name.starts_with("libtensorflow_framework.so")
                || name.starts_with("libtensorflow_cc.so")
                || name == "_pywrap_tensorflow_internal.so"
                || name == "lib_pywrap_tensorflow_common.so"
                || name == "_pywrap_tensorflow_common.so"
        }
    }
}

/// The columns of a release from its libraries; none of them for a machine that is not known.
///
/// # Errors
/// If a library is broken.
pub fn columns(
    framework: Framework,
    release: Version,
    libraries: &[Arc<dyn Source>],
) -> Result<Columns, ReadError> {
    let mut all: Columns = Vec::new();
    for source in libraries {
        let Some(object) = SharedObject::read(source)? else { continue };
        let Some(machine) = Machine::named(&object.machine) else { continue };
        let name = source.name().rsplit(['/', '!']).next().unwrap_or_default().to_owned();
        let build = if framework.is_for_cuda(&name) { Build::Cuda } else { Build::Cpu };
        let offered = object.exports.into_iter().filter(|name| is_kept(framework, build, name));
        let column = Column { framework, release, machine, build, cxx11: false };
        add(&mut all, column, offered);
    }
    finish(all)
}

fn add(all: &mut Columns, column: Column, names: impl IntoIterator<Item = String>) {
    match all.iter_mut().find(|(one, _)| *one == column) {
        Some((_, set)) => set.extend(names),
        None => all.push((column, names.into_iter().collect())),
    }
}

/// Sets the flag of C++11's strings, which both parts of a release share.
fn finish(mut all: Columns) -> Result<Columns, ReadError> {
    for index in 0..all.len() {
        let Some((column, _)) = all.get(index) else { continue };
        let (release, machine) = (column.release, column.machine);
        let own = all.iter().filter(|(c, _)| (c.release, c.machine) == (release, machine));
        // Some libraries that are linked in have the new strings where the framework's own functions have not.
        let (mut new, mut old) = (0, 0);
        for strings in
            own.flat_map(|(_, names)| names).filter_map(|name| Strings::from_symbol(name))
        {
            match strings {
                Strings::New => new += 1,
                Strings::Old => old += 1,
            }
        }
        if let Some((column, _)) = all.get_mut(index) {
            column.cxx11 = new > old;
        }
    }
    Ok(all)
}

/// Whether a name goes into the table: what extensions can be bound to by name, and no kernels of the framework's own.
fn is_kept(framework: Framework, build: Build, name: &str) -> bool {
    let kernel = build == Build::Cuda && name.contains("2at6native");
    !kernel && Framework::of_symbol(name) == Some(framework)
}
