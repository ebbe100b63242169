//! Checkpoints that TensorFlow 2.21.0 wrote, whole and damaged: six variables, one of them in three slices.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_core::{Party, Severity};
use unskew_source::{BytesSource, ConvertedArtifact, FileSource, Source, SourceExt as _};
use unskew_tensorflow::convert::{GraphConvertOptions, VersionOptions, convert};
use unskew_tensorflow::read::Checkpoint;
use unskew_tensorflow::{
    DataType, TensorFlowFile, party, read_file, with_data, with_what_lies_beside,
};

use crate::graphs;

const DATA: &str = "v2.data-00000-of-00001";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/variables")
}

fn open(path: &Path) -> Option<Arc<dyn Source>> {
    Some(Arc::new(FileSource::open(path).ok()?))
}

/// The party of a file with what lies beside it in the same folder.
fn read(path: &Path) -> Party {
    let found = party(&open(path).unwrap()).unwrap().unwrap();
    with_what_lies_beside(found, &path.display().to_string(), &|name| {
        open(&path.with_file_name(name))
    })
    .unwrap()
}

fn checkpoint(bytes: Vec<u8>) -> Result<Checkpoint, String> {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("v2.index", bytes));
    match read_file(&source).map_err(|error| error.to_string())? {
        Some(TensorFlowFile::Checkpoint(checkpoint)) => Ok(checkpoint),
        _ => Err("no checkpoint".to_owned()),
    }
}

fn codes(party: &Party) -> Vec<&str> {
    party.notes.iter().map(|finding| finding.rule.code).collect()
}

/// A copy of the checkpoint of format 2 that may be damaged.
fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in ["v2.index", "v2.meta", DATA] {
        std::fs::copy(folder().join(file), copy.path().join(file)).unwrap();
    }
    copy
}

#[test]
fn both_formats_list_the_same_tensors() {
    let of = |name: &str| checkpoint(std::fs::read(folder().join(name)).unwrap()).unwrap();
    let (first, second) = (of("v1.ckpt"), of("v2.index"));
    assert_eq!((first.format, second.format), (1, 2));
    let list = |checkpoint: &Checkpoint| -> Vec<(String, DataType, String, usize)> {
        let tensors = checkpoint.tensors.iter();
        tensors.map(|t| (t.name.to_string(), t.dtype, t.shape.to_string(), t.slices)).collect()
    };
    assert_eq!(list(&first), list(&second));
    let kernel = &second.tensors[1];
    assert_eq!((&*kernel.name, &*kernel.shape.to_string()), ("dense/kernel", "[3,4]"));
    assert_eq!(kernel.range.unwrap().len, 48);
    let parts = second.tensors.iter().find(|tensor| &*tensor.name == "parts").unwrap();
    assert_eq!((parts.slices, parts.range), (3, None));
    assert_eq!(second.stored_slices.len(), 3);
}

fn masked_crc(bytes: &[u8]) -> u32 {
    let bit = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
    let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc));
    (!bytes.iter().fold(!0u32, byte)).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// Where a block lies, as a table writes it.
fn handle(start: usize, len: usize) -> Vec<u8> {
    let varint = |mut n: usize| {
        let mut bytes = Vec::new();
        while n >= 0x80 {
            bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        bytes.push(n as u8);
        bytes
    };
    [varint(start), varint(len)].concat()
}

/// A table of one data block, which is stored with this byte for its compression.
fn table(stored: &[u8], compression: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |block: &[u8], compression: u8| {
        let start = bytes.len();
        bytes.extend(block);
        bytes.push(compression);
        let checksum = masked_crc(&bytes[start..]).to_le_bytes();
        bytes.extend(checksum);
        handle(start, block.len())
    };
    let data = add(stored, compression);
    let entry = [&[0, 1, data.len() as u8, b'z'], &data[..], &[0, 0, 0, 0, 1, 0, 0, 0]].concat();
    let index = add(&entry, 0);
    let footer = bytes.len();
    bytes.extend([handle(0, 0), index].concat());
    bytes.resize(footer + 40, 0);
    bytes.extend(0xdb47_7524_8b80_fb57_u64.to_le_bytes());
    bytes
}

#[test]
fn blocks_that_snappy_compressed_are_read_and_bombs_are_refused() {
    let whole = std::fs::read(folder().join("v1.ckpt")).unwrap();
    // Its one data block has 630 bytes, as its index says.
    let block = &whole[..630];
    let good = checkpoint(whole.clone()).unwrap();
    assert_eq!(checkpoint(table(block, 0)).unwrap(), good);
    let compressed = snap::raw::Encoder::new().compress_vec(block).unwrap();
    assert_eq!(checkpoint(table(&compressed, 1)).unwrap(), good);
    for len in 0..compressed.len() {
        assert!(checkpoint(table(&compressed[..len], 1)).is_err());
    }
    // A block that says it has 4 GiB.
    let bomb = [&[0xff, 0xff, 0xff, 0xff, 0x0f], &compressed[2..]].concat();
    assert!(checkpoint(table(&bomb, 1)).unwrap_err().contains("uncompressed"));
    assert!(checkpoint(table(block, 9)).unwrap_err().contains("compression 9"));
}

#[test]
fn versions_of_a_checkpoint_change_and_everything_else_stays() {
    let versions = VersionOptions {
        producer: Some(300),
        min_consumer: Some(1),
        bad_consumers: [7, 8].into(),
        ..VersionOptions::default()
    };
    let options = GraphConvertOptions { versions, ..GraphConvertOptions::default() };
    let v1 = std::fs::read(folder().join("v1.ckpt")).unwrap();
    let compressed = snap::raw::Encoder::new().compress_vec(&v1[..630]).unwrap();
    let v2 = std::fs::read(folder().join("v2.index")).unwrap();
    for bytes in [v1, v2, table(&compressed, 1)] {
        let before = checkpoint(bytes.clone()).unwrap();
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("v2.index", bytes));
        let to = graphs::runtime("2.21.0");
        let (plan, output) = convert(&source, &to, &options).unwrap().unwrap();
        assert_eq!(plan.rewrites.len(), 4, "{plan:?}");
        let ConvertedArtifact::File(file) = output else { unreachable!("a file becomes a file") };
        let after = checkpoint(file.all().unwrap()).unwrap();
        let asked = (after.versions.producer, after.versions.min_consumer);
        assert_eq!((asked, after.versions.bad_consumers.len()), ((300, 1), 2));
        assert_eq!(Checkpoint { versions: before.versions.clone(), ..after }, before);
    }
}

