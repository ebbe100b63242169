//! Packages and servers that have an ONNX Runtime inside: `onnxruntime-web@1.20`, `tritonserver@24.01`.
//!
//! People name what they install. A carrier is judged as the release inside, by its CPU provider, and says so; which release
//! that is tells its own version, or for Triton the table `data/onnxruntime/tritonserver.tsv`.

use std::sync::{Arc, LazyLock};

use unskew_core::{Party, Unjudged, Version, aspect};
use unskew_onnx::{CudaKernels, OnnxRelease};

use crate::{NameError, Release};

/// What has the release of another name inside: a place in the table of these, as a release is one in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Carrier(u16);

/// A row of `carriers.tsv`, or one of `tritonserver.tsv` with what that says of Triton.
struct CarrierRow {
    name: &'static str,
    /// What of it is not judged.
    not_judged: &'static str,
    /// Where it is said what is inside.
    source: &'static str,
    /// Its release, where that is not numbered as the release inside.
    release: Option<TritonRelease>,
}

#[derive(Clone, Copy)]
struct TritonRelease {
    container: &'static str,
    server: &'static str,
    onnxruntime: &'static str,
}

/// The names of carriers, and what is said of each.
const NAMED: &str = include_str!("../data/onnxruntime/carriers.tsv");

/// The family that carriers have inside.
const INSIDE: &str = "onnxruntime";

/// The carrier with a CUDA provider, and what of it is not judged where that was measured.
const GPU: (&str, &str) = (
    "onnxruntime-gpu",
    "which attributes and values kernels of the CUDA provider take, and the TensorRT provider",
);

/// The carrier whose releases are numbered in a way of their own.
const TRITON: &str = "tritonserver";

/// The packages and servers, and behind them every release of Triton.
static CARRIERS: LazyLock<Vec<CarrierRow>> = LazyLock::new(|| {
    let mut all: Vec<CarrierRow> = rows(NAMED)
        .map(|[name, not_judged, source]| CarrierRow { name, not_judged, source, release: None })
        .collect();
    let triton = all.iter().find(|row| row.name == TRITON);
    let row = |[container, server, onnxruntime]: [&'static str; 3]| {
        let release = Some(TritonRelease { container, server, onnxruntime });
        let (name, not_judged, source) =
            triton.map(|row| (row.name, row.not_judged, row.source))?;
        Some(CarrierRow { name, not_judged, source, release })
    };
    let releases: Vec<CarrierRow> =
        rows(include_str!("../data/onnxruntime/tritonserver.tsv")).filter_map(row).collect();
    all.extend(releases);
    all
});

/// The carriers with their rows.
fn all() -> impl DoubleEndedIterator<Item = (Carrier, &'static CarrierRow)> {
    let carriers = CARRIERS.iter().enumerate();
    carriers.map(|(at, row)| (Carrier(u16::try_from(at).unwrap_or(u16::MAX)), row))
}

/// The releases of Triton, oldest first.
fn triton_releases() -> impl DoubleEndedIterator<Item = (Carrier, TritonRelease)> {
    all().filter_map(|(carrier, row)| Some((carrier, row.release?)))
}

/// The lines of a table with three cells. A test reads every line.
fn rows(text: &'static str) -> impl Iterator<Item = [&'static str; 3]> {
    let cells = |line: &'static str| line.split('\t').collect::<Vec<_>>().try_into().ok();
    text.lines().filter(|line| !line.starts_with('#')).filter_map(cells)
}

/// The names of all carriers.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().filter(|(_, row)| row.release.is_none()).map(|(_, row)| row.name)
}

/// The carrier of this name.
fn named(name: &str) -> Option<Carrier> {
    let name = name.to_ascii_lowercase().replace(['_', '.'], "-");
    // They come first in the table. Most names are of none, and no reason to read every release of Triton.
    let at = rows(NAMED).position(|[one, ..]| one == name)?;
    u16::try_from(at).ok().map(Carrier)
}

/// The releases that a name of a carrier stands for, oldest first; none if it names none. `head` is its name, and `rest`
/// what follows it.
pub(crate) fn select(head: &str, rest: &str) -> Option<Result<Vec<Release>, NameError>> {
    let carrier = named(head)?;
    if carrier.row().name == TRITON {
        return Some(triton(rest));
    }
    let inside = super::select(&format!("{INSIDE}{rest}"));
    let carried = |release: Release| release.inside_of(carrier);
    Some(inside.map(|all| all.into_iter().map(carried).collect()))
}

fn triton(rest: &str) -> Result<Vec<Release>, NameError> {
    let version = rest.trim().trim_start_matches(['@', '=']).trim();
    // Tags of the container end in what else is in it: `24.01-py3`.
    let number = version.split('-').next().unwrap_or_default();
    let inside = |(carrier, one): (Carrier, TritonRelease)| {
        // Triton builds from tags, of which not every one became a package: then the newest of the minor is meant.
        let minor = one.onnxruntime.rsplit_once('.').map_or(one.onnxruntime, |(minor, _)| minor);
        let found = super::find(&format!("{INSIDE}@{}", one.onnxruntime))
            .or_else(|_| super::find(&format!("{INSIDE}@{minor}")))?;
        Ok(found.inside_of(carrier))
    };
    if version.is_empty() {
        return triton_releases().map(inside).collect();
    }
    let is = |(_, one): &(Carrier, TritonRelease)| one.container == number || one.server == number;
    let found = match version {
        "latest" | "newest" | "stable" => triton_releases().last(),
        _ => triton_releases().find(is),
    };
    let container =
        |one: Option<(Carrier, TritonRelease)>| one.map_or("", |(_, one)| one.container);
    let unknown = || NameError::Carrier {
        name: TRITON,
        version: version.to_owned(),
        first: container(triton_releases().next()),
        last: container(triton_releases().last()),
    };
    Ok(vec![inside(found.ok_or_else(unknown)?)?])
}

