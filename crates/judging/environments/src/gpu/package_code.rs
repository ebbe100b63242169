//! The code for GPUs of one package.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::Version;
use unskew_cuda::{ComputeCapability, GpuCode, Toolkit};
use unskew_source::{FileSource, Source};

use super::releases::{self, LockedBuild};
use crate::InstalledPackage;
use crate::extension_pairs::variant;

/// What the shared objects of a package hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackageGpuCode {
    /// The code of each object that is loaded, by its path.
    pub(crate) objects: Vec<(String, GpuCode)>,
    /// Objects of which only one is loaded, by the version of CUDA, and which is not known.
    pub(crate) other_cuda: Vec<String>,
    /// Why objects are not judged.
    pub(crate) problems: Vec<String>,
    /// Objects of which only the name is there.
    pub(crate) by_name: Vec<String>,
    /// The release by whose wheel a lock is judged, if it is another build of it.
    pub(crate) release: Option<String>,
    /// The CUDA of a build that has no facts of its own: for GPUs that this CUDA compiles for, nothing is known.
    pub(crate) built: Option<Version>,
}

impl PackageGpuCode {
    /// Reads the shared objects that are loaded beside this version of CUDA.
    pub(crate) fn read(package: &InstalledPackage, cuda: Option<Version>) -> Self {
        let mut code = Self::default();
        let mut variants: BTreeMap<String, Vec<(String, GpuCode)>> = BTreeMap::new();
        for path in &package.shared {
            let Ok(source) = FileSource::open(&package.at.join(path)) else {
                // What is missing is said of the installation.
                continue;
            };
            if source.size() == 0 {
                code.by_name.push(path.clone());
                continue;
            }
            match GpuCode::read(&(Arc::new(source) as Arc<dyn Source>)) {
                Ok(Some(held)) if cuda_of_name(path).is_some() => {
                    variants.entry(variant(path)).or_default().push((path.clone(), held));
                }
                Ok(Some(held)) => code.objects.push((path.clone(), held)),
                Ok(None) => {}
                Err(error) => code.problems.push(error.to_string()),
            }
        }
        for mut objects in variants.into_values() {
            let digits = cuda.map(|cuda| format!("{}{}", cuda.major(), cuda.minor()));
            let chosen = |path: &str| digits.is_some() && cuda_of_name(path) == digits.as_deref();
            match (objects.iter().any(|(path, _)| chosen(path)), objects.len()) {
                (true, _) => objects.retain(|(path, _)| chosen(path)),
                (false, 1) => {}
                (false, _) => {
                    code.other_cuda.extend(objects.drain(..).map(|(path, _)| path));
                }
            }
            code.objects.extend(objects);
        }
        code
    }

    /// What the wheel on the index holds of a release of a lock.
    pub(crate) fn for_release(package: &InstalledPackage) -> Self {
        let Some((release, build)) = releases::release_of_lock(package) else {
            return Self::default();
        };
        let by =
            format!("the wheel of torch {} on PyPI, for CUDA {}", release.version, release.cuda);
        let (release_name, built) = match build {
            LockedBuild::OnIndex => (None, None),
            LockedBuild::Like => (Some(by), None),
            LockedBuild::OtherCuda(cuda) => (Some(by), Some(cuda)),
        };
        Self {
            objects: vec![("libtorch_cuda.so".to_owned(), release.code.clone())],
            release: release_name,
            built,
            ..Self::default()
        }
    }

    /// Whether it says something about a GPU: of a build for another CUDA it is only known that CUDA compiles nothing for GPUs
    /// that came later.
    pub(crate) fn tells_of(&self, gpu: ComputeCapability) -> bool {
        let is_later =
            |cuda: Version| Toolkit::for_gpu(gpu).is_some_and(|first| first.version > cuda);
        self.built.is_none_or(is_later)
    }

    /// Whether nothing of a package has to do with GPUs, as far as its files say.
    pub(crate) fn is_nothing(&self) -> bool {
        self.objects.is_empty()
            && self.other_cuda.is_empty()
            && self.problems.is_empty()
            && self.by_name.is_empty()
    }
}

/// The digits of CUDA in the name of a library of which a package has one for each: 121 of `libbitsandbytes_cuda121.so`.
fn cuda_of_name(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let rest = name.split_once("cuda")?.1;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end).filter(|digits| matches!(digits.len(), 3 | 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_for_one_cuda_have_it_in_their_name() {
        for (path, digits) in [
            ("bitsandbytes/libbitsandbytes_cuda121.so", Some("121")),
            ("bitsandbytes/libbitsandbytes_cuda118_nocublaslt.so", Some("118")),
            ("jax_cuda12_plugin/_blas.so", None),
            ("torch/lib/libtorch_cuda.so", None),
        ] {
            assert_eq!(cuda_of_name(path), digits, "{path}");
        }
    }
}
