//! The table that the host gets: what stands in each slot, and where it lies.

use std::ffi::c_void;
use std::ptr;

use unskew_pjrt::layout::{self, FIRST_SLOT, Function, find_struct};

use super::{
    Adapter, FUNCTIONS, Fallible, absent, attributes, compile, errors, executables, execute,
    optimized, process_info, relay,
};
use crate::ages::NEWEST;
use crate::struct_marshal::StructMarshal;

macro_rules! one_for_each {
    ($($name:ident)*) => {
        /// For each function one that says that the plug-in does not have it.
        static ABSENT: [Fallible; FUNCTIONS] = [$(absent::absent::<{ Function::$name as usize }>),*];
        /// For each function one that carries its arguments between the ages.
        static RELAYS: [Fallible; FUNCTIONS] = [$(relay::relay::<{ Function::$name as usize }>),*];
    };
}
unskew_pjrt::every_function!(one_for_each);

/// Functions of which hosts ask only whether the slot is null, even past the end of an older table:
/// null is the answer that they understand.
const ASKED_BY_NULL: [Function; 4] = [
    Function::PJRT_Event_Create,
    Function::PJRT_Event_Set,
    Function::PJRT_Client_Load,
    Function::PJRT_Device_ClearMemoryStats,
];

/// What stands in the slot of a function.
fn slot(adapter: &Adapter, function: Function) -> *const c_void {
    if let Some(error_function) = of_errors(function) {
        return error_function;
    }
    let Some(own) = adapter.api.function(function) else {
        return match function {
            Function::PJRT_Buffer_CopyToMemory => absent::copy_to_memory as *const c_void,
            _ if ASKED_BY_NULL.contains(&function) => ptr::null(),
            _ => ABSENT[function as usize] as *const c_void,
        };
    };
    match function {
        Function::PJRT_Plugin_Attributes => attributes::attributes as *const c_void,
        Function::PJRT_Client_UpdateGlobalProcessInfo => process_info::update as *const c_void,
        Function::PJRT_LoadedExecutable_Execute => {
            let same = adapter.execute_options.same_on_both_sides();
            let plain = same && adapter.ages.host_known && adapter.ages.chains_fit();
            if plain { own } else { execute::execute as *const c_void }
        }
        Function::PJRT_Client_Create if !adapter.ages.emulates => {
            executables::client_create as *const c_void
        }
        Function::PJRT_Client_Compile if !adapter.ages.emulates => {
            compile::client_compile as *const c_void
        }
        Function::PJRT_Compile if !adapter.ages.emulates => {
            compile::compile_for_topology as *const c_void
        }
        Function::PJRT_Executable_Serialize if !adapter.ages.emulates => {
            executables::serialize as *const c_void
        }
        Function::PJRT_Executable_DeserializeAndLoad if !adapter.ages.emulates => {
            executables::deserialize as *const c_void
        }
        Function::PJRT_Executable_OptimizedProgram
            if !adapter.ages.emulates && adapter.ages.host < optimized::WIDE_IDS =>
        {
            optimized::optimized_program as *const c_void
        }
        _ if passes(adapter, function) => own,
        _ => RELAYS[function as usize] as *const c_void,
    }
}

/// Whether the plug-in's own function can stand in the table: the arguments are the same at all ages,
/// or at both of these.
fn passes(adapter: &Adapter, function: Function) -> bool {
    let record = find_struct(&format!("{}_Args", function.name()));
    let changed = record.is_none_or(StructMarshal::ever_changed);
    let same = adapter.ages.host_known && adapter.passage(function).same_on_both_sides();
    let chained = matches!(function, Function::PJRT_Compile | Function::PJRT_Client_Compile);
    (!changed || same) && (adapter.ages.chains_fit() || !chained)
}

