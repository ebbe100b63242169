//! From an artifact and a runtime to an artifact that the runtime accepts.

use std::path::Path;
use std::sync::Arc;

use unskew_core::{Conversion, Party};
use unskew_releases::Release;
use unskew_source::{ConvertedArtifact, ReadError, Source};
use unskew_tensorflow::convert::VersionOptions;

use crate::boundaries::BOUNDARIES;
use crate::location::Location;
use crate::{Content, OpenError, OpenOptions, TargetName, recognize};

/// The options of `unskew convert`.
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
    /// The same, with every lossy adaptation allowed that there is.
    pub fn lossy(mut self) -> Self {
        let all = BOUNDARIES.iter().flat_map(|boundary| boundary.lossy);
        self.allowed.extend(all.map(|name| (*name).to_owned()));
        self
    }

    /// Whether the lossy adaptation of this name may be used.
    pub(crate) fn allows(&self, name: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed == name)
    }
}

/// The bytes of an artifact that is a single file.
pub(crate) fn one_file(content: &Content) -> Option<&Arc<dyn Source>> {
    match content {
        Content::File(part) => Some(&part.source),
        Content::Folder { .. } => None,
    }
}

/// Reads the result of a conversion, where its bytes alone do not say all that is known.
type ReadAgain = Box<dyn Fn(&Arc<dyn Source>) -> Result<Option<Party>, ReadError> + Send + Sync>;

/// An artifact that was planned anew for a release; nothing is written yet.
pub struct PlannedConversion {
    /// What is done to it.
    pub plan: Conversion,
    /// The converted file or folder, not yet written.
    pub output: ConvertedArtifact,
    /// How the result is read, if not as any other file: with what is known of the artifact that it was made of.
    pub(crate) read_again: Option<ReadAgain>,
}

impl From<(Conversion, ConvertedArtifact)> for PlannedConversion {
    fn from((plan, output): (Conversion, ConvertedArtifact)) -> Self {
        Self { plan, output, read_again: None }
    }
}

impl PlannedConversion {
    /// What the result turns out to be when it is read.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn parties(&self, options: &OpenOptions) -> Result<Vec<Party>, OpenError> {
        let files = match &self.output {
            ConvertedArtifact::File(file) => vec![file.clone()],
            ConvertedArtifact::Folder(files) => files
                .iter()
                .filter(|(path, _)| recognize::is_candidate(path))
                .map(|(_, file)| file.clone())
                .collect(),
        };
        let mut all = Vec::new();
        for file in files {
            let source: Arc<dyn Source> = file;
            match &self.read_again {
                Some(read) => all.extend(read(&source)?),
                None => all.extend(recognize::parties(&source, Location::Within, options)?),
            }
        }
        Ok(all)
    }
}

/// Plans the artifact at `path` anew for a release or another target.
///
/// # Errors
/// If it cannot be read, or no boundary can convert it for such a release.
pub fn convert(
    path: &Path,
    target: impl Into<TargetName>,
    options: &ConvertOptions,
) -> Result<PlannedConversion, OpenError> {
    let target = target.into();
    convert_content(&Content::at(path)?, &target.party(), &target.to_string(), options)
}

/// Plans an artifact anew for `target`, which people call `name`. What a boundary converts for, it finds among what the
/// target provides and is capable of.
///
/// # Errors
/// As [`convert`].
pub fn convert_content(
    content: &Content,
    target: &Party,
    name: &str,
    options: &ConvertOptions,
) -> Result<PlannedConversion, OpenError> {
    for convert in BOUNDARIES.iter().filter_map(|boundary| boundary.convert) {
        if let Some(converted) = convert(content, target, options)? {
            return Ok(converted);
        }
    }
    let path = content.name().to_owned();
    Err(OpenError::NoConversion { path, release: name.to_owned() })
}
