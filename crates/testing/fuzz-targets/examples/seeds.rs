//! Fills `fuzz/corpus/` with the real files that the tests use, for each target those that it reads; prints how many each
//! target has.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use unskew_array::{Array, ArrayElementType, Fill, npy};
use unskew_fuzz_targets::{TARGETS, records, source};
use unskew_tensorflow::read::{TensorFlowFileKind, transcode};

/// The largest file that is a seed: above, a fuzzer only gets slow.
const LARGEST: u64 = 1 << 20;

type Done = Result<(), Box<dyn std::error::Error>>;

fn main() -> Done {
    let root = root();
    let mut files = Vec::new();
    for folder in ["examples", "corpus", "crates"] {
        collect(&root.join(folder), &mut files)?;
    }
    for file in &files {
        let name = file.to_string_lossy().replace('\\', "/");
        if name.ends_with("tests/data/archives.tar.xz") {
            unpack(file)?;
        } else if file.metadata()?.len() <= LARGEST {
            sort(&name, &fs::read(file)?)?;
        }
    }
    locks()?;
    arrays()?;
    for (target, _) in TARGETS {
        let folder = root.join("fuzz/corpus").join(target);
        fs::create_dir_all(&folder)?;
        println!("{target}\t{}", folder.read_dir()?.count());
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn locks() -> Done {
    const URL: &str = "https://host/torch-2.7.1-cp311-cp311-manylinux_2_28_x86_64.whl";
    for text in [
        format!("uv.lock\nversion = 1\n[[package]]\nname = \"torch\"\nversion = \"2.7.1\"\nwheels = [\n    {{ url = \"{URL}\", hash = \"sha256:00\" }},\n]\n"),
        format!("pylock.toml\nlock-version = \"1.0\"\n[[packages]]\nname = \"torch\"\nversion = \"2.7.1\"\nwheels = [{{ url = \"{URL}\", hashes = {{ sha256 = \"00\" }} }}]\n"),
        "poetry.lock\n[[package]]\nname = \"torch\"\nversion = \"2.7.1\"\nfiles = [{file = \"torch-2.7.1-cp311-cp311-manylinux_2_28_x86_64.whl\", hash = \"sha256:00\"}]\n[metadata]\nlock-version = \"2.1\"\n".to_owned(),
        format!("pixi.lock\nversion: 6\npackages:\n- conda: https://host/linux-64/numpy-2.1.0-py311_0.conda\n  sha256: 00\n- pypi: {URL}\n  name: torch\n  version: 2.7.1\n"),
        format!("requirements.txt\n--index-url https://host/simple\ntorchao==0.18.0 \\\n    --hash=sha256:00\ntorch @ {URL}\nnumpy>=2\n"),
        "explicit.txt\n# platform: linux-64\n@EXPLICIT\nhttps://host/linux-64/numpy-2.1.0-py311_0.conda#00\n# pip torch @ https://host/torch-2.7.1-cp311-cp311-linux_x86_64.whl#sha256=00\n".to_owned(),
        format!("conda-lock.yml\nversion: 1\npackage:\n- name: torch\n  version: 2.7.1\n  manager: pip\n  platform: linux-64\n  url: {URL}\n  hash:\n    sha256: 00\n"),
    ] {
        seed("lock", text.as_bytes())?;
    }
    Ok(())
}

/// The members of a wheel that are judged, as a wheel and as what is installed of it.
fn packages(bytes: &[u8]) -> Done {
    let Ok(mut zip) = zip::ZipArchive::new(Cursor::new(bytes)) else { return Ok(()) };
    let mut all = Vec::new();
    for index in 0..zip.len() {
        let Ok(mut file) = zip.by_index(index) else { return Ok(()) };
        let name = file.name()?.into_owned();
        let ends = [".so", "_pb2.py", "_pb2_grpc.py", "METADATA", "RECORD", "WHEEL"];
        if ends.iter().any(|end| name.ends_with(end)) && file.size() <= u16::MAX.into() {
            let mut content = Vec::new();
            file.read_to_end(&mut content)?;
            records::write(&name, &content, &mut all);
        }
    }
    seed("package_wheel", &all)?;
    seed("environment", &all)?;
    seed("container_image", &installed(&all))?;
    let mut old = Vec::new();
    records::write("f-1.egg-info/PKG-INFO", b"Name: f\nVersion: 1\n", &mut old);
    records::write("f-1.egg-info/top_level.txt", b"f\n", &mut old);
    records::write("f/a_pb2.py", b"x = _descriptor.FieldDescriptor(name='a')\n", &mut old);
    records::write("g.pth", b"/src\n", &mut old);
    seed("environment", &old)
}

/// Records as files of an environment in an image.
fn installed(all: &[u8]) -> Vec<u8> {
    let mut image = Vec::new();
    for (name, content) in records::parse(all) {
        let name = format!("usr/lib/python3/dist-packages/{name}");
        records::write(&name, content, &mut image);
    }
    image
}

/// The header of a safetensors file, without its length.
fn header(bytes: &[u8]) -> &[u8] {
    let length = bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length));
    let length = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(8);
    bytes.get(8..length.min(bytes.len())).unwrap_or_default()
}

