//! From an artifact and a release to an artifact that the release accepts.

use std::path::Path;
use std::sync::Arc;

use unskew_core::{Conversion, Party};
use unskew_releases::Release;
use unskew_source::{FileSource, Output, ReadError, Source};

use crate::{OpenError, Options, recognize};

/// How to convert.
#[derive(Clone, Debug, Default)]
pub struct ConvertOptions {
    /// The lossy adaptations that may be used, by name.
    pub allowed: Vec<String>,
}

/// What a boundary makes of an artifact: none if it is not its own.
type Planned = Result<Option<(Conversion, Output)>, ReadError>;

/// A boundary's converter of one file.
type Converter = fn(&Arc<dyn Source>, Release, &ConvertOptions) -> Planned;

/// The converters of files, asked in this order.
const CONVERTERS: [Converter; 0] = [];

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
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    for converter in CONVERTERS {
        if let Some((plan, output)) = converter(&source, release, options)? {
            return Ok(Converted { plan, output });
        }
    }
    let (path, release) = (path.display().to_string(), release.to_string());
    Err(OpenError::NoConversion { path, release })
}
