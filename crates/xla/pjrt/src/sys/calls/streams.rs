//! Send and receive callbacks of a running program, and the streams that receiving programs read.

use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::{Arc, Weak};

use super::foreign::OnDelete;
use super::handle::ClientRoot;
use super::{Handle, Keep, Owned, event, getters};
use crate::host::Error;
use crate::sys::Api;
use crate::sys::bindings::*;
use crate::sys::error::bytes;

/// Takes what a program sends: a part, the size of the whole, and whether it is the last part.
pub(crate) type OnSend =
    Box<dyn Fn(&[u8], usize, bool) -> Result<(), (PJRT_Error_Code, String)> + Send + Sync>;

/// Fills what a program receives.
pub(crate) type OnReceive = Box<dyn Fn(Owned<PJRT_CopyToDeviceStream>) + Send + Sync>;

/// The callbacks of one device, by channel.
#[derive(Default)]
pub(crate) struct OfDevice {
    pub(crate) send: Vec<(i64, OnSend)>,
    pub(crate) receive: Vec<(i64, OnReceive)>,
}

struct Receiver {
    api: &'static Api,
    client: Weak<ClientRoot>,
    call: OnReceive,
}

/// Callbacks as the interface wants them, at addresses that stay.
pub(crate) struct Callbacks {
    // What the lists of the interface point to.
    _senders: Vec<OnSend>,
    _receivers: Vec<Receiver>,
    send: Vec<PJRT_SendCallbackInfo>,
    receive: Vec<PJRT_RecvCallbackInfo>,
    send_lists: Vec<*mut PJRT_SendCallbackInfo>,
    receive_lists: Vec<*mut PJRT_RecvCallbackInfo>,
    each: (usize, usize),
    client: Weak<ClientRoot>,
}

// SAFETY: the addresses are of its own parts, which any thread may call.
unsafe impl Send for Callbacks {}
// SAFETY: as above.
unsafe impl Sync for Callbacks {}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Callbacks{:?}", self.each)
    }
}

impl Callbacks {
    /// Lays them out, for executions in this client. All devices have as many.
    pub(crate) fn new(
        loaded: &Handle<PJRT_LoadedExecutable>,
        devices: Vec<OfDevice>,
    ) -> Result<Self, Error> {
        let Keep::Client(root) = loaded.keep() else { return Err(Error::OtherClient) };
        let count = |device: &OfDevice| (device.send.len(), device.receive.len());
        let each = devices.first().map_or((0, 0), count);
        if devices.iter().any(|device| count(device) != each) {
            return Err(Error::Uneven);
        }
        let (mut senders, mut receivers, mut channels) = (Vec::new(), Vec::new(), Vec::new());
        for device in devices {
            for (channel, call) in device.send {
                channels.push(channel);
                senders.push(call);
            }
            for (channel, call) in device.receive {
                let client = Arc::downgrade(root);
                receivers.push((channel, Receiver { api: loaded.api(), client, call }));
            }
        }
        let (receive_channels, receivers): (Vec<i64>, Vec<Receiver>) =
            receivers.into_iter().unzip();
        let address = |call: &OnSend| (&raw const *call).cast_mut().cast::<c_void>();
        let mut send: Vec<PJRT_SendCallbackInfo> = senders
            .iter()
            .zip(channels)
            .map(|(call, channel_id)| PJRT_SendCallbackInfo {
                channel_id,
                user_arg: address(call),
                send_callback: Some(on_send),
            })
            .collect();
        let mut receive: Vec<PJRT_RecvCallbackInfo> = receivers
            .iter()
            .zip(receive_channels)
            .map(|(receiver, channel_id)| PJRT_RecvCallbackInfo {
                channel_id,
                user_arg: (&raw const *receiver).cast_mut().cast(),
                recv_callback: Some(on_receive),
            })
            .collect();
        let send_lists = starts(&mut send, each.0);
        let receive_lists = starts(&mut receive, each.1);
        Ok(Self {
            _senders: senders,
            _receivers: receivers,
            send,
            receive,
            send_lists,
            receive_lists,
            each,
            client: Arc::downgrade(root),
        })
    }

    /// An error unless they are for so many devices of the client of the program.
    pub(crate) fn check(
        &self,
        loaded: &Handle<PJRT_LoadedExecutable>,
        devices: usize,
    ) -> Result<(), Error> {
        let Keep::Client(root) = loaded.keep() else { return Err(Error::OtherClient) };
        if !std::ptr::eq(self.client.as_ptr(), Arc::as_ptr(root)) {
            return Err(Error::OtherClient);
        }
        let fits = |all: usize, each: usize| each == 0 || all == each.saturating_mul(devices);
        let both = fits(self.send.len(), self.each.0) && fits(self.receive.len(), self.each.1);
        if both { Ok(()) } else { Err(Error::Uneven) }
    }

