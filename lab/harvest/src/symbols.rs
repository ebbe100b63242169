//! `cargo lab harvest torch-symbols==2.15.0`: what a release exports, for native extensions;
//! `extensions==torchao==0.18.0`: what the extensions in a wheel need.
//!
//! Wheels come from the index by `pip download`, or with `--from` from a file, or a folder of files.

use std::fs;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};
use unskew_core::Version;
use unskew_extensions::{
    ExportTable, Framework, OWN_CHECK_FILE, OwnCheck, PackageExtensions, harvest, wheels,
};
use unskew_lab_harness::run_command;
use unskew_source::{Archive, FileSource, Source};

/// The platforms of wheels for Linux, newest first.
const PLATFORMS: [&str; 9] = [
    "manylinux_2_34",
    "manylinux_2_28",
    "manylinux_2_27",
    "manylinux_2_24",
    "manylinux2014",
    "manylinux_2_17",
    "manylinux2010",
    "manylinux_2_12",
    "manylinux1",
];

/// The machines, as wheels name them.
pub(crate) const MACHINES: [&str; 2] = ["x86_64", "aarch64"];

/// The most bytes of a library.
const LIBRARY: u64 = 4 << 30;

fn data(file: &str) -> PathBuf {
    unskew_peers::root().join("crates/c-abi/extensions/data").join(file)
}

/// Adds the columns of a release of PyTorch to the table of exports.
pub(crate) fn torch(version: &str, from: Option<&Path>) -> anyhow::Result<()> {
    let release: Version = version.parse()?;
    for wheel in wheels_of("torch", version, &MACHINES, from)?.paths()? {
        let archive = Archive::open(Arc::new(FileSource::open(&wheel)?))?;
        let libraries =
            members(&archive, &|path| harvest::is_offered(Framework::Torch, path))?.into_iter();
        let libraries: Vec<Arc<dyn Source>> = libraries.map(|(_, source)| source).collect();
        let columns = harvest::columns(Framework::Torch, release, &libraries)?;
        for (column, names) in &columns {
            println!("{column}: {} symbols", names.len());
        }
        enter(columns)?;
    }
    Ok(())
}

/// Enters columns into the table of exports; one that is there is replaced.
pub(crate) fn enter(columns: harvest::Columns) -> anyhow::Result<()> {
    // The file and not what was built in: one release may be harvested after the other without a build between.
    let file = data("exports.bin");
    let table = ExportTable::read(&fs::read(&file)?)?.with(columns)?;
    let bytes = table.write();
    println!("{} symbols in {} bytes", table.symbols(), bytes.len());
    fs::write(file, bytes)?;
    println!(
        "now harvest the wheels of wheels.tsv again: what is kept of them is less than they need"
    );
    Ok(())
}

/// Adds what the extensions in wheels need; a wheel that is there already is replaced.
pub(crate) fn extensions(package: &str, from: Option<&Path>) -> anyhow::Result<()> {
    let (name, version) = package.split_once("==").unwrap_or((package, ""));
    // The file and not what was built in: one wheel may be harvested after the other without a build between.
    let text = fs::read_to_string(data("wheels.tsv"))?;
    let mut all = wheels::read(&text)
        .map_err(|line| anyhow::anyhow!("wheels.tsv has a line that is none: {line}"))?;
    for path in wheels_of(name, version, &MACHINES, from)?.paths()? {
        let wheel = needs(&path).with_context(|| path.display().to_string())?;
        println!("{}: {} extensions", wheel.file, wheel.objects.len());
        all.retain(|one| one.file != wheel.file);
        if !wheel.objects.is_empty() {
            all.push(wheel);
        }
    }
    all.sort_by(|a, b| a.file.cmp(&b.file));
    let head = "# Made by `cargo lab harvest extensions==WHEEL`: what the extensions in published wheels need.\n";
    let rows: String = all.iter().map(wheels::Wheel::write).collect();
    fs::write(data("wheels.tsv"), format!("{head}{rows}"))?;
    Ok(())
}

