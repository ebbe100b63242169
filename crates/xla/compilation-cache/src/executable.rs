//! Serialized executables, as far as all of them are alike.
//!
//! Backends of XLA wrap what they made in one message: field 1 is theirs, field 2 has the compile options, in which the
//! executable's build options (3) hold the debug options (3). The CPU's own part says the processor (9). What another
//! backend writes is left alone.

use std::collections::BTreeSet;

use unskew_pjrt::convert::stamp::{MAGIC, Opened, open};
use unskew_source::wire::{ByteSpan, WireMessage};
use unskew_source::{BytesSource, ReadError, SourceExt as _};

/// How the header of IFRT calls its runtime.
const RUNTIME: &str = "pjrt_ifrt";
/// The largest header that is looked for.
const HEADER: u64 = 1 << 20;
/// The longest path or name that is kept.
const TEXT: u64 = 4096;

/// Options that hold a path below the folder of the cache, with what JAX appends to the folder.
const PATHS: [(u32, &str); 2] =
    [(306, "xla_gpu_kernel_cache_file"), (310, "xla_gpu_per_fusion_autotune_cache_dir")];

/// The type of an ELF file that is not linked, and the machines x86-64 and AArch64, as they are written.
const RELOCATABLE: [u8; 2] = 1_u16.to_le_bytes();
const PROCESSORS: [[u8; 2]; 2] = [62_u16.to_le_bytes(), 183_u16.to_le_bytes()];

/// The processor that code was made for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CpuTarget {
    /// The machine as LLVM names it: `x86_64-unknown-linux-gnu`.
    pub triple: String,
    /// The processor by LLVM's name, such as `znver4`.
    pub cpu: String,
}

/// What the adapter wrote in front of an executable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp {
    /// The plug-in, in words.
    pub(crate) plugin: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Executable {
    pub(crate) debug_options: BTreeSet<u32>,
    pub(crate) folder: Option<String>,
    pub(crate) target: Option<CpuTarget>,
    /// Whether there is object code for processors in it, as XLA's CPU backend writes it on Linux.
    pub(crate) for_processor: bool,
    pub(crate) stamp: Option<Stamp>,
}

impl Executable {
    /// Reads an executable; none if there is none, or its stamp does not fit. One in a form of its own says nothing.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = behind_header(bytes);
        if bytes.is_empty() {
            return None;
        }
        if bytes.starts_with(&MAGIC) {
            let Ok(Opened::Stamped { fingerprint, executable }) = open(bytes) else { return None };
            let plugin = format!(
                "{} of PJRT {}.{}",
                fingerprint.platform_name, fingerprint.api.0, fingerprint.api.1
            );
            let inner = Self::message(executable).unwrap_or_default();
            return Some(Self { stamp: Some(Stamp { plugin }), ..inner });
        }
        Some(Self::message(bytes).unwrap_or_default())
    }

    fn message(bytes: &[u8]) -> Result<Self, ReadError> {
        let source = BytesSource::new("executable", bytes.to_vec());
        let mut executable = Self::default();
        let mut message = WireMessage::whole(&source);
        while let Some(field) = message.next()? {
            match (field.number, field.span()) {
                (1, Some(span)) => {
                    executable.target = target(&source, span).ok().flatten();
                    executable.for_processor = has_object(&source.bytes(span.start, span.len)?);
                }
                (2, Some(span)) => executable.options(&source, span)?,
                _ => {}
            }
        }
        Ok(executable)
    }

    /// Reads compile options: build options are field 3, and in them debug options.
    fn options(&mut self, source: &BytesSource, span: ByteSpan) -> Result<(), ReadError> {
        let Some(build) = child(source, span, 3)? else { return Ok(()) };
        let Some(debug) = child(source, build, 3)? else { return Ok(()) };
        let mut message = WireMessage::at(source, debug);
        while let Some(field) = message.next()? {
            let path = PATHS.iter().find(|(number, _)| *number == field.number);
            match (path, field.span()) {
                (Some((_, below)), Some(span)) if span.len <= TEXT => {
                    let text = message.string(&field)?;
                    let folder = text.strip_suffix(below).map(|text| text.trim_end_matches('/'));
                    self.folder = folder
                        .filter(|folder| !folder.is_empty())
                        .map(str::to_owned)
                        .or(self.folder.take());
                }
                (Some(_), _) => {}
                (None, _) => {
                    self.debug_options.insert(field.number);
                }
            }
        }
        Ok(())
    }
}

/// What stands behind the header of IFRT, if there is one.
fn behind_header(bytes: &[u8]) -> &[u8] {
    let mut length = 0_u64;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        length |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            let rest = &bytes[index + 1..];
            let Some(header) = usize::try_from(length).ok().and_then(|length| rest.get(..length))
            else {
                break;
            };
            if length <= HEADER && is_header(header) {
                return &rest[header.len()..];
            }
            break;
        }
    }
    bytes
}

/// Whether the header of IFRT, or the stamp of an adapter, stands at the beginning.
pub(crate) fn is_framed(head: &[u8]) -> bool {
    head.starts_with(&MAGIC) || behind_header(head).len() < head.len()
}

fn is_header(bytes: &[u8]) -> bool {
    let source = BytesSource::new("header", bytes.to_vec());
    let mut message = WireMessage::whole(&source);
    while let Ok(Some(field)) = message.next() {
        if field.number == 2 && field.span().is_some_and(|span| span.len <= TEXT) {
            return message.string(&field).is_ok_and(|text| text == RUNTIME);
        }
    }
    false
}

/// Whether an ELF object file for a processor stands somewhere in these bytes; code for GPUs is ELF, too.
fn has_object(bytes: &[u8]) -> bool {
    let starts = memchr::memmem::find_iter(bytes, b"\x7fELF");
    starts.filter_map(|start| bytes.get(start + 16..start + 20)).any(|kind| {
        let (kind, machine) = kind.split_at(2);
        kind == RELOCATABLE && PROCESSORS.iter().any(|one| machine == one)
    })
}

/// The last field of this number that is a message.
fn child(source: &BytesSource, span: ByteSpan, number: u32) -> Result<Option<ByteSpan>, ReadError> {
    let mut message = WireMessage::at(source, span);
    let mut found = None;
    while let Some(field) = message.next()? {
        found = field.span().filter(|_| field.number == number).or(found);
    }
    Ok(found)
}

/// The processor, in the part of the CPU.
fn target(source: &BytesSource, span: ByteSpan) -> Result<Option<CpuTarget>, ReadError> {
    let Some(options) = child(source, span, 9)? else { return Ok(None) };
    let mut message = WireMessage::at(source, options);
    let mut texts = [String::new(), String::new()];
    while let Some(field) = message.next()? {
        let text = (field.number as usize).checked_sub(1).and_then(|index| texts.get_mut(index));
        if let (Some(text), Some(span)) = (text, field.span())
            && span.len <= TEXT
        {
            *text = message.string(&field)?;
        }
    }
    let [triple, cpu] = texts;
    Ok((!triple.is_empty()).then_some(CpuTarget { triple, cpu }))
}