#[test]
fn a_whole_checkpoint_fits_its_data_and_its_graph() {
    assert_eq!(codes(&read(&folder().join("v2.index"))), [""; 0]);
    assert_eq!(codes(&read(&folder().join("v2.meta"))), [""; 0]);
}

#[test]
fn a_data_file_that_is_missing_or_cut_is_found_with_the_tensors() {
    let copy = copy();
    let file = std::fs::OpenOptions::new().write(true).open(copy.path().join(DATA)).unwrap();
    file.set_len(60).unwrap();
    let cut = read(&copy.path().join("v2.index"));
    assert_eq!(codes(&cut), ["TF402"]);
    assert!(cut.notes[0].message.contains("which has 60"), "{}", cut.notes[0].message);
    assert!(cut.notes[0].places.count() > 1);
    std::fs::remove_file(copy.path().join(DATA)).unwrap();
    assert_eq!(codes(&read(&copy.path().join("v2.index"))), ["TF401"]);
}

#[test]
fn a_graph_of_another_model_wants_other_tensors() {
    let copy = copy();
    let meta = copy.path().join("v2.meta");
    let mut renamed = std::fs::read(&meta).unwrap();
    let name = b"dense/kernel";
    for at in 0..renamed.len() - name.len() {
        if renamed[at..].starts_with(name) {
            renamed[at] = b'D';
        }
    }
    std::fs::write(&meta, renamed).unwrap();
    let found = read(&meta);
    assert_eq!(codes(&found), ["TF404", "TF406"]);
    assert_eq!(found.notes[0].severity, Severity::Error);
    assert_eq!(found.notes[0].places.to_string(), "Dense/kernel");
    assert_eq!(found.notes[1].places.to_string(), "dense/kernel");
}

#[test]
fn the_first_format_fits_its_graph_too() {
    let graph = party(&open(&folder().join("v1.ckpt.meta")).unwrap()).unwrap().unwrap();
    let stored = party(&open(&folder().join("v1.ckpt")).unwrap()).unwrap().unwrap();
    let today = unskew_core::Context::for_tests();
    let verdict = unskew_core::check(&graph, &stored, &today);
    assert!(verdict.works(), "{verdict:?}");
    assert!(verdict.findings.is_empty(), "{:?}", verdict.findings);
}

#[test]
fn every_bit_of_an_index_is_guarded_by_a_checksum_or_a_magic_number() {
    let whole = std::fs::read(folder().join("v2.index")).unwrap();
    let good = checkpoint(whole.clone()).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        // The padding of the footer and the index of the index are not read.
        if let Ok(read) = checkpoint(damaged) {
            assert!(at >= whole.len() - 48 || read == good, "byte {at}");
        }
    }
    for len in 0..whole.len() {
        assert!(checkpoint(whole[..len].to_vec()).is_err());
    }
}

/// The party of a checkpoint whose data are compared with their checksums, or not.
fn with_its_data(path: &Path, verify: bool) -> Party {
    let source = open(path).unwrap();
    let found = party(&source).unwrap().unwrap();
    with_data(found, &source, &|name| open(&path.with_file_name(name)), verify).unwrap()
}

#[test]
fn any_byte_of_the_data_that_is_not_the_one_that_was_saved_is_found_where_that_is_asked_for() {
    let copy = copy();
    let (index, data) = (copy.path().join("v2.index"), copy.path().join(DATA));
    let whole = std::fs::read(&data).unwrap();
    let verified = with_its_data(&index, true);
    assert!(codes(&verified).is_empty() && verified.unjudged.is_empty(), "{verified:?}");
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&data, &bytes).unwrap();
        let found = with_its_data(&index, true);
        let not = !found.unjudged.is_empty();
        assert!(not || codes(&found) == ["TF407"], "byte {at} of {}", whole.len());
    }
    let left = with_its_data(&index, false);
    assert!(codes(&left).is_empty());
    assert_eq!(left.unjudged[0].aspect, unskew_core::aspect::DATA);
    assert_eq!(left.unjudged[0].remedy.as_deref(), Some("--verify"));
}
