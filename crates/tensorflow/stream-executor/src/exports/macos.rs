//! Images that TensorFlow's wheels for macOS load, and what dyld finds in them: `data/macos-*`.
//!
//! On macOS a plug-in does not just name symbols. The linker writes next to each symbol which library it found it in
//! (two-level namespace), and dyld looks there and nowhere else; what the linker was told to leave open
//! (`-undefined dynamic_lookup`) dyld looks for in every image that is loaded and not local. So three things decide:
//!
//! * Which image is the library that a plug-in names. One that begins with `@rpath/` is, before any path is tried,
//!   an image that is loaded already and gives itself that very name (its *install name*). TensorFlow 2.20 did not
//!   move `_pywrap_tensorflow_internal.so`, it gave it another install name, and no plug-in finds it any more.
//! * What that image exports, of its own or by handing on what another has.
//! * Which images are *local*: up to 2.19 Python loads `_pywrap_tensorflow_internal.so` for itself alone, so what only
//!   that one has is not found by a plug-in that leaves open where it is.
//!
//! Measured on Apple's plug-in: this says of each of its releases what users reported of it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use unskew_core::{CompressedText, Version};
use unskew_extensions::tensorflow;
use unskew_tables::packed_text;

use super::table;
use crate::cpp::{is_covered, is_cpp};

/// How many images may have symbols.
const PLACES: usize = 4;

/// The images by the names that the tables have for them.
const NAMES: [&str; PLACES] = ["framework", "cc", "pywrap", "common"];

/// The folder of `site-packages` that plug-ins lie in.
const PLUGINS: &str = "tensorflow-plugins";

/// What was measured for one machine.
struct MachineImages {
    machine: &'static str,
    /// The C functions by image and release, as those of Linux.
    functions: &'static CompressedText,
    /// The images by release: name, file in `site-packages`, install name, `local` or `global`.
    images: &'static str,
    /// Where its images begin in the table of C++ symbols.
    first_place: usize,
    /// Its releases, oldest first, with the images of those that were asked for.
    releases: OnceLock<Vec<(Version, OnceLock<LoadedImages>)>>,
}

static PLATFORMS: [MachineImages; 2] = [
    MachineImages {
        machine: "aarch64",
        functions: packed_text!("data/macos-arm64/exports.tsv"),
        images: include_str!("../../data/macos-arm64/images.tsv"),
        first_place: tensorflow::MACOS_ARM,
        releases: OnceLock::new(),
    },
    MachineImages {
        machine: "x86-64",
        functions: packed_text!("data/macos-x86_64/exports.tsv"),
        images: include_str!("../../data/macos-x86_64/images.tsv"),
        first_place: tensorflow::MACOS_INTEL,
        releases: OnceLock::new(),
    },
];

impl MachineImages {
    fn releases(&self) -> &[(Version, OnceLock<LoadedImages>)] {
        self.releases.get_or_init(|| {
            let releases = table::releases(self.functions.text()).into_iter();
            releases.map(|release| (release, OnceLock::new())).collect()
        })
    }
}

/// The releases whose wheels for macOS on this machine are known, oldest first.
pub(crate) fn measured(machine: &str) -> impl DoubleEndedIterator<Item = Version> {
    let platform = PLATFORMS.iter().filter(move |platform| platform.machine == machine);
    platform.flat_map(|platform| platform.releases().iter().map(|(release, _)| *release))
}

/// The images of a release; none if they are not known.
pub(super) fn images(version: Version, machine: &str) -> Option<&'static LoadedImages> {
    let platform = PLATFORMS.iter().find(|platform| platform.machine == machine)?;
    let same = |(release, _): &(Version, _)| {
        (release.major(), release.minor()) == (version.major(), version.minor())
    };
    let index = platform.releases().iter().position(same)?;
    let (release, images) = platform.releases().get(index)?;
    Some(images.get_or_init(|| LoadedImages::read(platform, index, *release)))
}

/// The last release with a wheel for macOS on this machine, if `version` is a later one that has none: one that is
/// known on another machine.
pub(crate) fn last_wheel(version: Version, machine: &str) -> Option<Version> {
    let last = measured(machine).next_back()?;
    let elsewhere = PLATFORMS.iter().any(|platform| images(version, platform.machine).is_some());
    (version > last && elsewhere && images(version, machine).is_none()).then_some(last)
}

