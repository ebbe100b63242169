//! Files of models that people share in the table of boundaries: conversion.

use unskew_core::Party;
use unskew_peft::PeftRelease;
use unskew_tokenizers::TokenizersRelease;

use super::Planned;
use crate::convert::{ConvertOptions, one_file};
use crate::{Content, PlannedConversion};

/// `tokenizer.json` for a release of tokenizers.
pub(super) fn convert_tokenizer(content: &Content, target: &Party, _: &ConvertOptions) -> Planned {
    let (Some(release), Some(source)) =
        (target.capability::<TokenizersRelease>(), one_file(content))
    else {
        return Ok(None);
    };
    Ok(unskew_tokenizers::convert(source, release)?.map(PlannedConversion::from))
}

/// `adapter_config.json` for a release of PEFT.
pub(super) fn convert_adapter(content: &Content, target: &Party, _: &ConvertOptions) -> Planned {
    let (Some(release), Some(source)) = (target.capability::<PeftRelease>(), one_file(content))
    else {
        return Ok(None);
    };
    Ok(unskew_peft::convert(source, release)?.map(PlannedConversion::from))
}