fn needs(path: &Path) -> anyhow::Result<wheels::Wheel> {
    let file = path.file_name().and_then(|name| name.to_str()).context("a name")?.to_owned();
    let (mut digest, mut block) = (Sha256::new(), vec![0; 1 << 20]);
    let mut reader = fs::File::open(path)?;
    loop {
        match reader.read(&mut block)? {
            0 => break,
            n => digest.update(&block[..n]),
        }
    }
    let sha256 = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let archive = Archive::open(Arc::new(FileSource::open(path)?))?;
    let is_object = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.ends_with(".so") || (name.contains(".so.") && !name.ends_with(".py"))
    };
    let read = PackageExtensions::read(&members(&archive, &is_object)?);
    for problem in &read.problems {
        println!("  {problem}");
    }
    let extends = read.objects.into_iter().filter(|(_, needs)| !needs.frameworks.is_empty());
    let objects = extends.map(|(path, needs)| (path, needs.reduced())).collect();
    let version = file.split('-').nth(1).unwrap_or_default();
    let check = archive.entry(OWN_CHECK_FILE).map(|entry| archive.read(entry)).transpose()?;
    let check = check.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let loads_with = check.and_then(|text| OwnCheck::from_text(version, &text));
    Ok(wheels::Wheel { sha256, requires: requires(&archive)?, loads_with, objects, file })
}

/// What a wheel requires of a framework in any case: `torch==2.9.1`.
fn requires(archive: &Archive) -> anyhow::Result<Option<String>> {
    let is = |entry: &&unskew_source::ArchiveMember| entry.name.ends_with(".dist-info/METADATA");
    let Some(entry) = archive.entries().iter().find(is) else { return Ok(None) };
    let text = String::from_utf8_lossy(&archive.read(entry)?).into_owned();
    let head = text.lines().take_while(|line| !line.is_empty());
    let mut all = head.filter_map(|line| line.strip_prefix("Requires-Dist:"));
    let requirement = all.find_map(|text| {
        let text = text.replace([' ', '(', ')'], "");
        let end = text.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)))?;
        let named = Framework::named(&text[..end]).is_some();
        (named && !text.contains(';')).then_some(text)
    });
    Ok(requirement)
}

/// The members of a wheel whose paths are wanted, each copied to a file: a large compressed one cannot be read in pieces.
pub(crate) fn members(
    archive: &Archive,
    wanted: &dyn Fn(&str) -> bool,
) -> anyhow::Result<Vec<(String, Arc<dyn Source>)>> {
    let mut all: Vec<(String, Arc<dyn Source>)> = Vec::new();
    for entry in archive.entries().iter().filter(|entry| wanted(&entry.name)) {
        let mut file = tempfile::tempfile()?;
        archive.copy(entry, &mut file, LIBRARY)?;
        file.rewind()?;
        let source = FileSource::of_file(&format!("{}!{}", archive.name(), entry.name), file)?;
        all.push((entry.name.clone(), Arc::new(source)));
    }
    Ok(all)
}

/// Wheels on this machine; the folder goes with it.
pub(crate) struct Wheels {
    at: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

impl Wheels {
    pub(crate) fn paths(&self) -> anyhow::Result<Vec<PathBuf>> {
        if self.at.is_file() {
            return Ok(vec![self.at.clone()]);
        }
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.at)? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "whl") {
                all.push(path);
            }
        }
        all.sort();
        Ok(all)
    }
}

/// The wheels of a release for each of these machines that has one.
pub(crate) fn wheels_of(
    package: &str,
    version: &str,
    machines: &[&str],
    from: Option<&Path>,
) -> anyhow::Result<Wheels> {
    if let Some(from) = from {
        return Ok(Wheels { at: from.to_owned(), _folder: None });
    }
    let folder = tempfile::tempdir()?;
    for machine in machines {
        // The first Python that has a wheel is as good as any other: frameworks' libraries are the same for all.
        let got = ["3.11", "3.12", "3.10", "3.9"].iter().find(|python| {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]);
            pip.args(["--python-version", python]).arg("-d").arg(folder.path());
            for platform in PLATFORMS {
                pip.arg("--platform").arg(format!("{platform}_{machine}"));
            }
            run_command(pip.arg(format!("{package}=={version}"))).is_ok()
        });
        if got.is_none() {
            println!("no wheel of {package} {version} for {machine}");
        }
    }
    Ok(Wheels { at: folder.path().to_owned(), _folder: Some(folder) })
}
