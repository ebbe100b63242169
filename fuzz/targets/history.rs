//! Histories, policies and calendars as TOML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_core::{Date, History, Policy};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = Policy::from_toml(text);
    let _ = unskew_torch::Calendar::from_toml(text);
    if let Ok(history) = History::from_toml(text) {
        let day = Date::constant(2026, 11, 1);
        let _ = (history.current(), history.minimum(), history.minimum_as_of(day));
        let _ = (history.as_of(day), history.landed(history.current()));
    }
});
