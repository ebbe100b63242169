//! The pickle machine, and a walk over what it built.


/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(pickle) = unskew_torch::pickle::scan("f.pkl", bytes) else { return };
    for member in pickle.members(pickle.root()) {
        let _ = (member.int(), member.text(), pickle.members(member).count());
    }
}