    /// Has an execution call them, for which this must live.
    pub(crate) fn register(&self, options: &mut PJRT_ExecuteOptions) {
        if self.each.0 > 0 {
            options.send_callbacks = self.send_lists.as_ptr().cast_mut();
            options.num_send_ops = self.each.0;
        }
        if self.each.1 > 0 {
            options.recv_callbacks = self.receive_lists.as_ptr().cast_mut();
            options.num_recv_ops = self.each.1;
        }
    }
}

/// Where the part of each device begins.
fn starts<T>(all: &mut [T], each: usize) -> Vec<*mut T> {
    if each == 0 {
        return Vec::new();
    }
    all.chunks_mut(each).map(<[T]>::as_mut_ptr).collect()
}

unsafe extern "C" fn on_send(
    chunk: *mut PJRT_Chunk,
    make: *mut PJRT_CallbackError,
    total: usize,
    done: u8,
    call: *mut c_void,
) -> *mut PJRT_Error {
    // SAFETY: the plug-in hands over the chunk, and what `register` passed, which lives as long as the
    // execution.
    let (Some(chunk), Some(call)) = (unsafe { (chunk.as_ref(), call.cast::<OnSend>().as_ref()) })
    else {
        return std::ptr::null_mut();
    };
    // SAFETY: the plug-in says that so many bytes are there until the chunk is freed.
    let part = unsafe { bytes(chunk.data.cast(), chunk.size) };
    let outcome = catch_unwind(AssertUnwindSafe(|| call(part, total, done != 0)));
    if let Some(delete) = chunk.deleter {
        // SAFETY: the chunk is the host's to free.
        unsafe { delete(chunk.data, chunk.deleter_arg) };
    }
    let (code, text) = match outcome {
        Ok(Ok(())) => return std::ptr::null_mut(),
        Ok(Err(failure)) => failure,
        Err(panic) => {
            std::mem::forget(panic);
            (PJRT_Error_Code::INTERNAL, "a send callback panicked".to_owned())
        }
    };
    // SAFETY: null, or the plug-in's own function for errors.
    let make = NonNull::new(make).and_then(|make| unsafe { *make.as_ptr() });
    let Some(make) = make else { return std::ptr::null_mut() };
    // SAFETY: the text is there during the call.
    unsafe { make(code, text.as_ptr(), text.len()) }
}

unsafe extern "C" fn on_receive(stream: *mut PJRT_CopyToDeviceStream, receiver: *mut c_void) {
    // SAFETY: what `register` passed, which lives as long as the execution.
    let Some(receiver) = (unsafe { receiver.cast::<Receiver>().as_ref() }) else { return };
    let Some(stream) = NonNull::new(stream) else { return };
    let client = receiver.client.upgrade();
    let keep = client.clone().map_or(Keep::Plugin(receiver.api), Keep::Client);
    // SAFETY: the stream is the host's to free.
    let stream = unsafe { Owned::new(stream, keep) };
    if client.is_none() {
        // Nobody could use it safely.
        return;
    }
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (receiver.call)(stream))) {
        std::mem::forget(panic);
    }
}

getters! { PJRT_CopyToDeviceStream, stream:
    total_bytes -> i64 = PJRT_CopyToDeviceStream_TotalBytes_Args => |a| a.total_bytes;
    granule_size -> i64 = PJRT_CopyToDeviceStream_GranuleSize_Args => |a| a.granule_size_in_bytes;
    current_bytes -> i64 = PJRT_CopyToDeviceStream_CurrentBytes_Args => |a| a.current_bytes;
}

unsafe extern "C" fn chunk_deleted(_data: *mut c_void, on_delete: *mut c_void) {
    // SAFETY: this is the reference that `add_chunk` gave away, and a chunk is freed once.
    unsafe { OnDelete::called(on_delete) };
}

/// Sends a part; `then` is told when it has arrived.
pub(crate) fn add_chunk<T: AsRef<[u8]> + Send + 'static>(
    stream: &Handle<PJRT_CopyToDeviceStream>,
    owner: T,
    then: event::WhenReady,
) -> Result<(), Error> {
    let owner = Box::new(owner);
    let data = (*owner).as_ref();
    let (start, size) = (data.as_ptr().cast_mut(), data.len());
    let on_delete = OnDelete::new(Box::new(move || drop(owner)));
    let mut chunk = PJRT_Chunk {
        data: start.cast(),
        size,
        deleter: Some(chunk_deleted),
        deleter_arg: on_delete.give(),
    };
    let mut arguments = stream.api().record::<PJRT_CopyToDeviceStream_AddChunk_Args>();
    arguments.stream = stream.raw();
    arguments.chunk = &raw mut chunk;
    // SAFETY: the stream is alive; the plug-in takes the chunk over and frees it.
    unsafe { stream.api().call(&mut arguments) }.inspect_err(|_| on_delete.finish())?;
    let function = "PJRT_CopyToDeviceStream_AddChunk";
    let done = super::read::some(function, arguments.transfer_complete)?;
    // SAFETY: the event is the caller's to free.
    let done: Owned<PJRT_Event> = unsafe { Owned::new(done, stream.keep().clone()) };
    event::when_ready(&done, then);
    Ok(())
}
