//! A folder as a party.

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role};
use unskew_source::{ReadError, Source};

use crate::folder::{FolderFiles, ModelFolder};
use crate::{ModelConfig, ServerRelease, TransformersRelease, judge, judge_server};

/// The axis on which model folders meet a release.
pub const TRANSFORMERS_AXIS: &str = "transformers";

/// Judges a folder against a release.
struct FolderMatcher(Arc<ModelFolder>);

impl Matcher for FolderMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        match other.capability::<ServerRelease>() {
            Some(server) => Some(judge_server(&self.0, server)),
            None => Some(judge(&self.0, other.capability::<TransformersRelease>()?)),
        }
    }
}

/// The party of a `config.json`; none if it is something else. What lies beside it is not known yet.
///
/// # Errors
/// If it is one, but broken.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(config) = ModelConfig::read(source)? else { return Ok(None) };
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    Ok(Some(party_of(name, ModelFolder { config, files: None })))
}

/// The same party with the files of its folder, which `open` finds by their names.
pub fn with_files(party: Party, open: &dyn Fn(&str) -> Option<Arc<dyn Source>>) -> Party {
    let Some(folder) = party.capability::<ModelFolder>() else { return party };
    let config = folder.config.clone();
    let files = Some(FolderFiles::look(&config, open));
    party_of(&party.name, ModelFolder { config, files })
}

fn party_of(name: &str, folder: ModelFolder) -> Party {
    let mut party = Party::new(name, Role::Artifact, "model folder of Hugging Face");
    let config = &folder.config;
    party = party.from_origin(match &config.written_by {
        Some(version) => format!("written by transformers {version}"),
        None => "without a word of who wrote it".to_owned(),
    });
    for (label, value) in
        [("model type", &config.model_type), ("quantized by", &config.quantization)]
    {
        if let Some(value) = value {
            party = party.fact(label, value);
        }
    }
    for class in &config.architectures {
        party = party.fact("architecture", class);
    }
    if config.has_own_code || folder.files.as_ref().is_some_and(|files| files.has_own_code) {
        party = party.fact("code", "in the folder");
    }
    if let Some(files) = &folder.files {
        if let Some(tokenizer) = &files.tokenizer {
            party = party.fact("tokenizer", &tokenizer.class);
        }
        for processor in &files.processors {
            party = party.fact("processor", &processor.class);
        }
        let weights = &files.weights;
        let shards = if weights.is_sharded { ", several files" } else { "" };
        match (weights.safetensors, weights.torch) {
            (true, _) => party = party.fact("weights", format!("safetensors{shards}")),
            (false, true) => party = party.fact("weights", format!("pickles of PyTorch{shards}")),
            (false, false) => {}
        }
    }
    let folder = Arc::new(folder);
    let judged = Requirement::matches(TRANSFORMERS_AXIS, FolderMatcher(folder.clone()));
    party.require(judged).with_capability(folder)
}
