//! Arguments of every size, with a page behind them that nobody may touch.
#![allow(unsafe_code, reason = "the tests call the table as C hosts do")]
#![cfg(unix)]

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::layout::{self, FieldDirection, FieldHistory, Function, StructHistory};
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::sys::{Api, Record};
use unskew_pjrt_sdk::{ElementType, ErrorCode, OlderHosts};

use crate::toy::{self, api, toys};

toys! {
    Toy116 116 OlderHosts::Serve;
}

const UNTOUCHED: u8 = 0xaa;

/// Memory of which the end is the end of what may be touched.
struct Guarded {
    start: *mut u8,
    page: usize,
}

impl Guarded {
    fn new() -> Self {
        // SAFETY: new memory of two pages, the second of which becomes inaccessible.
        unsafe {
            let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap();
            let (access, kind) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let start = libc::mmap(null_mut(), 2 * page, access, kind, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(start.byte_add(page), page, libc::PROT_NONE), 0);
            Self { start: start.cast(), page }
        }
    }

    /// The last `size` bytes.
    fn last(&mut self, size: usize) -> &mut [u8] {
        assert!(size <= self.page);
        // SAFETY: they are within the first page.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(self.page - size), size) }
    }
}

/// What arguments need to be more than refused.
struct Live {
    api: Api,
    client: *mut PJRT_Client,
    device: *mut PJRT_Device,
    memory: *mut PJRT_Memory,
    program: PJRT_Program,
    options: Vec<u8>,
    elements: [f32; 16],
    list: Box<[*mut PJRT_Buffer; 1]>,
    lists: Box<[*mut c_void; 1]>,
}

impl Live {
    fn new() -> Self {
        let api = api::<Toy116>();
        let mut program = PJRT_Program::zeroed();
        program.struct_size = size_of::<PJRT_Program>();
        (program.code, program.code_size) = (b"sum".as_ptr().cast_mut().cast(), 3);
        (program.format, program.format_size) = (b"mlir".as_ptr().cast(), 4);
        let mut live = Self {
            api,
            client: null_mut(),
            device: null_mut(),
            memory: null_mut(),
            program,
            options: CompileOptions::default().write(),
            elements: [1.0; 16],
            list: Box::new([null_mut()]),
            lists: Box::new([null_mut()]),
        };
        live.client = live.made::<PJRT_Client_Create_Args>(|_| ()).client;
        let devices = live.made::<PJRT_Client_Devices_Args>(|_| ());
        // SAFETY: there are two.
        live.device = unsafe { *devices.devices };
        live.memory = live.made::<PJRT_Device_DefaultMemory_Args>(|_| ()).memory;
        live.list[0] = live.buffer();
        live.lists[0] = (&raw mut *live.list).cast();
        live
    }

