//! The C and C++ libraries of a system, and what modules need of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use unskew_abi::SharedObject;
use unskew_core::{Context, Finding, Judgement, Matcher, Party, Requirement, Role, Version};
use unskew_source::{FileSource, Source};

use crate::rules::{PlatformTagUnderstates, SystemLibraryTooOld};
use crate::{Environment, InstalledPackage};

/// The libraries whose versions are judged, and the beginnings of the versions of their symbols.
const LIBRARIES: [(&str, &[&str]); 3] = [
    ("libc.so.6", &["GLIBC"]),
    ("libstdc++.so.6", &["GLIBCXX", "CXXABI"]),
    ("libgcc_s.so.1", &["GCC"]),
];

/// Where systems have them, below the root.
pub(crate) const FOLDERS: [&str; 6] = [
    "lib/x86_64-linux-gnu",
    "usr/lib/x86_64-linux-gnu",
    "lib/aarch64-linux-gnu",
    "usr/lib/aarch64-linux-gnu",
    "lib64",
    "usr/lib64",
];

/// The newest version of each family of symbols that a system has: `GLIBC` 2.28, `GLIBCXX` 3.4.25.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// How messages name it.
    pub name: String,
    /// The newest version by the family. A family that is not there is not judged.
    pub versions: BTreeMap<String, Version>,
}

impl System {
    /// The system whose root is a folder, by its libraries; without versions if it has none of them.
    pub fn of_root(name: &str, root: &Path) -> Self {
        let mut system = Self { name: name.to_owned(), ..Self::default() };
        for (library, families) in LIBRARIES {
            for folder in FOLDERS {
                // The name may be a link, which an image has none of: libstdc++.so.6.0.30 is another name of it.
                let names = root.join(folder).read_dir().into_iter().flatten().flatten();
                let names = names.filter_map(|entry| entry.file_name().into_string().ok());
                for name in names.filter(|name| is_version_of(name, library)) {
                    if let Ok(source) = FileSource::open(&root.join(folder).join(name)) {
                        system.read(&(Arc::new(source) as Arc<dyn Source>), families);
                    }
                }
            }
        }
        system
    }

    /// Whether a path in an image is one of these libraries.
    pub(crate) fn is_library(path: &Path) -> bool {
        let folder = path.parent().and_then(Path::to_str).unwrap_or_default();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        FOLDERS.contains(&folder)
            && LIBRARIES.iter().any(|(library, _)| is_version_of(name, library))
    }

    /// Whether nothing is known of it.
    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// Takes the versions that a library defines: each stands among its symbols under its own name.
    fn read(&mut self, source: &Arc<dyn Source>, families: &[&str]) {
        let Ok(Some(object)) = SharedObject::read(source) else { return };
        for name in &object.exports {
            let Some((family, version)) = name.rsplit_once('_') else { continue };
            let (true, Ok(version)) = (families.contains(&family), version.parse::<Version>())
            else {
                continue;
            };
            let newest = self.versions.entry(family.to_owned()).or_insert(version);
            *newest = version.max(*newest);
        }
    }
}

