//! A plug-in as a party.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_abi::{Import, ObjectFormat, SharedObject};
use unskew_core::{Party, Requirement, Role, Unjudged, aspect};
use unskew_source::{ReadError, Source};

use crate::cpp::is_cpp;
use crate::exports::{self, macos};
use crate::matcher::{
    CallbackMatcher, CppCoverageMatcher, CppSymbolMatcher, EntryMatcher, FunctionMatcher,
    LibraryMatcher, LoaderMatcher, PlatformMatcher, UntriedCallbackMatcher,
};
use crate::preflight::{Preflight, PreflightFailure, facts, remarks};

/// The axis of TensorFlow's C functions.
pub const C_API_AXIS: &str = "tf.c_api";

const LOADER_AXIS: &str = "tf.pluggable_device";

/// The axis of the libraries that a plug-in needs.
const LIBRARIES_AXIS: &str = "tf.libraries";

/// The axis of TensorFlow's C++ symbols.
const CPP_AXIS: &str = "tf.cpp_symbols";

/// The axis of what only running code tells.
const CALLBACKS_AXIS: &str = "se.callbacks";

/// The axis of what comes after the registration of a platform.
const ENTRIES_AXIS: &str = "se.entries";

/// The axis of the platforms of one process.
pub(crate) const PLATFORM_AXIS: &str = "se.platform";

/// What has a plug-in judged that was not run.
const RUN: &str = "--run, which runs it with your permissions";

/// The functions by which TensorFlow enters a plug-in, in the order of the calls.
const ENTRIES: [&str; 5] =
    ["SE_InitPlugin", "TFNPD_InitPlugin", "TF_InitKernel", "TF_InitGraph", "TF_InitProfiler"];

/// What a plug-in takes from TensorFlow, as its file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginImports {
    /// The format of its file.
    pub format: ObjectFormat,
    /// The entry points that it has, in the order in which they are called.
    pub entries: Vec<&'static str>,
    /// The C functions of TensorFlow that it imports, sorted. Those that may be missing are left out.
    pub functions: Vec<String>,
    /// The C++ symbols of TensorFlow that it imports, sorted, as they are mangled.
    pub cpp: Vec<String>,
    /// The libraries of TensorFlow that it needs, by file name; of a Mach-O file by the path that it names.
    pub libraries: Vec<String>,
    /// The machine that it was built for: `x86-64`, `aarch64`.
    pub machine: String,
    /// Where `@rpath` leads in those paths (Mach-O).
    pub rpaths: Vec<String>,
    /// The functions and symbols that it takes from one library of TensorFlow and no other, with its path (Mach-O).
    /// The rest it takes from whatever library has them.
    pub bound: BTreeMap<String, String>,
    /// Whether it needs no libraries but those of TensorFlow and of the system: then nobody else has what it imports.
    pub alone: bool,
}

/// Whether a shared object is a pluggable device, or an extension of the same interface.
pub fn recognizes(object: &SharedObject) -> bool {
    ENTRIES.iter().any(|entry| object.exports(entry))
}

/// Whether it registers a device of the StreamExecutor C API, so that it can be put on trial.
pub fn registers_device(object: &SharedObject) -> bool {
    object.exports("SE_InitPlugin")
}

/// Whether TensorFlow takes a device from it: one of the StreamExecutor C API, or one that a PJRT plug-in has.
pub fn is_device(object: &SharedObject) -> bool {
    registers_device(object) || object.exports("TFNPD_InitPlugin")
}

/// The party of the plug-in in `source`; none if it is no shared object, or another one.
///
/// # Errors
/// If it is a broken shared object.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(object) = SharedObject::read(source)? else { return Ok(None) };
    let name = file_name(source.name());
    Ok(recognizes(&object).then(|| from_object(name, &object)))
}

/// The party of the plug-in called `name`, from what its file says.
pub fn from_object(name: &str, object: &SharedObject) -> Party {
    read(name, object).require(Requirement::matches(CALLBACKS_AXIS, UntriedCallbackMatcher))
}

/// The party of the plug-in called `name`, from what its file says and what it did on trial.
pub fn asked(name: &str, object: &SharedObject, preflight: Preflight) -> Party {
    let preflight = Arc::new(preflight);
    let mut party = read(name, object)
        .require(Requirement::matches(CALLBACKS_AXIS, CallbackMatcher(Arc::clone(&preflight))))
        .require(Requirement::matches(ENTRIES_AXIS, EntryMatcher(Arc::clone(&preflight))));
    if preflight.platform().is_some() {
        let own = Requirement::matches(PLATFORM_AXIS, PlatformMatcher(Arc::clone(&preflight)));
        party = party.require(own.irrelevant_if_absent());
    }
    for (label, value) in facts(&preflight) {
        party = party.fact(label, value);
    }
    if let Some(PreflightFailure::NotRun(reason)) = &preflight.failure {
        let unjudged = Unjudged::new(aspect::PLUGIN, format!("{name} was not run: {reason}"));
        party = party.not_judged(unjudged.with_remedy(RUN));
    }
    party = remarks(&preflight).into_iter().fold(party, Party::note);
    party.with_capability(preflight)
}

