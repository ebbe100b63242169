//! What is mutated: small files of every format in this repository and in the corpus, and what is run on them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use unskew_random::Random;

use super::folders;

/// No seed is larger.
const LARGEST: u64 = 3 << 20;

/// A format: its endings (a file is of the first format that has its ending), how often it is chosen beside the others, and the
/// commands. `FILE` is the mutated file, `SEED` the seed, `OUT` a file that may be written, `MODEL` a small program. Of a format
/// whose files lie in a folder, `FOLDER` is one that has the file where its name belongs (`folders`).
struct Format {
    name: &'static str,
    endings: &'static [&'static str],
    weight: usize,
    commands: &'static [&'static str],
}

const FORMATS: &[Format] = &[
    Format {
        name: "scikit-learn",
        endings: &["model.pkl", "joblib"],
        weight: 3,
        commands: &[
            "inspect FILE",
            "check FILE --with scikit-learn@0.22 scikit-learn@1.9",
            "scan FILE --with scikit-learn@1.5 -o TABLE",
        ],
    },
    Format {
        name: "PyTorch",
        endings: &["pt", "ptl", "pth", "pt2", "pte", "jit", "ff", "pkl"],
        weight: 30,
        commands: &[
            "inspect FILE",
            "check FILE --with torch@1.4 torch@2.15",
            "convert FILE --to torch@1.4 -o OUT",
            "convert FILE --to torch@2.1 -o OUT",
            "ops run FILE --input 3 --input 2",
            "ops run FILE --input 3",
            "ops closure FILE",
            "scan FILE --with torch@2.1 -o TABLE",
        ],
    },
    Format {
        name: "configurations of Triton",
        endings: &["config.pbtxt"],
        weight: 3,
        commands: &[
            "inspect FOLDER",
            "check FOLDER --with onnxruntime@1.17",
            "scan FOLDER --with onnxruntime@1.17 -o TABLE",
        ],
    },
    Format {
        name: "SavedModels",
        endings: &["saved_model.pb", "saved_model.pbtxt", "fingerprint.pb", "keras_metadata.pb"],
        weight: 4,
        commands: &[
            "inspect FOLDER",
            "check FOLDER --with tensorflow@1.15 tensorflow@2.21",
            "convert FOLDER --to tensorflow@2.4 -o OUT",
            "scan FOLDER --with tensorflow@2.15 -o TABLE",
        ],
    },
    Format {
        name: "TensorFlow",
        endings: &["pb", "pbtxt", "meta", "index", "ckpt"],
        weight: 16,
        commands: &[
            "inspect FILE",
            "check FILE --with tensorflow@1.15 tensorflow@2.21",
            "convert FILE --to tensorflow@2.4 -o OUT",
            "diff SEED FILE",
            "scan FILE --with tensorflow@2.15 -o TABLE",
        ],
    },
    Format {
        name: "Keras",
        endings: &["keras", "h5", "hdf5"],
        weight: 7,
        commands: &[
            "inspect FILE",
            "check FILE --with tensorflow@2.4 tensorflow@2.21",
            "convert FILE --to tensorflow@2.12 -o OUT",
            "scan FILE --with tensorflow@2.15 -o TABLE",
        ],
    },
    Format {
        name: "TensorFlow.js",
        endings: &["model.json"],
        weight: 4,
        commands: &[
            "inspect FILE",
            "check FILE --with tfjs@1.0 tfjs@4.22",
            "scan FILE --with tfjs@4.22 -o TABLE",
        ],
    },
    Format {
        name: "safetensors",
        endings: &["safetensors"],
        weight: 3,
        commands: &[
            "inspect FILE",
            "check FILE --with torch@1.4 torch@2.15",
            "scan FILE --with torch@2.1 -o TABLE",
        ],
    },
    Format {
        name: "GGUF",
        endings: &["gguf"],
        weight: 3,
        commands: &[
            "inspect FILE",
            "check FILE --with llama.cpp@b1365 llama.cpp@b10361",
            "scan FILE --with llama.cpp@b4529 -o TABLE",
        ],
    },
    Format {
        name: "files of tokenizers",
        endings: &["tokenizer.json"],
        weight: 3,
        commands: &[
            "inspect FILE",
            "check FILE --with tokenizers@0.11 tokenizers@0.22",
            "convert FILE --to tokenizers@0.13 -o OUT",
            "scan FILE --with tokenizers@0.19 -o TABLE",
        ],
    },
    Format {
        name: "adapters of PEFT",
        endings: &["adapter_config.json"],
        weight: 2,
        commands: &[
            "inspect FILE",
            "check FOLDER --with peft@0.4 peft@0.17",
            "convert FILE --to peft@0.8 -o OUT",
            "scan FOLDER --with peft@0.8 -o TABLE",
        ],
    },
    Format {
        name: "folders of Hugging Face",
        endings: &[
            "tokenizer_config.json",
            "generation_config.json",
            "preprocessor_config.json",
            "config.json",
        ],
        weight: 4,
        commands: &[
            "inspect FOLDER",
            "check FOLDER --with transformers@4.30 transformers@5.0",
            "scan FOLDER --with transformers@4.45 -o TABLE",
        ],
    },
    Format {
        name: "formats that are only shown",
        endings: &["tflite"],
        weight: 2,
        commands: &["inspect FILE", "scan FILE --with torch@2.1 -o TABLE"],
    },
    Format {
        name: "IFRT values",
        endings: &["ifrtvalue"],
        weight: 2,
        commands: &[
            "inspect FILE",
            "check FILE --with jax@0.6.2",
            "scan FILE --with jax@0.6.2 -o TABLE",
        ],
    },
    Format {
        name: "packed models",
        endings: &["tar", "tar.gz", "zip"],
        weight: 4,
        commands: &[
            "inspect FILE",
            "check FILE --with tensorflow@2.15 onnx@1.23",
            "scan FILE --with tensorflow@2.15 -o TABLE",
        ],
    },
    Format { name: "container images", endings: &["image"], weight: 3, commands: &["env FILE"] },
    Format {
        name: "environments",
        endings: &[
            "METADATA",
            "RECORD",
            "PKG-INFO",
            "entry_points.txt",
            ".pth",
            "_pb2.py",
            "direct_url.json",
        ],
        weight: 4,
        commands: &["env FOLDER"],
    },
    Format {
        name: "ONNX",
        endings: &["onnx", "onnxtxt", "ort"],
        weight: 10,
        commands: &[
            "inspect FILE",
            "convert FILE --to onnxruntime@1.10 -o OUT",
            "check FILE --with onnxruntime@1.8 onnxruntime@1.32 onnx@1.23",
            "scan FILE --with onnxruntime@1.32 -o TABLE",
        ],
    },
    Format {
        name: "StableHLO",
        endings: &["stablehlo", "mlirbc", "mlir", "bc"],
        weight: 8,
        commands: &[
            "inspect FILE",
            "check FILE --with jax@0.4.30 jax@0.6.2",
            "convert FILE --to stablehlo@1.0.0 -o OUT",
            "scan FILE --with jax@0.6.2 -o TABLE",
        ],
    },
    Format {
        name: "C headers",
        endings: &["h"],
        weight: 8,
        commands: &["diff SEED FILE", "diff FILE SEED --policy pjrt", "diff FILE FILE"],
    },
    Format {
        name: "protobuf files",
        endings: &["proto", "binpb"],
        weight: 7,
        commands: &["diff SEED FILE", "diff FILE SEED"],
    },
    Format {
        name: "histories",
        endings: &["history.toml", "CHANGELOG.md", "history.md"],
        weight: 7,
        commands: &["history FILE", "diff SEED FILE", "history FILE --window SPAN"],
    },
    Format {
        name: "lint configurations",
        endings: &["unskew.toml"],
        weight: 4,
        commands: &["lint --config FILE"],
    },
    Format {
        name: "lists and locks",
        endings: &["yaml", "stored.lock", "ifrt.lock", "json"],
        weight: 4,
        commands: &["diff SEED FILE", "inspect FILE", "ops table torch@2.1 --from-list FILE"],
    },
    Format {
        name: "arrays",
        endings: &["npy"],
        weight: 2,
        commands: &["ops run MODEL --input FILE --input 2"],
    },
    Format {
        name: "functions of jax.export",
        endings: &["jaxexp"],
        weight: 4,
        commands: &[
            "inspect FILE",
            "check FILE --with jax@0.4.30 jax@0.12.0",
            "scan FILE --with jax@0.6.2 -o TABLE",
        ],
    },
    Format {
        name: "entries of compilation caches",
        endings: &["-cache"],
        weight: 2,
        commands: &[
            "inspect FILE",
            "check FILE --with jax@0.6.2 jax@0.12.0",
            "scan FILE --with jax@0.6.2 -o TABLE",
        ],
    },
    Format {
        name: "locks of environments",
        endings: &[
            "uv.lock",
            "pylock.toml",
            "requirements.txt",
            "poetry.lock",
            "pixi.lock",
            "conda-lock.yml",
        ],
        weight: 3,
        commands: &["lock FILE"],
    },
    Format {
        name: "native extensions",
        endings: &["so", "dylib", "dll"],
        weight: 5,
        commands: &[
            "inspect FILE --static",
            "diff SEED FILE",
            "check FILE --static --with torch@2.1 tensorflow@2.15",
            "scan FILE --with torch@2.1 -o TABLE",
        ],
    },
    Format {
        name: "wheels",
        endings: &["whl"],
        weight: 4,
        commands: &[
            "inspect FILE",
            "env labels FILE",
            "check FILE --with torch@2.1 tensorflow@2.15",
            "scan FILE --with torch@2.1 tensorflow@2.15 -o TABLE",
        ],
    },
];

