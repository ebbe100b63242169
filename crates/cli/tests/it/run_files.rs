//! `unskew run`: archives of inputs, files of results, and plug-ins of the current folder.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use unskew_array::{Array, ArrayElementType, Fill, npy};
use unskew_peers::root;

const PLUGIN: &str = "lammps-jax-pjrt-cpu-0.11.2.so";

/// A folder with the plug-in in it; none, said aloud, without a corpus.
fn folder_with_plugin() -> Option<tempfile::TempDir> {
    let corpus = root().join("corpus");
    if !corpus.is_dir() {
        println!("skipped: no corpus; `cargo xtask corpus` fetches it");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let plugin = corpus.join(PLUGIN).canonicalize().unwrap();
    std::os::unix::fs::symlink(plugin, folder.path().join(PLUGIN)).unwrap();
    Some(folder)
}

/// Runs a program of the examples with the plug-in by its bare name.
fn run(folder: &Path, program: &str, args: &[&str]) -> Output {
    let program = root().join("examples/programs").join(program);
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.current_dir(folder).args(["run", PLUGIN]).arg(program).args(args);
    command.output().unwrap()
}

fn printed(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn archive(path: &Path, members: &[(&str, &Array)], method: zip::CompressionMethod) {
    let mut archive = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, array) in members {
        archive.start_file(*name, options).unwrap();
        archive.write_all(&npy::write(array)).unwrap();
    }
    archive.finish().unwrap();
}

#[test]
fn the_members_of_an_archive_are_the_inputs_in_their_order() {
    let Some(folder) = folder_with_plugin() else { return };
    let a = Array::filled(ArrayElementType::F32, &[3], Fill::Iota).unwrap();
    let b = Array::filled(ArrayElementType::F32, &[3], Fill::Ones).unwrap();
    for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
        let path = folder.path().join("inputs.npz");
        archive(&path, &[("z.npy", &a), ("a.npy", &b)], method);
        let output = run(folder.path(), "add.mlir", &["--input", "inputs.npz"]);
        assert_eq!(printed(&output), "output_0: f32[3]\n[1, 2, 3]\n");
    }
    archive(&folder.path().join("one.npz"), &[("a.npy", &a)], zip::CompressionMethod::Stored);
    let output = run(folder.path(), "add.mlir", &["--input", "one.npz"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("the program takes 2 inputs (f32[3], f32[3]): 1 given"), "{errors}");
}

#[test]
fn an_archive_that_is_cut_off_is_an_error() {
    let Some(folder) = folder_with_plugin() else { return };
    let path = folder.path().join("inputs.npz");
    let a = Array::filled(ArrayElementType::F32, &[3], Fill::Iota).unwrap();
    archive(&path, &[("a.npy", &a)], zip::CompressionMethod::Stored);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let output = run(folder.path(), "add.mlir", &["--input", "inputs.npz"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("inputs.npz"));
}

#[test]
fn results_are_files_that_are_inputs_again() {
    let Some(folder) = folder_with_plugin() else { return };
    let first = run(folder.path(), "types.mlir", &["--fill", "iota", "-o", "first"]);
    printed(&first);
    // What the device gave for an integer of four bits; numpy reads all eight.
    let four = std::fs::read(folder.path().join("first/output_2.npy")).unwrap();
    assert!(four.ends_with(&[0x00, 0xff, 0xfe, 0xfd]), "{four:?}");
    let result = |index| {
        let file = std::fs::read(folder.path().join(format!("first/output_{index}.npy"))).unwrap();
        npy::read(&file).unwrap()
    };
    assert_eq!(result(0).as_type(ArrayElementType::BF16).unwrap().to_string(), "[0, 2, 4, 6]");
    assert_eq!(result(5).as_type(ArrayElementType::U64).unwrap().dims(), [2, 2]);
    let mut args = Vec::new();
    for input in ["first/output_0.npy", "first/output_1.npy", "first/output_2.npy"] {
        args.extend(["--input", input]);
    }
    args.extend(["--fill", "zeros"]);
    let again = printed(&run(folder.path(), "types.mlir", &args));
    assert!(again.contains("output_0: bf16[4]\n[0, 4, 8, 12]\n"), "{again}");
    assert!(again.contains("output_1: f8e4m3fn[4]\n[0, 1, 2, 3]\n"), "{again}");
    assert!(again.contains("output_2: s4[4]\n[0, 1, 2, 3]\n"), "{again}");
}
