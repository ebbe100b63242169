//! What is mutated: small files of every format in this repository and in the corpus, and what is run on them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

/// No seed is larger.
const LARGEST: u64 = 3 << 20;

/// A format: its endings, how often it is chosen among a hundred, and the commands. `FILE` is the mutated file,
/// `SEED` the seed, `OUT` a file that may be written, `MODEL` a small program.
struct Format {
    name: &'static str,
    endings: &'static [&'static str],
    weight: usize,
    commands: &'static [&'static str],
}

const FORMATS: [Format; 10] = [
    Format {
        name: "PyTorch",
        endings: &["pt", "ptl", "pth", "pt2", "pte", "jit", "pkl"],
        weight: 36,
        commands: &[
            "inspect FILE",
            "check FILE --with torch@1.4 torch@2.15",
            "convert FILE --to torch@1.4 -o OUT",
            "convert FILE --to torch@2.1 -o OUT",
            "ops run FILE --input 3 --input 2",
            "ops run FILE --input 3",
            "ops closure FILE",
        ],
    },
    Format {
        name: "TensorFlow",
        endings: &["pb", "pbtxt", "binpb", "meta", "index", "ckpt"],
        weight: 20,
        commands: &[
            "inspect FILE",
            "check FILE --with tensorflow@1.15 tensorflow@2.21",
            "convert FILE --to tensorflow@2.4 -o OUT",
            "diff SEED FILE",
        ],
    },
    Format {
        name: "StableHLO",
        endings: &["stablehlo", "mlirbc", "mlir", "bc"],
        weight: 8,
        commands: &["inspect FILE", "check FILE --with jax@0.4.30 jax@0.6.2"],
    },
    Format {
        name: "C headers",
        endings: &["h"],
        weight: 8,
        commands: &["diff SEED FILE", "diff FILE SEED --policy pjrt", "diff FILE FILE"],
    },
    Format {
        name: "protobuf files",
        endings: &["proto"],
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
        endings: &["yaml", "lock", "json"],
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
        name: "wheels",
        endings: &["whl"],
        weight: 4,
        commands: &["inspect FILE", "check FILE --with torch@2.1 tensorflow@2.15"],
    },
];

/// A file to mutate.
pub struct Seed {
    pub path: PathBuf,
    pub name: String,
    pub bytes: Vec<u8>,
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
            let bytes = fs::read(&path)?;
            by_format[of].push(Seed { path, name, bytes });
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

    /// A format with its seeds and its commands, `part` of a hundred.
    pub fn format(&self, mut part: usize) -> (&'static str, &[Seed], &'static [&'static str]) {
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
    wheel(root, &into.join("fixture-1.0-py3-none-any.whl"))
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
    let left_out = ["target", "node_modules", "python", "packages", "headers"];
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if depth < 8 && !left_out.iter().any(|out| name == *out) {
                walk(&path, depth + 1, found);
            }
        } else if path.metadata().is_ok_and(|file| file.is_file() && file.len() <= LARGEST) {
            found.push(path);
        }
    }
}
