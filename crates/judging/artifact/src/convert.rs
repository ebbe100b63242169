//! From an artifact and a runtime to an artifact that the runtime accepts.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use unskew_core::{Conversion, Party, Provision, Role, Version};
use unskew_releases::{Family, Release};
use unskew_source::{Output, ReadError, Source};
use unskew_tensorflow::convert::VersionOptions;

use crate::location::Location;
use crate::onnx;
use crate::{Content, OpenError, Options, recognize};

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
        let all = unskew_tensorflow::Options::LOSSY.into_iter();
        let all = all.chain([unskew_stablehlo::rewrite::APPROXIMATE, unskew_keras::UNCOMPILED]);
        self.allowed.extend(all.map(str::to_owned));
        self
    }

    /// The same, as the TensorFlow boundary has them.
    fn tensorflow(&self) -> unskew_tensorflow::Options {
        let lossy = |name: &str| unskew_tensorflow::Options::LOSSY.contains(&name);
        unskew_tensorflow::Options {
            lossy: self.allowed.iter().any(|name| lossy(name)),
            versions: self.versions.clone(),
        }
    }

    /// The same, as the boundary of Keras has them.
    fn keras(&self) -> unskew_keras::Options {
        let uncompiled = self.allowed.iter().any(|one| one == unskew_keras::UNCOMPILED);
        unskew_keras::Options { uncompiled }
    }

    /// The same, as the boundaries of StableHLO have them.
    fn stablehlo(&self) -> unskew_stablehlo::rewrite::Options {
        let name = unskew_stablehlo::rewrite::APPROXIMATE;
        unskew_stablehlo::rewrite::Options {
            approximate: self.allowed.iter().any(|one| one == name),
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

/// The runtime for which an artifact is converted: a release, or a device that was built from one.
#[derive(Clone, Debug)]
pub enum Target {
    /// A PyTorch release, with its operator table.
    Torch(Box<unskew_torch::Runtime>),
    /// A TensorFlow release, with its op registry.
    TensorFlow(Box<unskew_tensorflow::Runtime>),
    /// A reader of StableHLO: of this version, or the release that has it.
    StableHlo {
        /// What it is called: `jax@0.5.3`.
        name: String,
        /// The StableHLO that it reads.
        version: Version,
        /// The JAX that it is, if it is one: it reads files of `jax.export`.
        jax: Option<Version>,
    },
    /// MLIR text, for people and for MLIR's tools.
    MlirText,
    /// An ONNX Runtime, an onnx, an opset or an IR version.
    Onnx(Box<unskew_onnx::Goal>),
    /// A Keras release, with its classes.
    Keras(Box<unskew_keras::Keras>),
    /// A runtime for which nothing is converted, by its name.
    Other(String),
}

impl From<Release> for Target {
    fn from(release: Release) -> Self {
        let target =
            match release.family() {
                Family::Torch => unskew_releases::torch::runtime(release.row())
                    .map(|one| Self::Torch(Box::new(one))),
                Family::TensorFlow => unskew_releases::tensorflow::runtime_of(release)
                    .map(|one| Self::TensorFlow(Box::new(one))),
                Family::Jax => unskew_releases::jax::stablehlo(release.row()).map(|version| {
                    let jax = Some(release.row().version);
                    Self::StableHlo { name: release.to_string(), version, jax }
                }),
                Family::OnnxRuntime | Family::Onnx => {
                    onnx::goal(release.into()).map(|one| Self::Onnx(Box::new(one)))
                }
                Family::TorchXla | Family::Tfjs => None,
                Family::Keras => unskew_releases::keras::runtime(release.row())
                    .map(|one| Self::Keras(Box::new(one))),
            };
        target.unwrap_or_else(|| Self::Other(release.to_string()))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Torch(runtime) => match &runtime.device {
                Some(device) => f.write_str(&device.name),
                None => write!(f, "torch@{}", runtime.release.version),
            },
            Self::TensorFlow(runtime) => write!(f, "tensorflow@{}", runtime.version),
            Self::Keras(keras) => write!(f, "keras@{}", keras.version),
            Self::Onnx(goal) => f.write_str(&goal.name),
            Self::MlirText => f.write_str(MLIR),
            Self::StableHlo { name, .. } | Self::Other(name) => f.write_str(name),
        }
    }
}

/// For whom a user wants an artifact converted: a release, or readers of a StableHLO version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A release of the database.
    Release(Release),
    /// Readers of this version of StableHLO, whatever they are.
    StableHlo(Version),
    /// A program as MLIR text (`--to mlir`).
    MlirText,
    /// Exactly this opset of ONNX's own domain, up or down.
    OnnxOpset(i64),
    /// This version of the format of ONNX models.
    OnnxIr(i64),
}

/// What MLIR text is called as a target.
const MLIR: &str = "mlir";

impl Wanted {
    /// MLIR text, if that is what `mlir` names.
    pub fn mlir(name: &str) -> Option<Self> {
        (name == MLIR).then_some(Self::MlirText)
    }

    /// The version in `stablehlo@1.0.0`; none if it names something else, or a version that is none of StableHLO's.
    pub fn stablehlo(name: &str) -> Option<Self> {
        let version: Version = name.strip_prefix("stablehlo@")?.parse().ok()?;
        let parts = version.parts();
        let at = |at: usize| parts.get(at).copied().unwrap_or_default();
        let version = Version::triple(at(0), at(1), at(2));
        unskew_stablehlo::landed(version).map(|_| Self::StableHlo(version))
    }

    /// The release, if it is one.
    pub fn release(self) -> Option<Release> {
        if let Self::Release(release) = self { Some(release) } else { None }
    }