/// A file to mutate. Its bytes are read when it is used: the system counts the memory of the process that starts a
/// command as the command's own.
pub struct Seed {
    pub path: PathBuf,
    pub name: String,
}

impl Seed {
    /// What is in it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        fs::read(&self.path).with_context(|| self.path.display().to_string())
    }
}

/// All seeds by format.
pub struct Seeds {
    by_format: Vec<Vec<Seed>>,
}

impl Seeds {
    /// Finds the seeds below the root of the repository; `unpacked` is where packed fixtures are unpacked.
    ///
    /// # Errors
    /// If the repository cannot be read, or a format has no seed.
    pub fn find(root: &Path, unpacked: &Path) -> anyhow::Result<Self> {
        let mut paths = Vec::new();
        for folder in ["examples", "crates", "corpus"] {
            walk(&root.join(folder), 0, &mut paths);
        }
        walk(unpacked, 0, &mut paths);
        paths.sort();
        let mut by_format: Vec<Vec<Seed>> = FORMATS.iter().map(|_| Vec::new()).collect();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let of =
                FORMATS.iter().position(|format| format.endings.iter().any(|e| name.ends_with(e)));
            let Some(of) = of else { continue };
            by_format[of].push(Seed { path, name });
        }
        for (format, seeds) in FORMATS.iter().zip(&by_format) {
            ensure!(!seeds.is_empty(), "no seeds of {}; run `cargo xtask corpus`", format.name);
        }
        Ok(Self { by_format })
    }

    /// How many there are of each format.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        FORMATS.iter().zip(&self.by_format).map(|(format, all)| (format.name, all.len())).collect()
    }

    /// A format at random, with its seeds and its commands.
    pub fn format(&self, random: &mut Random) -> (&'static str, &[Seed], &'static [&'static str]) {
        let mut part = random.below(FORMATS.iter().map(|format| format.weight).sum());
        for (format, seeds) in FORMATS.iter().zip(&self.by_format) {
            match part.checked_sub(format.weight) {
                Some(left) => part = left,
                None => return (format.name, seeds, format.commands),
            }
        }
        (FORMATS[0].name, &self.by_format[0], FORMATS[0].commands)
    }
}