/// Whether a path that a plug-in names as needed is a library of TensorFlow, of whatever release.
pub(crate) fn is_library(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    stem.contains("pywrap_tensorflow")
        || ["libtensorflow_framework", "libtensorflow_cc"].contains(&stem)
}

/// The name of the package that has a release for macOS: for ARM it was Apple's until 2.12.
pub(crate) fn package(version: Version, machine: &str) -> &'static str {
    match machine == "aarch64" && version < Version::pair(2, 13) {
        true => "tensorflow-macos",
        false => "tensorflow",
    }
}

/// A shared object of TensorFlow that is loaded before any plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadedImage {
    /// The file, from `site-packages`.
    pub file: &'static str,
    /// The name that it gives itself, by which dyld knows it.
    pub install_name: &'static str,
    /// Whether dyld looks in it for symbols that are bound to no library.
    pub global: bool,
    place: usize,
}

/// What a release loads on macOS before any plug-in.
#[derive(Debug)]
pub struct LoadedImages {
    images: Vec<LoadedImage>,
    /// The C functions, with a bit for every image that has one.
    functions: BTreeMap<&'static str, u8>,
    first_place: usize,
    release: usize,
}

impl LoadedImages {
    fn read(platform: &'static MachineImages, release: usize, version: Version) -> Self {
        let place = |name: &str| NAMES.iter().position(|it| *it == name);
        let image = |row: Vec<&'static str>| {
            let [name, file, install_name, scope] = *row else { return None };
            Some(LoadedImage { file, install_name, global: scope == "global", place: place(name)? })
        };
        let mut functions: BTreeMap<&str, u8> = BTreeMap::new();
        for (name, image) in table::names(platform.functions.text(), version) {
            *functions.entry(name).or_default() |= place(image).map_or(0, |place| 1 << place);
        }
        let images = table::cells(platform.images, version).filter_map(image).collect();
        Self { images, functions, first_place: platform.first_place, release }
    }

    /// All images, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = &LoadedImage> {
        self.images.iter()
    }

    /// The image that dyld takes for the library that a plug-in in `site-packages/tensorflow-plugins` needs by this
    /// path, `rpaths` being where `@rpath` leads. None if it finds none.
    ///
    /// ```
    /// let release = |version: &str| unskew_stream_executor::exports(&version.parse().unwrap());
    /// let pywrap = "@rpath/_pywrap_tensorflow_internal.so";
    /// let newest = release("2.21.0").images("aarch64").unwrap();
    /// assert!(newest.loaded(pywrap, &[]).is_none());
    /// // The file is there, and a path that leads to it does find it.
    /// let rpaths = ["@loader_path/../tensorflow/python".to_owned()];
    /// assert!(newest.loaded(pywrap, &rpaths).is_some());
    /// ```
    pub fn loaded(&self, path: &str, rpaths: &[String]) -> Option<&LoadedImage> {
        if let Some(image) = self.images.iter().find(|image| image.install_name == path) {
            return Some(image);
        }
        let paths: Vec<String> = match path.strip_prefix("@rpath/") {
            Some(rest) => rpaths
                .iter()
                .map(|rpath| format!("{}/{rest}", rpath.trim_end_matches('/')))
                .collect(),
            None => vec![path.to_owned()],
        };
        let files: Vec<String> = paths.iter().filter_map(|path| in_site_packages(path)).collect();
        self.images.iter().find(|image| files.iter().any(|file| file == image.file))
    }

    /// The images that export a symbol, a C function of TensorFlow or a mangled C++ name, without the underscore in
    /// front of it. None if it is not known of such a name.
    ///
    /// ```
    /// let release = unskew_stream_executor::exports(&"2.19.1".parse().unwrap());
    /// let images = release.images("aarch64").unwrap();
    /// let files = |name| Some(images.with(name)?.map(|image| image.file).collect::<Vec<_>>());
    /// let [all, framework, pywrap] = [
    ///     "tensorflow/libtensorflow_cc.2.dylib",
    ///     "tensorflow/libtensorflow_framework.2.dylib",
    ///     "tensorflow/python/_pywrap_tensorflow_internal.so",
    /// ];
    /// assert_eq!(files("TFE_NewContext").unwrap(), [all]);
    /// // Up to 2.19 all three export it.
    /// assert_eq!(files("TF_DeleteStatus").unwrap(), [all, framework, pywrap]);
    /// ```
    pub fn with(&self, name: &str) -> Option<impl Iterator<Item = &LoadedImage>> {
        let has: [bool; PLACES] = match is_cpp(name) {
            true if is_covered(name) => {
                tensorflow::symbols().find(name, self.first_place, self.release)
            }
            true => return None,
            false => {
                let mask = self.functions.get(name).copied().unwrap_or_default();
                std::array::from_fn(|place| mask & (1 << place) != 0)
            }
        };
        Some(self.images.iter().filter(move |image| has.get(image.place) == Some(&true)))
    }
}