    /// What the runtime provides and requires.
    pub fn party(self) -> Arc<Party> {
        match self {
            Self::Release(release) => release.party(),
            Self::StableHlo(version) => {
                let party =
                    Party::new(format!("StableHLO {version}"), Role::Host, "StableHLO version");
                Arc::new(unskew_stablehlo::reader(party, version))
            }
            Self::MlirText => {
                let party = Party::new("MLIR text", Role::Host, "MLIR text");
                let party = party
                    .provide(Provision::version(unskew_stablehlo::TEXT_AXIS, Version::number(1)));
                Arc::new(unskew_stablehlo::reader(party, unskew_stablehlo::KNOWN))
            }
            Self::OnnxOpset(_) | Self::OnnxIr(_) => onnx::judge(self),
        }
    }
}

impl From<Release> for Wanted {
    fn from(release: Release) -> Self {
        Self::Release(release)
    }
}

impl From<Wanted> for Target {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Release(release) => release.into(),
            Wanted::StableHlo(version) => {
                Self::StableHlo { name: wanted.to_string(), version, jax: None }
            }
            Wanted::MlirText => Self::MlirText,
            Wanted::OnnxOpset(_) | Wanted::OnnxIr(_) => match onnx::goal(wanted) {
                Some(goal) => Self::Onnx(Box::new(goal)),
                None => Self::Other(wanted.to_string()),
            },
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Release(release) => release.fmt(f),
            Self::StableHlo(version) => write!(f, "stablehlo@{version}"),
            Self::MlirText => f.write_str(MLIR),
            Self::OnnxOpset(number) => write!(f, "onnx-opset@{number}"),
            Self::OnnxIr(number) => write!(f, "ir@{number}"),
        }
    }
}

/// What the boundary of `target` makes of one file.
fn file(
    source: &Arc<dyn Source>,
    target: &Target,
    options: &ConvertOptions,
) -> Result<Option<Converted>, ReadError> {
    let planned = match target {
        Target::Torch(runtime) => {
            let converted = unskew_torch::convert_with_origin(source, runtime, &options.torch())?;
            return Ok(converted.map(|(plan, output, origin)| Converted {
                plan,
                output,
                origin: Some(origin),
            }));
        }
        Target::TensorFlow(runtime) => {
            // Files of Keras are read by what comes with TensorFlow.
            if let Some(keras) = unskew_releases::keras::of_tensorflow(runtime.version)
                && let Some(converted) = unskew_keras::convert(source, &keras, options.keras())?
            {
                return Ok(Some(converted.into()));
            }
            unskew_tensorflow::convert(source, runtime, &options.tensorflow())?
        }
        Target::StableHlo { version, jax, .. } => {
            match (unskew_stablehlo::rewrite::convert(source, *version, &options.stablehlo())?, jax)
            {
                (None, Some(jax)) => {
                    unskew_jax_export::convert(source, *jax, *version, &options.stablehlo())?
                }
                (planned, _) => planned,
            }
        }
        Target::MlirText => match unskew_stablehlo::print::convert(source)? {
            Some(printed) => Some(printed),
            None => match unskew_jax_export::Exported::read(source)? {
                Some((_, program)) => {
                    let program: Arc<dyn Source> = Arc::new(program);
                    unskew_stablehlo::print::convert(&program)?
                }
                None => None,
            },
        },
        Target::Keras(keras) => unskew_keras::convert(source, keras, options.keras())?,
        Target::Onnx(goal) => unskew_onnx::convert(source, goal)?,
        Target::Other(_) => None,
    };
    Ok(planned.map(Converted::from))
}

/// What it makes of a SavedModel folder, with all its files by their paths below it.
fn saved_model(
    files: &[(String, Arc<dyn Source>)],
    target: &Target,
    options: &ConvertOptions,
) -> Planned {
    match target {
        Target::TensorFlow(runtime) => {
            unskew_tensorflow::convert_saved_model(files, runtime, &options.tensorflow())
        }
        Target::Torch(_)
        | Target::Keras(_)
        | Target::StableHlo { .. }
        | Target::MlirText
        | Target::Onnx(_)
        | Target::Other(_) => Ok(None),
    }
}

/// An artifact that was planned anew for a release; nothing is written yet.
pub struct Converted {
    /// What is done to it.
    pub plan: Conversion,
    /// The converted file or folder, not yet written.
    pub output: Output,
    /// What is known of a PyTorch file that it was converted from.
    origin: Option<unskew_torch::Origin>,
}

impl From<(Conversion, Output)> for Converted {
    fn from((plan, output): (Conversion, Output)) -> Self {
        Self { plan, output, origin: None }
    }
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
            if let Some(origin) = &self.origin {
                let party = unskew_torch::party_converted(&source, origin);
                all.extend(party.map_err(OpenError::from)?);
                continue;
            }
            all.extend(recognize::parties(&source, Location::Within, options)?);
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
    target: impl Into<Target>,
    options: &ConvertOptions,
) -> Result<Converted, OpenError> {
    convert_content(&Content::at(path)?, &target.into(), options)
}

/// Plans an artifact anew for `target`.
///
/// # Errors
/// As [`convert`].
pub fn convert_content(
    content: &Content,
    target: &Target,
    options: &ConvertOptions,
) -> Result<Converted, OpenError> {
    let planned = match content {
        Content::File(part) => file(&part.source, target, options)?,
        Content::Folder { parts, .. } => {
            let files: Vec<(String, Arc<dyn Source>)> =
                parts.iter().map(|part| (part.name.clone(), part.source.clone())).collect();
            saved_model(&files, target, options)?.map(Converted::from)
        }
    };
    planned.ok_or_else(|| OpenError::NoConversion {
        path: content.name().to_owned(),
        release: target.to_string(),
    })
}