impl Carrier {
    fn row(self) -> &'static CarrierRow {
        &CARRIERS[usize::from(self.0)]
    }

    /// Its own version, where that is not the version of the release inside: `24.01`.
    pub fn version(self) -> Option<&'static str> {
        self.row().release.map(|release| release.container)
    }

    /// The party of the release inside, under the name of what has it inside.
    pub(crate) fn party(self, inside: &Party, version: &str) -> Party {
        let CarrierRow { name, source, release, .. } = self.row();
        let runtime = inside.capability::<OnnxRelease>();
        let mut party = inside.clone();
        let cuda = runtime.and_then(|runtime| self.cuda(runtime.version));
        let mut judged_by = "its CPU provider".to_owned();
        if let (Some(runtime), Some(cuda)) = (runtime, &cuda) {
            judged_by =
                format!("its CPU provider and the CUDA provider of {name} {}", cuda.version);
            let runtime = OnnxRelease { cuda: Some(cuda.clone()), ..runtime.clone() };
            party = party.with_capability(Arc::new(runtime));
        }
        let not_judged = self.not_judged(cuda.is_some());
        let server = release.map_or("", |release| release.server);
        let source = source.replace("{version}", server);
        party.name = format!("{name} {}", self.version().unwrap_or(version));
        party.origin = format!("ONNX Runtime {version} inside, judged by {judged_by}: {source}");
        let reason =
            format!("{} is judged as {}; not looked at: {not_judged}", party.name, inside.name);
        party.not_judged(Unjudged::new(aspect::KERNELS, reason))
    }

    /// The kernels of its CUDA provider, if it has one that was measured.
    fn cuda(self, release: Version) -> Option<CudaKernels> {
        (self.row().name == GPU.0).then(|| crate::onnx::cuda_kernels(release)).flatten()
    }

    fn not_judged(self, has_cuda: bool) -> &'static str {
        if has_cuda { GPU.1 } else { self.row().not_judged }
    }

    /// How its releases are written: `tritonserver@24.01`.
    pub(crate) fn label(self, version: &str) -> String {
        format!("{}@{}", self.row().name, self.version().unwrap_or(version))
    }

    /// What it is judged as, for people: `onnxruntime@1.16.3; not judged: …`.
    pub fn judged_as(self, release: Release) -> String {
        let has_cuda = self.cuda(release.row().version).is_some();
        format!("{}; not judged: {}", release.alone(), self.not_judged(has_cuda))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, select};

    #[test]
    fn every_line_is_read_and_every_release_of_triton_has_an_onnxruntime_of_the_database() {
        let lines = |text: &str| text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(lines(NAMED), names().count());
        let releases = lines(include_str!("../data/onnxruntime/tritonserver.tsv"));
        assert_eq!(releases, triton_releases().count());
        let all = select(TRITON).unwrap();
        for (release, (_, row)) in all.iter().zip(triton_releases()) {
            let minor = |version: &str| version.rsplit_once('.').unwrap().0.to_owned();
            assert_eq!(minor(&release.version().to_string()), minor(row.onnxruntime), "{release}");
        }
    }

    #[test]
    fn a_server_is_found_by_its_container_and_by_its_own_version() {
        let label = |name: &str| find(name).map(|one| (one.to_string(), one.version().to_string()));
        let wanted = ("tritonserver@24.01".to_owned(), "1.16.3".to_owned());
        for name in ["tritonserver@24.01", "tritonserver@24.01-py3", "tritonserver==2.42.0"] {
            assert_eq!(label(name).unwrap(), wanted, "{name}");
        }
        assert!(find("tritonserver@19.01").unwrap_err().to_string().contains("20.11 to "));
        assert!(find("tritonserver").is_err(), "several");
    }

    #[test]
    fn a_package_has_the_version_of_its_release_and_says_what_is_not_judged() {
        let release = find("onnxruntime-gpu@1.20").unwrap();
        assert_eq!(release.to_string(), "onnxruntime-gpu@1.20.1");
        let party = release.party();
        assert_eq!(party.name, "onnxruntime-gpu 1.20.1");
        assert!(party.unjudged[0].reason.contains("judged as onnxruntime 1.20.1"), "{party:?}");
        let cuda = party.capability::<OnnxRelease>().unwrap().cuda.as_ref().unwrap();
        assert_eq!(cuda.version.to_string(), "1.20.2", "there is no package of 1.20.1");
        let alone = find("onnxruntime@1.20").unwrap().party();
        assert!(alone.capability::<OnnxRelease>().unwrap().cuda.is_none());
        assert_eq!(select("onnxruntime-web>=1.19,<1.21").unwrap().len(), 2);
        assert!(find("onnxruntime-web@99").is_err());
        assert_eq!(find("onnxruntime@1.20").unwrap().party().name, "onnxruntime 1.20.1");
    }
}
