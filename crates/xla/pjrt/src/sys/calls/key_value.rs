//! The store by which the processes of one job find each other, called by a plug-in.

use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

use crate::host::{KeyValueError, KeyValueStore};
use crate::sys::bindings::*;
use crate::sys::error::bytes;

/// The store of one client, at an address of its own.
pub(crate) struct Store(pub(crate) Arc<dyn KeyValueStore>);

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}

/// Has the plug-in call the store, which must live as long as the client.
pub(crate) fn register(arguments: &mut PJRT_Client_Create_Args, store: &Store) {
    let store = (&raw const *store).cast_mut().cast::<c_void>();
    arguments.kv_get_callback = Some(get);
    arguments.kv_get_user_arg = store;
    arguments.kv_try_get_callback = Some(try_get);
    arguments.kv_try_get_user_arg = store;
    arguments.kv_put_callback = Some(put);
    arguments.kv_put_user_arg = store;
}

unsafe extern "C" fn get(arguments: *mut PJRT_KeyValueGetCallback_Args) -> *mut PJRT_Error {
    // SAFETY: the plug-in hands over its arguments for the time of the call.
    let Some(arguments) = (unsafe { arguments.as_mut() }) else { return std::ptr::null_mut() };
    // SAFETY: as above, and `user_arg` is what `register` passed.
    let (key, store) = unsafe { asked(arguments.key, arguments.key_size, arguments.user_arg) };
    let timeout = u64::try_from(arguments.timeout_in_ms).ok().map(Duration::from_millis);
    match shielded(|| store.0.get(key, timeout)) {
        Ok(value) => {
            (arguments.value, arguments.value_size) = hand_out(&value);
            arguments.value_deleter_callback = Some(take_back);
            std::ptr::null_mut()
        }
        // SAFETY: the plug-in's own function for errors.
        Err(error) => unsafe { refuse(arguments.callback_error, &error) },
    }
}

unsafe extern "C" fn try_get(arguments: *mut PJRT_KeyValueTryGetCallback_Args) -> *mut PJRT_Error {
    // SAFETY: the plug-in hands over its arguments for the time of the call.
    let Some(arguments) = (unsafe { arguments.as_mut() }) else { return std::ptr::null_mut() };
    // SAFETY: as above, and `user_arg` is what `register` passed.
    let (key, store) = unsafe { asked(arguments.key, arguments.key_size, arguments.user_arg) };
    match shielded(|| store.0.try_get(key)) {
        Ok(value) => {
            (arguments.value, arguments.value_size) = hand_out(&value);
            arguments.value_deleter_callback = Some(take_back);
            std::ptr::null_mut()
        }
        // SAFETY: the plug-in's own function for errors.
        Err(error) => unsafe { refuse(arguments.callback_error, &error) },
    }
}

unsafe extern "C" fn put(arguments: *mut PJRT_KeyValuePutCallback_Args) -> *mut PJRT_Error {
    // SAFETY: the plug-in hands over its arguments for the time of the call.
    let Some(arguments) = (unsafe { arguments.as_mut() }) else { return std::ptr::null_mut() };
    // SAFETY: as above, and `user_arg` is what `register` passed.
    let (key, store) = unsafe { asked(arguments.key, arguments.key_size, arguments.user_arg) };
    // SAFETY: the plug-in says that the value is there during the call.
    let value = unsafe { bytes(arguments.value, arguments.value_size) };
    match shielded(|| store.0.put(key, value)) {
        Ok(()) => std::ptr::null_mut(),
        // SAFETY: the plug-in's own function for errors.
        Err(error) => unsafe { refuse(arguments.callback_error, &error) },
    }
}

/// # Safety
/// The key is there during the call; `store` is what `register` passed, and still alive.
unsafe fn asked<'a>(key: *const u8, size: usize, store: *mut c_void) -> (&'a [u8], &'a Store) {
    // SAFETY: the caller says so.
    unsafe { (bytes(key, size), &*store.cast::<Store>()) }
}

/// What the store says; a panic of the store becomes an error.
fn shielded<T>(ask: impl FnOnce() -> Result<T, KeyValueError>) -> Result<T, KeyValueError> {
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(answer) => answer,
        Err(panic) => {
            std::mem::forget(panic);
            Err(KeyValueError::new(PJRT_Error_Code::INTERNAL, "the key-value store panicked"))
        }
    }
}