/// Unpacks the fixtures that are packed, and makes a wheel of a few others: there is none small enough.
///
/// # Errors
/// If `tar` is not there, or a fixture is broken.
pub fn unpack(root: &Path, into: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(into)?;
    let mut packed = Vec::new();
    for krate in ["torch/archives", "tensorflow/models", "cli", "torch/interpreter"] {
        find_packed(&root.join("crates").join(krate).join("tests"), &mut packed);
    }
    for (nth, path) in packed.iter().enumerate() {
        let folder = into.join(nth.to_string());
        fs::create_dir_all(&folder)?;
        let tar = Command::new("tar").arg("-xJf").arg(path).arg("-C").arg(&folder).status();
        ensure!(tar.context("tar is not installed")?.success(), "broken: {}", path.display());
    }
    for (name, text) in LOCKS {
        fs::write(into.join(name), text)?;
    }
    of_rules(&root.join("crates"), &into.join("rules"))?;
    ifrt_values(root, into)?;
    for (name, bytes) in folders::seeds(root)? {
        let path = into.join("made").join(name);
        fs::create_dir_all(path.parent().unwrap_or(into))?;
        fs::write(path, bytes)?;
    }
    extension(into)?;
    wheel(root, &into.join("fixture-1.0-py3-none-any.whl"))
}

