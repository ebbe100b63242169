//! A model folder: its configuration and the files beside it that are loaded with it.

use std::sync::Arc;

use serde_json::{Map, Value};
use unskew_core::Places;
use unskew_source::{Source, read_json};
use unskew_tokenizers::TokenizerFile;

use crate::judge::FastTokenizer;

use crate::config::{ModelConfig, text};
use crate::weight_index::{self, SHARDS};

/// The files of weights that transformers looks for.
const SAFETENSORS: &str = "model.safetensors";
const SAFETENSORS_INDEX: &str = "model.safetensors.index.json";
const TORCH: &str = "pytorch_model.bin";
const TORCH_INDEX: &str = "pytorch_model.bin.index.json";

/// The files that name classes of processors, with the keys under which they do.
const PROCESSORS: [(&str, &[&str]); 3] = [
    (
        "preprocessor_config.json",
        &["image_processor_type", "feature_extractor_type", "processor_class"],
    ),
    ("processor_config.json", &["processor_class"]),
    ("video_preprocessor_config.json", &["video_processor_type"]),
];

/// A folder that `from_pretrained` loads.
#[derive(Clone, Debug)]
pub struct ModelFolder {
    /// `config.json`.
    pub config: ModelConfig,
    /// What lies beside it; none where that is not known.
    pub files: Option<FolderFiles>,
}

/// The files beside `config.json`.
#[derive(Clone, Debug, Default)]
pub struct FolderFiles {
    /// The class of the tokenizer, and the file that names it.
    pub tokenizer: Option<NamedClass>,
    /// `tokenizer.json`, which the package tokenizers reads; none without such a file.
    pub fast_tokenizer: Option<FastTokenizer>,
    /// The classes of processors.
    pub processors: Vec<NamedClass>,
    /// Whether a class of those files is code of the folder.
    pub has_own_code: bool,
    /// The weights.
    pub weights: FolderWeights,
    /// Files that could not be read, with the reason.
    pub unread: Vec<(String, String)>,
}

/// A class that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedClass {
    /// Its name.
    pub class: String,
    /// The file and the key: `tokenizer_config.json, tokenizer_class`.
    pub place: String,
}

/// The weights of a folder.
#[derive(Clone, Debug, Default)]
pub struct FolderWeights {
    /// Whether there are some in safetensors.
    pub safetensors: bool,
    /// Whether there are some in pickles of PyTorch.
    pub torch: bool,
    /// Whether those that are loaded are in several files.
    pub is_sharded: bool,
    /// Files that the index names and that are not there.
    pub missing: Places,
}

impl FolderFiles {
    /// Looks for the files of a folder; `open` finds them by their names.
    pub(crate) fn look(
        config: &ModelConfig,
        open: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
    ) -> Self {
        let mut files = Self::default();
        if let Some(found) = files.object("tokenizer_config.json", open) {
            files.has_own_code |= found.contains_key("auto_map");
            files.tokenizer = text(&found, "tokenizer_class").map(|class| NamedClass {
                class,
                place: "tokenizer_config.json, tokenizer_class".to_owned(),
            });
        }
        if files.tokenizer.is_none() {
            let class = config.tokenizer_class.clone();
            let place = "config.json, tokenizer_class".to_owned();
            files.tokenizer = class.map(|class| NamedClass { class, place });
        }
        files.fast_tokenizer = files.look_at_tokenizer(open);
        for (name, keys) in PROCESSORS {
            let Some(found) = files.object(name, open) else { continue };
            files.has_own_code |= found.contains_key("auto_map");
            for key in keys {
                let class = text(&found, key);
                let place = format!("{name}, {key}");
                files.processors.extend(class.map(|class| NamedClass { class, place }));
            }
        }
        files.weights = files.look_for_weights(open);
        files
    }

    /// What `tokenizer.json` consists of.
    fn look_at_tokenizer(
        &mut self,
        open: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
    ) -> Option<FastTokenizer> {
        let why = match TokenizerFile::read(&open("tokenizer.json")?) {
            Ok(Some(file)) => return Some(FastTokenizer::new(file)),
            Ok(None) => "it is no tokenizer".to_owned(),
            Err(error) => error.to_string(),
        };
        self.unread.push(("tokenizer.json".to_owned(), why));
        None
    }

    /// The object in a file beside the configuration; none if there is no such file.
    fn object(
        &mut self,
        name: &str,
        open: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
    ) -> Option<Map<String, Value>> {
        match read_json(&*open(name)?) {
            Ok(Value::Object(object)) => Some(object),
            Ok(_) => {
                self.unread.push((name.to_owned(), "not a JSON object".to_owned()));
                None
            }
            Err(error) => {
                self.unread.push((name.to_owned(), error.to_string()));
                None
            }
        }
    }

    /// The weights in the order in which transformers looks for them.
    fn look_for_weights(
        &mut self,
        open: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
    ) -> FolderWeights {
        let mut weights = FolderWeights::default();
        for (file, index, is_safetensors) in
            [(SAFETENSORS, SAFETENSORS_INDEX, true), (TORCH, TORCH_INDEX, false)]
        {
            let is_first = !weights.safetensors && !weights.torch;
            let is_whole = open(file).is_some();
            let is_there = is_whole || open(index).is_some();
            if is_safetensors {
                weights.safetensors = is_there;
            } else {
                weights.torch = is_there;
            }
            if is_there && !is_whole && is_first {
                weights.is_sharded = true;
                weights.missing = self.missing_shards(index, open);
            }
        }
        weights
    }

    /// The files that an index names and that are not there.
    fn missing_shards(
        &mut self,
        index: &str,
        open: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
    ) -> Places {
        let Some(found) = self.object(index, open) else { return Places::default() };
        let named = weight_index::named_files(&found);
        if named.len() > SHARDS {
            let why = format!("it names {} files, and {SHARDS} are looked for", named.len());
            self.unread.push((index.to_owned(), why));
        }
        weight_index::missing(named.into_iter(), open)
    }
}
