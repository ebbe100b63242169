//! A plug-in that a host of another age can use: a copy of the adapter, and the settings beside it.

mod age;
mod hint;
mod library;
mod output;
mod plugin_in_wheel;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use unskew_artifact::OpenOptions;
use unskew_core::{Context, Finding, Version, check};
use unskew_pjrt::rules::PJ111;
use unskew_pjrt_adapter_settings::{AdapterConfig, ExtensionPolicy, Identity, Unstamped};
use unskew_releases::Family;
use unskew_report::{CheckedPair, Subject};
use unskew_source::{OutputFile, ReadError};

use crate::sides::ResolvedSide;
use crate::{VerbError, side};

pub use age::Age;
pub(crate) use hint::name_plugin;
pub use library::{beside, candidates};
use output::Output;
use plugin_in_wheel::UnpackedPlugin;

/// The variable by which JAX finds plug-ins.
const VARIABLE: &str = "PJRT_NAMES_AND_LIBRARY_PATHS";

/// What the result is to be.
#[derive(Clone, Debug)]
pub enum AdaptTarget {
    /// What a released host needs: `jax@0.6.2`.
    For(String),
    /// A plug-in that presents this version.
    Present(Version),
    /// A plug-in that behaves as one that was built at this version.
    Emulate(Version),
}

/// What is to be adapted, and how.
#[derive(Clone, Debug)]
pub struct Adaptation<'a> {
    /// The plug-in, as the user named it.
    pub plugin: &'a Path,
    /// What the result is to be.
    pub wanted: AdaptTarget,
    /// Which extensions hosts see.
    pub extensions: ExtensionPolicy,
    /// What is done with serialized executables that no adapter has stamped.
    pub unstamped: Unstamped,
    /// Whether a guard page follows the table of an emulated plug-in.
    pub guard: bool,
    /// The StableHLO version that an emulated plug-in names.
    pub stablehlo: Option<Version>,
    /// The folder of the result; it is made if it is missing.
    pub output: &'a Path,
    /// The name of the result; without one, that of the plug-in.
    pub name: Option<&'a str>,
    /// The adapter as it was built: see [`beside`].
    pub adapter: &'a Path,
}

/// Where an adapted plug-in lies, and what it was made of.
#[derive(Debug)]
pub struct Adapted {
    /// Where the shared object stands.
    pub place: PathBuf,
    /// What the adapter reads when it is loaded.
    pub config: AdapterConfig,
    /// Which age it presents, and to whom.
    pub age: Age,
    /// The plug-in as it is.
    pub side: ResolvedSide,
}

impl Adapted {
    /// How its host uses it: the variables of JAX, or the call of PyTorch/XLA.
    pub fn usage(&self) -> String {
        match &self.age {
            Age::For { release, .. } if release.family() == Family::TorchXla => {
                format!(
                    "library_path() of a torch_xla plugins.DevicePlugin: {}",
                    self.place.display()
                )
            }
            _ => usage(&self.place),
        }
    }

    /// What the host says to the plug-in as it is; none if no host was named.
    pub fn pairs(&self, context: &Context) -> Vec<CheckedPair> {
        let Age::For { release, .. } = &self.age else { return Vec::new() };
        let host = release.party();
        let pair = |member: &crate::ResolvedParty| {
            let mut verdict = check(&member.party, &host, context);
            if self.config.extensions == ExtensionPolicy::None {
                // The profiler that an adapter has for its host is an extension, too.
                let extension = |finding: &&mut Finding| finding.rule.code == PJ111.code;
                verdict.findings.iter_mut().filter(extension).for_each(|one| one.adaptation = None);
            }
            CheckedPair { a: member.subject(), b: Subject::from_party(&host), verdict }
        };
        self.side.members.iter().map(pair).collect()
    }
}

