//! Public PJRT plug-ins by digest: `cargo lab harvest pjrt-plugins==corpus`, or `--from` a wheel.
//!
//! Each is asked in the sandbox, as `unskew inspect` does it; what it says becomes a line of
//! `crates/xla/pjrt/data/plugins.tsv`, so that nobody has to run it again.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use unskew_abi::SharedObject;
use unskew_abi::sandbox::Confinement;
use unskew_pjrt::{KnownPlugin, digest, known_plugins, known_row, probe_in_child};
use unskew_source::{Archive, FileSource, Source};

/// Large plug-ins take a while to be loaded for the first time.
const LIMIT: Duration = Duration::from_secs(60);

/// The largest plug-in that is copied out of a wheel, in bytes.
const LARGEST: u64 = 2 << 30;

/// Takes the plug-ins of a wheel, or of the wheels of the corpus, into the table.
///
/// # Errors
/// If a wheel has no plug-in, or one does not answer.
pub fn harvest(wheel: Option<&Path>) -> anyhow::Result<()> {
    let wheels = match wheel {
        Some(wheel) => vec![wheel.to_owned()],
        None => unskew_lab_harness::corpus::packages(|file| {
            file.contains("pjrt") || file.contains("xla")
        })?,
    };
    let mut rows: Vec<KnownPlugin> = known_plugins().collect();
    for wheel in wheels {
        for plugin in plugins(&wheel)? {
            println!("{}: {} {}", plugin.package, plugin.probe.version(), plugin.sha256);
            rows.retain(|row| row.sha256 != plugin.sha256);
            rows.push(plugin);
        }
    }
    rows.sort_by(|a, b| (&a.package, &a.sha256).cmp(&(&b.package, &b.sha256)));
    let lines: Option<Vec<String>> = rows.iter().map(known_row).collect();
    let text: String = lines.context("a row cannot be written")?.join("\n") + "\n";
    let table = unskew_peers::root().join("crates/xla/pjrt/data/plugins.tsv");
    std::fs::write(&table, text).with_context(|| table.display().to_string())
}

/// One plug-in that is asked what it is: what [`harvest`] starts, because a plug-in may end its process.
#[derive(clap::Args)]
pub struct Look {
    plugin: PathBuf,
}

/// Asks it, in this process, whose status says what came of it.
pub fn run_look(look: &Look) -> anyhow::Result<()> {
    std::process::exit(unskew_artifact::probe_main(&look.plugin, None))
}

/// The plug-ins in a wheel, and what they say.
fn plugins(wheel: &Path) -> anyhow::Result<Vec<KnownPlugin>> {
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let [package, version, ..] = *name.split('-').collect::<Vec<_>>() else {
        bail!("not named like a wheel: {name}")
    };
    let package = format!("{} {version}", package.replace('_', "-"));
    let source: Arc<dyn Source> = Arc::new(FileSource::open(wheel)?);
    let archive = Archive::open(source)?;
    let mut found = Vec::new();
    for entry in archive.entries().iter().filter(|entry| entry.name.ends_with(".so")) {
        let mut copy = tempfile::Builder::new().suffix(".so").tempfile()?;
        archive.copy(entry, copy.as_file_mut(), LARGEST)?;
        let file: Arc<dyn Source> = Arc::new(FileSource::open(copy.path())?);
        let object = SharedObject::read(&file)?;
        if !object.is_some_and(|object| unskew_pjrt::recognizes(&object)) {
            continue;
        }
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("__look").arg(copy.path());
        let probe = probe_in_child(command, LIMIT, Confinement::Sandbox)
            .with_context(|| format!("{name}: {}", entry.name))?;
        let sha256 = digest(&*file)?;
        found.push(KnownPlugin { sha256, size: file.size(), package: package.clone(), probe });
    }
    if found.is_empty() {
        bail!("no PJRT plug-in in {name}");
    }
    Ok(found)
}
