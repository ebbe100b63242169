//! ONNX models in wheels, zips, tar files, MLflow models and repositories of Triton: with what stands beside them.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use unskew_artifact::{Artifact, OpenOptions, open};
use unskew_core::{Context, Outcome, check};
use zip::write::SimpleFileOptions;

/// `y = Add(x, w)` with `w` in the file `w.data`: two floats in 8 bytes.
const FAR: &str = "<ir_version: 8, opset_import: [\"\" : 13]>\n\
    g (float[N,2] x) => (float[N,2] y) <float[2] w = [\"location\": \"w.data\", \"offset\": \"0\", \"length\": \"8\"]> { y = Add(x, w) }";

/// The bytes of a model in text, by a conversion that changes nothing else.
fn model(text: &str) -> Vec<u8> {
    let source: std::sync::Arc<dyn unskew_source::Source> =
        std::sync::Arc::new(unskew_source::BytesSource::new("m.onnxtxt", text.as_bytes().to_vec()));
    let release = unskew_releases::find("onnx@1.16").unwrap();
    let goal =
        unskew_onnx::OnnxTarget::for_release(&unskew_releases::onnx::runtime_of(release).unwrap());
    let (_, output) = unskew_onnx::convert(&source, &goal).unwrap().unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    output.write(file.path()).unwrap();
    std::fs::read(file.path()).unwrap()
}

type Members<'a> = &'a [(&'a str, &'a [u8])];

fn zipped(folder: &Path, file: &str, members: Members<'_>) -> PathBuf {
    let path = folder.join(file);
    let mut writer = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
    path
}

