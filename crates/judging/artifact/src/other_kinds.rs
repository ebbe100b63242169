//! Files of other kinds, by their names and by how they begin: what each is, and what to do with it.
//!
//! A list of all formats that Unskew knows helps nobody who named a lock file. Which of these is judged by another verb,
//! which is a part of something, and which is not judged at all stands here, a line each.

/// A list of packages.
const PACKAGES: &str =
    "a list of packages, not a model; `unskew lock FILE` judges what it installs";

/// A file of a folder that is a model only as a whole.
const FOLDER: &str = "a part of a model folder, which is checked as a whole; name the folder";

/// Source code.
const SOURCE: &str = "source code, not a model; name the file that it loads, or judge what is installed with `unskew env`";

/// By whole names, in small letters.
const NAMES: [(&str, &str); 18] = [
    ("requirements.txt", PACKAGES),
    ("constraints.txt", PACKAGES),
    ("environment.yml", PACKAGES),
    ("environment.yaml", PACKAGES),
    ("conda-lock.yml", PACKAGES),
    ("pyproject.toml", PACKAGES),
    ("poetry.lock", PACKAGES),
    ("uv.lock", PACKAGES),
    ("pdm.lock", PACKAGES),
    ("pipfile.lock", PACKAGES),
    ("pylock.toml", PACKAGES),
    ("config.json", FOLDER),
    ("generation_config.json", FOLDER),
    ("tokenizer.json", FOLDER),
    ("tokenizer_config.json", FOLDER),
    ("preprocessor_config.json", FOLDER),
    ("adapter_config.json", FOLDER),
    ("model.safetensors.index.json", FOLDER),
];

/// By how a file begins, where an ending says too little.
const BEGINNINGS: [(&[u8], &str); 2] = [(b"\x93NUMPY", NUMPY), (b"ftrt", TENSORRT)];

const NUMPY: &str = "arrays of NumPy, not a model; any NumPy since 1.0 reads them";

const TENSORRT: &str = "a TensorRT engine, which Unskew does not judge; it runs only with the TensorRT release that built it, and on the same kind of GPU";

const CORE_ML: &str = "a Core ML model; Unskew does not judge it yet";

const PADDLE: &str = "a PaddlePaddle model; Unskew does not judge it";

const CAFFE: &str = "a Caffe model; Unskew does not judge it";

/// By endings, in small letters.
const ENDINGS: [(&str, &str); 40] = [
    ("engine", TENSORRT),
    ("plan", TENSORRT),
    ("trt", TENSORRT),
    ("mlmodel", CORE_ML),
    ("mlpackage", CORE_ML),
    ("mlmodelc", CORE_ML),
    ("npz", NUMPY),
    ("npy", NUMPY),
    ("xml", "XML, as OpenVINO writes its models; Unskew does not judge it yet"),
    (
        "gguf",
        "not a GGUF file, although it is named like one: it does not begin with the letters GGUF",
    ),
    (
        "ggml",
        "a GGML file of before August 2023; llama.cpp has a script that makes a GGUF file of it",
    ),
    (
        "joblib",
        "a pickle of joblib in a form that is not read, often a compressed one; save it without compression",
    ),
    ("skops", "a skops file; Unskew does not judge it yet"),
    ("pmml", "a PMML model; Unskew does not judge it"),
    ("mar", "an archive of TorchServe; unpack it, and name the model in it"),
    ("nemo", "an archive of NeMo; unpack it with `tar -xf`, and name the checkpoint in it"),
    ("msgpack", "weights of Flax in msgpack; Unskew does not judge them yet"),
    ("pdmodel", PADDLE),
    ("pdiparams", PADDLE),
    ("pdparams", PADDLE),
    ("caffemodel", CAFFE),
    ("prototxt", CAFFE),
    ("params", "weights of MXNet; Unskew does not judge them"),
    ("weights", "weights of Darknet; Unskew does not judge them"),
    ("rknn", "a model for Rockchip's NPU; Unskew does not judge it"),
    ("dlc", "a model of Qualcomm's SNPE; Unskew does not judge it"),
    ("om", "a model for Ascend; Unskew does not judge it"),
    ("mnn", "a model of MNN; Unskew does not judge it"),
    ("py", SOURCE),
    ("ipynb", SOURCE),
    ("cc", SOURCE),
    ("cpp", SOURCE),
    ("md", TEXT),
    ("txt", TEXT),
    ("log", "a log, not a model; `unskew explain -` reads it from the standard input"),
    ("csv", TEXT),
    ("yaml", TEXT),
    ("yml", TEXT),
    ("toml", TEXT),
    (
        "json",
        "JSON that is not a model of TensorFlow.js; a part of a model folder is checked with the folder",
    ),
];

const TEXT: &str = "text, not a model";

/// What a file of this name, or with this beginning, is.
pub(crate) fn named(path: &str, head: &[u8]) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\', '!']).next().unwrap_or_default().to_ascii_lowercase();
    if let Some((_, text)) = NAMES.iter().find(|(one, _)| *one == name) {
        return Some(text);
    }
    if name.starts_with("requirements") && name.ends_with(".txt") {
        return Some(PACKAGES);
    }
    if let Some((_, text)) = BEGINNINGS.iter().find(|(beginning, _)| head.starts_with(beginning)) {
        return Some(text);
    }
    let (_, ending) = name.rsplit_once('.')?;
    ENDINGS.iter().find(|(one, _)| *one == ending).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_kind_has_a_line_of_its_own() {
        let cases = [
            ("a/requirements.txt", &b""[..], "unskew lock"),
            ("requirements-dev.txt", b"", "unskew lock"),
            ("hf/config.json", b"{}", "name the folder"),
            ("model.engine", b"ftrt", "TensorRT"),
            ("model.bin", b"\x93NUMPY\x01", "NumPy"),
            ("notes.TXT", b"", "text"),
        ];
        for (name, head, word) in cases {
            assert!(named(name, head).is_some_and(|text| text.contains(word)), "{name}");
        }
        assert_eq!(named("model.pt", b"abc"), None);
    }
}
