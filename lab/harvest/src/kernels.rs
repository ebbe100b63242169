//! Takes the kernels of a TensorFlow release into the database: what it can run on a CPU and on a GPU.
//!
//! The libraries of the wheel are loaded in a child process without `import tensorflow`, as for the registry of ops. A
//! session is made first, because some devices register their kernels when they are made. Releases from 1.14 on list
//! kernels through the C API; older ones answer for each op, in words. The wheel for GPUs registers its kernels
//! without a GPU too.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use unskew_core::Version;
use unskew_lab_harness::environment::interpreter;
use unskew_lab_harness::run_command;
use unskew_source::BytesSource;
use unskew_tensorflow::{AttrValue, DataType, KernelDef, KernelHistory, read};

use crate::harvest::report;

/// Where the kernels of all releases lie, from the root of the repository.
const KERNELS: &str = "crates/judging/releases/data/tensorflow/kernels.tsv";

/// The Pythons that wheels are looked for, newest first.
const PYTHONS: [&str; 5] = ["3.11", "3.9", "3.8", "3.7", "3.6"];

/// Ops whose kernels are registered by libraries that only Python loads, and for which types.
const IN_PYTHON: [&str; 4] = [
    "EagerPyFunc(CPU)",
    "PyFunc(CPU)",
    "PyFuncStateless(CPU)",
    "SobolSample(CPU dtype=double|float)",
];

/// Loads the libraries named on the command line, and writes to the first file what `TF_GetAllRegisteredKernels` returns
/// once there is a session, whose devices it prints; of older releases, what is said of each op that the second file names.
const DUMP: &str = r#"
import ctypes, os, sys
class Buffer(ctypes.Structure):
    _fields_ = [('data', ctypes.c_void_p), ('length', ctypes.c_size_t), ('free', ctypes.c_void_p)]
libraries = [ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL | os.RTLD_LAZY) for path in sys.argv[3:]]
def function(name, result=ctypes.c_void_p):
    for library in reversed(libraries):
        if hasattr(library, name):
            found = getattr(library, name)
            found.restype = result
            return found
def pointer(name, *arguments):
    return ctypes.c_void_p(function(name)(*arguments))
everything = function('TF_GetAllRegisteredKernels', ctypes.POINTER(Buffer))
if everything:
    status = pointer('TF_NewStatus')
    session = pointer('TF_NewSession', pointer('TF_NewGraph'), pointer('TF_NewSessionOptions'), status)
    listed = pointer('TF_SessionListDevices', session, status)
    count = function('TF_DeviceListCount', ctypes.c_int)(listed)
    kind = function('TF_DeviceListType', ctypes.c_char_p)
    print('devices', *[kind(listed, ctypes.c_int(at), status).decode() for at in range(count)])
    kernels = everything(status).contents
    open(sys.argv[1], 'wb').write(ctypes.string_at(kernels.data, kernels.length))
    print('list')
else:
    name = '_ZN10tensorflow22KernelsRegisteredForOp'
    of_op = function(name + 'ENS_11StringPieceE', None) or function(name + 'EN4absl11string_viewE', None)
    with open(sys.argv[1], 'w') as file:
        for op in open(sys.argv[2]).read().split():
            # The result is a string of C++ whose first word points to its text.
            text = (ctypes.c_char * 64)()
            of_op(ctypes.byref(text), ctypes.c_char_p(op.encode()), ctypes.c_size_t(len(op)))
            first = ctypes.cast(text, ctypes.POINTER(ctypes.c_char_p))[0]
            for line in first.decode().splitlines():
                if line.strip().startswith('device='):
                    file.write(op + '\t' + line.strip() + '\n')
    print('words')
sys.stdout.flush()
os._exit(0)
"#;