/// The functions that know our own errors.
fn of_errors(function: Function) -> Option<*const c_void> {
    Some(match function {
        Function::PJRT_Error_Destroy => errors::destroy as *const c_void,
        Function::PJRT_Error_Message => errors::message as *const c_void,
        Function::PJRT_Error_GetCode => errors::get_code as *const c_void,
        Function::PJRT_Error_ForEachPayload => errors::for_each_payload as *const c_void,
        _ => return None,
    })
}

/// The table of an adapter, which lives as long as the process.
///
/// An adapted table has room for all functions of today behind the minor that it presents, because
/// hosts call past its end; an emulated one ends where a real one would.
pub fn table_of(adapter: &Adapter, chain: *mut c_void) -> *const c_void {
    let present = adapter.ages.present;
    let size = layout::table_size(present);
    let (end, declared) = size.map_or((FIRST_SLOT, FIRST_SLOT), |size| (size.end, size.declared));
    let whole = layout::slots().last().map_or(end, |slot| slot.offset + 8);
    let end = if adapter.ages.emulates { end } else { whole };
    let mut words = vec![0_usize; end / 8];
    head(&mut words, declared, present);
    words[1] = chain.expose_provenance();
    for function in Function::ALL {
        if adapter.ages.emulates && function.since() > present {
            continue;
        }
        let offset = function.slot().offset_in(present, declared);
        if let Some(word) = words.get_mut(offset / 8) {
            *word = slot(adapter, function).expose_provenance();
        }
    }
    placed(&words, adapter.config.guard)
}

/// The table of an adapter that could not be set up: every function says why, so that the host's user
/// reads it.
pub fn of_failure(present: i32) -> *const c_void {
    let present = present.clamp(layout::FLOOR, NEWEST);
    let end = layout::slots().last().map_or(FIRST_SLOT, |slot| slot.offset + 8);
    let mut words = vec![0_usize; end / 8];
    head(&mut words, layout::table_size(present).map_or(end, |size| size.declared), present);
    for function in Function::ALL {
        let address = match function {
            Function::PJRT_Plugin_Attributes => absent::no_attributes as *const c_void,
            _ => of_errors(function).unwrap_or(ABSENT[function as usize] as *const c_void),
        };
        if let Some(word) = words.get_mut(function.slot().offset / 8) {
            *word = address.expose_provenance();
        }
    }
    placed(&words, false)
}

/// Size, version struct (its size, its chain, major and minor).
fn head(words: &mut [usize], declared: usize, present: i32) {
    let version = (u64::from(present.unsigned_abs()) << 32) as usize;
    for (word, value) in words.iter_mut().zip([declared, 0, 24, 0, version]) {
        *word = value;
    }
}

/// The table in memory that lives as long as the process; if `guard`, in front of a page that nobody
/// may read, so that a host that reads past the end is caught.
fn placed(words: &[usize], guard: bool) -> *const c_void {
    let guarded = if guard { before_a_guard_page(words) } else { None };
    guarded.unwrap_or_else(|| Box::leak(words.to_vec().into_boxed_slice()).as_ptr().cast())
}

#[cfg(unix)]
fn before_a_guard_page(words: &[usize]) -> Option<*const c_void> {
    // SAFETY: asks for a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    let bytes = size_of_val(words);
    if page == 0 || bytes > page {
        return None;
    }
    // SAFETY: new memory of two pages, at a place that the system chooses.
    let start = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(ptr::null_mut(), 2 * page, access, flags, -1, 0)
    };
    if start == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the table ends where the second page begins, which is then closed.
    unsafe {
        let table = start.cast::<u8>().add(page - bytes).cast::<usize>();
        table.copy_from_nonoverlapping(words.as_ptr(), words.len());
        let closed = libc::mprotect(start.cast::<u8>().add(page).cast(), page, libc::PROT_NONE);
        (closed == 0).then_some(table.cast_const().cast())
    }
}

#[cfg(not(unix))]
fn before_a_guard_page(_: &[usize]) -> Option<*const c_void> {
    None
}
