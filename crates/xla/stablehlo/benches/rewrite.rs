//! A program with a constant of 100 MB: written for another version, against copying the file; and its verdict.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_core::{Context, Party, Role, Version, check};
use unskew_source::{BytesSource, ConvertedArtifact, FileSource, Source, SourceExt};

/// How many bytes the constant has.
const LARGE: usize = 100 << 20;

/// The bytes of the element that the small constant has, and nothing else has.
const ELEMENT: [u8; 4] = [0xd1, 0xc2, 0xb3, 0x24];

/// The numbers of the sections of bytecode for attributes and types, and for their sizes.
const VALUES: u8 = 2;
const SIZES: u8 = 3;

fn varint(bytes: &[u8], at: &mut usize) -> u64 {
    let more = bytes[*at].trailing_zeros() as usize;
    let mut word = [0; 9];
    word[..=more].copy_from_slice(&bytes[*at..=*at + more]);
    *at += more + 1;
    match more {
        8 => u64::from_le_bytes(word[1..].try_into().unwrap()),
        _ => u64::from_le_bytes(word[..8].try_into().unwrap()) >> (more + 1),
    }
}

/// A number in eight bytes after one of zeros, however small it is.
fn wide(out: &mut Vec<u8>, number: u64) {
    out.push(0);
    out.extend_from_slice(&number.to_le_bytes());
}

/// A program that adds a constant to its input, with as many elements in the file as its type has.
fn large() -> Vec<u8> {
    let count = LARGE / 4;
    let bits = u32::from_le_bytes(ELEMENT);
    let text = format!(
        "func.func @main(%x: tensor<{count}xf32>) -> tensor<{count}xf32> {{\n\
         %0 = stablehlo.constant dense<0x{bits:08X}> : tensor<{count}xf32>\n\
         %1 = stablehlo.add %x, %0 : tensor<{count}xf32>\n\
         %2 = stablehlo.tanh %1 : tensor<{count}xf32>\n\
         return %2 : tensor<{count}xf32>\n}}"
    );
    let text: Arc<dyn Source> = Arc::new(BytesSource::new("a.mlir", text.into_bytes()));
    let target = Version::triple(1, 17, 0);
    let (_, made) =
        unskew_stablehlo::rewrite::plan(&text, target, &Default::default()).unwrap().unwrap();
    let small = made.bytes(0, made.size()).unwrap();
    let head = small.iter().skip(5).position(|byte| *byte == 0).unwrap() + 6;
    let mut out = small[..head].to_vec();
    let (mut at, mut values) = (head, Vec::new());
    while at < small.len() {
        let id = small[at];
        at += 1;
        let len = varint(&small, &mut at) as usize;
        let contents = &small[at..at + len];
        at += len;
        match id {
            VALUES => {
                values = contents.to_vec();
                let place = values.windows(4).position(|four| four == ELEMENT).unwrap();
                let mut grown = values[..place - 1].to_vec();
                wide(&mut grown, LARGE as u64);
                (0..LARGE).for_each(|at| grown.push((at % 251) as u8));
                grown.extend_from_slice(&values[place + 4..]);
                section(&mut out, id, &grown);
            }
            SIZES => {
                // The place of the constant is that of the first entry that reaches over it.
                let place = values.windows(4).position(|four| four == ELEMENT).unwrap();
                let (mut grown, mut at, mut end, mut done) = (Vec::new(), 0, 0, false);
                wide(&mut grown, varint(contents, &mut at));
                wide(&mut grown, varint(contents, &mut at));
                while at < contents.len() {
                    wide(&mut grown, varint(contents, &mut at));
                    let count = varint(contents, &mut at);
                    wide(&mut grown, count);
                    for _ in 0..count {
                        let size = varint(contents, &mut at);
                        end += (size >> 1) as usize;
                        let larger = if end > place && !done { (LARGE + 8 - 4) as u64 } else { 0 };
                        done |= larger > 0;
                        wide(&mut grown, size + (larger << 1));
                    }
                }
                section(&mut out, id, &grown);
            }
            _ => section(&mut out, id, contents),
        }
    }
    out
}

fn section(out: &mut Vec<u8>, id: u8, contents: &[u8]) {
    out.push(id);
    wide(out, contents.len() as u64);
    out.extend_from_slice(contents);
}

fn rewrite(from: &Path, to: &Path) -> u64 {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(from).unwrap());
    let target = Version::triple(1, 0, 0);
    let planned = unskew_stablehlo::rewrite::plan(&source, target, &Default::default()).unwrap();
    let (plan, output) = planned.unwrap();
    assert!(plan.is_possible());
    let output = ConvertedArtifact::File(Arc::new(output));
    output.write(to).unwrap();
    output.size()
}

fn verdict(path: &Path) -> bool {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).unwrap());
    let party = unskew_stablehlo::party(&source).unwrap().unwrap();
    let reader = Party::new("jax 0.5.3", Role::Host, "JAX release");
    let reader = unskew_stablehlo::reader(reader, Version::triple(1, 9, 0));
    check(&party, &reader, &Context::for_tests()).works()
}

fn benches(criterion: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("unskew-rewrite-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (from, to) = (folder.join("large.stablehlo"), folder.join("out.stablehlo"));
    fs::write(&from, large()).unwrap();
    assert!(rewrite(&from, &to) > LARGE as u64);
    let mut group = criterion.benchmark_group("100 MB of StableHLO");
    group.sample_size(20);
    group.bench_function("written for 1.0.0", |b| b.iter(|| rewrite(black_box(&from), &to)));
    group.bench_function("copied", |b| b.iter(|| fs::copy(black_box(&from), &to).unwrap()));
    group.bench_function("verdict", |b| b.iter(|| verdict(black_box(&from))));
    group.finish();
    fs::remove_dir_all(&folder).unwrap();
}

criterion_group!(rewriting, benches);
criterion_main!(rewriting);
