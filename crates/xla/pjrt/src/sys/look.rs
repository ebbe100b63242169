//! Looking at a plug-in from inside.
//!
//! Every read goes by the size that the plug-in announces, and sizes, counts and lengths have
//! limits; but a plug-in that hands out a wild pointer ends this process, and one that loops never
//! returns. That is why [`child`](crate::probe::child) runs this in a process of its own.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::path::Path;
use std::ptr::NonNull;

use unskew_abi::{ForeignStruct, Library, LibraryError, SharedObject};

use super::Api;
use super::extensions::ExtensionTable;
use super::trial::{Questions, accepted_sizes};
use crate::layout::{self, FIRST_SLOT, FLOOR};
use crate::probe::{Extension, Probe, ProbeFailure, ProbeStage};
use crate::{Attribute, PjrtValue};

/// The most attributes and list elements that are believed.
const MOST: usize = 1024;

/// The longest text that is believed, in bytes.
const LONGEST_TEXT: usize = 64 << 10;

type GetPjrtApi = unsafe extern "C" fn() -> *const c_void;
/// A function that takes its arguments and returns an error, or null.
type Fallible = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
/// A function that takes its arguments and returns nothing.
type Infallible = unsafe extern "C" fn(*mut c_void);

/// Loads the plug-in at `path` and looks at it. `seen` hears of every stage that begins, with what
/// was seen until then.
pub(crate) fn look(
    path: &Path,
    statically: Option<&SharedObject>,
    mut seen: impl FnMut(ProbeStage, &Probe),
) -> Result<Probe, ProbeFailure> {
    let mut probe = Probe::default();
    seen(ProbeStage::Load, &probe);
    // SAFETY: this runs in a child process whose only purpose is to run this code.
    let library = unsafe { Library::open(path) };
    let library = library.map_err(|error| explain(error, path, statically))?;
    seen(ProbeStage::Table, &probe);
    let (_, api) = table(&library, &mut probe)?;
    seen(ProbeStage::Extensions, &probe);
    extensions(&api, &mut probe);
    seen(ProbeStage::Attributes, &probe);
    attributes(&api, &mut probe);
    Ok(probe)
}

/// Loads the plug-in at `path` and measures which sizes of arguments it accepts. None if there is no table.
pub(crate) fn sizes(path: &Path, questions: &mut Questions) -> Option<BTreeMap<String, u64>> {
    // SAFETY: this runs in a child process whose only purpose is to run this code.
    let library = unsafe { Library::open(path) }.ok()?;
    let (table, _) = table(&library, &mut Probe::default()).ok()?;
    // SAFETY: this is the table that `GetPjrtApi` returned, and the plug-in stays loaded.
    let api = unsafe { Api::from_table(table) }.ok()?;
    Some(accepted_sizes(&api, questions))
}

/// All missing libraries, where the loader names only the first.
fn explain(error: LibraryError, path: &Path, statically: Option<&SharedObject>) -> ProbeFailure {
    let LibraryError::MissingLibrary { name: first } = error else {
        return ProbeFailure::NotLoaded(error.to_string());
    };
    let beside = |name: &str| path.parent().is_some_and(|folder| folder.join(name).exists());
    // SAFETY: as above; these are the libraries that the plug-in itself would have pulled in.
    let missing = |name: &&String| !beside(name) && !unsafe { Library::available(name) };
    let needed = statically.map(|object| object.needed.as_slice()).unwrap_or_default();
    let mut all: Vec<String> = needed.iter().filter(missing).cloned().collect();
    if !all.contains(&first) {
        all.push(first);
    }
    ProbeFailure::MissingLibraries(all)
}

/// Calls `GetPjrtApi` and reads the head of the table.
fn table(
    library: &Library,
    probe: &mut Probe,
) -> Result<(NonNull<c_void>, ForeignStruct), ProbeFailure> {
    let no_table = |text: &str| ProbeFailure::NoTable(text.to_owned());
    let entry = library.address("GetPjrtApi").ok_or_else(|| no_table("no symbol GetPjrtApi"))?;
    // SAFETY: a function of this name has had this signature in every version of the interface.
    let entry = unsafe { std::mem::transmute::<*mut c_void, GetPjrtApi>(entry.as_ptr()) };
    // SAFETY: it takes nothing and may be called at any time.
    let address = unsafe { entry() }.cast_mut();
    let address = NonNull::new(address).ok_or_else(|| no_table("GetPjrtApi returned NULL"))?;
    if !address.cast::<usize>().is_aligned() {
        return Err(no_table("GetPjrtApi returned an address that is not aligned"));
    }
    // SAFETY: the plug-in says that a table is there; sizes that cannot be true are refused.
    let api = unsafe { ForeignStruct::announced(address, FIRST_SLOT) };
    let api = api.map_err(|error| no_table(&format!("PJRT_Api: {error}")))?;
    probe.table_size = api.size() as u64;
    probe.version_size = api.word(16).unwrap_or_default() as u64;
    probe.major = api.int(32).unwrap_or_default();
    probe.minor = api.int(36).unwrap_or_default();
    let empty = |offset: &usize| api.word(*offset) == Some(0);
    probe.empty_slots =
        (FIRST_SLOT..api.size()).step_by(8).filter(empty).map(|offset| offset as u64).collect();
    Ok((address, api))
}

fn extensions(api: &ForeignStruct, probe: &mut Probe) {
    // Below the floor the word was private to the implementation.
    if probe.minor < FLOOR || probe.major != 0 {
        return;
    }
    // SAFETY: the plug-in says that the chain is there.
    let (found, broken) = unsafe { super::extensions::walk(probe.minor, api.pointer(8)) };
    let seen = |e: ExtensionTable| Extension { kind: e.kind, size: e.size.map(|size| size as u64) };
    probe.extensions = found.into_iter().map(seen).collect();
    probe.extensions_broken = broken.map(str::to_owned);
}

