//! What ONNX models are converted to: a release, an opset or an IR version.

use std::sync::Arc;

use unskew_core::{Party, Role};
use unskew_onnx::Goal;
use unskew_releases::{Family, Release};
use unskew_source::{ReadError, Source};

use crate::Wanted;

impl Wanted {
    /// The number in `onnx-opset@11` or `ir@8`; none if it names something else, or a number that no onnx has.
    ///
    /// ```
    /// use unskew_artifact::Wanted;
    /// assert_eq!(Wanted::onnx("onnx-opset@11"), Some(Wanted::OnnxOpset(11)));
    /// assert_eq!(Wanted::onnx("ir@8"), Some(Wanted::OnnxIr(8)));
    /// assert_eq!(Wanted::onnx("onnx-opset@999"), None);
    /// ```
    pub fn onnx(name: &str) -> Option<Self> {
        let (what, number) = name.split_once('@')?;
        let number: i64 = number.parse().ok()?;
        let newest = newest().and_then(unskew_releases::onnx::runtime_of)?;
        match what {
            "onnx-opset" if (1..=newest.opset("")?).contains(&number) => {
                Some(Self::OnnxOpset(number))
            }
            "ir" if (1..=newest.ir).contains(&number) => Some(Self::OnnxIr(number)),
            _ => None,
        }
    }
}

/// The reduced build of ONNX Runtime that a configuration asks for; none if it is no configuration.
///
/// # Errors
/// If it is one, and is broken.
pub(crate) fn reduced_build(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(schemas) = unskew_releases::onnx::schemas() else { return Ok(None) };
    let build = unskew_onnx::reduced_build(&**source, &schemas)?;
    Ok(build.map(|build| build.party()))
}

/// The newest release of onnx.
fn newest() -> Option<Release> {
    unskew_releases::all().filter(|release| release.family() == Family::Onnx).last()
}

/// Who judges a model with a number: the newest onnx.
pub(crate) fn judge(wanted: Wanted) -> Arc<Party> {
    let nobody = || Arc::new(Party::new(wanted.to_string(), Role::Runtime, "ONNX version"));
    newest().map_or_else(nobody, Release::party)
}

/// The goal of a conversion; none for what no ONNX model is converted to.
pub(crate) fn goal(wanted: Wanted) -> Option<Goal> {
    let runtime = unskew_releases::onnx::runtime_of(wanted.release().or_else(newest)?)?;
    let whole = Goal::of(&runtime);
    let name = wanted.to_string();
    Some(match wanted {
        Wanted::OnnxOpset(opset) => {
            let opsets = vec![(Box::default(), opset)];
            Goal { name, opsets, at_most: false, ir: None, runtime: None, ..whole }
        }
        Wanted::OnnxIr(ir) => {
            Goal { name, opsets: Vec::new(), at_most: false, ir: Some(ir), runtime: None, ..whole }
        }
        Wanted::Release(_) | Wanted::StableHlo(_) | Wanted::MlirText => whole,
    })
}
