//! The compute capability of a GPU.

use std::fmt;
use std::str::FromStr;

use crate::models;

/// What a GPU can run, by NVIDIA's number: 12.0, written `sm_120` where it is an architecture to compile for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComputeCapability {
    /// The generation: 12 of `sm_120`.
    pub major: u32,
    /// 0 to 9: the last digit of `sm_120`.
    pub minor: u32,
}

/// A text that names no GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no GPU that is known: {0:?}; write its architecture (sm_120, 12.0), which `nvidia-smi --query-gpu=compute_cap --format=csv` prints"
)]
pub struct UnknownGpu(pub String);

/// The capabilities of boards for embedded systems (Jetson, DRIVE), whose machine code is theirs alone: CUDA C++ Programming
/// Guide, "Binary Compatibility", <https://docs.nvidia.com/cuda/cuda-c-programming-guide/#binary-compatibility>.
const EMBEDDED: [(u32, u32); 6] = [(5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0)];

impl ComputeCapability {
    /// The capability of an architecture's number: 120 is 12.0.
    pub const fn from_number(number: u32) -> Self {
        Self { major: number / 10, minor: number % 10 }
    }

    /// Whether it is of a board for embedded systems.
    pub fn is_embedded(self) -> bool {
        EMBEDDED.contains(&(self.major, self.minor))
    }

    /// Whether machine code for this capability runs on `gpu`, unless it uses what only one architecture has.
    pub(crate) fn runs_on(self, gpu: Self) -> bool {
        match self.is_embedded() || gpu.is_embedded() {
            true => self == gpu,
            false => self.major == gpu.major && self.minor <= gpu.minor,
        }
    }

    /// Reads an architecture: `sm_120`, `compute_120`, `12.0`, `120`.
    fn from_architecture(text: &str) -> Option<Self> {
        let text =
            text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_")).unwrap_or(text);
        let (major, minor) = match text.split_once('.') {
            Some(parts) => parts,
            None => text.split_at_checked(text.len().checked_sub(1)?)?,
        };
        let number = |text: &str, most: usize| {
            let is_number = text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse().ok()).flatten()
        };
        let (major, minor) = (number(major, 2)?, number(minor, 1)?);
        (major > 0).then_some(Self { major, minor })
    }
}

impl FromStr for ComputeCapability {
    type Err = UnknownGpu;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::from_architecture(&text.trim().to_ascii_lowercase());
        known.or_else(|| models::capability_of(text)).ok_or_else(|| UnknownGpu(text.to_owned()))
    }
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("sm_{}{}", self.major, self.minor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_named_by_architecture_or_model() {
        for (text, shown) in [
            ("sm_120", "sm_120"),
            ("SM_86", "sm_86"),
            ("compute_90", "sm_90"),
            ("12.0", "sm_120"),
            ("120", "sm_120"),
            ("75", "sm_75"),
            ("RTX 5090", "sm_120"),
            ("rtx5090", "sm_120"),
            ("NVIDIA GeForce RTX 3090 Ti", "sm_86"),
            ("NVIDIA A100-SXM4-80GB", "sm_80"),
            ("NVIDIA H100 80GB HBM3", "sm_90"),
            ("Tesla V100-SXM2-16GB", "sm_70"),
            ("NVIDIA RTX 6000 Ada Generation", "sm_89"),
            ("Quadro RTX 6000", "sm_75"),
            ("T4", "sm_75"),
        ] {
            let read: Result<ComputeCapability, _> = text.parse();
            assert_eq!(read.map(|gpu| gpu.to_string()), Ok(shown.to_owned()), "{text}");
        }
        for text in [
            "", "0", "sm_", "sm_90a", "1.2.3", "RTX", "A1000000", "12.", ".1", "123.4", "é0",
            "-12.0",
        ] {
            assert!(text.parse::<ComputeCapability>().is_err(), "{text}");
        }
    }
}