/// Whether a file is a library under its own name or that of its version: `libstdc++.so.6`, `libstdc++.so.6.0.30`.
fn is_version_of(name: &str, library: &str) -> bool {
    name.strip_prefix(library).is_some_and(|rest| {
        rest.is_empty()
            || (rest.starts_with('.')
                && rest.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// Each package that needs something of the system, and the system, if it is known.
pub(crate) fn pairs(environment: &Environment) -> Vec<(Party, Party)> {
    let Some(system) = &environment.system else { return Vec::new() };
    let capability = Arc::new(system.clone());
    let needing = environment.packages.iter().filter(|package| system.is_asked_by(package));
    let pair = |package: &InstalledPackage| {
        let matcher = SystemMatcher { package: package.clone() };
        let one = Party::new(package.label(), Role::Artifact, "package with native modules")
            .require(Requirement::matches("system.libraries", matcher));
        let other = Party::new(&*system.name, Role::Host, "system");
        (one, other.with_capability(capability.clone()))
    };
    needing.map(pair).collect()
}

impl System {
    /// Whether a package needs a version of something that is known of the system.
    fn is_asked_by(&self, package: &InstalledPackage) -> bool {
        let mut families = package.objects.iter().flat_map(|(_, needs)| needs.system.keys());
        families.any(|family| self.versions.contains_key(family))
    }
}

struct SystemMatcher {
    package: InstalledPackage,
}

impl Matcher for SystemMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let system = other.capability::<System>()?;
        let mut judgement = Judgement::default();
        for (family, has) in &system.versions {
            let needs = self.package.objects.iter().filter_map(|(path, needs)| {
                let version = needs.system.get(family).filter(|version| *version > has)?;
                Some((*version, path))
            });
            let all: Vec<(Version, &String)> = needs.collect();
            let Some((version, object)) = all.iter().max() else { continue };
            let (wanted, has) = (format!("{family}_{version}"), format!("{family}_{has}"));
            let finding = SystemLibraryTooOld {
                object,
                package: &self.package.label(),
                wanted: &wanted,
                system: &system.name,
                has: &has,
            };
            let symptom = format!("version `{wanted}' not found (required by {object})");
            let places = all.iter().map(|(_, path)| *path).collect();
            judgement.findings.push(finding.finding().with_symptom(symptom).at(places));
        }
        Some(judgement)
    }
}

/// What a wheel's platform tags promise less than its modules need.
pub(crate) fn understated(package: &InstalledPackage) -> Option<Finding> {
    // An installer takes the wheel wherever one of its tags fits.
    let promised = package.platforms.iter().filter_map(|tag| Some((least_glibc(tag)?, tag)));
    let (least, tag) = promised.min()?;
    let needs = package.objects.iter().filter_map(|(path, needs)| {
        let version = needs.system.get("GLIBC").filter(|version| **version > least)?;
        Some((*version, path))
    });
    let (version, object) = needs.max()?;
    let wanted = format!("GLIBC_{version}");
    let label = package.label();
    let finding = PlatformTagUnderstates { object, package: &label, tag, wanted: &wanted };
    Some(finding.finding())
}

/// The glibc that a platform tag counts on: 2.28 of `manylinux_2_28_x86_64`, 2.17 of `manylinux2014_aarch64`.
pub fn least_glibc(tag: &str) -> Option<Version> {
    for (old, minor) in [("manylinux1_", 5), ("manylinux2010_", 12), ("manylinux2014_", 17)] {
        if tag.starts_with(old) {
            return Some(Version::pair(2, minor));
        }
    }
    let mut numbers = tag.strip_prefix("manylinux_")?.split('_');
    let (major, minor) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    Some(Version::pair(major, minor))
}

/// The highest version of a library that each of manylinux's policies allows, with the glibc of the policy (2.5 to 2.39).
/// <https://github.com/pypa/auditwheel> has them for every machine; these are the same on x86-64 and ARM.
const POLICIES: [(&str, &[(Version, i64)]); 2] = [
    (
        "GLIBCXX",
        &[
            (Version::triple(3, 4, 8), 5),
            (Version::triple(3, 4, 13), 12),
            (Version::triple(3, 4, 19), 17),
            (Version::triple(3, 4, 22), 24),
            (Version::triple(3, 4, 24), 27),
            (Version::triple(3, 4, 28), 31),
            (Version::triple(3, 4, 29), 34),
            (Version::triple(3, 4, 30), 35),
            (Version::triple(3, 4, 33), 39),
        ],
    ),
    (
        "CXXABI",
        &[
            (Version::triple(1, 3, 1), 5),
            (Version::triple(1, 3, 3), 12),
            (Version::triple(1, 3, 7), 17),
            (Version::triple(1, 3, 10), 24),
            (Version::triple(1, 3, 11), 27),
            (Version::triple(1, 3, 12), 31),
            (Version::triple(1, 3, 13), 34),
            (Version::triple(1, 3, 15), 39),
        ],
    ),
];

/// The glibc of the oldest policy of manylinux that has this version of a library; none if no known one has.
pub(crate) fn policy_of(family: &str, version: Version) -> Option<Version> {
    if family == "GLIBC" {
        return Some(version);
    }
    let (_, policies) = POLICIES.iter().find(|(one, _)| *one == family)?;
    let (_, minor) = policies.iter().find(|(highest, _)| version <= *highest)?;
    Some(Version::pair(2, *minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_platforms_say_their_glibc() {
        for (tag, least) in [
            ("manylinux_2_28_x86_64", Some(Version::pair(2, 28))),
            ("manylinux2014_aarch64", Some(Version::pair(2, 17))),
            ("manylinux1_x86_64", Some(Version::pair(2, 5))),
            ("linux_x86_64", None),
            ("musllinux_1_2_x86_64", None),
            ("any", None),
        ] {
            assert_eq!(least_glibc(tag), least, "{tag}");
        }
    }
}
