//! Debug options of an old host, taken out of the way of a newer plug-in.
//!
//! A host sends all its debug options with every program, most of them at their defaults. A plug-in
//! takes that message *instead of* its own defaults, so each option that came after the host is 0. To
//! CPU plug-ins since 2024-11 one such zero is fatal: "Too many extra compilation parts ... increasing
//! `parallel_codegen_split_count` (0)".
//!
//! Two ways were measured on the plug-ins 0.81 and 0.115 with JAX 0.4.30: setting that one option,
//! and dropping the message. Both pass the same steps; dropping is the better one, since every other
//! option newer than the host has its default then. What a user set is not lost: `XLA_FLAGS` is an
//! environment variable that the plug-in reads too (its `xla_backend_optimization_level=1` was seen in
//! the plug-in's own dump), options of a single compilation travel as overrides in another field, and
//! the two that JAX itself sets (`jax_disable_most_optimizations`) are carried over into overrides.

use std::borrow::Cow;

use unskew_source::wire::{ByteSpan, WireMessage};
use unskew_source::{BytesSource, ReadError};

use super::super::wire::{self, Copied};
use super::{field, read};

/// `xla_cpu_parallel_codegen_split_count`. A host that sends it is new enough.
const SPLIT_COUNT: u32 = 323;

/// An option that JAX sets by itself, in the message that is dropped.
struct Carried {
    name: &'static str,
    field: u32,
    /// What the host sends where nobody set it.
    default: u64,
    /// The field of an override that has values of its kind: 2 is a truth value, 3 a number.
    kind: u32,
}

const CARRIED: [Carried; 2] = [
    Carried { name: "xla_backend_optimization_level", field: 31, default: 3, kind: 3 },
    Carried { name: "xla_llvm_disable_expensive_passes", field: 73, default: 0, kind: 2 },
];

/// What the debug options of a message say.
#[derive(Default)]
struct DebugOptions {
    present: bool,
    has_split_count: bool,
    carried: [u64; CARRIED.len()],
}

/// Drops the debug options of a host that is older than what newer plug-ins need of them; every other
/// byte of the serialized `CompileOptionsProto` stays as it is. What needs no updating, which is what
/// every host of 2024-11 or later sends, is given back as it came.
///
/// A caller that gets an error passes the bytes on as they are: the plug-in has the last word on what
/// it reads.
///
/// ```
/// use unskew_pjrt::convert::compile_options::update_debug_options;
/// // Build options (3) with debug options (3) of which only an optimization level of 3 is set.
/// let old = [0x1a, 9, 0x1a, 3, 0xf8, 1, 3, 0x20, 1, 0x28, 1];
/// assert_eq!(*update_debug_options(&old).unwrap(), [0x1a, 4, 0x20, 1, 0x28, 1]);
/// ```
///
/// # Errors
/// If the bytes are no such message, or more than [`LARGEST`](super::LARGEST).
pub fn update_debug_options(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ReadError> {
    let source = read::source(bytes)?;
    let (debug, overridden) = survey(&source)?;
    if !debug.present || debug.has_split_count {
        return Ok(Cow::Borrowed(bytes));
    }
    let copied = Copied { source: &source, bytes };
    let whole = ByteSpan { start: 0, len: bytes.len() as u64 };
    let mut updated = copied.replacing(whole, |found, out| {
        let Some(build) = found.span().filter(|_| found.number == field::BUILD_OPTIONS) else {
            return Ok(false);
        };
        let debug_options = field::build::DEBUG_OPTIONS;
        let kept = copied.replacing(build, |found, _| Ok(found.number == debug_options))?;
        wire::message(out, field::BUILD_OPTIONS, &kept);
        Ok(true)
    })?;
    for ((option, value), overridden) in CARRIED.iter().zip(debug.carried).zip(overridden) {
        if value != option.default && !overridden {
            let mut inner = Vec::new();
            wire::number(&mut inner, option.kind, value);
            let mut entry = Vec::new();
            wire::message(&mut entry, 1, option.name.as_bytes());
            wire::message(&mut entry, 2, &inner);
            wire::message(&mut updated, field::OVERRIDES, &entry);
        }
    }
    Ok(Cow::Owned(updated))
}

/// The debug options, and which of [`CARRIED`] have an override already.
fn survey(source: &BytesSource) -> Result<(DebugOptions, [bool; CARRIED.len()]), ReadError> {
    let mut debug = DebugOptions::default();
    let mut overridden = [false; CARRIED.len()];
    let mut message = WireMessage::whole(source);
    while let Some(found) = message.next()? {
        match found.number {
            field::BUILD_OPTIONS => message.enter(&found, |build| {
                while let Some(found) = build.next()? {
                    if found.number == field::build::DEBUG_OPTIONS {
                        build.enter(&found, |message| debug.read(message))?;
                    }
                }
                Ok(())
            })?,
            field::OVERRIDES => message.enter(&found, |entry| {
                while let Some(found) = entry.next()? {
                    if found.number == 1 {
                        let name = entry.bytes(&found)?;
                        for (option, seen) in CARRIED.iter().zip(&mut overridden) {
                            *seen |= option.name.as_bytes() == name;
                        }
                    }
                }
                Ok(())
            })?,
            _ => {}
        }
    }
    Ok((debug, overridden))
}

impl DebugOptions {
    fn read(&mut self, message: &mut WireMessage<'_>) -> Result<(), ReadError> {
        self.present = true;
        while let Some(found) = message.next()? {
            self.has_split_count |= found.number == SPLIT_COUNT;
            for (option, value) in CARRIED.iter().zip(&mut self.carried) {
                if let (true, Some(number)) = (option.field == found.number, found.varint()) {
                    *value = number;
                }
            }
        }
        Ok(())
    }
}
