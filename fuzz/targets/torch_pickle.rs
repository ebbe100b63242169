//! The pickle machine, and a walk over what it built.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(pickle) = unskew_torch::pickle::scan("f.pkl", bytes) else { return };
    for member in pickle.members(pickle.root()) {
        let _ = (member.int(), member.text(), pickle.members(member).count());
    }
});
