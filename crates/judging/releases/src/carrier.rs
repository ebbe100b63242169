//! Packages and servers that have an ONNX Runtime inside: `onnxruntime-web@1.20`, `tritonserver@24.01`.
//!
//! People name what they install. A carrier is judged as the release inside, by its CPU provider, and says so; which release
//! that is tells its own version, or for Triton the table `data/onnxruntime/tritonserver.tsv`.

use unskew_core::{Party, Unjudged, aspect};

use crate::{NameError, Release};

/// What has the release of another name inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Carrier {
    /// Its name: `tritonserver`.
    pub name: &'static str,
    /// Its own version, where that is not the version of the release inside: `24.01`.
    pub version: Option<&'static str>,
    /// What of it is not judged.
    not_judged: &'static str,
    /// Where it is said what is inside.
    source: &'static str,
    /// The version of the program, where `version` is that of its container.
    program: &'static str,
}

/// The family that carriers have inside.
const INSIDE: &str = "onnxruntime";

/// The carrier whose releases are numbered in a way of their own.
const TRITON: &str = "tritonserver";

/// A row of the table of Triton.
struct TritonRelease {
    container: &'static str,
    server: &'static str,
    onnxruntime: &'static str,
}

fn lines(text: &'static str) -> impl DoubleEndedIterator<Item = Vec<&'static str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn carriers() -> impl Iterator<Item = Carrier> {
    lines(include_str!("../data/onnxruntime/carriers.tsv")).filter_map(|cells| match *cells {
        [name, not_judged, source] => {
            Some(Carrier { name, version: None, not_judged, source, program: "" })
        }
        _ => None,
    })
}

fn triton_releases() -> impl DoubleEndedIterator<Item = TritonRelease> {
    lines(include_str!("../data/onnxruntime/tritonserver.tsv")).filter_map(|cells| match *cells {
        [container, server, onnxruntime] => Some(TritonRelease { container, server, onnxruntime }),
        _ => None,
    })
}

/// The names of all carriers.
pub fn names() -> impl Iterator<Item = &'static str> {
    carriers().map(|carrier| carrier.name)
}

/// The carrier of this name.
fn named(name: &str) -> Option<Carrier> {
    let name = name.to_ascii_lowercase().replace(['_', '.'], "-");
    carriers().find(|carrier| carrier.name == name)
}

/// The releases that a name of a carrier stands for, oldest first; none if it names none. `head` is its name, and `rest`
/// what follows it.
pub(crate) fn select(head: &str, rest: &str) -> Option<Result<Vec<Release>, NameError>> {
    let carrier = named(head)?;
    if carrier.name == TRITON {
        return Some(triton(carrier, rest));
    }
    let inside = super::select(&format!("{INSIDE}{rest}"));
    let carried = |release: Release| release.inside_of(carrier);
    Some(inside.map(|all| all.into_iter().map(carried).collect()))
}

fn triton(carrier: Carrier, rest: &str) -> Result<Vec<Release>, NameError> {
    let version = rest.trim().trim_start_matches(['@', '=']).trim();
    // Tags of the container end in what else is in it: `24.01-py3`.
    let number = version.split('-').next().unwrap_or_default();
    let inside = |one: TritonRelease| {
        // Triton builds from tags, of which not every one became a package: then the newest of the minor is meant.
        let minor = one.onnxruntime.rsplit_once('.').map_or(one.onnxruntime, |(minor, _)| minor);
        let found = super::find(&format!("{INSIDE}@{}", one.onnxruntime))
            .or_else(|_| super::find(&format!("{INSIDE}@{minor}")))?;
        let (version, program) = (Some(one.container), one.server);
        Ok(found.inside_of(Carrier { version, program, ..carrier }))
    };
    if version.is_empty() {
        return triton_releases().map(inside).collect();
    }
    let is = |one: &TritonRelease| one.container == number || one.server == number;
    let found = match version {
        "latest" | "newest" | "stable" => triton_releases().last(),
        _ => triton_releases().find(is),
    };
    let unknown = || NameError::Carrier {
        name: carrier.name,
        version: version.to_owned(),
        first: triton_releases().next().map_or("", |one| one.container),
        last: triton_releases().last().map_or("", |one| one.container),
    };
    Ok(vec![inside(found.ok_or_else(unknown)?)?])
}

impl Carrier {
    /// The party of the release inside, under the name of what has it inside.
    pub(crate) fn party(self, inside: &Party, version: &str) -> Party {
        let mut party = inside.clone();
        let own = self.version.unwrap_or(version);
        let what = format!("ONNX Runtime {version} inside, judged by its CPU provider");
        let source = self.source.replace("{version}", self.program);
        party.name = format!("{} {own}", self.name);
        party.origin = format!("{what}: {source}");
        let reason = format!(
            "{} is judged as {}; not looked at: {}",
            party.name, inside.name, self.not_judged
        );
        party.not_judged(Unjudged::new(aspect::KERNELS, reason))
    }

    /// How its releases are written: `tritonserver@24.01`.
    pub(crate) fn label(self, version: &str) -> String {
        format!("{}@{}", self.name, self.version.unwrap_or(version))
    }

    /// What it is judged as, for people: `onnxruntime@1.16.3; not judged: …`.
    pub fn judged_as(self, release: Release) -> String {
        format!("{}; not judged: {}", release.alone(), self.not_judged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, select};

    #[test]
    fn every_line_is_read_and_every_release_of_triton_has_an_onnxruntime_of_the_database() {
        for (text, count) in [
            (include_str!("../data/onnxruntime/carriers.tsv"), carriers().count()),
            (include_str!("../data/onnxruntime/tritonserver.tsv"), triton_releases().count()),
        ] {
            assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), count);
        }
        let all = select(TRITON).unwrap();
        for (release, row) in all.iter().zip(triton_releases()) {
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
        assert_eq!(select("onnxruntime-web>=1.19,<1.21").unwrap().len(), 2);
        assert!(find("onnxruntime-web@99").is_err());
        assert_eq!(find("onnxruntime@1.20").unwrap().party().name, "onnxruntime 1.20.1");
    }
}
