//! A portable artifact, or another form of MLIR.

use unskew_core::Version;
use unskew_source::{ReadError, Source, SourceExt};

use crate::constraints::{self, Details};
use crate::features::{self, Feature, VHLO};
use crate::{Bytecode, Dialect, text};

/// How the producer of a portable artifact begins; its version follows.
const PRODUCER: &str = "StableHLO_v";

/// The first version of all.
const FIRST: Version = Version::triple(0, 9, 0);

/// A StableHLO portable artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortableArtifact {
    /// The StableHLO version that it was written for. Early JAX wrote artifacts whose producer is MLIR's: they are of
    /// the version that they need.
    pub version: Version,
    /// Whether its producer says that version.
    pub stated: bool,
    /// The bytecode, read as far as its sections.
    pub bytecode: Bytecode,
    /// What it uses of VHLO, and beside it.
    pub features: Vec<Feature>,
    /// The names that its custom calls call, each once.
    pub targets: Vec<String>,
    /// Why its operations could not be read one by one, if they could not.
    pub unread: Option<String>,
}

/// Whether it is VHLO, with operations.
fn is_versioned(dialect: &Dialect) -> bool {
    dialect.name == VHLO && !dialect.operations.is_empty()
}

impl PortableArtifact {
    fn new(source: &dyn Source, bytecode: Bytecode, stated: Option<Version>) -> Self {
        let mut features = features::used(&bytecode);
        let (details, unread) = match constraints::read(source, &bytecode) {
            Ok(details) => (details, None),
            Err(error) => (Details::default(), Some(error.to_string())),
        };
        features.extend(details.features);
        let targets = details.targets;
        let mut artifact =
            Self { version: FIRST, stated: stated.is_some(), bytecode, features, targets, unread };
        artifact.version = stated.or_else(|| artifact.needs()).unwrap_or(FIRST);
        artifact
    }

    /// The oldest version that has everything that is used and known.
    pub fn needs(&self) -> Option<Version> {
        self.features.iter().filter_map(|feature| feature.since).max()
    }

    /// The dialects that StableHLO promises nothing about.
    pub fn other_dialects(&self) -> Vec<&str> {
        features::others(&self.bytecode).collect()
    }
}

/// What a file of MLIR is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mlir {
    /// A portable artifact, with a version.
    Artifact(PortableArtifact),
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
            let stated = version(&bytecode.producer);
            if stated.is_none() && !bytecode.dialects.iter().any(is_versioned) {
                return Ok(Some(Self::Bytecode(bytecode)));
            }
            return Ok(Some(Self::Artifact(PortableArtifact::new(source, bytecode, stated))));
        }
        let first = source.head(1)?;
        // Most files that are something else are told by their first byte.
        let may = first.first().is_some_and(|byte| b" \t\r\n/#!\"bfmv".contains(byte));
        if !may {
            return Ok(None);
        }
        let head = source.head(text::HEAD)?;
        if !text::is_named_so(source.name()) && !text::is_certain(&head) {
            return Ok(None);
        }
        Ok(text::dialects(&head).map(Self::Text))
    }
}

/// The version in the producer of a portable artifact: three numbers.
fn version(producer: &str) -> Option<Version> {
    let version: Version = producer.strip_prefix(PRODUCER)?.parse().ok()?;
    Some(version).filter(|version| version.parts().len() == 3)
}
