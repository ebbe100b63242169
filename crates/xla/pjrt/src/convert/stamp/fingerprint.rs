//! Fingerprint of the plug-in that made an executable.

use std::collections::BTreeMap;
use std::fmt;

use sha2::{Digest, Sha256};
use unskew_source::{ReadError, Source, SourceExt};

use super::{LONGEST_HEADER, LONGEST_TEXT, tag};

/// How much of a file is read at a time.
const BLOCK: u64 = 1 << 20;

/// The identity of a plug-in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// Its PJRT version: major and minor, as it presents them itself.
    pub api: (u32, u32),
    /// The name of the platform: `cpu`.
    pub platform_name: String,
    /// The text of `PJRT_Client_PlatformVersion`.
    pub platform_version: String,
    /// The SHA-256 of its file.
    pub file_sha256: [u8; 32],
    /// The features of the processor that it compiles for, sorted; none if it compiles for no
    /// processor.
    pub cpu_features: Option<Vec<String>>,
    /// Attributes that say more of it: `xla_version`, `stablehlo_current_version`.
    pub attributes: BTreeMap<String, String>,
}

/// Why an executable is not given to a plug-in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StampRefusal {
    /// Another build of the plug-in made it, and this one may read it as something else.
    #[error(
        "the executable was made by another build of the plug-in, which this one would misread or \
         reject; compile the program again: made by {made}, to be loaded by {here}"
    )]
    OtherBuild {
        /// The plug-in that made it.
        made: Box<Fingerprint>,
        /// The plug-in that should load it.
        here: Box<Fingerprint>,
    },
    /// It was compiled for another processor.
    #[error(
        "the executable was compiled for a processor with features that this one lacks; compile the \
         program again: made by {made}, this processor lacks {}", missing.join(", ")
    )]
    OtherProcessor {
        /// The plug-in that made it.
        made: Box<Fingerprint>,
        /// The features that are missing here.
        missing: Vec<String>,
    },
}

impl Fingerprint {
    /// Whether the plug-in of this fingerprint may load what the plug-in of `made` serialized.
    ///
    /// # Errors
    /// If not: the reason, with both sides.
    pub fn accepts(&self, made: &Self) -> Result<(), StampRefusal> {
        if self.file_sha256 != made.file_sha256 {
            let (made, here) = (Box::new(made.clone()), Box::new(self.clone()));
            return Err(StampRefusal::OtherBuild { made, here });
        }
        // A plug-in that does not say what its processor can do is not held to it.
        if let (Some(here), Some(needed)) = (&self.cpu_features, &made.cpu_features) {
            let missing: Vec<_> =
                needed.iter().filter(|feature| !here.contains(feature)).cloned().collect();
            if !missing.is_empty() {
                return Err(StampRefusal::OtherProcessor { made: Box::new(made.clone()), missing });
            }
        }
        Ok(())
    }

    /// The SHA-256 of a plug-in's file. It takes as long as reading it does, so a long-lived caller
    /// keeps it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn digest(file: &dyn Source) -> Result<[u8; 32], ReadError> {
        let mut digest = Sha256::new();
        let mut block = Vec::new();
        let mut position = 0;
        while position < file.size() {
            let len = (file.size() - position).min(BLOCK);
            block.resize(len as usize, 0);
            file.fill(position, &mut block)?;
            digest.update(&block);
            position += len;
        }
        Ok(digest.finalize().into())
    }

    /// The header of a stamped executable. Attributes that would make it too long are left out: they
    /// only say more.
    pub(super) fn header(&self) -> Vec<u8> {
        let mut header = Vec::new();
        let (major, minor) = self.api;
        let api = [major.to_le_bytes(), minor.to_le_bytes()].concat();
        entry(&mut header, tag::API, &api);
        entry(&mut header, tag::PLATFORM_NAME, cut(&self.platform_name).as_bytes());
        entry(&mut header, tag::PLATFORM_VERSION, cut(&self.platform_version).as_bytes());
        entry(&mut header, tag::FILE, &self.file_sha256);
        if let Some(features) = &self.cpu_features {
            entry(&mut header, tag::CPU_FEATURES, cut(&features.join(",")).as_bytes());
        }
        for (name, value) in &self.attributes {
            let text = [cut(name), cut(value)].join("\0");
            if header.len() + text.len() + 6 <= LONGEST_HEADER {
                entry(&mut header, tag::ATTRIBUTE, text.as_bytes());
            }
        }
        header
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.api;
        write!(f, "{}, PJRT {major}.{minor}", self.platform_name)?;
        if !self.platform_version.is_empty() {
            write!(f, ", \"{}\"", self.platform_version)?;
        }
        for (name, value) in &self.attributes {
            write!(f, ", {name} {value}")?;
        }
        f.write_str(", file ")?;
        self.file_sha256.iter().take(6).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The features of this processor that code is compiled for: sorted names, as compilers have them.
/// None on a processor whose features are not known here.
pub fn cpu_features() -> Option<Vec<String>> {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! present {
            ($($name:tt),*) => {
                vec![$(std::is_x86_feature_detected!($name).then_some($name)),*]
            };
        }
        let found = present!(
            "adx",
            "aes",
            "avx",
            "avx2",
            "avx512bf16",
            "avx512bitalg",
            "avx512bw",
            "avx512cd",
            "avx512dq",
            "avx512f",
            "avx512fp16",
            "avx512ifma",
            "avx512vbmi",
            "avx512vbmi2",
            "avx512vl",
            "avx512vnni",
            "avx512vp2intersect",
            "avx512vpopcntdq",
            "avxvnni",
            "bmi1",
            "bmi2",
            "f16c",
            "fma",
            "gfni",
            "lzcnt",
            "movbe",
            "pclmulqdq",
            "popcnt",
            "rdrand",
            "rdseed",
            "sha",
            "sse",
            "sse2",
            "sse3",
            "sse4.1",
            "sse4.2",
            "ssse3",
            "tbm",
            "vaes",
            "vpclmulqdq",
            "xsave"
        );
        Some(found.into_iter().flatten().map(str::to_owned).collect())
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

fn entry(header: &mut Vec<u8>, tag: u16, bytes: &[u8]) {
    header.extend_from_slice(&tag.to_le_bytes());
    header.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    header.extend_from_slice(bytes);
}

/// The text up to its first zero byte, no longer than is written.
fn cut(text: &str) -> &str {
    let text = text.split('\0').next().unwrap_or_default();
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