fn arrays() -> Done {
    for element in ArrayElementType::ALL {
        seed("npy", &npy::write(&Array::filled(element, &[2, 3], Fill::Iota)?))?;
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Done {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// The small archives of PyTorch releases.
fn unpack(file: &Path) -> Done {
    let mut archive = tar::Archive::new(liblzma::read::XzDecoder::new(fs::File::open(file)?));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        sort(&name, &bytes)?;
    }
    Ok(())
}

/// Gives a file to the targets that read its kind.
fn sort(name: &str, bytes: &[u8]) -> Done {
    let ending = name.rsplit('.').next().unwrap_or_default();
    if name.ends_with("ifrt/tests/golden.txt") || name.ends_with("ifrt/tests/captured.tsv") {
        return values(&String::from_utf8_lossy(bytes));
    }
    match ending {
        "pt" | "ptl" | "pt2" | "jit" => {
            seed("torch_file", bytes)?;
            seed("zip_archive", bytes)?;
            explode(bytes)?;
        }
        "ff" | "pte" => seed("torch_flatbuffer", bytes)?,
        "safetensors" => {
            seed("torch_file", bytes)?;
            seed("safetensors", header(bytes))?;
        }
        "onnx" => seed("onnx_model", bytes)?,
        "onnxtxt" => seed("onnx_text", bytes)?,
        "ort" => seed("onnx_ort", bytes)?,
        "jaxexp" => seed("jax_export", bytes)?,
        _ if ending.ends_with("-cache") => seed("compilation_cache", bytes)?,
        "gguf" => seed("gguf", bytes)?,
        "tflite" => seed("unversioned", bytes)?,
        "pb" | "meta" => {
            seed("tensorflow_file", bytes)?;
            seed("tensorflow_convert", bytes)?;
            if name.ends_with("/saved_model.pb") {
                seed("tensorflow_saved_model", bytes)?;
            }
        }
        "pbtxt" if name.ends_with("/config.pbtxt") => seed("triton_configuration", bytes)?,
        "pbtxt" => {
            seed("tensorflow_text", bytes)?;
            if let Ok(message) = transcode(&*source(name, bytes), TensorFlowFileKind::Graph) {
                let mut binary = vec![0; unskew_source::Source::size(&message) as usize];
                unskew_source::SourceExt::fill(&message, 0, &mut binary)?;
                seed("tensorflow_file", &binary)?;
            }
        }
        "index" => seed("tensorflow_checkpoint", bytes)?,
        "h5" | "hdf5" => {
            seed("keras_file", bytes)?;
            seed("hdf5", bytes)?;
            seed("unversioned", bytes)?;
        }
        "keras" => seed("keras_file", bytes)?,
        "json" if name.ends_with("/config.json") => seed("model_folder", bytes)?,
        "json" if name.ends_with("/model.json") => seed("tfjs_model", bytes)?,
        "so" => {
            seed("shared_object", bytes)?;
            seed("debug_information", bytes)?;
            seed("gpu_code", bytes)?;
            seed("native_extension", bytes)?;
        }
        "proto" => seed("protobuf", bytes)?,
        "binpb" => seed("protobuf_descriptors", bytes)?,
        "md" => chronicle(1, bytes)?,
        "h" => {
            seed("header", bytes)?;
            chronicle(2, bytes)?;
        }
        "mlir" => seed("stablehlo_text", bytes)?,
        "stablehlo" | "mlirbc" => {
            seed("stablehlo", bytes)?;
            seed("native_stablehlo", bytes)?;
        }
        "whl" => {
            seed("zip_archive", bytes)?;
            packages(bytes)?;
        }
        "toml" if name.ends_with("unskew.toml") => seed("lint_configuration", bytes)?,
        "toml" if !name.contains("/rules/") => chronicle(0, bytes)?,
        "tsv" | "txt" => tables(&String::from_utf8_lossy(bytes))?,
        _ => {}
    }
    Ok(())
}

/// A history with the number of its form before it.
fn chronicle(form: u8, bytes: &[u8]) -> Done {
    seed("chronicle", &[&[form], bytes].concat())
}

/// The records of an archive, each pickle alone, and all of them packed as a wheel has them.
fn explode(bytes: &[u8]) -> Done {
    let Ok(mut zip) = zip::ZipArchive::new(Cursor::new(bytes)) else { return Ok(()) };
    let mut all = Vec::new();
    for index in 0..zip.len() {
        let Ok(mut file) = zip.by_index(index) else { return Ok(()) };
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        let name = file.name()?.into_owned();
        if name.ends_with(".pkl") && content.len() < 1 << 16 {
            seed("torch_pickle", &content)?;
        }
        if name.ends_with(".py") && content.len() < 1 << 16 {
            seed("script", &content)?;
            seed("typing", &content)?;
        }
        records::write(&name, &content, &mut all);
    }
    seed("torch_records", &all)?;
    seed("packed_archive", &all)?;
    let mut wheel = b"f-1.dist-info/METADATA\n\x14\0Name: f\nVersion: 1.0\n".to_vec();
    records::write("f/model.pt", bytes, &mut wheel);
    seed("wheel", &wheel)
}

/// The first rows of a table, and some rows alone.
fn tables(text: &str) -> Done {
    let head: String = text.lines().take(40).map(|line| format!("{line}\n")).collect();
    seed("op_history", head.as_bytes())?;
    for line in text.lines().skip(1).step_by(97) {
        seed("schema", line.split('\t').next().unwrap_or(line).as_bytes())?;
    }
    Ok(())
}

/// The bytes at the end of each line, in hexadecimal digits.
fn values(text: &str) -> Done {
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let hex = line.rsplit([' ', '\t']).next().unwrap_or_default();
        let byte =
            |at: usize| hex.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        if let Some(bytes) = (0..hex.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>() {
            seed("ifrt_value", &bytes)?;
        }
    }
    Ok(())
}

fn seed(target: &str, bytes: &[u8]) -> Done {
    if TARGETS.iter().all(|(known, _)| *known != target) {
        return Err(format!("there is no target {target}").into());
    }
    let folder = root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&folder)?;
    let mut hash = DefaultHasher::new();
    bytes.hash(&mut hash);
    Ok(fs::write(folder.join(format!("{:016x}", hash.finish())), bytes)?)
}
