//! Names of conversion targets: a release, a version of StableHLO, MLIR text, an opset or an IR version of ONNX.

use std::fmt;
use std::sync::Arc;

use unskew_core::{Party, Provision, Role, Version};
use unskew_onnx::{OnnxRelease, OnnxTarget};
use unskew_releases::{Family, Release};

/// What a user wants an artifact converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetName {
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

impl TargetName {
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

    /// The number in `onnx-opset@11` or `ir@8`; none if it names something else, or a number that no onnx has.
    ///
    /// ```
    /// use unskew_artifact::TargetName;
    /// assert_eq!(TargetName::onnx("onnx-opset@11"), Some(TargetName::OnnxOpset(11)));
    /// assert_eq!(TargetName::onnx("ir@8"), Some(TargetName::OnnxIr(8)));
    /// assert_eq!(TargetName::onnx("onnx-opset@999"), None);
    /// ```
    pub fn onnx(name: &str) -> Option<Self> {
        let (what, number) = name.split_once('@')?;
        let number: i64 = number.parse().ok()?;
        let newest = newest_onnx().and_then(unskew_releases::onnx::runtime_of)?;
        match what {
            "onnx-opset" if (1..=newest.opset("")?).contains(&number) => {
                Some(Self::OnnxOpset(number))
            }
            "ir" if (1..=newest.ir).contains(&number) => Some(Self::OnnxIr(number)),
            _ => None,
        }
    }

    /// The release, if it is one.
    pub fn release(self) -> Option<Release> {
        if let Self::Release(release) = self { Some(release) } else { None }
    }

    /// What the runtime provides and requires. A number of ONNX is judged by the newest onnx.
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
            Self::OnnxOpset(opset) => self.of_newest_onnx(|goal| OnnxTarget {
                opsets: vec![(Box::default(), opset)],
                ..goal
            }),
            Self::OnnxIr(ir) => self.of_newest_onnx(|goal| OnnxTarget { ir: Some(ir), ..goal }),
        }
    }

    /// The newest onnx, with a goal of the name of this target that has nothing but what `only` gives it.
    fn of_newest_onnx(self, only: impl Fn(OnnxTarget) -> OnnxTarget) -> Arc<Party> {
        let name = self.to_string();
        let Some(newest) = newest_onnx().map(Release::party) else {
            return Arc::new(Party::new(name, Role::Runtime, "ONNX version"));
        };
        let Some(OnnxTarget { schemas, .. }) =
            newest.capability::<OnnxRelease>().map(OnnxTarget::for_release)
        else {
            return newest;
        };
        let opsets = Vec::new();
        let goal = only(OnnxTarget {
            name,
            opsets,
            at_most: false,
            own_opset: None,
            ir: None,
            schemas,
            runtime: None,
        });
        Arc::new(Party::clone(&newest).with_capability(Arc::new(goal)))
    }
}

/// The newest release of onnx.
fn newest_onnx() -> Option<Release> {
    unskew_releases::all().filter(|release| release.family() == Family::Onnx).last()
}

impl From<Release> for TargetName {
    fn from(release: Release) -> Self {
        Self::Release(release)
    }
}

impl fmt::Display for TargetName {
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
