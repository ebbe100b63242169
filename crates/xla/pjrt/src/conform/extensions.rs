//! The slots of extensions, by the extension's own size.

use super::bench::Bench;
use super::check_outcome::CheckOutcome;
use crate::layout;

/// The head of an extension, in bytes.
const HEAD: usize = 24;

/// Whether an extension has a function in every slot that its size covers, as far as slots of this
/// version are known. What lies behind the size is not read.
///
/// An empty slot is a function that the plug-in does not have: hosts ask for the extension alone, so
/// one that calls it dies.
pub(crate) fn slots(bench: &mut Bench) -> Result<CheckOutcome, CheckOutcome> {
    let api = bench.api();
    let (mut texts, mut empty) = (Vec::new(), Vec::new());
    for extension in api.extensions() {
        let known = layout::extensions().iter().find(|known| known.kind == extension.kind);
        let (Some(known), Some(size)) = (known, extension.size) else { continue };
        let covered = known.slots.iter().enumerate().filter(|(at, slot)| {
            slot.function && slot.since <= api.minor() && HEAD.saturating_add(8 * (at + 1)) <= size
        });
        let (filled, null): (Vec<_>, Vec<_>) =
            covered.partition(|(at, _)| extension.slot(*at).is_some());
        texts.push(format!("{} {}", known.name, filled.len()));
        empty.extend(null.iter().map(|(_, slot)| format!("{}: {}", known.name, slot.name)));
    }
    if !empty.is_empty() {
        let said = format!("NULL: {}", empty.join(", "));
        return Ok(CheckOutcome::Unsupported { function: String::new(), said });
    }
    Ok(CheckOutcome::Pass(texts.join(", ")))
}
