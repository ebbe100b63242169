//! Takes what the libraries of a TensorFlow wheel export into the data of the StreamExecutor boundary: the C
//! functions by name, the C++ symbols as hashes, and for macOS the images by the names that they give themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use unskew_abi::SharedObject;
use unskew_core::Version;
use unskew_extensions::tensorflow::{
    LINUX, MACOS_ARM, MACOS_INTEL, PLACES, ReleaseMask, Symbols, bit, hash,
};
use unskew_extensions::{Framework, harvest};
use unskew_source::{FileSource, Source};
use unskew_stream_executor::is_covered;

use crate::spans::Spans;

/// The library that all others need.
const FRAMEWORK: &str = "tensorflow/libtensorflow_framework.so.2";
/// The library that has most of the rest, and the one that had it before 2.12.
const CC: &str = "tensorflow/libtensorflow_cc.so.2";
const PYWRAP: &str = "tensorflow/python/_pywrap_tensorflow_internal.so";
/// What is loaded along with the Python module since 2.19.
const COMMON: &str = "tensorflow/python/lib_pywrap_tensorflow_common.so";

/// The members of a wheel for Linux that are read.
pub const LIBRARIES: [&str; 4] = [FRAMEWORK, CC, PYWRAP, COMMON];

/// The images of a wheel for macOS: the name in the tables, the member.
const IMAGES: [(&str, &str); 4] = [
    ("framework", "tensorflow/libtensorflow_framework.2.dylib"),
    ("cc", "tensorflow/libtensorflow_cc.2.dylib"),
    ("pywrap", PYWRAP),
    ("common", "tensorflow/python/lib_pywrap_tensorflow_common.dylib"),
];

/// With this module, Python loads [`PYWRAP`] for all; without it, on macOS, for itself alone.
const GLOBAL_FLAGS: &str = "tensorflow/python/pywrap_dlopen_global_flags.py";

/// The members of a wheel for macOS that are read.
pub const MACOS_MEMBERS: [&str; 5] =
    [IMAGES[0].1, IMAGES[1].1, IMAGES[2].1, IMAGES[3].1, GLOBAL_FLAGS];

/// A machine that macOS runs on, as wheels name it.
pub const MACOS_MACHINES: [&str; 2] = ["arm64", "x86_64"];

/// The table of symbols on all platforms, from the root of the repository.
const SYMBOLS: &str = "crates/c-abi/extensions/data/tensorflow.bin";

const LINUX_HEAD: &str = "# The C functions that each TensorFlow wheel for Linux exports: name, library, first release, last one \
     (empty: the newest).\n# The library is libtensorflow_framework.so.2, or `cc`: libtensorflow_cc.so.2, before \
     2.12 _pywrap_tensorflow_internal.so.\n# Measured on these releases:\n";

const MACOS_HEAD: &str = "# The C functions that each TensorFlow wheel for macOS exports: name, image, first release, last one (empty: the \
     newest).\n# The image is the one that images.tsv has by this name.\n# Measured on these releases:\n";

const IMAGES_HEAD: &str = "# What each TensorFlow wheel for macOS loads before any plug-in: name, file in site-packages, install name, \
     whether dyld looks in it for symbols that are bound to no library, first release, last one (empty: the newest).\n\
     # Measured on these releases:\n";

