//! Public PJRT plug-ins by digest: `cargo lab harvest pjrt-plugins==published`, of one package `pjrt-plugins==libtpu`, or
//! `--from` a wheel.
//!
//! Each is asked in the sandbox, but for those that cannot be, as `unskew inspect` does it; what it says becomes a line of
//! `crates/xla/pjrt/data/plugins.tsv`, so that nobody has to run it again. Libraries of a vendor that it needs only to be loaded
//! are stood in for by empty ones.

mod macho;
mod published;
mod stand_ins;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use unskew_abi::sandbox::Confinement;
use unskew_abi::{ObjectFormat, SharedObject};
use unskew_pjrt::{KnownPlugin, Probe, digest, known_row, layout, probe_in_child, read_known_row};
use unskew_source::{Archive, FileSource, Source};

/// Large plug-ins take a while to be loaded for the first time.
const LIMIT: Duration = Duration::from_secs(60);

/// Packages whose plug-ins end their process where they may write no file; they are asked outside of the sandbox.
const OUTSIDE: [&str; 1] = ["jax-tt-plugin "];

/// The largest plug-in that is copied out of a wheel, in bytes.
const LARGEST: u64 = 2 << 30;

/// Takes the plug-ins of a wheel, or of the wheels of the index, into the table. `which` is a package, or `published` for
/// all that are known.
///
/// # Errors
/// If the index cannot be asked, or a wheel has no plug-in.
pub fn harvest(which: &str, wheel: Option<&Path>) -> anyhow::Result<()> {
    let Some(wheel) = wheel else { return published::harvest(which) };
    let mut table = PluginTable::read()?;
    plugins(wheel)?.into_iter().for_each(|plugin| table.enter(plugin));
    table.write()
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

/// The table of the crate.
struct PluginTable(Vec<KnownPlugin>);

impl PluginTable {
    /// As it stands in the file: that in this program may be older.
    fn read() -> anyhow::Result<Self> {
        let path = Self::path();
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let rows = text.lines().map(|line| read_known_row(line).context("a row cannot be read"));
        rows.collect::<anyhow::Result<_>>().map(Self)
    }

    fn path() -> PathBuf {
        unskew_peers::root().join("crates/xla/pjrt/data/plugins.tsv")
    }

    fn has(&self, sha256: &str) -> bool {
        self.0.iter().any(|row| row.sha256 == sha256)
    }

    fn enter(&mut self, plugin: KnownPlugin) {
        println!("{}: {} {}", plugin.package, plugin.probe.version(), plugin.sha256);
        self.0.retain(|row| row.sha256 != plugin.sha256);
        self.0.push(plugin);
    }

    fn write(&mut self) -> anyhow::Result<()> {
        self.0.sort_by(|a, b| (&a.package, &a.sha256).cmp(&(&b.package, &b.sha256)));
        let lines: Option<Vec<String>> = self.0.iter().map(known_row).collect();
        let text: String = lines.context("a row cannot be written")?.join("\n") + "\n";
        let path = Self::path();
        std::fs::write(&path, text).with_context(|| path.display().to_string())
    }
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
        let asked =
            ask(copy.path(), &package).with_context(|| format!("{name}: {}", entry.name))?;
        found.extend(asked);
    }
    if found.is_empty() {
        bail!("no PJRT plug-in in {name}");
    }
    Ok(found)
}

/// What the plug-in in a file says; none if the file is no plug-in.
fn ask(path: &Path, package: &str) -> anyhow::Result<Option<KnownPlugin>> {
    let file: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let Some(object) = SharedObject::read(&file)? else { return Ok(None) };
    if !unskew_pjrt::recognizes(&object) {
        return Ok(None);
    }
    let (sha256, size) = (digest(&*file)?, file.size());
    let known = |probe| KnownPlugin { sha256, size, package: package.to_owned(), probe };
    if object.format == ObjectFormat::MachO {
        return Ok(macho::probe(path)?.map(known));
    }
    let look = |libraries: Option<&Path>| {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("__look").arg(path);
        if let Some(libraries) = libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        let confinement = match OUTSIDE.iter().any(|name| package.starts_with(name)) {
            true => Confinement::None,
            false => Confinement::Sandbox,
        };
        anyhow::Ok(probe_in_child(command, LIMIT, confinement))
    };
    let probe = match look(None)? {
        Ok(probe) => probe,
        Err(alone) => {
            let libraries = tempfile::tempdir()?;
            if !stand_ins::make(&object, libraries.path())? {
                return Err(alone.into());
            }
            look(Some(libraries.path()))??
        }
    };
    Ok(Some(known(without_expected_sizes(probe))))
}

/// What was seen of a plug-in without the sizes of arguments that its minor has anyway.
fn without_expected_sizes(mut probe: Probe) -> Probe {
    let minor = probe.minor;
    probe.accepted_sizes.retain(|name, size| {
        let history = layout::structs().iter().find(|history| history.name == name);
        history
            .is_some_and(|history| history.required(minor).map(|size| size as u64) != Some(*size))
    });
    probe
}
