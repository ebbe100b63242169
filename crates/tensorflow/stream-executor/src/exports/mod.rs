//! Exports of TensorFlow releases to plug-ins: on Linux here, `data/linux`, on macOS [`macos`].

pub(crate) mod macos;
mod table;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::Deserialize;
use unskew_core::Version;
use unskew_extensions::tensorflow::{self, LINUX};
use unskew_tables::{packed_text, toml_table};

use crate::cpp::is_covered;

pub use macos::{LoadedImage, LoadedImages};

/// The first release that loads pluggable devices.
const FIRST_LOADER: Version = Version::pair(2, 5);

/// The first release whose symbols every library in the process sees. Before it, a plug-in sees only
/// the libraries that it needs itself, and those that they need.
const FIRST_GLOBAL: Version = Version::pair(2, 19);

/// The library that needs no other of TensorFlow; each of the others needs it.
pub(crate) const FRAMEWORK: &str = "libtensorflow_framework.so.2";

/// The library that has everything else, and the one that had it before there was that.
const CC: &str = "libtensorflow_cc.so.2";
const PYWRAP: &str = "_pywrap_tensorflow_internal.so";

/// The first release with [`CC`].
const FIRST_CC: Version = Version::pair(2, 12);

/// What one TensorFlow release offers to plug-ins. A capability of the release's party. What is said of functions and
/// symbols holds for Linux; for macOS, see [`TensorFlowExports::images`].
#[derive(Clone, Debug)]
pub struct TensorFlowExports {
    version: Version,
    /// The table of its functions, by its place in [`TABLES`].
    table: Option<usize>,
}

/// The functions of a release, each with whether [`FRAMEWORK`] exports it.
type FunctionTable = BTreeMap<&'static str, bool>;

/// A table for each of [`measured`], read when a plug-in is first held against it: most questions
/// are about no plug-in.
static TABLES: LazyLock<Vec<OnceLock<FunctionTable>>> =
    LazyLock::new(|| measured().iter().map(|_| OnceLock::new()).collect());

/// What the release `version` offers to plug-ins. Never fails: of a release whose wheel was not
/// measured, the functions are not known, the rest is.
///
/// ```
/// let exports = unskew_stream_executor::exports(&"2.21.0".parse().unwrap());
/// assert_eq!(exports.has("TF_NewStatus"), Some(true));
/// assert_eq!(exports.has("TF_AssignVariable"), Some(false));
/// assert_eq!(unskew_stream_executor::exports(&"2.22.0".parse().unwrap()).has("TF_NewStatus"), None);
/// ```
pub fn exports(version: &Version) -> Arc<TensorFlowExports> {
    let measured = measured()
        .iter()
        .position(|it| it.major() == version.major() && it.minor() == version.minor());
    Arc::new(TensorFlowExports { version: *version, table: measured })
}

impl TensorFlowExports {
    /// The release whose exports these are.
    pub fn version(&self) -> Version {
        self.version
    }