/// What the libraries of one wheel export.
struct Wheel {
    /// Where the tables lie, from the root of the repository.
    folder: String,
    head: &'static str,
    /// Names by the library that the table of functions has for them.
    functions: Vec<(&'static str, Vec<String>)>,
    /// The places of its platform in the table of symbols.
    places: Range<usize>,
    /// Names by the place, counted from the first of its platform.
    symbols: Vec<(usize, Vec<String>)>,
}

/// Takes the exports of `version` for Linux, whose wheel was unpacked at `site`.
///
/// # Errors
/// If the wheel has no such library, or one is broken.
pub fn take(version: &str, site: &Path) -> Result<()> {
    let exports = |library: &str| -> Result<Option<Vec<String>>> {
        Ok(object(&site.join(library))?.map(|object| object.exports))
    };
    let framework = exports(FRAMEWORK)?.context("no libtensorflow_framework.so.2")?;
    let (cc, pywrap, common) = (exports(CC)?, exports(PYWRAP)?, exports(COMMON)?);
    let rest = cc.as_ref().or(pywrap.as_ref()).context("no library with the rest")?.clone();
    let elsewhere = [cc, pywrap, common].into_iter().flatten().map(|exported| (1, exported));
    Wheel {
        folder: folder("linux"),
        places: LINUX..MACOS_ARM,
        head: LINUX_HEAD,
        functions: vec![("framework", framework.clone()), ("cc", rest)],
        symbols: [(0, framework)].into_iter().chain(elsewhere).collect(),
    }
    .enter(version)?;
    let sources = LIBRARIES.iter().map(|library| site.join(library)).filter(|path| path.exists());
    let sources: Vec<Arc<dyn Source>> = sources
        .map(|path| Ok(Arc::new(FileSource::open(&path)?) as Arc<dyn Source>))
        .collect::<Result<_>>()?;
    let columns = harvest::columns(Framework::TensorFlow, version.parse()?, &sources)?;
    // The symbols lie in the other table.
    let columns = columns.into_iter().map(|(column, _)| (column, BTreeSet::new())).collect();
    crate::symbols::enter(columns)
}

/// Takes the images of `version` for macOS on a machine of [`MACOS_MACHINES`], whose wheel was unpacked at `site`.
///
/// # Errors
/// If the wheel has no such image, or one is broken.
pub fn take_macos(version: &str, machine: &str, site: &Path) -> Result<()> {
    let folder = folder(&format!("macos-{machine}"));
    let places = match machine {
        "arm64" => MACOS_ARM..MACOS_INTEL,
        _ => MACOS_INTEL..PLACES,
    };
    let (functions, symbols) = (Vec::new(), Vec::new());
    let mut wheel = Wheel { folder, head: MACOS_HEAD, functions, places, symbols };
    let path = wheel.path("images.tsv");
    let (release, mut images) = (version.parse()?, Spans::read(&path, IMAGES_HEAD)?);
    images.enter(release);
    for (place, (name, member)) in IMAGES.into_iter().enumerate() {
        let Some(object) = object(&site.join(member))? else { continue };
        let local = name == "pywrap" && !site.join(GLOBAL_FLAGS).exists();
        let install_name = object.soname.with_context(|| format!("no install name: {member}"))?;
        let scope = if local { "local" } else { "global" };
        images.add(release, &[name, member, &install_name, scope]);
        wheel.functions.push((name, object.exports.clone()));
        wheel.symbols.push((place, object.exports));
    }
    ensure!(wheel.functions.len() > 1, "no images of TensorFlow: {}", site.display());
    images.write(&path)?;
    wheel.enter(version)
}

impl Wheel {
    fn path(&self, file: &str) -> PathBuf {
        unskew_peers::root().join(&self.folder).join(file)
    }

    /// Whether a symbol goes into the table: what plug-ins ask for, and on Linux what extensions do.
    fn keeps(&self, name: &str) -> bool {
        let for_extensions = self.places.start == LINUX;
        is_covered(name)
            || for_extensions && Framework::of_symbol(name) == Some(Framework::TensorFlow)
    }

    /// Enters them for a release, and forgets what was said of it before.
    fn enter(&self, version: &str) -> Result<()> {
        let release: Version = version.parse()?;
        let functions = self.path("exports.tsv");
        let symbols = unskew_peers::root().join(SYMBOLS);
        let mut table = Spans::read(&functions, self.head)?;
        let (at, new) = table.enter(release);
        let bit = bit(at).filter(|_| table.releases().len() <= 32);
        let bit = bit.with_context(|| format!("a mask of {} has 32 bits", self.folder))?;
        for (library, exported) in &self.functions {
            for name in exported.iter().filter(|name| is_c_api(name)) {
                table.add(release, &[name, library]);
            }
        }
        let read = Symbols::read(&fs::read(&symbols)?).with_context(|| SYMBOLS)?;
        let mut spans: BTreeMap<u64, ReleaseMask> = read.iter().collect();
        for mask in spans.values_mut().flat_map(|span| &mut span[self.places.clone()]) {
            // A new release moves those from there on up; what was said of a known one is forgotten.
            *mask = match new {
                true => *mask & (bit - 1) | (*mask & !(bit - 1)) << 1,
                false => *mask & !bit,
            };
        }
        for (place, exported) in &self.symbols {
            for name in exported.iter().filter(|name| self.keeps(name)) {
                spans.entry(hash(name)).or_default()[self.places.start + place] |= bit;
            }
        }
        spans.retain(|_, span| span.iter().any(|mask| *mask != 0));
        let hashes = Symbols::from_symbols(spans);
        let bytes = hashes.to_bytes();
        println!(
            "{} of tensorflow {version}: {} symbols in all, {} bytes",
            self.folder,
            hashes.len(),
            bytes.len()
        );
        fs::write(symbols, bytes)?;
        table.write(&functions)
    }
}

fn folder(platform: &str) -> String {
    format!("crates/tensorflow/stream-executor/data/{platform}")
}

/// What a library says; none if there is no such file.
fn object(path: &Path) -> Result<Option<SharedObject>> {
    if !path.exists() {
        return Ok(None);
    }
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    SharedObject::read(&source)?.with_context(|| path.display().to_string()).map(Some)
}

fn is_c_api(name: &str) -> bool {
    ["TF_", "TFE_", "TSL_"].iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_written_as_they_were_read() -> Result<()> {
        for (table, head) in [
            ("linux/exports.tsv", LINUX_HEAD),
            ("macos-arm64/exports.tsv", MACOS_HEAD),
            ("macos-arm64/images.tsv", IMAGES_HEAD),
            ("macos-x86_64/exports.tsv", MACOS_HEAD),
            ("macos-x86_64/images.tsv", IMAGES_HEAD),
        ] {
            let path = unskew_peers::root().join(folder(table));
            assert_eq!(Spans::read(&path, head)?.written(), fs::read_to_string(&path)?, "{table}");
        }
        Ok(())
    }
}