/// Takes the kernels of `tensorflow==version` from its packages.
///
/// # Errors
/// If pip finds no wheel for CPUs, or its libraries cannot be loaded here.
pub fn harvest(version: &str) -> Result<()> {
    let release: Version = version.parse()?;
    let (cpu, gpu) = packages(release);
    let (mut kernels, devices) = kernels_of(cpu, version)?;
    let has_xla = devices.iter().any(|device| device == "XLA_CPU");
    let of_cpu = |kernel: &KernelDef| {
        matches!(&*kernel.device, "CPU" | "DEFAULT") || has_xla && kernel.device == "XLA_CPU"
    };
    kernels.retain(of_cpu);
    kernels.extend(IN_PYTHON.iter().filter_map(|text| text.parse().ok()));
    kernels.push("(CPU)".parse()?);
    match gpu.map(|gpu| kernels_of(gpu, version)) {
        None => println!("  no package for GPUs is asked"),
        Some(Err(error)) => println!("  nothing for GPUs: {error:#}"),
        Some(Ok((all, _))) => {
            let of_gpu = |kernel: &KernelDef| {
                kernel.device == "GPU" || has_xla && kernel.device == "XLA_GPU"
            };
            let before = kernels.len();
            kernels.extend(all.into_iter().filter(of_gpu));
            println!("  {} kernels for GPUs", kernels.len().saturating_sub(before));
            kernels.push("(GPU)".parse()?);
        }
    }
    enter(release, &kernels)
}

/// The package for CPUs, and the one for GPUs if its libraries can be loaded without one.
fn packages(release: Version) -> (&'static str, Option<&'static str>) {
    let at_least = |major, minor| release >= Version::pair(major, minor);
    let split = at_least(2, 0) && !at_least(2, 1);
    let cpu = if at_least(1, 15) && !split { "tensorflow-cpu" } else { "tensorflow" };
    let gpu = match at_least(1, 15) && !split {
        true => "tensorflow",
        false => "tensorflow-gpu",
    };
    (cpu, at_least(1, 14).then_some(gpu))
}

/// The kernels that a package registers, and the devices that a session of it has here.
fn kernels_of(package: &str, version: &str) -> Result<(Vec<KernelDef>, Vec<String>)> {
    let scratch = std::env::temp_dir().join(format!("unskew-harvest-{package}-{version}"));
    fs::create_dir_all(&scratch)?;
    let found = dump(package, version, &scratch);
    fs::remove_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
    found
}

fn dump(package: &str, version: &str, scratch: &Path) -> Result<(Vec<KernelDef>, Vec<String>)> {
    let (wheel, python) = fetch(package, version, scratch)?;
    let site = scratch.join("site");
    let program = "import sys, zipfile\nwheel = zipfile.ZipFile(sys.argv[1])\nfor name in wheel.namelist():\n    \
        if '.so' in name and '/lite/' not in name and '/contrib/' not in name: wheel.extract(name, sys.argv[2])\n";
    run_command(Command::new("python3").args(["-c", program]).args([&wheel, &site]))?;
    fs::remove_file(&wheel)?;
    let libraries = libraries(&site)?;
    let folders: Vec<String> =
        libraries.iter().filter_map(|it| Some(it.parent()?.display().to_string())).collect();
    let (list, names) = (scratch.join("kernels"), scratch.join("ops"));
    fs::write(&names, names_of(version.parse()?).join("\n"))?;
    let said = run_command(
        Command::new(interpreter(python)?)
            .args(["-c", DUMP])
            .args([&list, &names])
            .args(&libraries)
            .env("LD_LIBRARY_PATH", folders.join(":"))
            .env("CUDA_VISIBLE_DEVICES", ""),
    )?;
    let devices = said.lines().find_map(|line| line.strip_prefix("devices "));
    let devices: Vec<String> = devices.unwrap_or_default().split(' ').map(str::to_owned).collect();
    let kernels = match said.lines().any(|line| line == "list") {
        true => {
            let bytes = fs::read(&list)?;
            read::kernel_list(&BytesSource::new(list.display().to_string(), bytes))?
        }
        false => {
            let text = fs::read_to_string(&list)?;
            text.lines().map(in_words).collect::<Result<_>>()?
        }
    };
    println!("{package} {version}: {} kernels; devices: {}", kernels.len(), devices.join(", "));
    Ok((kernels, devices))
}

/// The wheel of a package for a Python that is here.
fn fetch(package: &str, version: &str, scratch: &Path) -> Result<(PathBuf, &'static str)> {
    let mut fault = None;
    for python in PYTHONS.into_iter().filter(|python| interpreter(python).is_ok()) {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
        pip.args(["--python-version", python, "--dest"]).arg(scratch);
        let fetched = run_command(pip.arg(format!("{package}=={version}")));
        match (fetched, crate::tensorflow::wheel_in(scratch)) {
            (Ok(_), Some(wheel)) => return Ok((wheel, python)),
            (Err(error), _) => fault = Some(error),
            (Ok(_), None) => {}
        }
    }
    Err(fault.unwrap_or_else(|| anyhow::anyhow!("pip fetched no wheel: {package} {version}")))
}

