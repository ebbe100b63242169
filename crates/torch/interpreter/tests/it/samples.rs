//! Functions of one call each, by the samples that PyTorch 2.5.1 tests its own operators with: what 2.5.1 gave.
//!
//! `cargo lab torch-battery --interpret 2.5.1 --count 300 --seed 3` writes such functions; three hundred by the seed 3 are
//! here, and those of other seeds whose operators are not among these.

use std::io::Read;

use unskew_torch_matrix::differential::CompiledModule;
use unskew_torch_matrix::interpreted::{FunctionOutcome, interpreted, interpreted_table};

use crate::corpus::source;

fn samples() -> Vec<(CompiledModule, Vec<u8>)> {
    let packed = include_bytes!("../data/samples-2.5.1.tar.xz");
    let mut archive = tar::Archive::new(liblzma::read::XzDecoder::new(&packed[..]));
    let mut files = std::collections::BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name =
            entry.path().unwrap().file_name().map(|name| name.to_string_lossy().into_owned());
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(name.unwrap_or_default(), bytes);
    }
    let rows = String::from_utf8(files.remove("samples.jsonl").unwrap()).unwrap();
    rows.lines()
        .map(|line| {
            let material: CompiledModule = serde_json::from_str(line).unwrap();
            let bytes = files.remove(&material.files[0]).unwrap();
            (material, bytes)
        })
        .collect()
}

#[test]
fn samples_of_pytorch_give_what_pytorch_gave() {
    let samples = samples();
    let release = "2.5.1".parse().unwrap();
    let ended = |(material, bytes): &(CompiledModule, Vec<u8>)| {
        interpreted(&source(&material.name, bytes), material, release).unwrap()
    };
    let all: Vec<(&CompiledModule, FunctionOutcome)> =
        samples.iter().map(|sample| (&sample.0, ended(sample))).collect();
    print!("{}", interpreted_table(&all));
    assert!(all.len() >= 560);
    assert!(all.iter().all(|(_, ended)| *ended == FunctionOutcome::Equal));
}
