//! What a scan reads of a model does not grow with its weights: a PyTorch archive of 4 MB and one of 4 GB, in an S3 store.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use unskew_objects::{ObjectPlace, Objects};
use unskew_scan::{ArtifactJudge, ScanSettings, VerdictTable, inventory_of, scan};
use unskew_test_servers::S3Server;

use crate::table;

/// The name of the record with the weights.
const WEIGHTS: &str = "Gelu/data/0";

/// Writes a model with weights of so many bytes, all of them zero and a hole in the file.
fn write(path: &Path, weights: u64) {
    let model = std::fs::read(table::examples().join("gelu-2.15.0.pt")).unwrap();
    let end = model.len() - 22;
    let number = |at: usize| u32::from_le_bytes(model[at..at + 4].try_into().unwrap());
    let entries = u16::from_le_bytes(model[end + 10..end + 12].try_into().unwrap());
    let directory = number(end + 16) as usize;
    let (records, listed) = model.split_at(directory);
    let listed = &listed[..number(end + 12) as usize];
    // Of this many bytes only the 64-bit form of an archive can tell.
    let sizes = [weights.to_le_bytes(), weights.to_le_bytes()].concat();
    let mut file = File::create(path).unwrap();
    file.write_all(records).unwrap();
    file.write_all(b"PK\x03\x04").unwrap();
    file.write_all(&common(20)).unwrap();
    file.write_all(WEIGHTS.as_bytes()).unwrap();
    file.write_all(&[&[1, 0, 16, 0], sizes.as_slice()].concat()).unwrap();
    file.seek(SeekFrom::Current(weights as i64)).unwrap();
    let begins = file.stream_position().unwrap();
    file.write_all(listed).unwrap();
    file.write_all(b"PK\x01\x02\x2d\0").unwrap();
    file.write_all(&common(28)).unwrap();
    // No comment, no disk, no attributes; the place of the record.
    file.write_all(&[0; 10]).unwrap();
    file.write_all(&u32::MAX.to_le_bytes()).unwrap();
    file.write_all(WEIGHTS.as_bytes()).unwrap();
    let place = (records.len() as u64).to_le_bytes();
    file.write_all(&[&[1, 0, 24, 0], sizes.as_slice(), &place].concat()).unwrap();
    let ends = file.stream_position().unwrap();
    let all = u64::from(entries + 1).to_le_bytes();
    let last = [
        b"PK\x06\x06".as_slice(),
        &44_u64.to_le_bytes(),
        &[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &all,
        &all,
        &(ends - begins).to_le_bytes(),
        &begins.to_le_bytes(),
        b"PK\x06\x07\0\0\0\0",
        &ends.to_le_bytes(),
        &[1, 0, 0, 0],
        b"PK\x05\x06\0\0\0\0",
        &[0xff; 12],
        &[0, 0],
    ];
    file.write_all(&last.concat()).unwrap();
}

/// What a local header and an entry of the directory have in common: stored, without a date or a checksum, the sizes in a
/// field of their own of `extra` bytes.
fn common(extra: u16) -> Vec<u8> {
    let mut bytes = vec![45, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend([0xff; 8]);
    bytes.extend((WEIGHTS.len() as u16).to_le_bytes());
    bytes.extend(extra.to_le_bytes());
    bytes
}

#[test]
fn four_gigabytes_in_an_object_store_cost_what_four_megabytes_do() {
    let folder = tempfile::tempdir().unwrap();
    let server = match S3Server::start_over(folder.path()) {
        Ok(server) => server,
        Err(error) => return eprintln!("SKIPPED: {error}"),
    };
    let settings = server.settings();
    let settings = settings
        .iter()
        .fold(unskew_objects::StoreSettings::none(), |all, (name, value)| all.with(name, value));
    let question = table::question();
    let judge = ArtifactJudge::new(&question).unwrap();
    let mut costs = Vec::new();
    for (bucket, weights) in [("small", 4 << 20), ("large", 4 << 30)] {
        server.make_bucket(bucket).unwrap();
        std::fs::create_dir(folder.path().join(bucket)).unwrap();
        write(&folder.path().join(bucket).join("net.pt"), weights);
        server.put(&format!("/{bucket}/net.pt"), b"").unwrap();
        let place = ObjectPlace::parse(&format!("s3://{bucket}")).unwrap();
        let models = Objects::at(&place, &settings).unwrap();
        assert!(models.stat("net.pt").unwrap().unwrap().size > weights);
        let out = tempfile::tempdir().unwrap();
        let rows = VerdictTable::open(out.path().to_str().unwrap(), &question).unwrap();
        let sources = [inventory_of(models.clone())];
        let done = scan(&sources, &judge, &rows, &ScanSettings::default(), &|_| {}).unwrap();
        let lines = table::lines(out.path());
        assert_eq!((done.artifacts, done.unread), (1, 0), "{lines:?}");
        assert_eq!(lines.len(), 2, "one for each release of PyTorch");
        costs.push((models.traffic(), table::verdicts(&lines), lines[0].bytes_read));
    }
    println!("{costs:?}");
    assert_eq!(costs[0], costs[1]);
}