/// The values of every version, of which each line of a test has one in hexadecimal digits.
fn ifrt_values(root: &Path, into: &Path) -> anyhow::Result<()> {
    let text = fs::read_to_string(root.join("crates/xla/ifrt/tests/golden.txt"))?;
    let all = text.lines().filter(|line| !line.starts_with('#'));
    for (nth, line) in all.step_by(7).enumerate() {
        let bytes = digits(line.rsplit(' ').next().unwrap_or_default()).unwrap_or_default();
        fs::write(into.join(format!("{nth}.ifrtvalue")), bytes)?;
    }
    Ok(())
}

/// Writes the files that the examples of rules have as text, below `$ cat NAME`, and as hexadecimal digits, below `$ xxd -p
/// NAME`, or writes with `$ echo 'TEXT' > NAME`: of formats that have few other small files, such as ONNX.
fn of_rules(crates: &Path, into: &Path) -> anyhow::Result<()> {
    let mut paths = Vec::new();
    walk(crates, 0, &mut paths);
    for rule in paths.iter().filter(|path| path.parent().is_some_and(|it| it.ends_with("rules"))) {
        let text = fs::read_to_string(rule)?;
        let folder = into.join(rule.file_stem().unwrap_or_default());
        for part in text.split("$ xxd -p ").skip(1) {
            let mut lines = part.lines();
            let name = Path::new(lines.next().unwrap_or_default()).file_name().unwrap_or_default();
            let bytes: Vec<u8> = lines.map_while(digits).flatten().collect();
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(name), bytes)?;
        }
        for part in text.split("$ cat ").skip(1) {
            let (name, rest) = part.split_once('\n').unwrap_or((part, ""));
            let name = Path::new(name).file_name().unwrap_or_default();
            let shown = ["onnxtxt", "json", "pbtxt", "mlir"];
            if shown.iter().any(|ending| name.to_string_lossy().ends_with(ending)) {
                let text = rest.split("\n$ ").next().unwrap_or(rest);
                fs::create_dir_all(&folder)?;
                fs::write(folder.join(name), text)?;
            }
        }
        for line in text.lines().filter_map(|line| line.strip_prefix("$ echo '")) {
            let Some((text, name)) = line.split_once("' > ") else { continue };
            let name = Path::new(name).file_name().unwrap_or_default();
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(name), text)?;
        }
    }
    Ok(())
}

/// The bytes of a line of hexadecimal digits; none if it is another one.
fn digits(line: &str) -> Option<Vec<u8>> {
    let pairs = line.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    (!line.is_empty()).then(|| pairs.map(byte).collect())?
}

