//! Takes a TensorFlow release into the database: its op registry and its GraphDef version.
//!
//! `harvest` takes both from a real package: pip fetches the wheel into a scratch folder, its shared
//! libraries are unpacked, and a child process asks them for all ops through the C API, which needs
//! no `import tensorflow` and none of its dependencies. The version is read from a header that every
//! wheel carries. `harvest_from_oplist` takes a registry that was dumped elsewhere. Both end in the
//! same merge, which can be run again at any time: a release that is there already is replaced, and
//! the difference is printed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use unskew_core::Version;
use unskew_lab_harness::run_command;
use unskew_source::BytesSource;
use unskew_tensorflow::{OpHistory, read};

use crate::command::set_day;
use crate::exports;
use crate::harvest::report;
use crate::row::{self, Row};

/// Where the history of op registries lies, from the root of the repository.
const OPS: &str = "crates/judging/releases/data/tensorflow/ops.tsv";
/// Where the other facts of the releases lie.
const RELEASES: &str = "crates/judging/releases/data/tensorflow/releases.toml";
/// Where a wheel says its GraphDef version.
const HEADERS: [&str; 2] = [
    "tensorflow/include/tensorflow/core/public/version.h",
    "tensorflow/include/tensorflow/core/public/release_version.h",
];
/// Where a wheel has the PJRT C API that its library was compiled with; releases up to 2.13 give it no version.
const PJRT: [&str; 2] = [
    "tensorflow/include/xla/pjrt/c/pjrt_c_api.h",
    "tensorflow/include/tensorflow/compiler/xla/pjrt/c/pjrt_c_api.h",
];
/// The libraries that have the C API, the newest layout first; what they need is loaded before.
const LIBRARIES: [&str; 4] = [
    "tensorflow/libtensorflow_framework.so.2",
    "tensorflow/libtensorflow_framework.so.1",
    "tensorflow/libtensorflow_cc.so.2",
    "tensorflow/python/_pywrap_tensorflow_internal.so",
];

/// The packages of a release: the one for CPUs is smaller.
const PACKAGES: [&str; 2] = ["tensorflow-cpu", "tensorflow"];

/// A wheel with fewer bytes has no library.
const SMALLEST: u64 = 1 << 20;

/// Loads the libraries named on the command line and writes what `TF_GetAllOpList` returns to the
/// file named first. The last library that has the function has the most ops.
const DUMP: &str = r#"
import ctypes, os, sys
class Buffer(ctypes.Structure):
    _fields_ = [('data', ctypes.c_void_p), ('length', ctypes.c_size_t), ('free', ctypes.c_void_p)]
libraries = [ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL | os.RTLD_LAZY) for path in sys.argv[2:]]
for library in reversed(libraries):
    if hasattr(library, 'TF_GetAllOpList'):
        library.TF_GetAllOpList.restype = ctypes.POINTER(Buffer)
        ops = library.TF_GetAllOpList().contents
        open(sys.argv[1], 'wb').write(ctypes.string_at(ops.data, ops.length))
        os._exit(0)
sys.exit('no library has TF_GetAllOpList')
"#;

/// Takes the registry and the GraphDef version of `tensorflow==version` from its package.
///
/// # Errors
/// If pip does not find the version, or its libraries cannot be loaded here.
pub fn harvest(version: &str) -> Result<()> {
    let scratch = std::env::temp_dir().join(format!("unskew-harvest-tensorflow-{version}"));
    fs::create_dir_all(&scratch)?;
    let wheel = fetch(version, &scratch)?;
    let site = scratch.join("site");
    unpack(&wheel, &site, &[&HEADERS[..], &PJRT, &LIBRARIES, &exports::LIBRARIES].concat())?;
    exports::take(version, &site)?;
    let mut row = Row::new(version);
    set_day(&mut row, "tensorflow", version);
    row.set("graph_def", graph_def_version(&site)?.to_string());
    if let Some(minor) = defined(&site, &PJRT, "PJRT_API_MINOR") {
        row.set("pjrt", minor.to_string());
    }
    row::enter(RELEASES, &format!("tensorflow {version}"), &row)?;
    let libraries: Vec<PathBuf> =
        LIBRARIES.iter().map(|path| site.join(path)).filter(|path| path.exists()).collect();
    let list = scratch.join("ops.pb");
    let folders = format!("{0}/tensorflow:{0}/tensorflow/python", site.display());
    let dump = Command::new("python3")
        .args(["-c", DUMP])
        .arg(&list)
        .args(&libraries)
        .env("LD_LIBRARY_PATH", folders)
        .output()?;
    if !dump.status.success() {
        bail!("{}: {}", site.display(), String::from_utf8_lossy(&dump.stderr).trim());
    }
    harvest_from_oplist(version, &list)
}