/// The libraries of a wheel that register kernels: what the others need first. Old wheels have their packages in a folder
/// for data.
fn libraries(site: &Path) -> Result<Vec<PathBuf>> {
    let names = [
        "libtensorflow_framework.so",
        "libtensorflow_framework.so.1",
        "libtensorflow_framework.so.2",
        "libtensorflow_cc.so.2",
        "_pywrap_tensorflow.so",
        "_pywrap_tensorflow_internal.so",
    ];
    let mut found = Vec::new();
    let mut open = vec![site.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            match names.iter().position(|known| name == *known) {
                Some(place) if path.is_file() => found.push((place, path)),
                _ if path.is_dir() => open.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    // Where the C++ library has the kernels, the Python module needs a Python around it.
    let has_cc = found.iter().any(|(place, _)| names.get(*place) == Some(&"libtensorflow_cc.so.2"));
    found.retain(|(place, _)| {
        !has_cc || names.get(*place) != Some(&"_pywrap_tensorflow_internal.so")
    });
    if found.is_empty() {
        bail!("no library with kernels in {}", site.display());
    }
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

fn names_of(release: Version) -> Vec<String> {
    let rows = unskew_releases::tensorflow::history().map(|history| history.rows());
    let texts = rows.iter().flat_map(|rows| rows.definitions_of(release));
    let mut names: Vec<String> =
        texts.filter_map(|text| Some(text.split_once('(')?.0.to_owned())).collect();
    names.dedup();
    names
}

/// A kernel as releases before 1.14 print it: `device='CPU'; label='eigen'; T in [DT_FLOAT]`.
fn in_words(line: &str) -> Result<KernelDef> {
    let wrong = || anyhow::anyhow!("not a kernel: {line}");
    let (op, words) = line.split_once('\t').ok_or_else(wrong)?;
    let mut kernel = KernelDef { op: op.to_owned(), ..KernelDef::default() };
    for word in words.split("; ") {
        let quoted = |text: &str| text.trim_matches('\'').to_owned();
        if let Some(device) = word.strip_prefix("device=") {
            kernel.device = quoted(device);
        } else if let Some(label) = word.strip_prefix("label=") {
            kernel.label = quoted(label);
        } else {
            let (name, types) = word.split_once(" in [").ok_or_else(wrong)?;
            let types = types.trim_end_matches(']').split(", ").map(|name| {
                let name = name.strip_prefix("DT_").ok_or_else(wrong)?.to_lowercase();
                Ok(AttrValue::Type(name.parse::<DataType>()?))
            });
            kernel.takes.push((name.to_owned(), types.collect::<Result<_>>()?));
        }
    }
    kernel.takes.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(kernel)
}

/// Writes the kernels of a release into the table and prints what changed.
fn enter(release: Version, kernels: &[KernelDef]) -> Result<()> {
    let path = unskew_peers::root().join(KERNELS);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            format!("#releases\t{release}\n")
        }
        other => other.with_context(|| path.display().to_string())?,
    };
    // Ops that begin so are put into a graph by a release for itself.
    let plain = |kernel: &&KernelDef| !kernel.op.starts_with("_Mkl") && kernel.label.is_empty();
    let kept: Vec<KernelDef> = kernels.iter().filter(plain).cloned().collect();
    for kernel in &kept {
        let line = kernel.to_string();
        if line.parse::<KernelDef>().ok().as_ref() != Some(kernel) {
            bail!("a kernel that does not read back as it was written: {line}");
        }
    }
    let history = KernelHistory::from_text(text)?;
    let (text, change) = history.with_release(release, &kept);
    report(&format!("tensorflow {release}, kernels"), &change);
    KernelHistory::from_text(text.clone())?.validate()?;
    println!("  {} bytes, {} lines", text.len(), text.lines().count());
    fs::write(&path, text).with_context(|| path.display().to_string())
}
