//! Shardings by the axes of a mesh, which plug-ins of early 2026 take and get wrong.
//!
//! `xla_enable_hlo_sharding_v3` has XLA write shardings by the axes of a mesh (`named_sharding`). JAX 0.12.0 sets it
//! for every program. A plug-in of PJRT 0.106 knows the option, ends its process in the partitioner over some programs
//! ("Check failed" below `SpmdPartitioningVisitor`), and computes others wrongly. Which do is measured: `data/host.toml`.
//! Without the option a plug-in writes shardings as it always has, and the results are right.

use std::borrow::Cow;

use unskew_source::ReadError;
use unskew_source::wire::ByteSpan;

use super::super::wire::{self, Copied};
use super::{field, read};
use crate::verdict::gets_mesh_shardings_wrong;

/// The field number of `xla_enable_hlo_sharding_v3` in `DebugOptions`.
const OPTION: u32 = 452;

/// Takes the option out of a serialized `CompileOptionsProto` for a plug-in of this minor, if the plug-in gets such
/// shardings wrong. All else stays byte for byte.
///
/// # Errors
/// If the bytes are no such message, or more than [`LARGEST`](super::LARGEST).
pub fn without_mesh_shardings(bytes: &[u8], minor: i32) -> Result<Cow<'_, [u8]>, ReadError> {
    if !gets_mesh_shardings_wrong(minor) {
        return Ok(Cow::Borrowed(bytes));
    }
    let source = read::source(bytes)?;
    let copied = Copied { source: &source, bytes };
    let whole = ByteSpan { start: 0, len: bytes.len() as u64 };
    let mut there = false;
    let changed = copied.replacing(whole, |found, out| {
        let Some(build) = found.span().filter(|_| found.number == field::BUILD_OPTIONS) else {
            return Ok(false);
        };
        let kept = copied.replacing(build, |found, out| {
            let debug_options = field::build::DEBUG_OPTIONS;
            let Some(debug) = found.span().filter(|_| found.number == debug_options) else {
                return Ok(false);
            };
            let kept = copied.replacing(debug, |found, _| {
                there |= found.number == OPTION;
                Ok(found.number == OPTION)
            })?;
            wire::message(out, debug_options, &kept);
            Ok(true)
        })?;
        wire::message(out, field::BUILD_OPTIONS, &kept);
        Ok(true)
    })?;
    Ok(if there { Cow::Owned(changed) } else { Cow::Borrowed(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Build options (3) with debug options (3): fields 323 and 452, then the number of replicas.
    const WITH: [u8; 14] = [0x1a, 12, 0x1a, 8, 0x98, 0x14, 32, 0xa0, 0x1c, 1, 0x08, 1, 0x20, 1];

    #[test]
    fn the_option_goes_for_a_plug_in_that_is_too_old_for_it() {
        let without = [0x1a, 9, 0x1a, 5, 0x98, 0x14, 32, 0x08, 1, 0x20, 1];
        assert_eq!(*without_mesh_shardings(&WITH, 106).unwrap(), without);
        assert!(matches!(without_mesh_shardings(&without, 106).unwrap(), Cow::Borrowed(_)));
    }

    #[test]
    fn a_plug_in_that_is_new_enough_gets_what_the_host_sent() {
        assert!(matches!(without_mesh_shardings(&WITH, 115).unwrap(), Cow::Borrowed(_)));
    }
}
