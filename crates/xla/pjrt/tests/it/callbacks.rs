//! Send and receive callbacks: CPU plug-ins have no channels to the host, so a made function plays the
//! program that uses them, in front of a real plug-in.
#![allow(unsafe_code, reason = "made functions are foreign code")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::corpus::{SUM, add, plugins, ramp};
use crate::table::{self, Table};
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::{DeviceCallbacks, ErrorCode, ExecuteOptions};

static EXECUTE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static READY: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static FREED: AtomicUsize = AtomicUsize::new(0);
static STREAMS: AtomicUsize = AtomicUsize::new(0);
static RECEIVED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

type Fallible = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;

unsafe extern "C" fn free_chunk(_data: *mut c_void, _argument: *mut c_void) {
    FREED.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn make_error(
    code: PJRT_Error_Code,
    text: *const u8,
    size: usize,
) -> *mut PJRT_Error {
    // SAFETY: the host says that the text is there.
    let text = unsafe { std::slice::from_raw_parts(text, size) };
    table::error(code, String::from_utf8_lossy(text).into_owned())
}

/// Sends "one", "two" on the first channel, then receives on the first channel, then runs.
unsafe extern "C" fn execute(arguments: *mut c_void) -> *mut PJRT_Error {
    // SAFETY: the arguments of a host.
    unsafe {
        let options = (*arguments.cast::<PJRT_LoadedExecutable_Execute_Args>()).options;
        if (*options).num_send_ops > 0 {
            let info = &**(*options).send_callbacks;
            assert_eq!(info.channel_id, 7);
            let send = info.send_callback.unwrap();
            for (part, done) in [("one", 0), ("two", 1)] {
                let mut chunk = PJRT_Chunk {
                    data: part.as_ptr().cast_mut().cast(),
                    size: part.len(),
                    deleter: Some(free_chunk),
                    deleter_arg: std::ptr::null_mut(),
                };
                let mut make: PJRT_CallbackError = Some(make_error);
                let error = send(&raw mut chunk, &raw mut make, 6, done, info.user_arg);
                if !error.is_null() {
                    return error;
                }
            }
        }
        if (*options).num_recv_ops > 0 {
            let info = &**(*options).recv_callbacks;
            STREAMS.fetch_add(1, Ordering::SeqCst);
            let stream = (&raw const STREAMS).cast_mut().cast::<PJRT_CopyToDeviceStream>();
            info.recv_callback.unwrap()(stream, info.user_arg);
        }
        (*options).num_send_ops = 0;
        (*options).num_recv_ops = 0;
        std::mem::transmute::<*mut c_void, Fallible>(EXECUTE.load(Ordering::SeqCst))(arguments)
    }
}

unsafe extern "C" fn total(
    arguments: *mut PJRT_CopyToDeviceStream_TotalBytes_Args,
) -> *mut PJRT_Error {
    // SAFETY: the arguments of a host.
    unsafe { (*arguments).total_bytes = 8 };
    std::ptr::null_mut()
}

unsafe extern "C" fn add_chunk(
    arguments: *mut PJRT_CopyToDeviceStream_AddChunk_Args,
) -> *mut PJRT_Error {
    // SAFETY: the arguments of a host; the chunk is taken over.
    unsafe {
        let chunk = &*(*arguments).chunk;
        let bytes = std::slice::from_raw_parts(chunk.data.cast::<u8>(), chunk.size);
        RECEIVED.lock().unwrap().extend_from_slice(bytes);
        chunk.deleter.unwrap()(chunk.data, chunk.deleter_arg);
        // An event of the real plug-in that has happened.
        let mut create = PJRT_Event_Create_Args {
            struct_size: size_of::<PJRT_Event_Create_Args>(),
            extension_start: std::ptr::null_mut(),
            event: std::ptr::null_mut(),
        };
        let make = READY.load(Ordering::SeqCst);
        let error = std::mem::transmute::<*mut c_void, Fallible>(make)((&raw mut create).cast());
        (*arguments).transfer_complete = create.event;
        error
    }
}

unsafe extern "C" fn destroy(_arguments: *mut c_void) -> *mut PJRT_Error {
    STREAMS.fetch_sub(1, Ordering::SeqCst);
    std::ptr::null_mut()
}

/// Says when it is dropped.
struct Part(Arc<AtomicUsize>);

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        b"received"
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_program_sends_to_callbacks_and_receives_from_them() {
    let Some(plugin) = plugins().pop() else { return };
    let real = |function| plugin.api().function(function).unwrap();
    EXECUTE.store(real(Function::PJRT_LoadedExecutable_Execute), Ordering::SeqCst);
    READY.store(real(Function::PJRT_Event_Create), Ordering::SeqCst);
    let made = Table::of(plugin)
        .errors(plugin)
        .function(Function::PJRT_LoadedExecutable_Execute, execute as *const c_void)
        .function(Function::PJRT_CopyToDeviceStream_TotalBytes, total as *const c_void)
        .function(Function::PJRT_CopyToDeviceStream_AddChunk, add_chunk as *const c_void)
        .function(Function::PJRT_CopyToDeviceStream_Destroy, destroy as *const c_void)
        .load()
        .unwrap();
    let client = made.create_client(&[]).unwrap();
    let program = add(&client);
    let (a, b) = (ramp(&client, 1.0), ramp(&client, 10.0));
    let heard: Arc<Mutex<Vec<(String, usize, bool)>>> = Arc::default();
    let dropped = Arc::<AtomicUsize>::default();
    let (hears, drops) = (Arc::clone(&heard), Arc::clone(&dropped));
    let of_device = DeviceCallbacks::new()
        .on_send(7, move |part, total, last| {
            hears.lock().unwrap().push((String::from_utf8_lossy(part).into(), total, last));
            Ok(())
        })
        .on_receive(8, move |stream| {
            assert_eq!(stream.total_bytes().unwrap(), 8);
            // Nobody waits for the event, which nobody sets.
            drop(stream.send(Part(Arc::clone(&drops))).unwrap());
        });
    let callbacks = program.callbacks(vec![of_device]).unwrap();
    let options = ExecuteOptions { callbacks: Some(&callbacks), ..ExecuteOptions::default() };
    let results = program.execute(&[&a, &b], &options).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), SUM);
    let parts = [("one".to_owned(), 6, false), ("two".to_owned(), 6, true)];
    assert_eq!(*heard.lock().unwrap(), parts);
    assert_eq!(FREED.swap(0, Ordering::SeqCst), 2);
    assert_eq!(*RECEIVED.lock().unwrap(), b"received");
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert_eq!(STREAMS.load(Ordering::SeqCst), 0, "the stream was freed");

    // An error and a panic of a callback end the execution with their words.
    let refusing = DeviceCallbacks::new()
        .on_send(7, |_, _, _| Err((ErrorCode::DATA_LOSS, "the disk is full".to_owned())));
    let callbacks = program.callbacks(vec![refusing]).unwrap();
    let options = ExecuteOptions { callbacks: Some(&callbacks), ..ExecuteOptions::default() };
    let error = program.execute(&[&a, &b], &options).unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::DATA_LOSS));
    assert!(error.to_string().contains("the disk is full"), "{error}");
    let panicking = DeviceCallbacks::new().on_send(7, |_, _, _| panic!("on purpose"));
    let callbacks = program.callbacks(vec![panicking]).unwrap();
    let options = ExecuteOptions { callbacks: Some(&callbacks), ..ExecuteOptions::default() };
    let error = program.execute(&[&a, &b], &options).unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::INTERNAL));
    assert_eq!(FREED.load(Ordering::SeqCst), 2, "each of the two freed its one part");
}
