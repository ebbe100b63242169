//! StableHLO programs and files of `jax.export` in the table of boundaries: conversion to a version, or to MLIR text.

use std::sync::Arc;

use unskew_core::{Axis, Party, Version};
use unskew_source::{ReadError, Source};
use unskew_stablehlo::rewrite::{APPROXIMATE, RewriteOptions};

use super::Planned;
use crate::convert::{ConvertOptions, one_file};
use crate::{Content, PlannedConversion};

/// The StableHLO that a target reads, or that it is MLIR text.
enum StablehloTarget {
    Version(Version),
    Text,
}

impl StablehloTarget {
    fn of_target(target: &Party) -> Option<Self> {
        if target.provision(&Axis::from(unskew_stablehlo::TEXT_AXIS)).is_some() {
            return Some(Self::Text);
        }
        highest(target, unskew_stablehlo::AXIS).map(Self::Version)
    }
}

/// The highest version that `target` provides on an axis.
fn highest(target: &Party, axis: &'static str) -> Option<Version> {
    target.provision(&Axis::from(axis))?.versions.max
}

fn options(options: &ConvertOptions) -> RewriteOptions {
    RewriteOptions { approximate: options.allows(APPROXIMATE) }
}

pub(super) fn convert(content: &Content, target: &Party, asked: &ConvertOptions) -> Planned {
    let (Some(form), Some(source)) = (StablehloTarget::of_target(target), one_file(content)) else {
        return Ok(None);
    };
    let converted = match form {
        StablehloTarget::Version(version) => {
            unskew_stablehlo::rewrite::convert(source, version, &options(asked))?
        }
        StablehloTarget::Text => unskew_stablehlo::print::convert(source)?,
    };
    Ok(converted.map(PlannedConversion::from))
}

pub(super) fn convert_export(content: &Content, target: &Party, asked: &ConvertOptions) -> Planned {
    let (Some(form), Some(source)) = (StablehloTarget::of_target(target), one_file(content)) else {
        return Ok(None);
    };
    let converted = match (form, highest(target, unskew_jax_export::AXIS)) {
        (StablehloTarget::Version(version), Some(jax)) => {
            unskew_jax_export::convert(source, jax, version, &options(asked))?
        }
        (StablehloTarget::Version(_), None) => None,
        (StablehloTarget::Text, _) => program(source)?
            .map_or(Ok(None), |program| unskew_stablehlo::print::convert(&program))?,
    };
    Ok(converted.map(PlannedConversion::from))
}

/// The program in a file of `jax.export`; none if it is no such file.
fn program(source: &Arc<dyn Source>) -> Result<Option<Arc<dyn Source>>, ReadError> {
    let exported = unskew_jax_export::Exported::read(source)?;
    Ok(exported.map(|(_, program)| Arc::new(program) as Arc<dyn Source>))
}