/// # Safety
/// `make` is null or points to the plug-in's function that makes errors.
unsafe fn refuse(make: *mut PJRT_CallbackError, error: &KeyValueError) -> *mut PJRT_Error {
    // SAFETY: the caller says so.
    let make = NonNull::new(make).and_then(|make| unsafe { *make.as_ptr() });
    let Some(make) = make else { return std::ptr::null_mut() };
    let text = &error.message;
    // SAFETY: the text is there during the call.
    unsafe { make(error.code, text.as_ptr(), text.len()) }
}

/// The bytes in memory that [`take_back`] frees: their number stands before them.
fn hand_out(value: &[u8]) -> (*mut u8, usize) {
    let mut block = Vec::with_capacity(value.len().saturating_add(HEAD));
    block.extend_from_slice(&value.len().to_ne_bytes());
    block.extend_from_slice(value);
    let block = Box::leak(block.into_boxed_slice());
    // SAFETY: the block begins with so many bytes.
    (unsafe { block.as_mut_ptr().add(HEAD) }, value.len())
}

const HEAD: usize = size_of::<usize>();

unsafe extern "C" fn take_back(value: *mut u8) {
    if value.is_null() {
        return;
    }
    // SAFETY: `hand_out` made it, with its number of bytes before it.
    unsafe {
        let block = value.sub(HEAD);
        let size = usize::from_ne_bytes(block.cast::<[u8; HEAD]>().read());
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(block, HEAD + size)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Panics;

    impl KeyValueStore for Panics {
        fn get(&self, key: &[u8], _: Option<Duration>) -> Result<Vec<u8>, KeyValueError> {
            Ok(key.repeat(2))
        }

        fn try_get(&self, _: &[u8]) -> Result<Vec<u8>, KeyValueError> {
            panic!("on purpose")
        }

        fn put(&self, _: &[u8], value: &[u8]) -> Result<(), KeyValueError> {
            assert_eq!(value, [7]);
            Err(KeyValueError::new(PJRT_Error_Code::ALREADY_EXISTS, "twice"))
        }
    }

    /// An error of the plug-in of this test: a code at an address.
    unsafe extern "C" fn make(code: PJRT_Error_Code, _: *const u8, _: usize) -> *mut PJRT_Error {
        std::ptr::with_exposed_provenance_mut(code.0 as usize * 8)
    }

    #[test]
    fn values_errors_and_panics_cross_into_c_each_in_their_way() {
        use crate::sys::Record;
        let store = Store(Arc::new(Panics));
        let mut create = PJRT_Client_Create_Args::zeroed();
        register(&mut create, &store);
        let mut error: PJRT_CallbackError = Some(make);
        let mut ask = PJRT_KeyValueGetCallback_Args::zeroed();
        ask.key = b"ab".as_ptr();
        ask.key_size = 2;
        ask.user_arg = create.kv_get_user_arg;
        ask.callback_error = &raw mut error;
        // SAFETY: all of the arguments live in this function.
        unsafe {
            assert!(create.kv_get_callback.unwrap()(&raw mut ask).is_null());
            assert_eq!(bytes(ask.value, ask.value_size), b"abab");
            ask.value_deleter_callback.unwrap()(ask.value);
        }
        let mut attempt = PJRT_KeyValueTryGetCallback_Args::zeroed();
        attempt.user_arg = create.kv_try_get_user_arg;
        attempt.callback_error = &raw mut error;
        // SAFETY: as above.
        let failed = unsafe { create.kv_try_get_callback.unwrap()(&raw mut attempt) };
        assert_eq!(failed.addr(), 13 * 8);
        let mut store = PJRT_KeyValuePutCallback_Args::zeroed();
        (store.value, store.value_size) = ([7].as_ptr(), 1);
        store.user_arg = create.kv_put_user_arg;
        store.callback_error = &raw mut error;
        // SAFETY: as above.
        let failed = unsafe { create.kv_put_callback.unwrap()(&raw mut store) };
        assert_eq!(failed.addr(), 6 * 8);
    }
}
