//! Functions of `jax.export`, and what is converted of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Some(party)) = unskew_jax_export::party(&source("f.jaxexp", bytes)) {
        judge(&party);
    }
});