fn packed(folder: &Path, file: &str, members: Members<'_>) -> PathBuf {
    let path = folder.join(file);
    let mut builder = tar::Builder::new(std::fs::File::create(&path).unwrap());
    for (name, bytes) in members {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.finish().unwrap();
    path
}

fn unpacked(folder: &Path, name: &str, members: Members<'_>) -> PathBuf {
    let root = folder.join(name);
    for (name, bytes) in members {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    root
}

/// The codes of what a release says of each piece; the outcome where it says nothing.
fn said(artifact: &Artifact) -> Vec<String> {
    assert!(artifact.problems.is_empty(), "{:?}", artifact.problems);
    let runtime = unskew_releases::find("onnxruntime@1.20").unwrap().party();
    let today = Context::for_tests();
    let of = |party| {
        let verdict = check(party, &runtime, &today);
        let codes: Vec<&str> = verdict.findings.iter().map(|one| one.rule.code).collect();
        match verdict.outcome {
            Outcome::Compatible => "compatible".to_owned(),
            Outcome::Unjudged => "unjudged".to_owned(),
            _ => codes.join(" "),
        }
    };
    artifact.pieces.iter().map(|piece| of(&piece.party)).collect()
}

/// The same model in every kind of container.
fn everywhere(members: Members<'_>) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let of = |path: PathBuf| said(&open(&path, &OpenOptions::default()).unwrap());
    vec![
        of(unpacked(folder.path(), "folder", members)),
        of(zipped(folder.path(), "models.zip", members)),
        of(packed(folder.path(), "models.tar", members)),
        of(zipped(folder.path(), "models-1.0-py3-none-any.whl", members)),
    ]
}

#[test]
fn tensors_in_other_files_are_looked_for_in_every_container() {
    let model = model(FAR);
    for found in everywhere(&[("net/m.onnx", &model), ("net/w.data", &[0; 8])]) {
        assert_eq!(found, ["compatible"]);
    }
    for found in everywhere(&[("net/m.onnx", &model), ("net/w.data", &[0; 7])]) {
        assert_eq!(found, ["ON404"]);
    }
    for found in everywhere(&[("net/m.onnx", &model), ("w.data", &[0; 8])]) {
        assert_eq!(found, ["ON401"]);
    }
}

#[test]
fn what_is_too_large_to_be_unpacked_is_there_nevertheless() {
    let folder = tempfile::tempdir().unwrap();
    let size = 65 << 20;
    let text = FAR.replace("float[2] w", &format!("float[{}] w", size / 4));
    let text = text.replace("\"8\"", &format!("\"{size}\"")).replace("[N,2]", "[N,?]");
    let zeros = vec![0; size];
    let path = zipped(folder.path(), "m.zip", &[("m.onnx", &model(&text)), ("w.data", &zeros)]);
    assert_eq!(said(&open(&path, &OpenOptions::default()).unwrap()), ["compatible"]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_where_they_lead() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(FAR);
    let members: [(&str, &[u8]); 3] =
        [("out/w.data", &[0; 8]), ("net/m.onnx", &model), ("blobs/m", &model)];
    let root = unpacked(folder.path(), "root", &members);
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, root.join(at)).unwrap();
    link("../out/w.data", "net/w.data");
    // The cache of the Hugging Face hub: both are links into one folder.
    std::fs::write(root.join("blobs/w"), [0; 8]).unwrap();
    std::fs::create_dir(root.join("snapshot")).unwrap();
    link("../blobs/m", "snapshot/m.onnx");
    link("../blobs/w", "snapshot/w.data");
    let codes = |path: &str, release: &str| -> Vec<&'static str> {
        let artifact = open(&root.join(path), &OpenOptions::default()).unwrap();
        let runtime = unskew_releases::find(release).unwrap().party();
        let today = Context::for_tests();
        let verdict = check(&artifact.pieces[0].party, &runtime, &today);
        verdict.findings.iter().map(|one| one.rule.code).collect()
    };
    assert!(codes("net/m.onnx", "onnxruntime@1.23").is_empty());
    assert_eq!(codes("net/m.onnx", "onnxruntime@1.24"), ["ON406"]);
    assert!(codes("snapshot/m.onnx", "onnxruntime@1.24").is_empty());
    assert_eq!(codes("snapshot/m.onnx", "onnx@1.22"), ["ON406"]);
    assert!(codes("snapshot/m.onnx", "onnx@1.20").is_empty());
}

#[test]
fn a_repository_of_triton_is_held_against_its_configurations() {
    let near = "<ir_version: 8, opset_import: [\"\" : 13]>\n\
        g (float[N,2] x) => (float[N,2] y) { y = Relu(x) }";
    let model = model(near);
    let config = |kind: &str| {
        format!(
            "backend: \"onnxruntime\"\nmax_batch_size: 4\ninput [ {{ name: \"x\" data_type: {kind} dims: [ 2 ] }} ]\n\
             output [ {{ name: \"y\" data_type: TYPE_FP32 dims: [ 2 ] }} ]\n"
        )
    };
    let (good, bad) = (config("TYPE_FP32"), config("TYPE_INT64"));
    let members: [(&str, &[u8]); 6] = [
        ("good/config.pbtxt", good.as_bytes()),
        ("good/1/model.onnx", &model),
        ("good/2/model.onnx", &model),
        ("bad/config.pbtxt", bad.as_bytes()),
        ("bad/1/model.onnx", &model),
        ("other/model.onnx", &model),
    ];
    for mut found in everywhere(&members) {
        found.sort();
        assert_eq!(found, ["ON705", "compatible", "compatible", "compatible"]);
    }
}

#[test]
fn a_broken_configuration_of_triton_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(
        "<ir_version: 8, opset_import: [\"\" : 13]>\ng (float[2] x) => (float[2] y) { y = Relu(x) }",
    );
    let members: [(&str, &[u8]); 2] =
        [("net/config.pbtxt", b"input [ { name: \"x\""), ("net/1/model.onnx", &model)];
    let path = unpacked(folder.path(), "models", &members);
    let artifact = open(&path, &OpenOptions::default()).unwrap();
    let problem = artifact.problems[0].to_string();
    assert!(problem.contains("config.pbtxt"), "{problem}");
}

#[test]
fn an_mlflow_model_is_the_onnx_model_in_it() {
    let mlmodel = b"flavors:\n  onnx:\n    data: model.onnx\n    onnx_version: 1.16.0\n";
    let model = model(FAR);
    let members: [(&str, &[u8]); 3] =
        [("MLmodel", mlmodel), ("model.onnx", &model), ("w.data", &[0; 8])];
    for found in everywhere(&members) {
        assert_eq!(found, ["compatible"]);
    }
}