fn read(name: &str, object: &SharedObject) -> Party {
    let plugin = PluginImports::from_object(object);
    let kind = match plugin.entries.contains(&"SE_InitPlugin") {
        true => "TensorFlow pluggable device",
        false if plugin.entries.contains(&"TFNPD_InitPlugin") => "TensorFlow PJRT device",
        false => "TensorFlow plug-in without a device",
    };
    let also = match &*object.also {
        [] => String::new(),
        others => format!(", of a file that also has {}", others.join(", ")),
    };
    let mut party = Party::new(name, Role::Plugin, kind)
        .fact("file", format!("{} {}{also}", object.format, object.machine))
        .fact("entries", plugin.entries.join(" "))
        .fact("needs", object.needed.join(" "))
        .fact("imports", format!("{} C functions of TensorFlow", plugin.functions.len()))
        .fact("StreamExecutor version", "not in the file; 0.0.1 in every release of TensorFlow");
    let plugin = Arc::new(plugin);
    if !plugin.cpp.is_empty() {
        party = party
            .fact("C++ symbols", plugin.cpp.len())
            .require(Requirement::matches(CPP_AXIS, CppSymbolMatcher(Arc::clone(&plugin))))
            .require(Requirement::matches(CPP_AXIS, CppCoverageMatcher(Arc::clone(&plugin))));
    }
    party
        .require(Requirement::matches(LOADER_AXIS, LoaderMatcher))
        .require(Requirement::matches(LIBRARIES_AXIS, LibraryMatcher(Arc::clone(&plugin))))
        .require(Requirement::matches(C_API_AXIS, FunctionMatcher(Arc::clone(&plugin))))
        .with_capability(plugin)
}

impl PluginImports {
    fn from_object(object: &SharedObject) -> Self {
        let strong = || object.imports.iter().filter(|import| !import.weak);
        // What a library of somebody else has, it may have under any name.
        let ours = |import: &&Import| match (object.format, &import.library) {
            (ObjectFormat::MachO, Some(library)) => macos::is_library(library),
            _ => true,
        };
        let names = |wanted: fn(&str) -> bool| {
            let names = strong().filter(ours).map(|import| import.name.clone());
            names.filter(|name| wanted(name)).collect()
        };
        let bound = strong().filter(|_| object.format == ObjectFormat::MachO).filter(ours);
        Self {
            format: object.format,
            entries: ENTRIES.into_iter().filter(|entry| object.exports(entry)).collect(),
            functions: names(is_c_api),
            cpp: names(is_cpp),
            alone: object.needed.iter().all(|library| is_known(object.format, library)),
            libraries: libraries(object),
            machine: object.machine.clone(),
            rpaths: object.rpaths.clone(),
            bound: bound
                .filter_map(|import| Some((import.name.clone(), import.library.clone()?)))
                .collect(),
        }
    }
}

/// The libraries of TensorFlow that a shared object needs.
fn libraries(object: &SharedObject) -> Vec<String> {
    let needed = object.needed.iter();
    match object.format {
        ObjectFormat::MachO => needed.filter(|path| macos::is_library(path)).cloned().collect(),
        _ => {
            let files = needed.map(|library| file_name(library).to_owned());
            files.filter(|library| exports::is_library(library)).collect()
        }
    }
}

pub(crate) fn is_c_api(name: &str) -> bool {
    ["TF_", "TFE_", "TSL_"].iter().any(|prefix| name.starts_with(prefix))
}

/// The libraries of the system that every plug-in needs; they have no symbol of TensorFlow.
const SYSTEM: [&str; 11] = [
    "libc.so",
    "libm.so",
    "libdl.so",
    "librt.so",
    "libpthread.so",
    "libgcc_s.so",
    "libstdc++.so",
    "libc++.so",
    "libz.so",
    "libgomp.so",
    "ld-linux",
];

/// Whether a library is one of TensorFlow or of the system.
fn is_known(format: ObjectFormat, library: &str) -> bool {
    if format == ObjectFormat::MachO {
        let system = ["/usr/lib/", "/System/"].iter().any(|start| library.starts_with(start));
        return system || macos::is_library(library);
    }
    let library = file_name(library);
    exports::is_library(library) || SYSTEM.iter().any(|start| library.starts_with(start))
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
