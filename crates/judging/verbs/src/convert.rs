//! An artifact that a release accepts, made from one that it does not.

use std::path::{Path, PathBuf};

use unskew_artifact::{
    ConvertOptions, OpenOptions, PLAIN_CHECKPOINT, PlannedConversion, TEXT_TO_BYTES, TargetName,
    endings_of, names_a_format,
};
use unskew_core::{Context, Conversion, Finding, Party, Severity, Verdict};
use unskew_releases::Family;
use unskew_report::{CheckedPair, Report, Subject, Written};

use crate::VerbError;

/// The rule of a file that needs a library beside the release, such as torchvision.
const LIBRARY: &str = "OP004";

/// The rule of a checkpoint that `torch.load` takes only with `weights_only=False`.
const STRICT_LOADER: &str = "PT501";

/// What is to be converted, and for whom.
#[derive(Clone, Debug)]
pub struct ConvertRequest<'a> {
    /// A file or a SavedModel folder.
    pub artifact: &'a Path,
    /// The release, or the reader of StableHLO, that is to accept the result.
    pub to: TargetName,
    /// Where the result is written; without it the plan is made and nothing is written.
    pub output: Option<&'a Path>,
    /// Makes the plan, and writes nothing even with an output.
    pub dry_run: bool,
    /// What may be done.
    pub options: ConvertOptions,
}

/// A file is written under a name of its own.
fn refuse_folder(artifact: &Path, output: &Path) -> Result<(), VerbError> {
    if !output.is_dir() || artifact.is_dir() {
        return Ok(());
    }
    let name = artifact.file_name().unwrap_or_default();
    Err(VerbError::Question(format!(
        "{} is a folder, and the result is a file; name the file, such as {}",
        output.display(),
        output.join(format!("converted-{}", name.to_string_lossy())).display()
    )))
}

/// The target of a conversion by its name: `torch@2.1`, `stablehlo@1.0.0`, `mlir`, `onnx-opset@11`.
///
/// # Errors
/// If it is neither a release nor a number of one of these formats.
pub fn conversion_target(name: &str) -> Result<TargetName, VerbError> {
    let number = TargetName::stablehlo(name).or_else(|| TargetName::onnx(name));
    match number.or_else(|| TargetName::mlir(name)) {
        Some(target) => Ok(target),
        None if name.starts_with("onnx-opset@") || name.starts_with("ir@") => {
            Err(VerbError::Question(format!("{name} is no number that a release of onnx has")))
        }
        None if name.starts_with("stablehlo@") => Err(VerbError::Question(format!(
            "{name} is no version of StableHLO; write one such as stablehlo@1.0.0, from 0.9.0 on"
        ))),
        None if Family::of_package(name) == Some(Family::Onnx) => Err(VerbError::Question(
            "convert exports nothing to ONNX: torch.onnx.export and tf2onnx do. An ONNX model is converted to \
             onnxruntime@1.14, onnx-opset@11 or ir@8"
                .to_owned(),
        )),
        None => Ok(unskew_releases::find(name)?.into()),
    }
}

/// Plans the conversion, asks the release what it says to the result, and writes it if nothing stands in the way.
/// The report has the plan, what stands in the way, the verdict, and what was written.
///
/// # Errors
/// If the artifact cannot be read or the result not be written, or the result would replace the artifact.
pub fn convert(request: &ConvertRequest<'_>, context: Context) -> Result<Report, VerbError> {
    let ConvertRequest { artifact, to, output, dry_run, options } = request;
    if let Some(output) = output {
        refuse_overlap(artifact, output)?;
        refuse_folder(artifact, output)?;
    }
    let converted = unskew_artifact::convert(artifact, *to, options)?;
    let parties = converted.parties(&OpenOptions::default());
    if let Some(output) = output {
        refuse_bytes_as_text(&converted, output)?;
        if let Some(party) = parties.iter().flatten().next() {
            refuse_another_format(party, output)?;
        }
    }
    let mut report = Report::new(context);
    if converted.plan.is_possible() {
        report.pairs = judge(&parties.map_err(VerbError::Result)?, request, &report.context)?;
    }
    let plan = &converted.plan;
    let fits = report.pairs.iter().all(|pair| stands_in_the_way(&pair.verdict, plan).is_none());
    let written = match output {
        Some(place) if !dry_run && converted.plan.is_possible() && fits => {
            let write = converted.output.write(place);
            write.map_err(|source| VerbError::Write { path: place.to_path_buf(), source })?;
            Some(Written { path: place.display().to_string(), size: converted.output.size() })
        }
        _ => None,
    };
    report.conversions.push(unskew_report::ConversionReport {
        from: artifact.display().to_string(),
        to: to.to_string(),
        plan: converted.plan,
        written,
    });
    Ok(report)
}

