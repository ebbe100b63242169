//! The code for GPUs that a shared object holds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unskew_abi::sections;
use unskew_core::Version;
use unskew_source::{ReadError, Source};

use crate::{CodeScope, ComputeCapability, DeviceCode, fat_binary};

/// The section that holds it.
const SECTION: &str = ".nv_fatbin";

/// Which code the fat binaries of a shared object hold. A fat binary is the kernels of one source file; CUDA takes from each
/// the piece that fits the device best.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuCode {
    /// How many fat binaries hold each set of code.
    pub sets: BTreeMap<BTreeSet<DeviceCode>, usize>,
}

/// How the fat binaries of a shared object fit a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuFit {
    /// How many have machine code for it.
    pub by_cubin: usize,
    /// How many others have PTX, which the driver compiles.
    pub by_ptx: usize,
    /// How many have neither.
    pub without: usize,
    /// How many have code for other devices that no later device runs (`sm_90a`), and no other code. Libraries have such
    /// kernels beside others, and choose.
    pub of_other_devices: usize,
    /// The newest version of PTX that has to be compiled.
    pub ptx_isa: Option<Version>,
}

impl GpuCode {
    /// Reads the headers of all fat binaries; none if the object holds none.
    ///
    /// # Errors
    /// If the section is broken, or has more entries than are read.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        let (mut code, mut left) = (Self::default(), fat_binary::ENTRIES);
        for section in sections(source, SECTION)? {
            fat_binary::each(&**source, section, &mut left, |codes| {
                if !codes.is_empty() {
                    *code.sets.entry(codes.into_iter().collect()).or_default() += 1;
                }
            })?;
        }
        Ok((!code.sets.is_empty()).then_some(code))
    }

    /// How many fat binaries there are.
    pub fn count(&self) -> usize {
        self.sets.values().sum()
    }

    /// All code that any of the fat binaries holds.
    pub fn all(&self) -> BTreeSet<DeviceCode> {
        self.sets.keys().flatten().copied().collect()
    }

    /// The code that at least this share of the fat binaries hold, in percent.
    pub fn held_by(&self, percent: usize) -> BTreeSet<DeviceCode> {
        let mut holders: BTreeMap<DeviceCode, usize> = BTreeMap::new();
        for (set, count) in &self.sets {
            for code in set {
                *holders.entry(*code).or_default() += count;
            }
        }
        let least = self.count().saturating_mul(percent);
        let held = holders.into_iter().filter(|(_, count)| count.saturating_mul(100) >= least);
        held.map(|(code, _)| code).collect()
    }

    /// Takes the fat binaries of another object of the same package.
    pub fn extend(&mut self, other: &Self) {
        for (set, count) in &other.sets {
            *self.sets.entry(set.clone()).or_default() += count;
        }
    }

    /// How it fits a device.
    pub fn fit(&self, gpu: ComputeCapability) -> GpuFit {
        let mut fit = GpuFit::default();
        for (set, count) in &self.sets {
            let runs = |code: &DeviceCode| match code {
                DeviceCode::Cubin(target) => target.runs_on(gpu),
                DeviceCode::Ptx { .. } => false,
            };
            let mut compiled = set.iter().filter(|code| match code {
                DeviceCode::Cubin(_) => false,
                DeviceCode::Ptx { target, .. } => target.compiles_for(gpu),
            });
            // Of several, that for the newest device is compiled.
            match (set.iter().any(runs), compiled.next_back()) {
                (true, _) => fit.by_cubin += count,
                (false, Some(ptx)) => {
                    fit.by_ptx += count;
                    fit.ptx_isa = fit.ptx_isa.max(ptx.ptx_isa());
                }
                (false, None)
                    if set.iter().all(|code| code.target().scope != CodeScope::Portable) =>
                {
                    fit.of_other_devices += count;
                }
                (false, None) => fit.without += count,
            }
        }
        fit
    }
}
