//! `unskew convert A --to B -o OUT`: an artifact that B accepts, made from one that it does not.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use unskew_artifact::{ConvertOptions, Converted, TEXT_TO_BYTES, VersionOptions};
use unskew_core::{Context, Severity};
use unskew_releases::{Family, Release};
use unskew_report::{Pair, Report, Subject, Written};

use crate::args::{Convert, Global};
use crate::exit::{Ending, Status};
use crate::print;

pub fn run(args: &Convert, global: &Global) -> anyhow::Result<Status> {
    let release = unskew_releases::find(&args.to)?;
    if let Some(output) = &args.output {
        refuse_overlap(&args.artifact, output)?;
    }
    let options = ConvertOptions {
        allowed: args.allow.clone(),
        versions: versions(args, release)?,
        written_by: written_by(args, release)?,
        verify: args.archive.verify,
    };
    let converted = unskew_artifact::convert(&args.artifact, release, &options)?;
    if let Some(output) = &args.output {
        refuse_bytes_as_text(&converted, output)?;
        refuse_another_format(&converted, output)?;
    }
    let mut report = Report::new(global.context());
    if converted.plan.is_possible() {
        report.pairs = judge(&converted, args, release, &report.context)?;
    }
    let fits = report.pairs.iter().all(|pair| pair.verdict.severity() < Some(Severity::Error));
    let written = match &args.output {
        Some(place) if !args.dry_run && converted.plan.is_possible() && fits => {
            let write = converted.output.write(place);
            write.with_context(|| format!("cannot write {}", place.display()))?;
            Some(Written { path: place.display().to_string(), size: converted.output.size() })
        }
        _ => None,
    };
    report.conversions.push(unskew_report::Converted {
        from: args.artifact.display().to_string(),
        to: release.to_string(),
        plan: converted.plan,
        written,
    });
    print::report(&report, args.format.into())?;
    Ok(Ending::of(&report, 1, global).into())
}

/// Who is stated to have written a PyTorch file.
fn written_by(args: &Convert, release: Release) -> anyhow::Result<Option<Release>> {
    let asked = &args.archive;
    if (asked.verify || asked.written_by.is_some()) && release.family() != Family::Torch {
        bail!("--written-by and --verify are for PyTorch files, not for those for {release}");
    }
    let Some(name) = &asked.written_by else { return Ok(None) };
    let writer = unskew_releases::find(name)?;
    if writer.family() != Family::Torch {
        bail!("only a release of torch can have written a PyTorch file, not {writer}");
    }
    Ok(Some(writer))
}

/// What becomes of the versions of a graph.
fn versions(args: &Convert, release: Release) -> anyhow::Result<VersionOptions> {
    let asked = &args.versions;
    if !asked.stay() && release.family() != Family::TensorFlow {
        bail!("only TensorFlow graphs have versions that can be set, not files for {release}");
    }
    Ok(VersionOptions {
        producer: asked.set_producer.map(i64::from),
        clear: asked.clear_versions,
        min_consumer: asked.min_consumer.map(i64::from),
        bad_consumers: asked.bad_consumer.iter().copied().map(i64::from).collect(),
        only_with_op: asked.only_with_op.clone(),
    })
}

/// What the release says to the result, read from the plan before anything is written.
fn judge(
    converted: &Converted,
    args: &Convert,
    release: Release,
    context: &Context,
) -> anyhow::Result<Vec<Pair>> {
    let parties = converted
        .parties(&unskew_artifact::Options::default())
        .context("the result cannot be read")?;
    if parties.is_empty() {
        bail!("the result is nothing that Unskew knows; please report this");
    }
    let place = args.output.as_deref().unwrap_or(&args.artifact).display().to_string();
    let runtime = release.party();
    let pair = |party: &unskew_core::Party| Pair {
        a: Subject::at(place.clone(), party),
        b: Subject::of(&runtime),
        verdict: unskew_core::check(party, &runtime, context),
    };
    Ok(parties.iter().map(pair).collect())
}

/// A result stays of the format that it was: bytes under the name of another format would be taken for that.
fn refuse_another_format(converted: &Converted, output: &Path) -> anyhow::Result<()> {
    let ending = output.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let ending = ending.to_ascii_lowercase();
    let Some((formats, _)) = FORMATS.iter().find(|(_, endings)| endings.contains(&&*ending)) else {
        return Ok(());
    };
    let Ok(parties) = converted.parties(&unskew_artifact::Options::default()) else {
        return Ok(());
    };
    let Some(party) = parties.first() else { return Ok(()) };
    let fits = formats.iter().any(|format| party.kind.contains(format));
    if fits {
        return Ok(());
    }
    let kind = &party.kind;
    let own = FORMATS.iter().find(|(formats, _)| formats.iter().any(|one| kind.contains(one)));
    let own = own.and_then(|(_, endings)| endings.first()).copied().unwrap_or("pt");
    let name = output.with_extension(own);
    bail!(
        "the result is of the format that the artifact has ({kind}), and no other is made of it; give it another name, \
         such as {}",
        name.display()
    )
}

/// Endings that stand for one format, with the words by which the kind of an artifact is told.
const FORMATS: [(&[&str], &[&str]); 7] = [
    (&["safetensors"], &["safetensors"]),
    (&["torch.export"], &["pt2"]),
    (&["ExecuTorch"], &["pte"]),
    (
        &["TorchScript", "checkpoint", "pickle", "torch.package", "torch.export"],
        &["pt", "pth", "ckpt", "jit"],
    ),
    (&["mobile", "TorchScript"], &["ptl", "ff"]),
    (&["GraphDef", "SavedModel", "MetaGraph", "OpList"], &["pb", "pbtxt"]),
    (
        &["no converted artifact"],
        &["onnx", "tflite", "gguf", "h5", "hdf5", "keras", "mlir", "stablehlo"],
    ),
];

/// A text that changes becomes bytes, which no reader of texts would take.
fn refuse_bytes_as_text(converted: &Converted, output: &Path) -> anyhow::Result<()> {
    let changes = converted.plan.rewrites.iter().any(|rewrite| rewrite.adaptation == TEXT_TO_BYTES);
    if changes && output.extension().is_some_and(|ending| ending == "pbtxt") {
        let name = output.with_extension("pb");
        bail!("the result is bytes, not text: give it another name, such as {}", name.display());
    }
    Ok(())
}

/// An input is never changed in place, so the result may neither replace it nor lie in it.
fn refuse_overlap(artifact: &Path, output: &Path) -> anyhow::Result<()> {
    let name = || artifact.display().to_string();
    let input = artifact.canonicalize().with_context(|| format!("no such file: {}", name()))?;
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let Ok(folder) = folder.canonicalize() else {
        bail!("cannot write {}; no such folder: {}", output.display(), folder.display());
    };
    let place: PathBuf = match output.canonicalize() {
        Ok(place) => place,
        Err(_) => folder.join(output.file_name().unwrap_or_default()),
    };
    if place.starts_with(&input) {
        bail!("the result would overwrite the artifact, which is never changed: {}", name());
    }
    Ok(())
}