/// Asks for the attributes, with the size of arguments that the plug-in's own header declares: some
/// plug-ins demand exactly that, and those built from XLA accept it.
fn attributes(api: &ForeignStruct, probe: &mut Probe) {
    let history = layout::find_struct("PJRT_Plugin_Attributes_Args");
    let size = history.and_then(|history| history.size(probe.minor, None));
    let (Some(size), 0) = (size, probe.major) else {
        probe.attributes_refused = Some(format!("not asked: PJRT {} is too old", probe.version()));
        return;
    };
    let Some(ask) = function(api, "PJRT_Plugin_Attributes") else {
        probe.attributes_refused = Some("PJRT_Plugin_Attributes is NULL".to_owned());
        return;
    };
    // struct_size, extension_start, attributes, num_attributes
    let mut arguments = [size.declared, 0, 0, 0];
    // SAFETY: this function has returned an error or null since it was introduced.
    let ask = unsafe { std::mem::transmute::<*mut c_void, Fallible>(ask.as_ptr()) };
    // SAFETY: the arguments are as large as any version of the struct, and zeroed.
    let error = unsafe { ask(arguments.as_mut_ptr().cast()) };
    if let Some(error) = NonNull::new(error) {
        probe.attributes_refused = Some(message(api, error));
        return;
    }
    let [_, _, list, count] = arguments;
    let list = NonNull::new(std::ptr::with_exposed_provenance_mut::<c_void>(list));
    let mut read = Vec::new();
    if let Some(list) = list.filter(|list| list.cast::<usize>().is_aligned()) {
        for i in 0..count.min(MOST) {
            // SAFETY: the plug-in says that `count` named values of 56 bytes each are there.
            read.push(attribute(unsafe { ForeignStruct::sized(list.byte_add(56 * i), 56) }));
        }
    }
    probe.attributes = Some(read);
}

/// One `PJRT_NamedValue`: name at 16, its length at 24, the type of the value at 32, the value or
/// its address at 40, its length at 48.
fn attribute(value: ForeignStruct) -> Attribute {
    let text_at = |at: usize, len: usize| {
        let start = value.pointer(at).and_then(NonNull::new);
        let len = value.word(len).unwrap_or_default().min(LONGEST_TEXT);
        start.map(|start| text(start, len)).unwrap_or_default()
    };
    let word = value.word(40).unwrap_or_default();
    let kind = value.int(32).unwrap_or(-1);
    let content = match kind {
        0 => PjrtValue::Text(text_at(40, 48)),
        1 => PjrtValue::Number((word as u64).cast_signed()),
        2 => PjrtValue::Numbers(numbers(&value)),
        3 => {
            PjrtValue::Float(value.int(40).map_or(0.0, |bits| f32::from_bits(bits.cast_unsigned())))
        }
        4 => PjrtValue::Bool(word & 0xff != 0),
        other => PjrtValue::Unknown(other),
    };
    Attribute { name: text_at(16, 24), value: content }
}

fn numbers(value: &ForeignStruct) -> Vec<i64> {
    let list = value.pointer(40).and_then(NonNull::new);
    let Some(list) = list.filter(|list| list.cast::<i64>().is_aligned()) else { return Vec::new() };
    let count = value.word(48).unwrap_or_default().min(MOST);
    // SAFETY: the plug-in says that so many numbers are there.
    let list = unsafe { ForeignStruct::sized(list, 8 * count) };
    (0..count).filter_map(|i| list.word(8 * i)).map(|n| (n as u64).cast_signed()).collect()
}

fn text(start: NonNull<c_void>, len: usize) -> String {
    // SAFETY: the plug-in says that a text of this length is there.
    let bytes = unsafe { std::slice::from_raw_parts(start.as_ptr().cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// The message of an error, which is then destroyed.
fn message(api: &ForeignStruct, error: NonNull<c_void>) -> String {
    let mut said = String::new();
    // struct_size, extension_start, error, message, message_size
    let mut arguments = [40, 0, error.as_ptr().expose_provenance(), 0, 0];
    if let Some(ask) = function(api, "PJRT_Error_Message") {
        // SAFETY: this function has returned nothing since it was introduced.
        let ask = unsafe { std::mem::transmute::<*mut c_void, Infallible>(ask.as_ptr()) };
        // SAFETY: the error is the plug-in's own, the arguments are as large as the struct ever was.
        unsafe { ask(arguments.as_mut_ptr().cast()) };
        let start = std::ptr::with_exposed_provenance_mut::<c_void>(arguments[3]);
        if let Some(start) = NonNull::new(start) {
            said = text(start, arguments[4].min(LONGEST_TEXT));
        }
    }
    if let Some(destroy) = function(api, "PJRT_Error_Destroy") {
        let mut arguments = [24, 0, error.as_ptr().expose_provenance()];
        // SAFETY: this function has returned nothing since it was introduced.
        let destroy = unsafe { std::mem::transmute::<*mut c_void, Infallible>(destroy.as_ptr()) };
        // SAFETY: as above; the error is not used afterwards.
        unsafe { destroy(arguments.as_mut_ptr().cast()) };
    }
    said
}

/// A function of the table, if the table has it and it is not null. Since 0.29 every slot lies where
/// the table of this crate says.
fn function(api: &ForeignStruct, name: &str) -> Option<NonNull<c_void>> {
    api.pointer(layout::slot(name)?.offset).and_then(NonNull::new)
}