/// A path from the plug-in's own folder, as one from `site-packages`; none if it leads elsewhere.
fn in_site_packages(path: &str) -> Option<String> {
    let rest = path.strip_prefix("@loader_path/")?;
    let mut parts = vec![PLUGINS];
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_release(version: &str, machine: &str) -> &'static LoadedImages {
        images(version.parse().unwrap(), machine).unwrap()
    }

    /// As another reader of the same wheels (llvm-objdump) counts them.
    #[test]
    fn the_tables_have_the_measured_sizes() {
        for (release, framework, cc, pywrap) in [
            ("2.16.2", 168, 544, 86),
            ("2.18.1", 169, 545, 86),
            ("2.19.1", 169, 545, 86),
            ("2.20.0", 155, 515, 0),
            ("2.21.0", 152, 515, 0),
        ] {
            let images = for_release(release, "aarch64");
            let count = |place: usize| {
                images.functions.values().filter(|mask| **mask & (1 << place) != 0).count()
            };
            assert_eq!([count(0), count(1), count(2)], [framework, cc, pywrap], "{release}");
        }
    }

    #[test]
    fn every_release_has_images_and_symbols_of_its_own() {
        let name = "_ZN10tensorflow8OpKernelC2EPNS_20OpKernelConstructionE";
        let never = "_ZN10tensorflow8OpKernelC2EPNS_20OpKernelDestructionE";
        for machine in ["aarch64", "x86-64"] {
            assert!(measured(machine).count() >= 12, "{machine}");
            for release in measured(machine) {
                let images = images(release, machine).unwrap();
                let framework = images.loaded("@rpath/libtensorflow_framework.2.dylib", &[]);
                assert!(framework.is_some_and(|image| image.global), "{machine} {release}");
                assert!(images.with(name).unwrap().count() > 0, "{machine} {release}");
                assert_eq!(images.with(never).unwrap().count(), 0, "{machine} {release}");
                assert!(images.with("_ZNSt6vectorIN10tensorflow6TensorEEC2Ev").is_none());
            }
        }
    }

    #[test]
    fn the_python_module_has_its_own_name_until_2_19_and_is_local_as_long() {
        let path = "@rpath/_pywrap_tensorflow_internal.so";
        for release in measured("aarch64") {
            let found = images(release, "aarch64").unwrap().loaded(path, &[]);
            let old = release < Version::pair(2, 20);
            assert_eq!(found.map(|image| image.global), old.then_some(false), "{release}");
        }
    }

    #[test]
    fn there_is_no_wheel_for_intel_after_2_16() {
        let last = |version: &str, machine| last_wheel(version.parse().unwrap(), machine);
        assert_eq!(last("2.17.1", "x86-64").map(|it| it.to_string()).as_deref(), Some("2.16.2"));
        assert_eq!((last("2.16.1", "x86-64"), last("2.21.0", "aarch64")), (None, None));
        assert_eq!((last("2.22.0", "x86-64"), last("2.21.0", "arm")), (None, None));
    }

    #[test]
    fn paths_from_the_folder_of_plug_ins_stay_in_site_packages() {
        let file = |path| in_site_packages(path);
        assert_eq!(file("@loader_path/../tensorflow//x.so").as_deref(), Some("tensorflow/x.so"));
        assert_eq!(file("@loader_path/x.so").as_deref(), Some("tensorflow-plugins/x.so"));
        assert_eq!(file("@loader_path/../../../x.so"), None);
        assert_eq!(file("/opt/x.so"), None);
    }
}
