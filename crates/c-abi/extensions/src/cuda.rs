//! CUDA versions: which one a build of PyTorch brings along, and which one an extension is linked against.
//!
//! The shared runtime of CUDA has its major version in its name, `libcudart.so.12`, and an extension that was linked against
//! one does not load with another. The wheels of PyTorch bring it as packages of their own (`nvidia-cuda-runtime-cu12`,
//! since CUDA 13 `nvidia-cuda-runtime`), so an environment has that of its PyTorch.

use unskew_core::Version;

use crate::Needs;

/// How the name of the shared runtime begins.
const RUNTIME: &str = "libcudart.so.";

impl Needs {
    /// The majors of CUDA's shared runtime that it is linked against. A runtime inside of the wheel has another name,
    /// `libcudart.41118559.so.12`, and is none of these.
    pub fn cuda_majors(&self) -> impl Iterator<Item = u32> {
        let rest = self.needed.iter().filter_map(|library| library.strip_prefix(RUNTIME));
        rest.filter_map(|rest| rest.split('.').next()?.parse().ok())
    }
}

/// The major of CUDA that the wheels of a PyTorch for Linux on x86-64 bring along, as PyPI has them: what their metadata
/// requires (`nvidia-cuda-runtime-cu12`, `cuda-toolkit==13.0.2`). None of releases before 1.13, which have the runtime
/// inside.
///
/// ```
/// use unskew_extensions::cuda::major_on_pypi;
/// let of = |version: &str| major_on_pypi(version.parse().unwrap());
/// assert_eq!([of("1.12.1"), of("2.0.1"), of("2.10.0"), of("2.11.0")], [None, Some(11), Some(12), Some(13)]);
/// ```
pub fn major_on_pypi(torch: Version) -> Option<u32> {
    let since = [((2, 11), 13), ((2, 1), 12), ((1, 13), 11)];
    since.into_iter().find(|(first, _)| torch >= Version::pair(first.0, first.1)).map(|one| one.1)
}

/// The version of CUDA in the part of a version that says how it was built: 12.6 of `cu126`, none of `cpu`.
///
/// ```
/// use unskew_core::Version;
/// use unskew_extensions::cuda::version_of_build;
/// let of = |local| version_of_build(local);
/// assert_eq!([of("cu118"), of("cu130"), of("cpu")], [Some(Version::pair(11, 8)), Some(Version::pair(13, 0)), None]);
/// ```
pub fn version_of_build(local: &str) -> Option<Version> {
    let digits: u32 = local.strip_prefix("cu")?.parse().ok()?;
    (70..1000).contains(&digits).then(|| Version::pair((digits / 10).into(), (digits % 10).into()))
}

/// The major of CUDA whose shared runtime a package has: 12 of `nvidia-cuda-runtime-cu12`, that of its version of
/// `nvidia-cuda-runtime`.
pub fn major_of_package(key: &str, version: &str) -> Option<u32> {
    let rest = key.strip_prefix("nvidia-cuda-runtime")?;
    match rest {
        "" => version.split('.').next()?.parse().ok(),
        rest => rest.strip_prefix("-cu")?.parse().ok(),
    }
}