/// Takes only what the libraries of `tensorflow==version` export, and leaves nothing behind.
///
/// # Errors
/// If pip does not find the version, or a library is broken.
pub fn harvest_exports(version: &str) -> Result<()> {
    let scratch = std::env::temp_dir().join(format!("unskew-harvest-exports-{version}"));
    fs::create_dir_all(&scratch)?;
    let (wheel, site) = (fetch(version, &scratch)?, scratch.join("site"));
    unpack(&wheel, &site, &exports::LIBRARIES)?;
    exports::take(version, &site)?;
    fs::remove_dir_all(&scratch).with_context(|| scratch.display().to_string())
}

/// Takes what the images of `tensorflow==version` export on macOS from its wheels, or from one at hand, and leaves
/// nothing behind. A release has no wheel for some machines.
///
/// # Errors
/// If pip finds no wheel, or an image is broken.
pub fn harvest_macos(version: &str, at_hand: Option<&Path>) -> Result<()> {
    let mut fault = None;
    let mut taken = 0;
    for machine in exports::MACOS_MACHINES {
        let scratch = std::env::temp_dir().join(format!("unskew-harvest-{machine}-{version}"));
        fs::create_dir_all(&scratch)?;
        let wheel = match at_hand {
            Some(wheel) if !wheel.to_string_lossy().contains(machine) => continue,
            Some(wheel) => Ok(wheel.to_owned()),
            None => fetch_macos(version, machine, &scratch),
        };
        let site = scratch.join("site");
        let done = wheel.and_then(|wheel| {
            unpack(&wheel, &site, &exports::MACOS_MEMBERS)?;
            exports::take_macos(version, machine, &site)
        });
        fs::remove_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
        match done {
            Ok(()) => taken += 1,
            Err(error) => {
                println!("  nothing for {machine}: {error:#}");
                fault = Some(error);
            }
        }
    }
    match (taken, fault) {
        (0, fault) => {
            Err(fault.unwrap_or_else(|| anyhow::anyhow!("no wheel for macOS: {version}")))
        }
        _ => Ok(()),
    }
}

/// The wheel of a release for macOS. For ARM it is Apple's package up to 2.12; the one of 2.13 to 2.15 has what the
/// other has.
fn fetch_macos(version: &str, machine: &str, scratch: &Path) -> Result<PathBuf> {
    let mut fault = None;
    for (package, python) in ["tensorflow", "tensorflow-macos"]
        .into_iter()
        .flat_map(|package| ["3.11", "3.9"].map(|python| (package, python)))
    {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
        // This stands for every older macOS as well.
        pip.args(["--platform", &format!("macosx_12_0_{machine}")]);
        pip.args(["--python-version", python, "--dest"]).arg(scratch);
        let fetched = run_command(pip.arg(format!("{package}=={version}")));
        match (fetched, wheel_in(scratch)) {
            // A package that only asks for the other one has no image.
            (Ok(_), Some(wheel)) if fs::metadata(&wheel)?.len() < SMALLEST => {
                fs::remove_file(wheel)?;
            }
            (Ok(_), Some(wheel)) => return Ok(wheel),
            (Err(error), _) => fault = Some(error),
            (Ok(_), None) => {}
        }
    }
    Err(fault.unwrap_or_else(|| anyhow::anyhow!("pip fetched no wheel: {version} for {machine}")))
}