/// An error that the result would have wherever it runs. A library that is missing is installed beside the release, and who
/// trusts a file has `torch.load` run its code: what is made for that loader is written.
fn stands_in_the_way<'v>(verdict: &'v Verdict, plan: &Conversion) -> Option<&'v Finding> {
    let for_any_loader = plan.rewrites.iter().any(|one| one.adaptation != PLAIN_CHECKPOINT);
    let is_chosen = |code: &str| code == LIBRARY || code == STRICT_LOADER && for_any_loader;
    let mut findings = verdict.findings.iter();
    findings.find(|one| one.severity == Severity::Error && !is_chosen(one.rule.code))
}

/// What the release says to the result, read from the plan before anything is written.
fn judge(
    parties: &[Party],
    request: &ConvertRequest<'_>,
    context: &Context,
) -> Result<Vec<CheckedPair>, VerbError> {
    if parties.is_empty() {
        let text = "the result is nothing that Unskew knows; please report this";
        return Err(VerbError::Question(text.to_owned()));
    }
    let place = request.output.unwrap_or(request.artifact).display().to_string();
    let runtime = request.to.party();
    let pair = |party: &Party| CheckedPair {
        a: Subject::at(place.clone(), party),
        b: Subject::from_party(&runtime),
        verdict: unskew_core::check(party, &runtime, context),
    };
    Ok(parties.iter().map(pair).collect())
}

/// A result stays of the format that it was: bytes under the name of another format would be taken for that.
fn refuse_another_format(party: &Party, output: &Path) -> Result<(), VerbError> {
    let ending = output.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let ending = ending.to_ascii_lowercase();
    let own = endings_of(party);
    if !names_a_format(&ending) || own.contains(&&*ending) {
        return Ok(());
    }
    let kind = &party.kind;
    let own = own.first().copied().unwrap_or("pt");
    let name = output.with_extension(own);
    Err(VerbError::Question(format!(
        "the result is of another format than its name says ({kind}), and no other is made of the artifact; give it \
         another name, such as {}",
        name.display()
    )))
}

/// A text that changes becomes bytes, which no reader of texts would take.
fn refuse_bytes_as_text(converted: &PlannedConversion, output: &Path) -> Result<(), VerbError> {
    let changes = converted.plan.rewrites.iter().any(|rewrite| rewrite.adaptation == TEXT_TO_BYTES);
    if changes && output.extension().is_some_and(|ending| ending == "pbtxt") {
        let name = output.with_extension("pb");
        return Err(VerbError::Question(format!(
            "the result is bytes, not text: give it another name, such as {}",
            name.display()
        )));
    }
    Ok(())
}

/// An input is never changed in place, so the result may neither replace it nor lie in it.
fn refuse_overlap(artifact: &Path, output: &Path) -> Result<(), VerbError> {
    let found = artifact.canonicalize();
    let input =
        found.map_err(|source| VerbError::NoFile { path: artifact.to_path_buf(), source })?;
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let Ok(folder) = folder.canonicalize() else {
        return Err(VerbError::Question(format!(
            "cannot write {}; no such folder: {}",
            output.display(),
            folder.display()
        )));
    };
    let place: PathBuf = match output.canonicalize() {
        Ok(place) => place,
        Err(_) => folder.join(output.file_name().unwrap_or_default()),
    };
    if place.starts_with(&input) {
        return Err(VerbError::Question(format!(
            "the result would overwrite the artifact, which is never changed: {}",
            artifact.display()
        )));
    }
    Ok(())
}
