//! From an artifact and a release to an artifact that the release accepts.

use std::path::Path;
use std::sync::Arc;

use unskew_core::{Conversion, Party};
use unskew_releases::Release;
use unskew_source::{FileSource, Output, ReadError, Source};
use unskew_tensorflow::convert::VersionOptions;

use crate::{OpenError, Options, folder, recognize};

/// How to convert.
#[derive(Clone, Debug, Default)]
pub struct ConvertOptions {
    /// The lossy adaptations that may be used, by name.
    pub allowed: Vec<String>,
    /// What becomes of the versions of TensorFlow graphs.
    pub versions: VersionOptions,
    /// The release that wrote a PyTorch file, where the file does not show it.
    pub written_by: Option<Release>,
    /// Whether the checksums of all records of a PyTorch archive are verified first.
    pub verify: bool,
}

impl ConvertOptions {
    /// The same, as the TensorFlow boundary has them.
    fn tensorflow(&self) -> unskew_tensorflow::Options {
        let lossy = |name: &str| unskew_tensorflow::Options::LOSSY.contains(&name);
        unskew_tensorflow::Options {
            lossy: self.allowed.iter().any(|name| lossy(name)),
            versions: self.versions.clone(),
        }
    }

    /// The same, as the PyTorch boundary has them.
    fn torch(&self) -> unskew_torch::Options {
        let runtime = |release: Release| unskew_releases::torch::runtime(release.row());
        let written_by = self.written_by.and_then(runtime).map(|runtime| runtime.release.version);
        unskew_torch::Options { written_by, verify: self.verify }
    }
}

/// What a boundary makes of an artifact: none if it is not its own.
type Planned = Result<Option<(Conversion, Output)>, ReadError>;

/// A boundary's converter of one file.
type Converter = fn(&Arc<dyn Source>, Release, &ConvertOptions) -> Planned;

/// The converters of files, asked in this order.
const CONVERTERS: [Converter; 2] = [torch, tensorflow];

fn tensorflow(source: &Arc<dyn Source>, release: Release, options: &ConvertOptions) -> Planned {
    match unskew_releases::tensorflow::runtime_of(release) {
        Some(runtime) => unskew_tensorflow::convert(source, &runtime, &options.tensorflow()),
        None => Ok(None),
    }
}

/// A SavedModel folder, with all its files by their paths below it.
fn saved_model(
    path: &Path,
    release: Release,
    options: &ConvertOptions,
) -> Result<Option<(Conversion, Output)>, OpenError> {
    let Some(runtime) = unskew_releases::tensorflow::runtime_of(release) else { return Ok(None) };
    let mut files: Vec<(String, Arc<dyn Source>)> = Vec::new();
    for file in folder::files(path)? {
        let below = file.strip_prefix(path).unwrap_or(&file);
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        files.push((parts.join("/"), Arc::new(FileSource::open(&file)?)));
    }
    Ok(unskew_tensorflow::convert_saved_model(&files, &runtime, &options.tensorflow())?)
}

fn torch(source: &Arc<dyn Source>, to: Release, options: &ConvertOptions) -> Planned {
    if to.family() != unskew_releases::Family::Torch {
        return Ok(None);
    }
    match unskew_releases::torch::runtime(to.row()) {
        Some(runtime) => unskew_torch::convert(source, &runtime, &options.torch()),
        None => Ok(None),
    }
}

/// An artifact that was planned anew for a release; nothing is written yet.
pub struct Converted {
    /// What is done to it.
    pub plan: Conversion,
    /// The result.
    pub output: Output,
}

impl Converted {
    /// What the result turns out to be when it is read.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn parties(&self, options: &Options) -> Result<Vec<Party>, OpenError> {
        let files = match &self.output {
            Output::File(file) => vec![file.clone()],
            Output::Folder(files) => files
                .iter()
                .filter(|(path, _)| recognize::is_candidate(path))
                .map(|(_, file)| file.clone())
                .collect(),
        };
        let mut all = Vec::new();
        for file in files {
            let source: Arc<dyn Source> = file;
            all.extend(recognize::parties(&source, None, options)?);
        }
        Ok(all)
    }
}

/// Plans the artifact at `path` anew for `release`.
///
/// # Errors
/// If it cannot be read, or no boundary can convert it for such a release.
pub fn convert(
    path: &Path,
    release: Release,
    options: &ConvertOptions,
) -> Result<Converted, OpenError> {
    let none = || {
        let (path, release) = (path.display().to_string(), release.to_string());
        OpenError::NoConversion { path, release }
    };
    if path.is_dir() {
        let (plan, output) = saved_model(path, release, options)?.ok_or_else(none)?;
        return Ok(Converted { plan, output });
    }
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    for converter in CONVERTERS {
        if let Some((plan, output)) = converter(&source, release, options)? {
            return Ok(Converted { plan, output });
        }
    }
    Err(none())
}
