//! Stamped executables: a serialized executable in an envelope that says which plug-in made it.
//!
//! `PJRT_Executable_Serialize` gives bytes that only the same build of the same plug-in is sure to
//! understand, and nothing in them says which build that was. Measured on three CPU plug-ins: an
//! executable of 0.106 or 0.115 is loaded by 0.81 without a complaint and computes garbage; one of 0.81
//! is refused by the others with "Invalid target machine features". The adapter therefore stamps what
//! it serializes, and refuses what another build has stamped.
//!
//! ## The format, version 1
//!
//! Numbers are little-endian and unsigned. Texts are UTF-8 without a zero byte.
//!
//! | bytes | meaning |
//! | --- | --- |
//! | 8 | `89 55 4e 53 4b 58 0d 0a` |
//! | 4 | the version of the format: 1 |
//! | 4 | `h`, the length of the header in bytes, at most 65536 |
//! | `h` | the header: entries, one behind the other |
//! | 8 | `n`, the length of the executable |
//! | `n` | the executable, as the plug-in gave it |
//! | 32 | the SHA-256 of everything in front of it |
//!
//! An entry of the header is a tag (2 bytes), a length (4 bytes) and that many bytes. An entry stands
//! at most once, but for tag 6, which stands once for each attribute. Tags 1 to 4 must be there.
//!
//! | tag | contents |
//! | --- | --- |
//! | 1 | the PJRT version of the plug-in: major and minor, 4 bytes each |
//! | 2 | its platform name: `cpu` |
//! | 3 | its platform version, a text of its own making |
//! | 4 | the SHA-256 of the plug-in's file |
//! | 5 | the features of the processor that it compiled for, sorted, separated by commas |
//! | 0x8006 | an attribute of the plug-in: the name, a zero byte, the value as text |
//!
//! ## What a reader refuses
//!
//! * Bytes that do not begin with the magic number are not stamped: that is no error, and what to do
//!   with them is the caller's choice.
//! * A version above 1 is refused with a message that says so. It is raised when an old reader would
//!   misunderstand the file.
//! * A tag below 0x8000 that a reader does not know is refused: it says something that a decision
//!   depends on. A tag from 0x8000 on that it does not know is skipped. So new facts come without a new
//!   version.
//! * A checksum that does not fit, a length beyond the end, and bytes behind the checksum are refused:
//!   the file is damaged.
//!
//! ## Who may load it
//!
//! The plug-in whose file has the same SHA-256, on a processor that has every feature of tag 5. Nothing
//! else is promised by anyone: 0.106 and 0.115 did read each other's executables, but no document says
//! that they will. The version, the names and the attributes are there for the message.
//!
//! ```
//! use unskew_pjrt::convert::stamp::{Fingerprint, Opened, open, stamp};
//!
//! let here = Fingerprint { platform_name: "cpu".into(), file_sha256: [1; 32], ..Default::default() };
//! let file = stamp(b"machine code", &here);
//! let Opened::Stamped { fingerprint, executable } = open(&file).unwrap() else { unreachable!() };
//! assert_eq!(executable, b"machine code");
//! assert!(here.accepts(&fingerprint).is_ok());
//!
//! let other = Fingerprint { file_sha256: [2; 32], ..here };
//! assert!(other.accepts(&fingerprint).unwrap_err().to_string().contains("another build"));
//! ```

mod fingerprint;
mod open;

pub use fingerprint::{Fingerprint, StampRefusal, cpu_features};
pub use open::{Opened, StampError, open};

use sha2::{Digest, Sha256};

/// What a stamped executable begins with. The bytes around the letters make it no text and no protobuf,
/// and show a file that was carried as text.
pub const MAGIC: [u8; 8] = *b"\x89UNSKX\r\n";

/// The version of the format.
pub const VERSION: u32 = 1;

/// The longest header, in bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// The longest text of a header that is written; a longer one is cut.
const LONGEST_TEXT: usize = 8 << 10;

mod tag {
    pub(super) const API: u16 = 1;
    pub(super) const PLATFORM_NAME: u16 = 2;
    pub(super) const PLATFORM_VERSION: u16 = 3;
    pub(super) const FILE: u16 = 4;
    pub(super) const CPU_FEATURES: u16 = 5;
    pub(super) const ATTRIBUTE: u16 = 0x8006;
    /// From this one on an unknown tag is skipped.
    pub(super) const OPTIONAL: u16 = 0x8000;
}

/// Puts `fingerprint` around the executable that its plug-in serialized.
pub fn stamp(executable: &[u8], fingerprint: &Fingerprint) -> Vec<u8> {
    let header = fingerprint.header();
    let mut file = Vec::with_capacity(header.len() + executable.len() + 56);
    file.extend_from_slice(&MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.extend_from_slice(&(header.len() as u32).to_le_bytes());
    file.extend_from_slice(&header);
    file.extend_from_slice(&(executable.len() as u64).to_le_bytes());
    file.extend_from_slice(executable);
    let sum = Sha256::digest(&file);
    file.extend_from_slice(&sum);
    file
}

#[cfg(test)]
mod tests;
