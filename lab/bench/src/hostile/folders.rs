//! Files that mean something only in a folder: of an environment, of a SavedModel, of a model folder, beside a model.

use std::fs;
use std::path::Path;

use super::bombs;

/// The folder with the packages of an environment.
pub const SITE: &str = "lib/python3.11/site-packages";

/// The folder of the package that is looked at.
const INFO: &str = "fixture-1.0.dist-info";

/// The configuration of a model folder.
const CONFIG: &str = r#"{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "transformers_version": "4.45.0", "torch_dtype": "bfloat16", "rope_scaling": {"rope_type": "llama3", "factor": 8.0}, "quantization_config": {"quant_method": "awq", "bits": 4}, "auto_map": {"AutoConfig": "code.Config"}}"#;

/// A pickled estimator with its version.
const SCALER: &[u8] = b"\x80\x02csklearn.preprocessing._data\nStandardScaler\n)\x81}X\x10\0\0\0_sklearn_versionX\x05\0\0\x001.5.0sb.";

/// Puts the file where one of its name belongs: below `folder`, with what it needs around it.
///
/// # Errors
/// If it cannot be written.
pub fn around(root: &Path, folder: &Path, file: &Path) -> anyhow::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let place = match &*name {
        "config.pbtxt" => {
            fs::create_dir_all(folder.join("net/1"))?;
            let model = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[N] X) => (float[N] Y) {\n Y = Relu(X)\n}";
            fs::write(folder.join("net/1/model.onnxtxt"), model)?;
            folder.join("net/config.pbtxt")
        }
        "fingerprint.pb" | "keras_metadata.pb" => {
            fs::create_dir_all(folder)?;
            fs::copy(root.join("examples/add-cast.pb"), folder.join("saved_model.pb"))?;
            folder.join(&name)
        }
        "saved_model.pb" | "saved_model.pbtxt" => folder.join(&name),
        "adapter_config.json" => {
            fs::create_dir_all(folder)?;
            fs::write(folder.join("adapter_model.safetensors"), safetensors())?;
            folder.join(&name)
        }
        "tokenizer_config.json"
        | "generation_config.json"
        | "preprocessor_config.json"
        | "config.json" => {
            fs::create_dir_all(folder)?;
            fs::write(folder.join("config.json"), CONFIG)?;
            fs::write(folder.join("model.safetensors"), safetensors())?;
            folder.join(&name)
        }
        _ => {
            let site = folder.join(SITE);
            fs::create_dir_all(site.join(INFO))?;
            fs::create_dir_all(site.join("fixture"))?;
            fs::write(folder.join("pyvenv.cfg"), "version = 3.11.7\n")?;
            for (file, bytes) in package() {
                fs::write(site.join(file), bytes)?;
            }
            match &*name {
                "METADATA" | "RECORD" | "entry_points.txt" | "direct_url.json" => {
                    site.join(INFO).join(&name)
                }
                "PKG-INFO" => site.join("old-1.egg-info").join(&name),
                other if other.ends_with("_pb2.py") => site.join("fixture").join(&name),
                _ => site.join(&name),
            }
        }
    };
    fs::create_dir_all(place.parent().unwrap_or(folder))?;
    fs::copy(file, place)?;
    Ok(())
}

/// A package by its files in the folder with packages.
fn package() -> [(String, &'static str); 4] {
    let info = |name: &str| format!("{INFO}/{name}");
    [
        (
            info("METADATA"),
            "Metadata-Version: 2.1\nName: fixture\nVersion: 1.0\nRequires-Dist: protobuf (>=4,<7) ; python_version >= \"3.9\"\n",
        ),
        (info("RECORD"), "fixture/a_pb2.py,sha256=00,99\nfixture-1.0.dist-info/METADATA,,\n"),
        (info("entry_points.txt"), "[jax_plugins]\nfixture = fixture\n"),
        (
            "fixture/a_pb2.py".to_owned(),
            "_runtime_version.ValidateProtobufRuntimeVersion(\n _runtime_version.Domain.PUBLIC, 6, 31, 1, '', 'a.proto')\n",
        ),
    ]
}

/// Files of these kinds to begin with, by their names.
///
/// # Errors
/// If one cannot be made.
pub fn seeds(root: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let graph = fs::read(root.join("examples/add-cast.pb"))?;
    let mut all: Vec<(String, Vec<u8>)> = vec![
        ("config.pbtxt".to_owned(), b"name: \"net\"\nbackend: \"onnxruntime\"\nmax_batch_size: 0\ninput [{ name: \"X\" data_type: TYPE_FP32 dims: [ -1 ] }]\noutput [{ name: \"Y\" data_type: TYPE_FP32 dims: [ -1 ] }]\n".to_vec()),
        ("fingerprint.pb".to_owned(), vec![0x08, 1, 0x10, 1]),
        ("saved_model.pb".to_owned(), graph.clone()),
        ("model.gguf".to_owned(), gguf()),
        ("model.tflite".to_owned(), [&[0x1c, 0, 0, 0][..], b"TFL3", &[0; 64]].concat()),
        ("model.safetensors".to_owned(), safetensors()),
        ("paths.pth".to_owned(), b"fixture\n/src\nimport fixture\n".to_vec()),
        ("PKG-INFO".to_owned(), b"Metadata-Version: 1.0\nName: old\nVersion: 1\n".to_vec()),
        ("direct_url.json".to_owned(), b"{\"url\": \"file:///src\", \"dir_info\": {\"editable\": true}}".to_vec()),
        ("model.joblib".to_owned(), bombs::gzip(SCALER)?),
        ("config.json".to_owned(), CONFIG.into()),
        ("tokenizer_config.json".to_owned(), br#"{"tokenizer_class": "LlamaTokenizerFast", "added_tokens_decoder": {"0": {"content": "<s>", "special": true}}, "extra_special_tokens": {}}"#.to_vec()),
        ("generation_config.json".to_owned(), br#"{"eos_token_id": [1, 2], "cache_implementation": "hybrid", "max_length": 20}"#.to_vec()),
        ("preprocessor_config.json".to_owned(), br#"{"image_processor_type": "CLIPImageProcessor", "size": {"shortest_edge": 224}}"#.to_vec()),
        ("packed.tar".to_owned(), bombs::tar(&[("model/graph.pb", &graph)])?),
        ("packed.tar.gz".to_owned(), bombs::gzip(&bombs::tar(&[("model/graph.pb", &graph)])?)?),
        ("packed.zip".to_owned(), bombs::zip(&[("model/graph.pb", &graph)])?),
    ];
    let mut layer = Vec::new();
    for (name, text) in package() {
        let base = name.rsplit('/').next().unwrap_or_default().to_owned();
        layer.push((format!("usr/{SITE}/{name}"), text));
        all.push((base, text.into()));
    }
    let layer: Vec<(&str, &[u8])> =
        layer.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let layer = bombs::tar(&layer)?;
    all.push(("plain.image".to_owned(), bombs::image(&[&layer], 1)?));
    all.push(("packed.image".to_owned(), bombs::image(&[&bombs::gzip(&layer)?], 1)?));
    Ok(all)
}

fn gguf() -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let value =
        [text("general.architecture"), 8_u32.to_le_bytes().to_vec(), text("llama")].concat();
    [&b"GGUF"[..], &3_u32.to_le_bytes(), &0_u64.to_le_bytes(), &1_u64.to_le_bytes(), &value]
        .concat()
}

fn safetensors() -> Vec<u8> {
    let header = br#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[8,10]},"__metadata__":{"format":"pt"}}"#;
    [&(header.len() as u64).to_le_bytes()[..], header, &[0; 10]].concat()
}