/// One package in each of the forms that `unskew lock` reads.
const LOCKS: [(&str, &str); 6] = [
    ("requirements.txt", "torch==2.10.0\ntorchaudio==2.11.0 \\\n    --hash=sha256:00ff\n"),
    (
        "uv.lock",
        "version = 1\nrequires-python = \">=3.11\"\n\n[[package]]\nname = \"torch\"\nversion = \"2.10.0\"\n\
         source = { registry = \"https://index.example/simple\" }\nwheels = [{ url = \"https://files.example/torch-2.10.0-\
         cp311-cp311-manylinux_2_28_x86_64.whl\", hash = \"sha256:00ff\", size = 1 }]\n",
    ),
    (
        "pylock.toml",
        "lock-version = \"1.0\"\ncreated-by = \"hand\"\n\n[[packages]]\nname = \"torch\"\nversion = \"2.10.0\"\n\
         wheels = [{ name = \"torch-2.10.0-cp311-cp311-manylinux_2_28_x86_64.whl\", hashes = { sha256 = \"00ff\" } }]\n",
    ),
    (
        "poetry.lock",
        "[[package]]\nname = \"torch\"\nversion = \"2.10.0\"\nfiles = [{ file = \"torch-2.10.0-cp311-cp311-\
         manylinux_2_28_x86_64.whl\", hash = \"sha256:00ff\" }]\n\n[metadata]\nlock-version = \"2.1\"\n",
    ),
    (
        "pixi.lock",
        "version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n      - pypi: https://files.example/\
         torch-2.10.0-cp311-cp311-manylinux_2_28_x86_64.whl\npackages:\n- pypi: https://files.example/torch-2.10.0-\
         cp311-cp311-manylinux_2_28_x86_64.whl\n  name: torch\n  version: 2.10.0\n  sha256: 00ff\n",
    ),
    (
        "conda-lock.yml",
        "version: 1\npackage:\n- name: torch\n  version: 2.10.0\n  manager: pip\n  platform: linux-64\n  url: \
         https://files.example/torch-2.10.0-cp311-cp311-manylinux_2_28_x86_64.whl\n  hash:\n    sha256: 00ff\n",
    ),
];

/// A shared object that imports from PyTorch and from TensorFlow.
fn extension(folder: &Path) -> anyhow::Result<()> {
    let source = folder.join("extension.c");
    fs::write(
        &source,
        "void _ZN3c1011SymInt_testEv(void); void TF_NewStatus(void); void PyInit__C(void);\n\
         void PyInit__C(void) { _ZN3c1011SymInt_testEv(); TF_NewStatus(); }\n",
    )?;
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-g", "-nostdlib", "-o"])
        .arg(folder.join("_C.abi3.so"))
        .arg(&source)
        .status();
    ensure!(made.context("cc is not installed")?.success(), "cc: {}", source.display());
    Ok(())
}

fn wheel(root: &Path, place: &Path) -> anyhow::Result<()> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(fs::File::create(place)?);
    let options = zip::write::SimpleFileOptions::default();
    for name in ["floor-divide-1.12.1.pt", "add-cast.pb", "add.stablehlo"] {
        zip.start_file(format!("fixture/{name}"), options)?;
        zip.write_all(&fs::read(root.join("examples").join(name))?)?;
    }
    zip.start_file("fixture-1.0.dist-info/METADATA", options)?;
    zip.write_all(b"Metadata-Version: 2.1\nName: fixture\nVersion: 1.0\n")?;
    zip.finish()?;
    Ok(())
}

fn find_packed(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_packed(&path, found);
        } else if path.to_string_lossy().ends_with(".tar.xz") {
            found.push(path);
        }
    }
    found.sort();
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let left_out = ["target", "node_modules", "python", "packages", "headers", "cache"];
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        if path.is_dir() {
            if depth < 8 && !left_out.iter().any(|out| name == *out) {
                walk(&path, depth + 1, found);
            }
        } else if path.metadata().is_ok_and(|file| file.is_file() && file.len() <= LARGEST) {
            found.push(path);
        }
    }
}
