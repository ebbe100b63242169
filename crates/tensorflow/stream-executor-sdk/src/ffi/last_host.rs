//! Last host that has loaded the plug-in, for entries that get no arguments.

use std::sync::Mutex;

use crate::Host;

/// The host that has registered the platform last. Kernels are registered without any arguments.
static LAST: Mutex<Option<Host>> = Mutex::new(None);

pub(super) fn remember(host: &Host) {
    if let Ok(mut last) = LAST.lock() {
        *last = Some(host.clone());
    }
}

pub(super) fn get() -> Option<Host> {
    LAST.lock().ok()?.clone()
}
