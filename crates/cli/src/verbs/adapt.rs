//! `unskew adapt PLUGIN --for HOST | --present VERSION | --emulate VERSION -o DIR`: a plug-in that a
//! host of another age can use.

mod age;
mod library;
mod report;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use unskew_pjrt_adapter::{Config, Extensions, Identity, Unstamped};
use unskew_source::OutputFile;

use crate::args::{Adapt, Global, ShownExtensions, UnstampedChoice};
use crate::exit::Status;
use crate::{print, sides};

use age::Age;

pub fn run(args: &Adapt, global: &Global) -> anyhow::Result<Status> {
    let plugin = plugin(&args.plugin)?;
    let side = sides::side(args.plugin.as_os_str(), &sides::options(args.trusting))?;
    let age = Age::of(args, &side)?;
    let adapter = library::find(args.adapter.as_deref())?;
    let output = Output::prepare(&args.output)?;
    let place = place(args, &plugin)?;
    let identity = Identity::measure(&plugin);
    let config = Config {
        extensions: match args.extensions {
            ShownExtensions::Fitting => Extensions::Fitting,
            ShownExtensions::None => Extensions::None,
        },
        unstamped: match args.unstamped {
            UnstampedChoice::Refuse => Unstamped::Refuse,
            UnstampedChoice::Load => Unstamped::Load,
        },
        guard: args.guard,
        stablehlo: args.stablehlo.map(|version| version.to_string()),
        identity: Some(identity.context("cannot read the plug-in")?),
        ..age.config(plugin)
    };
    write(&adapter, &place, &config)?;
    output.keep();
    let text = report::text((&place, &args.plugin), &config, &age, &side, &global.context());
    print::out(&text)?;
    Ok(Status::Clean)
}

/// The plug-in by its whole path, which the settings keep.
fn plugin(path: &Path) -> anyhow::Result<PathBuf> {
    if path.is_dir() {
        bail!("not a shared object but a folder: {}", path.display());
    }
    let found = path.canonicalize();
    found.with_context(|| format!("no such plug-in: {}", path.display()))
}

/// Where the result will stand. Its name becomes the platform of the host, so it is made of what
/// `PJRT_NAMES_AND_LIBRARY_PATHS` can carry.
fn place(args: &Adapt, plugin: &Path) -> anyhow::Result<PathBuf> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let name = match &args.name {
        Some(name) if name.is_empty() || !name.chars().all(fits) => {
            bail!("a name has letters, digits, `.`, `_` and `-`: {name}")
        }
        Some(name) => name.clone(),
        None => {
            let stem = plugin.file_stem().unwrap_or_default().to_string_lossy();
            stem.chars().map(|c| if fits(c) && c != '.' { c } else { '_' }).collect()
        }
    };
    let folder = args.output.canonicalize().context("cannot find the folder of the result")?;
    let place = folder.join(format!("{name}.so"));
    if place == plugin {
        bail!("the result would overwrite the plug-in; choose another folder or --name: {name}");
    }
    Ok(place)
}

/// The folder of the result. If nothing comes into it, the folders that were made for it go again.
struct Output {
    /// Those that were not there before, the innermost first.
    made: Vec<PathBuf>,
}

impl Output {
    fn prepare(folder: &Path) -> anyhow::Result<Self> {
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = folder.ancestors().take_while(missing).map(Path::to_owned).collect();
        let output = Self { made };
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(output)
    }

    fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        for folder in &self.made {
            // One with something in it stays, and those around it.
            if std::fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }
}

/// The settings first: a shared object without them is of no use.
fn write(adapter: &Path, place: &Path, config: &Config) -> anyhow::Result<()> {
    let settings = report::settings(place, config)?;
    let beside = Config::path_beside(place);
    let new = !beside.exists();
    print::file(&beside, &settings)?;
    let copy = || -> io::Result<()> {
        let mut file = OutputFile::create(place)?;
        io::copy(&mut std::fs::File::open(adapter)?, &mut file)?;
        file.flush()?;
        file.commit()
    };
    let copied = copy().with_context(|| format!("cannot write {}", place.display()));
    if copied.is_err() && new {
        // Nor are settings of any use without it.
        let _ = std::fs::remove_file(&beside);
    }
    copied
}
