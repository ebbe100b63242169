//! One piece of code for GPUs, and what runs it.

use std::fmt;
use std::str::FromStr;

use unskew_core::Version;

use crate::{ComputeCapability, UnknownGpu};

/// Which devices of its generation code may use the features of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeScope {
    /// Only what all later devices have, too.
    Portable,
    /// What the devices of one family have: `sm_100f`.
    Family,
    /// What one device has: `sm_90a`.
    Exact,
}

/// What code was compiled for: `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeTarget {
    /// The capability that it was compiled for.
    pub capability: ComputeCapability,
    /// Whether it uses what not all later devices have.
    pub scope: CodeScope,
}

impl CodeTarget {
    /// Whether machine code for this target runs on a device.
    pub fn runs_on(self, gpu: ComputeCapability) -> bool {
        match self.scope {
            CodeScope::Portable | CodeScope::Family => self.capability.runs_on(gpu),
            CodeScope::Exact => self.capability == gpu,
        }
    }

    /// Whether a driver may compile PTX for this target for a device.
    pub fn compiles_for(self, gpu: ComputeCapability) -> bool {
        match self.scope {
            CodeScope::Portable => self.capability <= gpu,
            CodeScope::Family | CodeScope::Exact => self.runs_on(gpu),
        }
    }
}

impl FromStr for CodeTarget {
    type Err = UnknownGpu;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (architecture, scope) = match text.strip_suffix('a') {
            Some(rest) => (rest, CodeScope::Exact),
            None => match text.strip_suffix('f') {
                Some(rest) => (rest, CodeScope::Family),
                None => (text, CodeScope::Portable),
            },
        };
        Ok(Self { capability: architecture.parse()?, scope })
    }
}

impl fmt::Display for CodeTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.scope {
            CodeScope::Portable => "",
            CodeScope::Family => "f",
            CodeScope::Exact => "a",
        };
        write!(f, "{}{suffix}", self.capability)
    }
}

/// One piece of code of a fat binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceCode {
    /// Machine code.
    Cubin(CodeTarget),
    /// Code that the driver compiles.
    Ptx {
        /// The oldest devices that it is for.
        target: CodeTarget,
        /// The version of its language, which the driver has to know: 8.4.
        isa: (u16, u16),
    },
}

impl DeviceCode {
    /// What it was compiled for.
    pub fn target(self) -> CodeTarget {
        match self {
            Self::Cubin(target) | Self::Ptx { target, .. } => target,
        }
    }

    /// The version of PTX, if it is PTX.
    pub fn ptx_isa(self) -> Option<Version> {
        match self {
            Self::Cubin(_) => None,
            Self::Ptx { isa: (major, minor), .. } => {
                Some(Version::pair(i64::from(major), i64::from(minor)))
            }
        }
    }
}

impl fmt::Display for DeviceCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cubin(target) => write!(f, "{target}"),
            Self::Ptx { target, .. } => {
                write!(f, "{}", target.to_string().replace("sm_", "compute_"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_runs_on_its_generation_and_ptx_on_all_later_ones() {
        for (code, gpu, runs, compiles) in [
            ("80", "86", true, true),
            ("86", "80", false, false),
            ("80", "90", false, true),
            ("90", "120", false, true),
            ("90a", "90", true, true),
            ("90a", "100", false, false),
            ("100f", "103", true, true),
            ("100f", "120", false, false),
            ("100a", "103", false, false),
            ("120", "121", true, true),
            ("86", "87", false, true),
            ("87", "89", false, true),
            ("87", "87", true, true),
        ] {
            let (target, gpu): (CodeTarget, _) = (code.parse().unwrap(), gpu.parse().unwrap());
            assert_eq!(target.runs_on(gpu), runs, "{code} on {gpu}");
            assert_eq!(target.compiles_for(gpu), compiles, "{code} for {gpu}");
        }
    }
}