    fn functions(&self) -> Option<&'static FunctionTable> {
        let index = self.table?;
        let release = *measured().get(index)?;
        Some(TABLES.get(index)?.get_or_init(|| functions(release)))
    }

    /// Whether a library of the release exports the C function `name`; none if its exports are not
    /// known.
    pub fn has(&self, name: &str) -> Option<bool> {
        Some(self.functions()?.contains_key(name))
    }

    /// How many C functions its libraries export, if that is known.
    pub fn count(&self) -> Option<usize> {
        self.functions().map(BTreeMap::len)
    }

    /// Whether a plug-in that needs `libraries` of TensorFlow binds to the C function `name`; none
    /// if the release is not known to have it.
    ///
    /// ```
    /// let release = |version: &str| unskew_stream_executor::exports(&version.parse().unwrap());
    /// let framework = ["libtensorflow_framework.so.2".to_owned()];
    /// // It is in libtensorflow_cc.so.2, and since 2.19 that is no obstacle.
    /// assert_eq!(release("2.18.1").reaches("TFE_NewContext", &framework), Some(false));
    /// assert_eq!(release("2.19.1").reaches("TFE_NewContext", &framework), Some(true));
    /// ```
    pub fn reaches(&self, name: &str, libraries: &[String]) -> Option<bool> {
        let in_framework = *self.functions()?.get(name)?;
        let mut libraries = libraries.iter();
        let reached = libraries.any(|library| in_framework || library != FRAMEWORK);
        Some(self.symbols_are_global() || reached)
    }

    /// Whether a plug-in that needs `libraries` of TensorFlow finds the C++ symbol `name`, as it is mangled; none if
    /// that is not known of the release or of the symbol.
    ///
    /// ```
    /// let release = |version: &str| unskew_stream_executor::exports(&version.parse().unwrap());
    /// let framework = ["libtensorflow_framework.so.2".to_owned()];
    /// let fatal = "_ZN10tensorflow8internal15LogMessageFatalD1Ev";
    /// assert_eq!(release("2.10.1").reaches_cpp(fatal, &framework), Some(true));
    /// assert_eq!(release("2.18.1").reaches_cpp(fatal, &framework), Some(false));
    /// ```
    pub fn reaches_cpp(&self, name: &str, libraries: &[String]) -> Option<bool> {
        let [in_framework, in_others] =
            tensorflow::symbols().find(name, LINUX, self.table.filter(|_| is_covered(name))?);
        let all = self.symbols_are_global();
        let elsewhere = all || libraries.iter().any(|library| library != FRAMEWORK);
        let framework = all || !libraries.is_empty();
        Some(in_framework && framework || in_others && elsewhere)
    }

    /// The images that the release loads on macOS before any plug-in, as its wheel for this machine (`aarch64`,
    /// `x86-64`) has them; none if that wheel was not measured.
    ///
    /// ```
    /// let release = unskew_stream_executor::exports(&"2.19.1".parse().unwrap());
    /// let images = release.images("aarch64").unwrap();
    /// assert!(images.loaded("@rpath/_pywrap_tensorflow_internal.so", &[]).is_some());
    /// ```
    pub fn images(&self, machine: &str) -> Option<&'static LoadedImages> {
        macos::images(self.version, machine)
    }

    /// The library of the release that has what [`FRAMEWORK`] has not.
    pub(crate) fn other_library(&self) -> &'static str {
        if self.version >= FIRST_CC { CC } else { PYWRAP }
    }

    /// Whether a plug-in sees the symbols of the release without needing its libraries.
    pub(crate) fn symbols_are_global(&self) -> bool {
        self.version >= FIRST_GLOBAL
    }

    /// Whether it loads pluggable devices at all.
    pub(crate) fn loads_plugins(&self) -> bool {
        self.version >= FIRST_LOADER
    }

    /// Whether a plug-in that needs `library` finds it; none if it is no library of TensorFlow. One of
    /// another major version than any that is known is in no release.
    ///
    /// ```
    /// let release = unskew_stream_executor::exports(&"2.21.0".parse().unwrap());
    /// assert_eq!(release.has_library("libtensorflow_framework.so.2"), Some(true));
    /// assert_eq!(release.has_library("libtensorflow_framework.so.3"), Some(false));
    /// assert_eq!(release.has_library("libtensorflow_io.so"), None);
    /// ```
    pub fn has_library(&self, library: &str) -> Option<bool> {
        let Some(row) = LIBRARIES.iter().find(|row| row.name == library) else {
            return is_library(library).then_some(false);
        };
        let above = |bound: &str| bound.parse().is_ok_and(|bound: Version| self.version >= bound);
        let within = |bound: &str| {
            bound.parse().is_ok_and(|bound: Version| {
                self.version <= bound || self.version.starts_with(&bound)
            })
        };
        Some(row.since.as_deref().is_none_or(above) && row.until.as_deref().is_none_or(within))
    }
}

/// Whether `library` is one of TensorFlow, of whatever major version.
pub(crate) fn is_library(library: &str) -> bool {
    let stem = |name: &str| name.split_once(".so").map(|(stem, _)| stem.to_owned());
    LIBRARIES.iter().any(|row| row.name == library || stem(&row.name) == stem(library))
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) fn libraries() -> impl Iterator<Item = &'static str> {
    LIBRARIES.iter().map(|row| row.name.as_str())
}

/// Every C function that some release is known to export.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) fn every_function() -> impl Iterator<Item = &'static str> {
    table::rows(table()).filter_map(|row| row.first().copied()).filter(|name| !name.is_empty())
}

/// The releases whose exports on Linux are known, oldest first.
pub fn measured() -> &'static [Version] {
    static MEASURED: LazyLock<Vec<Version>> = LazyLock::new(|| table::releases(table()));
    &MEASURED
}

fn table() -> &'static str {
    packed_text!("data/linux/exports.tsv").text()
}

