//! A portable artifact, or another form of MLIR.

use unskew_core::Version;
use unskew_source::{ReadError, Source, SourceExt};

use crate::features::{self, Feature, VHLO};
use crate::{Bytecode, text};

/// How the producer of a portable artifact begins; its version follows.
const PRODUCER: &str = "StableHLO_v";

/// The dialects of an artifact that is promised to be read.
const STABLE: [&str; 2] = ["builtin", VHLO];

/// A StableHLO portable artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The StableHLO version that it was written for.
    pub version: Version,
    /// The bytecode.
    pub bytecode: Bytecode,
    /// What it uses of VHLO.
    pub features: Vec<Feature>,
}

impl Artifact {
    /// The oldest version that has everything that is used and known.
    pub fn needs(&self) -> Option<Version> {
        self.features.iter().filter_map(|feature| feature.since).max()
    }

    /// The dialects that StableHLO promises nothing about.
    pub fn other_dialects(&self) -> Vec<&str> {
        let names = self.bytecode.dialects.iter().map(|dialect| &*dialect.name);
        names.filter(|name| !STABLE.contains(name)).collect()
    }
}

/// What a file of MLIR is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mlir {
    /// A portable artifact, with a version.
    Artifact(Artifact),
    /// Bytecode that somebody else wrote.
    Bytecode(Bytecode),
    /// Text, with the dialects whose names it has.
    Text(Vec<String>),
}

impl Mlir {
    /// Reads what `source` is; none if it is no MLIR.
    ///
    /// # Errors
    /// If it is bytecode that is broken, or of a format that is not read.
    pub fn read(source: &dyn Source) -> Result<Option<Self>, ReadError> {
        if Bytecode::recognizes(source) {
            let bytecode = Bytecode::read(source)?;
            return Ok(Some(match version(&bytecode.producer) {
                Some(version) => {
                    let features = features::used(&bytecode);
                    Self::Artifact(Artifact { version, bytecode, features })
                }
                None => Self::Bytecode(bytecode),
            }));
        }
        if !text::is_named_so(source.name()) {
            return Ok(None);
        }
        let head = source.head(text::HEAD)?;
        Ok(text::dialects(&head).map(Self::Text))
    }
}

/// The version in the producer of a portable artifact: three numbers.
fn version(producer: &str) -> Option<Version> {
    let version: Version = producer.strip_prefix(PRODUCER)?.parse().ok()?;
    Some(version).filter(|version| version.parts().len() == 3)
}
