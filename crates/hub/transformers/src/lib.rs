//! Model folders of Hugging Face, judged against releases of transformers, and of the servers vLLM and SGLang.
//!
//! A model folder is what `save_pretrained` writes and `from_pretrained` loads: `config.json`, a tokenizer, processors, weights. It
//! carries names: the type of the model, the classes of its parts, the method by which it is quantized. A release of
//! transformers knows a list of each, and the lists change with every release. The numbers in it have keys, and a key that a
//! release does not read is passed over: the model loads, and answers otherwise.
//!
//! * `model_type`, and the classes in `architectures`;
//! * `tokenizer.json`, against the releases of tokenizers that the release accepts (`unskew-tokenizers`);
//! * the classes of the tokenizer and of the processors; `TokenizersBackend`, which transformers 5 writes;
//! * `rope_parameters`, which transformers 5 writes and 4 passes over; the fields and types of `rope_scaling`;
//! * `dtype`, which releases before 4.56 know as `torch_dtype`;
//! * `quantization_config.quant_method`;
//! * the form of the weights, and the files that an index names.
//!
//! A server has code of its own for a list of architectures and methods of quantization, and reads the configuration by the
//! transformers beside it, of which it declares a range.
//!
//! What is promised: nothing is written down about folders of later releases. What each release knows was read from the sources in
//! its wheel, by `cargo lab harvest transformers==VERSION` (`vllm==VERSION`, `sglang==VERSION`).
//!
//! | step | by |
//! | --- | --- |
//! | `config.json` | [`ModelConfig::read`] |
//! | a configuration as a party | [`party()`] |
//! | the files of the folder, where what lies beside can be opened | [`with_files`] |
//! | an index of weights alone, and the files that it names | [`index_party`], [`with_indexed_files`] |
//! | what all releases know as one text | [`KnownNames`] |
//! | a release | [`TransformersRelease`] |
//! | what a release makes of a folder | [`judge()`] |
//! | a release of a server, and what it makes of a folder | [`ServerRelease`], [`judge_server`] |
//!
//! What is refused: a configuration of more than 64 MiB, or nested deeper than 128 levels. No weights are read: 140 GB cost
//! nothing. What is not judged and says so: code in the folder (`auto_map`), the packages of
//! quantization, and what the code of a model computes.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_core::Date;
//! use unskew_source::{BytesSource, Source};
//! use unskew_transformers::{ModelConfig, ModelFolder, KnownNames, TransformersRelease, judge};
//!
//! let text = br#"{"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}"#;
//! let source: Arc<dyn Source> = Arc::new(BytesSource::new("config.json", text.to_vec()));
//! let config = ModelConfig::read(&source).unwrap().unwrap();
//!
//! let names = "#releases\t4.50.3 4.51.3\nQwen3ForCausalLM(class)\t4.51.3-\nqwen3(model)\t4.51.3-\n";
//! let release = TransformersRelease {
//!     version: "4.50.3".parse().unwrap(),
//!     released: Date::constant(2025, 3, 28),
//!     names: Arc::new(KnownNames::from_text(names).unwrap()),
//!     tokenizers: None,
//! };
//! let folder = ModelFolder { config, files: None };
//! assert_eq!(judge(&folder, &release).findings[0].rule.code, "HF001");
//! ```
#![forbid(unsafe_code)]

mod config;
mod folder;
mod judge;
mod known_names;
mod party;
mod release;
pub mod rules;
mod server;
mod weight_index;

pub use config::{DtypeKeys, ModelConfig, RopeConfig, RopeParameters, RopeScaling};
pub use folder::{FolderFiles, FolderWeights, ModelFolder, NamedClass};
pub use judge::{FastTokenizer, judge, judge_server};
pub use known_names::KnownNames;
pub use party::{TRANSFORMERS_AXIS, party, with_files};
pub use release::TransformersRelease;
pub use server::{ServerKind, ServerRelease};
pub use weight_index::{WeightIndex, index_party, with_indexed_files};