fn unpack(wheel: &Path, site: &Path, members: &[&str]) -> Result<()> {
    let program = "import sys, zipfile\nwheel = zipfile.ZipFile(sys.argv[1])\n\
        for name in wheel.namelist():\n    if name in sys.argv[3:]: wheel.extract(name, sys.argv[2])\n";
    run_command(Command::new("python3").args(["-c", program]).args([wheel, site]).args(members))?;
    Ok(())
}

/// Takes the registry of `version` from a file with an `OpList`.
///
/// # Errors
/// If the file is none, or an op of it cannot be written on one line and read back.
pub fn harvest_from_oplist(version: &str, path: &Path) -> Result<()> {
    let release: Version = version.parse()?;
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    let ops = read::op_list(&BytesSource::new(path.display().to_string(), bytes))?;
    if ops.is_empty() {
        bail!("no op in the list: {}", path.display());
    }
    for op in &ops {
        let line = op.to_string();
        let again = line.parse().with_context(|| line.clone())?;
        if *op != again {
            bail!("an op that does not read back as it was written: {line}");
        }
    }
    let path = unskew_peers::root().join(OPS);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            format!("#releases\t{version}\n")
        }
        other => other.with_context(|| path.display().to_string())?,
    };
    let history = OpHistory::from_text(text)?;
    let before = history.rows().text().len();
    let (text, change) = history.with_release(release, &ops);
    report(&format!("tensorflow {version}"), &change);
    let same = text == history.rows().text();
    OpHistory::from_text(text.clone())?.validate()?;
    println!(
        "  {} bytes, {before} before; changed: {}",
        text.len(),
        if same { "no" } else { "yes" }
    );
    fs::write(&path, text).with_context(|| path.display().to_string())
}

pub(crate) fn wheel_in(folder: &Path) -> Option<PathBuf> {
    let mut paths = fs::read_dir(folder).ok()?.filter_map(|file| Some(file.ok()?.path()));
    paths.find(|path| path.extension().is_some_and(|ending| ending == "whl"))
}

/// The wheel of a release, fetched unless it is there.
fn fetch(version: &str, scratch: &Path) -> Result<PathBuf> {
    if let Some(wheel) = wheel_in(scratch) {
        return Ok(wheel);
    }
    let mut fault = None;
    // A release has wheels for the Pythons of its day only; its libraries are the same in all of them.
    let pythons = ["", "--python-version=3.11", "--python-version=3.9"];
    for (package, python) in pythons.iter().flat_map(|it| PACKAGES.map(|package| (package, it))) {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
        pip.args(Some(python).filter(|python| !python.is_empty()));
        let fetched =
            run_command(pip.arg("--dest").arg(scratch).arg(format!("{package}=={version}")));
        match (fetched, wheel_in(scratch)) {
            (Ok(_), Some(wheel)) => return Ok(wheel),
            (Err(error), _) => fault = Some(error),
            (Ok(_), None) => {}
        }
    }
    Err(fault.unwrap_or_else(|| anyhow::anyhow!("pip fetched no wheel: {version}")))
}

/// The number that the headers of a wheel define.
fn graph_def_version(site: &Path) -> Result<i64> {
    let defined = defined(site, &HEADERS, "TF_GRAPH_DEF_VERSION");
    defined.context("no TF_GRAPH_DEF_VERSION in the headers of the wheel")
}

/// The number that one of these headers defines, where it is there.
fn defined(site: &Path, headers: &[&str], name: &str) -> Option<i64> {
    let texts = headers.iter().filter_map(|path| fs::read_to_string(site.join(path)).ok());
    let number = |text: String| {
        let line = text.lines().find(|line| line.contains(&format!("define {name} ")))?;
        line.split_whitespace().nth(2)?.parse().ok()
    };
    texts.filter_map(number).next()
}