    /// Arguments as they are after a call that succeeds.
    fn made<T: unskew_pjrt::sys::Call>(&self, more: impl FnOnce(&mut T)) -> T {
        let mut arguments = T::zeroed();
        let history = T::history();
        // SAFETY: these are the bytes of the arguments.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut((&raw mut arguments).cast::<u8>(), size_of::<T>())
        };
        fill(bytes, history, self, false);
        bytes[..8].copy_from_slice(&size_of::<T>().to_ne_bytes());
        more(&mut arguments);
        // SAFETY: the arguments are those of the function.
        unsafe { self.api.call(&mut arguments) }.unwrap();
        arguments
    }

    fn buffer(&self) -> *mut PJRT_Buffer {
        let dims = [3_i64];
        self.made::<PJRT_Client_BufferFromHostBuffer_Args>(|arguments| {
            (arguments.dims, arguments.num_dims) = (dims.as_ptr(), 1);
        })
        .buffer
    }

    fn loaded(&self) -> *mut PJRT_LoadedExecutable {
        self.made::<PJRT_Client_Compile_Args>(|_| ()).executable
    }

    fn error(&self) -> *mut PJRT_Error {
        let address = self.api.function(Function::PJRT_Client_Devices).unwrap();
        let mut arguments = [8_usize];
        // SAFETY: the function looks at the size, and refuses.
        unsafe { function(address)(arguments.as_mut_ptr().cast()) }
    }

    /// A value for a field that a host fills in: a new object wherever one may be freed.
    fn value(&self, of: &FieldHistory, call: Option<Function>) -> Vec<u8> {
        let pointer = |pointer: *const c_void| pointer.addr().to_ne_bytes().to_vec();
        let loaded = |arguments: &mut PJRT_LoadedExecutable_GetExecutable_Args| {
            arguments.loaded_executable = self.loaded();
        };
        match (of.kind.trim_start_matches("*mut ").trim_start_matches("*const "), of.name) {
            ("PJRT_Client", _) if call == Some(Function::PJRT_Client_Destroy) => {
                pointer(self.made::<PJRT_Client_Create_Args>(|_| ()).client.cast())
            }
            ("PJRT_Client", _) => pointer(self.client.cast()),
            ("PJRT_Device", _) => pointer(self.device.cast()),
            ("PJRT_DeviceDescription", _) => pointer(self.device.cast()),
            ("PJRT_TopologyDescription", _) => pointer(self.client.cast()),
            ("PJRT_Memory", _) => pointer(self.memory.cast()),
            ("PJRT_Buffer", _) => pointer(self.buffer().cast()),
            ("PJRT_LoadedExecutable", _) => pointer(self.loaded().cast()),
            ("PJRT_Executable", _) => pointer(self.made(loaded).executable.cast()),
            ("PJRT_Event", _) => {
                pointer(self.made::<PJRT_Buffer_ReadyEvent_Args>(|_| ()).event.cast())
            }
            ("PJRT_ExecuteContext", _) => {
                pointer(self.made::<PJRT_ExecuteContext_Create_Args>(|_| ()).context.cast())
            }
            ("PJRT_Error", _) => pointer(self.error().cast()),
            ("PJRT_Program", _) => {
                let mut program = self.program;
                if of.direction == FieldDirection::Out {
                    // The host asks for the size first.
                    program.code = null_mut();
                }
                pointer(Box::into_raw(Box::new(program)).cast())
            }
            ("PJRT_Buffer_MemoryLayout", "host_layout") => {
                // JAX 0.10.2 leaves the sizes of layouts 0.
                let mut layout = PJRT_Buffer_MemoryLayout::zeroed();
                layout.r#type = PJRT_Buffer_MemoryLayout_Type::Tiled;
                layout.layout.tiled.minor_to_major = [0].as_ptr();
                layout.layout.tiled.minor_to_major_size = 1;
                pointer(Box::into_raw(Box::new(layout)).cast())
            }
            (_, "compile_options") => pointer(self.options.as_ptr().cast()),
            (_, "compile_options_size") => self.options.len().to_ne_bytes().to_vec(),
            (_, "data" | "dst") => pointer(self.elements.as_ptr().cast()),
            (_, "dst_size") => size_of_val(&self.elements).to_ne_bytes().to_vec(),
            (_, "argument_lists" | "output_lists") => pointer(self.lists.as_ptr().cast()),
            (_, "num_devices" | "num_args") => 1_usize.to_ne_bytes().to_vec(),
            ("PJRT_Buffer_Type", _) => ElementType::F32.0.to_ne_bytes().to_vec(),
            (_, "serialized_executable") => pointer(b"sum".as_ptr().cast()),
            (_, "serialized_executable_size") => 3_usize.to_ne_bytes().to_vec(),
            _ => vec![0; of.bytes],
        }
    }
}

type Slot = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;

fn function(address: *mut c_void) -> Slot {
    // SAFETY: every slot but two is a function that takes its arguments and returns an error.
    unsafe { std::mem::transmute(address) }
}

/// Fills in what a host does, as far as it fits; the rest is as nobody wrote it.
fn fill(bytes: &mut [u8], history: &StructHistory, live: &Live, mark: bool) {
    if mark {
        bytes.fill(UNTOUCHED);
    }
    for of in history.fields {
        let Some(place) = bytes.get_mut(of.at..of.at + of.bytes) else { continue };
        match of.direction {
            // The host gives the place that is written.
            FieldDirection::Out if of.kind == "*mut PJRT_Program" => {
                place.copy_from_slice(&live.value(of, history.call));
            }
            FieldDirection::Out => {}
            FieldDirection::In | FieldDirection::InOut if of.name == "extension_start" => {
                place.fill(0)
            }
            FieldDirection::In | FieldDirection::InOut => {
                place.copy_from_slice(&live.value(of, history.call)[..of.bytes])
            }
        }
    }
}

/// How much memory there is behind arguments that announce so much: some headers announced less than all
/// had that announced it.
fn there(history: &StructHistory, announced: usize) -> usize {
    let same = history.sizes.iter().filter(|size| size.declared == announced);
    same.map(|size| size.end).min().unwrap_or(announced).max(8)
}

