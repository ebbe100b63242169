//! How the shared objects of a package fit one GPU.

use unskew_core::Version;
use unskew_cuda::{ComputeCapability, GpuCode};

/// The objects of a package by what runs of them on a GPU. Libraries that are for other devices only, as `_C_cutlass_90a` of
/// torchao, are loaded where they fit, and count only if a package has nothing else.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ObjectFits {
    /// The objects that count.
    pub(super) total: usize,
    /// Those of which nothing runs.
    pub(super) without: Vec<String>,
    /// Their code.
    pub(super) code: GpuCode,
    /// Whether the package fails for it: nothing else of it runs, or it always needs one of these.
    pub(super) fails: bool,
    /// Those of which only PTX runs.
    pub(super) compiled: Vec<String>,
    /// The newest version of PTX that has to be compiled for these.
    pub(super) ptx_isa: Option<Version>,
    /// Those of which some kernels do not run.
    pub(super) partly: Vec<String>,
}

/// Objects that a package always needs, by their file names. Most of PyTorch's kernels are in one library; until 1.13 that was
/// split.
const NEEDED: [(&str, &str); 3] = [
    ("torch", "libtorch_cuda.so"),
    ("torch", "libtorch_cuda_cu.so"),
    ("torch", "libtorch_cuda_cpp.so"),
];

impl ObjectFits {
    pub(super) fn new(
        package: &str,
        objects: &[(String, GpuCode)],
        gpu: ComputeCapability,
    ) -> Self {
        let mut all = Self::default();
        let mut others: Vec<&(String, GpuCode)> = Vec::new();
        for object in objects {
            let (path, code) = object;
            let fit = code.fit(gpu);
            if fit.by_cubin + fit.by_ptx + fit.without == 0 {
                others.push(object);
                continue;
            }
            all.total += 1;
            if fit.by_cubin + fit.by_ptx == 0 {
                all.lacks(package, path, code);
                continue;
            }
            if fit.by_cubin == 0 {
                all.compiled.push(path.clone());
                all.ptx_isa = all.ptx_isa.max(fit.ptx_isa);
            }
            if fit.without > 0 {
                all.partly.push(path.clone());
            }
        }
        if all.total == 0 {
            all.total = others.len();
            others.iter().for_each(|(path, code)| all.lacks(package, path, code));
        }
        all.fails |= all.total == all.without.len();
        all
    }

    fn lacks(&mut self, package: &str, path: &str, code: &GpuCode) {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.fails |= NEEDED.contains(&(package, name));
        self.without.push(path.to_owned());
        self.code.extend(code);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use unskew_cuda::DeviceCode;

    use super::*;

    /// An object with fat binaries of this machine code.
    fn object(path: &str, sets: &[&str]) -> (String, GpuCode) {
        let set = |text: &&str| {
            let codes = text.split(' ').map(|one| DeviceCode::Cubin(one.parse().unwrap()));
            (codes.collect(), 1)
        };
        (path.to_owned(), GpuCode { sets: BTreeMap::from_iter(sets.iter().map(set)) })
    }

    #[test]
    fn a_package_fails_if_nothing_of_it_runs_or_what_it_always_needs() {
        let fits = |package: &str, objects: &[(String, GpuCode)], gpu: &str| {
            let ObjectFits { total, without, fails, partly, .. } =
                ObjectFits::new(package, objects, gpu.parse().unwrap());
            (total, without.len(), fails, partly.len())
        };
        let torch = [
            object("torch/lib/libtorch_cuda.so", &["sm_70 sm_80"]),
            object("torch/lib/libtorch_cuda_linalg.so", &["sm_60 sm_70", "sm_60 sm_70 sm_80"]),
        ];
        assert_eq!(fits("torch", &torch, "sm_70"), (2, 0, false, 0));
        assert_eq!(fits("torch", &torch, "sm_60"), (2, 1, true, 0));
        assert_eq!(fits("other", &torch, "sm_60"), (2, 1, false, 0));
        assert_eq!(fits("torch", &torch, "sm_86"), (2, 0, false, 1));
        assert_eq!(fits("other", &torch, "sm_120"), (2, 2, true, 0));
        let one = [object("a/_C.so", &["sm_80"]), object("a/_C_90a.so", &["sm_90a"])];
        assert_eq!(fits("a", &one, "sm_86"), (1, 0, false, 0));
        assert_eq!(fits("a", &one[1..], "sm_86"), (1, 1, true, 0));
        assert_eq!(fits("a", &[], "sm_86"), (0, 0, true, 0));
    }
}