/// Why a plug-in cannot be adapted.
#[derive(Debug, thiserror::Error)]
pub enum AdaptError {
    /// The path is a folder.
    #[error("not a shared object but a folder: {}", .0.display())]
    Folder(PathBuf),
    /// The wheel has no plug-in.
    #[error("no PJRT plug-in in this wheel: {}", .0.display())]
    NoneInWheel(PathBuf),
    /// The wheel has several plug-ins.
    #[error("several plug-ins in this wheel; name one of them: {0}")]
    SeveralInWheel(String),
    /// There is nothing at the path.
    #[error("no such plug-in: {}", path.display())]
    NoPlugin {
        /// As the user wrote it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The plug-in cannot be read.
    #[error("cannot read the plug-in")]
    Plugin(#[source] ReadError),
    /// Something else cannot be read or written.
    #[error("{what}")]
    Io {
        /// What could not be done.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// What was asked for cannot be presented.
    #[error("{0}")]
    Age(String),
    /// The same, and why.
    #[error("{what}")]
    AgeOf {
        /// Whose version it is.
        what: String,
        /// What is wrong with it.
        source: Box<AdaptError>,
    },
    /// The adapter is not where it should be.
    #[error("{0}")]
    NoAdapter(String),
    /// A name that the variable of JAX cannot carry.
    #[error("a name has letters, digits, `.`, `_` and `-`: {0}")]
    Name(String),
    /// The result would stand where the plug-in stands.
    #[error("the result would overwrite the plug-in; choose another folder or --name: {0}")]
    Overwrites(String),
    /// A path that the settings cannot hold.
    #[error("a path is not UTF-8")]
    NotUtf8,
}

/// Adapts a plug-in: asks it what it is, and writes the result. Asking runs it, as `options` allow.
///
/// # Errors
/// If it is no PJRT plug-in that can be asked, what is wanted cannot be presented, or a file cannot be written.
pub fn adapt(asked: &Adaptation<'_>, options: &OpenOptions) -> Result<Adapted, VerbError> {
    let Some(member) = plugin_in_wheel::find(asked.plugin)? else {
        return adapt_file(asked, options);
    };
    let unpacked = UnpackedPlugin::write(&member, asked.output)?;
    let asked = Adaptation { plugin: &unpacked.path.clone(), ..asked.clone() };
    let adapted = adapt_file(&asked, options)?;
    unpacked.keep();
    Ok(adapted)
}

fn adapt_file(asked: &Adaptation<'_>, options: &OpenOptions) -> Result<Adapted, VerbError> {
    let plugin = plugin(asked.plugin)?;
    let side = side(asked.plugin.as_os_str(), options)?;
    let age = Age::from_target(&asked.wanted, &side)?;
    let output = Output::prepare(asked.output)?;
    let place = place(asked, &plugin)?;
    let identity = Identity::measure(&plugin).map_err(AdaptError::Plugin)?;
    let config = AdapterConfig {
        extensions: asked.extensions,
        unstamped: asked.unstamped,
        guard: asked.guard,
        stablehlo: asked.stablehlo.map(|version| version.to_string()),
        identity: Some(identity),
        ..age.config(plugin)
    };
    write(asked.adapter, &place, &config)?;
    output.keep();
    Ok(Adapted { place, config, age, side })
}

/// The plug-in by its whole path, which the settings keep.
fn plugin(path: &Path) -> Result<PathBuf, AdaptError> {
    if path.is_dir() {
        return Err(AdaptError::Folder(path.to_owned()));
    }
    path.canonicalize().map_err(|source| AdaptError::NoPlugin { path: path.to_owned(), source })
}

/// Where the result will stand. Its name becomes the platform of the host, so it is made of what
/// `PJRT_NAMES_AND_LIBRARY_PATHS` can carry.
fn place(asked: &Adaptation<'_>, plugin: &Path) -> Result<PathBuf, AdaptError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let name = match asked.name {
        Some(name) if name.is_empty() || !name.chars().all(fits) => {
            return Err(AdaptError::Name(name.to_owned()));
        }
        Some(name) => name.to_owned(),
        None => {
            let stem = plugin.file_stem().unwrap_or_default().to_string_lossy();
            stem.chars().map(|c| if fits(c) && c != '.' { c } else { '_' }).collect()
        }
    };
    let folder = asked.output.canonicalize().map_err(|source| AdaptError::Io {
        what: "cannot find the folder of the result".to_owned(),
        source,
    })?;
    let place = folder.join(format!("{name}.so"));
    if place == plugin {
        return Err(AdaptError::Overwrites(name));
    }
    Ok(place)
}

/// The settings first: a shared object without them is of no use.
fn write(adapter: &Path, place: &Path, config: &AdapterConfig) -> Result<(), AdaptError> {
    let cannot = |path: &Path| {
        let what = format!("cannot write {}", path.display());
        move |source| AdaptError::Io { what, source }
    };
    let settings = settings(place, config)?;
    let beside = AdapterConfig::path_beside(place);
    let new = !beside.exists();
    // Both are loaded as files, so nothing that stands there is written into.
    let output = |path: &Path| -> io::Result<OutputFile> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        OutputFile::in_folder(path.parent().unwrap_or(Path::new(".")), &name)
    };
    let put = || -> io::Result<()> {
        let mut file = output(&beside)?;
        file.write_all(settings.as_bytes())?;
        file.commit()
    };
    put().map_err(cannot(&beside))?;
    let copy = || -> io::Result<()> {
        let mut file = output(place)?;
        io::copy(&mut std::fs::File::open(adapter)?, &mut file)?;
        file.flush()?;
        file.commit()
    };
    let copied = copy().map_err(cannot(place));
    if copied.is_err() && new {
        // Nor are settings of any use without it.
        let _ = std::fs::remove_file(&beside);
    }
    copied
}

/// The settings as a file, with a head that says how they are used.
fn settings(place: &Path, config: &AdapterConfig) -> Result<String, AdaptError> {
    let settings = config.to_toml().map_err(|_| AdaptError::NotUtf8)?;
    let library = place.file_name().unwrap_or_default().to_string_lossy();
    let usage = usage(place);
    Ok(format!(
        "# Settings of the adapted plug-in {library} beside this file; made by `unskew adapt`.\n\
         # For JAX: {usage}\n\n{settings}"
    ))
}

fn usage(place: &Path) -> String {
    let name = place.file_stem().unwrap_or_default().to_string_lossy();
    format!("{VARIABLE}={name}:{} JAX_PLATFORMS={name}", place.display())
}