/// Calls a function with arguments of a size; gives the error, and checks what was written.
fn ask(live: &Live, of: Function, memory: &mut Guarded, announced: usize) -> Option<String> {
    let history = layout::find_struct(&format!("{of}_Args")).unwrap();
    let bytes = memory.last(there(history, announced));
    fill(bytes, history, live, true);
    bytes[..8].copy_from_slice(&announced.to_ne_bytes());
    let address = live.api.function(of).unwrap();
    let silent = matches!(of, Function::PJRT_Error_Destroy | Function::PJRT_Error_Message);
    let error = if silent {
        // SAFETY: these two return nothing.
        let call: unsafe extern "C" fn(*mut c_void) = unsafe { std::mem::transmute(address) };
        // SAFETY: the arguments have as many bytes as they announce.
        unsafe { call(bytes.as_mut_ptr().cast()) };
        null_mut()
    } else {
        // SAFETY: as above.
        unsafe { function(address)(bytes.as_mut_ptr().cast()) }
    };
    assert_eq!(bytes[..8], announced.to_ne_bytes(), "{of}");
    let known = history.sizes.last().unwrap().end.min(bytes.len());
    assert!(bytes[known..].iter().all(|byte| *byte == UNTOUCHED), "{of} {announced}");
    // SAFETY: it is an error of this plug-in.
    let take = |error| unsafe { live.api.take_error(of.name(), error) };
    let said = NonNull::new(error).map(|error| take(error).to_string());
    let refused = said.as_ref().is_some_and(|said| said.contains("Unexpected "));
    if refused {
        for of in history.fields.iter().filter(|field| field.direction == FieldDirection::Out) {
            let place = bytes.get(of.at..of.at + of.bytes).unwrap_or_default();
            assert!(place.iter().all(|byte| *byte == UNTOUCHED), "{announced}: {}", of.name);
        }
    }
    said
}

#[test]
fn no_function_touches_what_its_host_does_not_have_whatever_the_size() {
    let live = Live::new();
    let mut memory = Guarded::new();
    let (mut served, mut refused) = (0, 0);
    for of in Function::ALL {
        let history = layout::find_struct(&format!("{of}_Args")).unwrap();
        let today = history.sizes.last().unwrap().end;
        for announced in 0..=today + 64 {
            match ask(&live, of, &mut memory, announced) {
                None => served += 1,
                Some(said) if said.contains("is not implemented") => break,
                Some(said) => {
                    refused += 1;
                    assert!(announced < today, "{of} refuses {announced} bytes: {said}");
                }
            }
        }
    }
    println!("{served} calls served, {refused} refused");
    assert!(served > 5000 && refused > 1000, "{served} {refused}");
}

/// Whatever version a host is of, it is served.
#[test]
fn every_size_that_a_header_ever_announced_is_served() {
    let live = Live::new();
    let mut memory = Guarded::new();
    for of in Function::ALL {
        let history = layout::find_struct(&format!("{of}_Args")).unwrap();
        for size in history.sizes {
            let said = ask(&live, of, &mut memory, size.declared);
            let said = said.filter(|said| !said.contains("is not implemented"));
            assert_eq!(said, None, "{of} {size:?}");
        }
    }
}

/// A host that ends with the last field that is needed is served; one byte less is refused, with both
/// sizes.
#[test]
fn arguments_are_taken_that_end_with_the_last_field_that_is_needed() {
    let live = Live::new();
    let mut memory = Guarded::new();
    for (of, field) in [
        (Function::PJRT_Client_Create, "client"),
        (Function::PJRT_LoadedExecutable_Execute, "output_lists"),
        (Function::PJRT_Executable_DeserializeAndLoad, "loaded_executable"),
        (Function::PJRT_Plugin_Initialize, "struct_size"),
        (Function::PJRT_Buffer_Dimensions, "num_dims"),
        (Function::PJRT_Error_GetCode, "code"),
        (Function::PJRT_Error_ForEachPayload, "user_arg"),
    ] {
        let history = layout::find_struct(&format!("{of}_Args")).unwrap();
        let last = history.fields.iter().find(|of| of.name == field).unwrap();
        let end = last.at + last.bytes;
        assert_eq!(ask(&live, of, &mut memory, end), None, "{of}");
        if end > 8 {
            let said = ask(&live, of, &mut memory, end - 1).unwrap();
            let wanted = format!("Unexpected {} size: expected ", history.name);
            assert!(said.contains(&wanted), "{said}");
            assert!(said.contains(&format!(", got {}.", end - 1)), "{said}");
        }
    }
}

/// Errors cannot refuse with an error: what they have no room for stays as it was.
#[test]
fn errors_are_read_and_freed_only_within_what_the_host_has() {
    let live = Live::new();
    let mut memory = Guarded::new();
    for of in [
        Function::PJRT_Error_Message,
        Function::PJRT_Error_Destroy,
        Function::PJRT_Error_GetCode,
        Function::PJRT_Error_ForEachPayload,
    ] {
        for announced in 0..96 {
            let said = ask(&live, of, &mut memory, announced);
            assert!(said.is_none_or(|said| said.contains("Unexpected")), "{of}");
        }
    }
    let history = layout::find_struct("PJRT_Error_GetCode_Args").unwrap();
    let code = history.fields.iter().find(|field| field.name == "code").unwrap();
    assert_eq!(ask(&live, Function::PJRT_Error_GetCode, &mut memory, code.at + 4), None);
    let written = memory.last(4).to_vec();
    assert_eq!(written, ErrorCode::INVALID_ARGUMENT.0.to_ne_bytes());
}