fn functions(release: Version) -> FunctionTable {
    let mut functions = FunctionTable::new();
    for (name, library) in table::names(table(), release) {
        *functions.entry(name).or_default() |= library == "framework";
    }
    functions
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Libraries {
    library: Vec<Library>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    name: String,
    since: Option<String>,
    until: Option<String>,
}

static LIBRARIES: LazyLock<Vec<Library>> = LazyLock::new(|| {
    let file: Libraries = toml_table!("data/linux/libraries.toml");
    file.library
});

#[cfg(test)]
mod tests {
    use unskew_extensions::{Framework, Machine, table};

    use super::*;

    fn for_release(version: &str) -> Arc<TensorFlowExports> {
        exports(&version.parse().unwrap())
    }

    #[test]
    fn the_tables_have_the_measured_sizes_with_shared_functions_once() {
        assert_eq!(measured().len(), 17);
        assert_eq!(for_release("2.5.3").count(), Some(531));
        assert_eq!(for_release("2.18.1").count(), Some(652));
        assert_eq!(for_release("2.21.0").count(), Some(614));
    }

    #[test]
    fn functions_went_away_without_a_version_saying_so() {
        for (function, last, first_without) in [
            ("TF_AssignVariable", "2.18.1", "2.19.1"),
            ("TF_CreateAndSetPjRtCApiClient", "2.18.1", "2.19.1"),
            ("TF_Log", "2.20.0", "2.21.0"),
        ] {
            assert_eq!(for_release(last).has(function), Some(true), "{function}");
            assert_eq!(for_release(first_without).has(function), Some(false), "{function}");
        }
    }

    /// As four real releases loaded plug-ins with one import and one needed library.
    #[test]
    fn what_a_plug_in_sees_depends_on_what_it_needs_until_2_18() {
        let one = |library: &str| vec![library.to_owned()];
        for release in ["2.12.1", "2.16.2", "2.18.1", "2.19.1", "2.21.0"] {
            let (release, global) =
                (for_release(release), for_release(release).symbols_are_global());
            let reaches = |name, libraries: &[String]| release.reaches(name, libraries).unwrap();
            assert!(reaches("TF_NewStatus", &one(FRAMEWORK)));
            assert_eq!(reaches("TF_NewFunctionLibraryDefinition", &one(FRAMEWORK)), global);
            assert!(reaches("TF_NewFunctionLibraryDefinition", &one("libtensorflow_cc.so.2")));
            assert!(reaches("TF_AllocateOutput", &one("libtensorflow_cc.so.2")));
            assert_eq!(reaches("TF_NewStatus", &[]), global);
        }
        assert_eq!(for_release("2.19.1").reaches("TF_AssignVariable", &one(FRAMEWORK)), None);
    }

    #[test]
    fn libraries_are_there_from_their_first_release_to_their_last() {
        let pywrap = "_pywrap_tensorflow_internal.so";
        assert_eq!(for_release("2.18.1").has_library(pywrap), Some(true));
        assert_eq!(for_release("2.19.1").has_library(pywrap), Some(false));
        assert_eq!(for_release("1.15.0").has_library("libtensorflow_framework.so.2"), Some(false));
        assert_eq!(for_release("2.5.3").has_library("libtensorflow_framework.so.2"), Some(true));
        assert_eq!(for_release("2.5.3").has_library("libc.so.6"), None);
    }

    #[test]
    fn before_2_12_the_rest_is_in_the_python_module() {
        let cc = "libtensorflow_cc.so.2";
        assert_eq!(
            (for_release("2.11.1").has_library(cc), for_release("2.12.1").has_library(cc)),
            (Some(false), Some(true))
        );
        assert_eq!(for_release("2.11.1").other_library(), "_pywrap_tensorflow_internal.so");
        let framework = [FRAMEWORK.to_owned()];
        assert_eq!(for_release("2.9.3").reaches("TFE_NewContext", &framework), Some(false));
    }

    #[test]
    fn the_table_of_cpp_symbols_is_whole() {
        let all = [FRAMEWORK.to_owned(), CC.to_owned()];
        for release in measured() {
            let release = for_release(&release.to_string());
            // Of every release that there was, and of none.
            let name = "_ZN10tensorflow8OpKernelC2EPNS_20OpKernelConstructionE";
            assert_eq!(release.reaches_cpp(name, &all), Some(true), "{}", release.version());
            let name = "_ZN10tensorflow8OpKernelC2EPNS_20OpKernelDestructionE";
            assert_eq!(release.reaches_cpp(name, &all), Some(false), "{}", release.version());
            assert_eq!(release.reaches_cpp("_ZNSt6vectorIN10tensorflow6TensorEEC2Ev", &all), None);
        }
    }

    /// A bit of a mask is a release here and a column there.
    #[test]
    fn the_releases_are_the_columns_of_extensions() {
        let columns = table().of_framework(Framework::TensorFlow, Machine::X86);
        assert_eq!(measured(), columns);
    }

    #[test]
    fn what_is_not_measured_is_not_known() {
        assert_eq!(for_release("2.22.0").has("TF_NewStatus"), None);
        assert!(for_release("2.22.0").loads_plugins() && !for_release("2.4.4").loads_plugins());
    }
}
