//! `unskew convert A --to B -o OUT`: an artifact that B accepts, made from one that it does not.

use anyhow::bail;
use unskew_artifact::{ConvertOptions, VersionOptions};
use unskew_releases::{Family, Release};
use unskew_verbs::{ConvertRequest, TargetName};

use crate::args::{Convert, Global};
use crate::exit::{CallStatus, Ending};
use crate::print;

pub fn run(args: &Convert, global: &Global) -> anyhow::Result<CallStatus> {
    let target = unskew_verbs::conversion_target(&args.to)?;
    let options = ConvertOptions {
        allowed: args.allow.clone(),
        versions: versions(args, target)?,
        written_by: written_by(args, target)?,
        verify: args.archive.verify,
    };
    let request = ConvertRequest {
        artifact: &args.artifact,
        to: target,
        output: args.output.as_deref(),
        dry_run: args.dry_run,
        options,
    };
    let mut report = unskew_verbs::convert(&request, global.context())?;
    print::report(&mut report, args.format.into())?;
    Ok(Ending::for_report(&report, 1, global).into())
}

/// The framework of a release; none for readers of StableHLO.
fn family(target: TargetName) -> Option<Family> {
    target.release().map(Release::family)
}

/// Who is stated to have written a PyTorch file.
fn written_by(args: &Convert, target: TargetName) -> anyhow::Result<Option<Release>> {
    let asked = &args.archive;
    if (asked.verify || asked.written_by.is_some()) && family(target) != Some(Family::Torch) {
        bail!("--written-by and --verify are for PyTorch files, not for those for {target}");
    }
    let Some(name) = &asked.written_by else { return Ok(None) };
    let writer = unskew_releases::find(name)?;
    if writer.family() != Family::Torch {
        bail!("only a release of torch can have written a PyTorch file, not {writer}");
    }
    Ok(Some(writer))
}

/// What becomes of the versions of a graph.
fn versions(args: &Convert, target: TargetName) -> anyhow::Result<VersionOptions> {
    let asked = &args.versions;
    if !asked.stay() && family(target) != Some(Family::TensorFlow) {
        bail!("only TensorFlow graphs have versions that can be set, not files for {target}");
    }
    Ok(VersionOptions {
        producer: asked.set_producer.map(i64::from),
        clear: asked.clear_versions,
        min_consumer: asked.min_consumer.map(i64::from),
        bad_consumers: asked.bad_consumer.iter().copied().map(i64::from).collect(),
        only_with_op: asked.only_with_op.clone(),
    })
}
