//! What a scan says of real artifacts, and what it costs.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use unskew_scan::{ScanError, ScanSettings, ScanShard, VerdictTable};

use crate::table;

#[test]
fn every_artifact_has_a_row_for_each_runtime_that_it_is_for() {
    let models = tempfile::tempdir().unwrap();
    for name in ["gelu-2.15.0.pt", "add-1.1.0.pt", "add-cast.pb"] {
        fs::copy(table::examples().join(name), models.path().join(name)).unwrap();
    }
    fs::write(models.path().join("broken.pt"), b"PK\x03\x04 and nothing else").unwrap();
    fs::write(models.path().join("noise.bin"), b"no artifact at all").unwrap();
    fs::write(models.path().join("notes.txt"), b"not looked at").unwrap();
    let out = tempfile::tempdir().unwrap();
    let summary = table::run(models.path(), out.path(), &ScanSettings::default());
    assert_eq!((summary.artifacts, summary.unread, summary.parts), (5, 1, 1), "{summary:?}");
    let lines = table::lines(out.path());
    let found = table::verdicts(&lines);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names, ["add-1.1.0.pt", "add-cast.pb", "broken.pt", "gelu-2.15.0.pt", "noise.bin"]);
    let gelu: Vec<&str> =
        found["gelu-2.15.0.pt"].iter().map(|(runtime, _)| runtime.as_str()).collect();
    assert_eq!(gelu.len(), 2, "{gelu:?}");
    assert!(gelu.iter().all(|runtime| runtime.starts_with("torch@")), "{gelu:?}");
    assert_eq!(found["add-cast.pb"].len(), 1);
    assert_eq!(found["noise.bin"], [(String::new(), "unrecognized".to_owned())]);
    let broken = lines.iter().find(|line| line.uri.ends_with("broken.pt")).unwrap();
    assert_eq!(broken.verdict, "error");
    assert!(broken.error.as_deref().unwrap().contains("broken.pt"), "{broken:?}");
}

/// What has the name of an artifact and is not opened has a row with the reason: nothing is passed over in silence.
#[cfg(unix)]
#[test]
fn what_is_not_opened_has_a_row_that_says_why() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    let models = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let example = table::examples().join("gelu-2.15.0.pt");
    fs::copy(&example, models.path().join("a.pt")).unwrap();
    fs::copy(&example, elsewhere.path().join("far.pt")).unwrap();
    symlink("a.pt", models.path().join("near.pt")).unwrap();
    symlink(elsewhere.path().join("far.pt"), models.path().join("far.pt")).unwrap();
    symlink("nowhere.pt", models.path().join("gone.pt")).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"\xff.pt");
    fs::copy(&example, models.path().join(name)).unwrap();
    let pipe = models.path().join("pipe.pt");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());

    let out = tempfile::tempdir().unwrap();
    table::run(models.path(), out.path(), &ScanSettings::default());
    let lines = table::lines(out.path());
    let error = |name: &str| {
        let line = lines.iter().find(|line| line.uri.ends_with(name)).unwrap();
        (line.verdict.clone(), line.error.clone().unwrap_or_default())
    };
    assert!(lines.iter().all(|line| !line.uri.ends_with("near.pt")), "{lines:?}");
    for (name, why) in [
        ("far.pt", "a link out of the folder"),
        ("gone.pt", "a link to what is not there"),
        ("\u{fffd}.pt", "not UTF-8"),
        ("pipe.pt", "a named pipe"),
    ] {
        let (verdict, said) = error(name);
        assert!(verdict == "error" && said.contains(why), "{name}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn a_snapshot_of_the_hub_is_scanned_through_its_links() {
    let cache = tempfile::tempdir().unwrap();
    let repository = cache.path().join("models--org--net");
    let snapshot = repository.join("snapshots/0123abc");
    fs::create_dir_all(&snapshot).unwrap();
    fs::create_dir(repository.join("blobs")).unwrap();
    fs::copy(table::examples().join("gelu-2.15.0.pt"), repository.join("blobs/4d7a")).unwrap();
    std::os::unix::fs::symlink("../../blobs/4d7a", snapshot.join("net.pt")).unwrap();
    let out = tempfile::tempdir().unwrap();
    let summary = table::run(&snapshot, out.path(), &ScanSettings::default());
    assert_eq!((summary.artifacts, summary.unread), (1, 0), "{summary:?}");
}

#[test]
fn a_scan_of_a_scanned_folder_does_what_is_new_and_nothing_twice() {
    let models = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    let copy =
        |name: &str| fs::copy(table::examples().join("gelu-2.15.0.pt"), models.path().join(name));
    copy("a.pt").unwrap();
    assert_eq!(table::run(models.path(), out.path(), &ScanSettings::default()).artifacts, 1);
    copy("b.pt").unwrap();
    let second = table::run(models.path(), out.path(), &ScanSettings::default());
    assert_eq!((second.artifacts, second.done_before), (1, 1));
    let third = table::run(models.path(), out.path(), &ScanSettings::default());
    assert_eq!((third.artifacts, third.done_before, third.parts), (0, 2, 0));
    assert_eq!(table::lines(out.path()).len(), 4);
    fs::write(models.path().join("a.pt"), b"PK\x03\x04 another state").unwrap();
    assert_eq!(table::run(models.path(), out.path(), &ScanSettings::default()).artifacts, 1);
}

#[test]
fn the_shards_together_are_the_whole() {
    let whole = tempfile::tempdir().unwrap();
    let shards = tempfile::tempdir().unwrap();
    let examples = table::examples();
    table::run(&examples, whole.path(), &ScanSettings::default());
    let mut artifacts = 0;
    for index in 1..=3 {
        let shard = ScanShard::new(index, 3).unwrap();
        let settings = ScanSettings { shard, part: 2, ..ScanSettings::default() };
        artifacts += table::run(&examples, shards.path(), &settings).artifacts;
    }
    assert_eq!(table::lines(whole.path()), table::lines(shards.path()));
    let again = table::run(&examples, shards.path(), &ScanSettings::default());
    assert_eq!((again.artifacts, again.done_before), (0, artifacts));
}

#[test]
fn a_table_answers_one_question() {
    let out = tempfile::tempdir().unwrap();
    let place = out.path().to_str().unwrap();
    let mut question = table::question();
    VerdictTable::open(place, &question).unwrap();
    assert_eq!(VerdictTable::asked(place).unwrap(), Some(question.clone()));
    question.runtimes.pop();
    let error = VerdictTable::open(place, &question).unwrap_err();
    assert!(matches!(error, ScanError::OtherQuestion { what: "runtimes", .. }), "{error}");
}

/// An archive of PyTorch with one more record of `weights` zeros, which take no room on the disk.
fn with_weights(path: &Path, weights: u32) {
    let mut real =
        zip::ZipArchive::new(fs::File::open(table::examples().join("gelu-2.15.0.pt")).unwrap())
            .unwrap();
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for index in 0..real.len() {
        writer.raw_copy_file(real.by_index_raw(index).unwrap()).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    let end = bytes.len() - 22;
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (size, directory) = (number(end + 12), number(end + 16) as usize);
    let count = u16::from_le_bytes([bytes[end + 10], bytes[end + 11]]) + 1;
    let root = real.by_index(0).unwrap().name().unwrap().split('/').next().unwrap().to_owned();
    let name = format!("{root}/data/999");
    // What a local header and an entry of the directory share: stored, no date, sizes.
    let mut shared = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    shared.extend([weights.to_le_bytes(), weights.to_le_bytes()].concat());
    shared.extend((name.len() as u16).to_le_bytes());
    shared.extend([0, 0]);
    let local = [b"PK\x03\x04".as_slice(), &shared, name.as_bytes()].concat();
    let mut entry = [b"PK\x01\x02\x14\x00".as_slice(), &shared, &[0; 10]].concat();
    entry.extend((directory as u32).to_le_bytes());
    entry.extend(name.as_bytes());
    let start = directory as u64 + local.len() as u64 + u64::from(weights);
    let mut file = fs::File::create(path).unwrap();
    file.write_all(&bytes[..directory]).unwrap();
    file.write_all(&local).unwrap();
    file.seek(SeekFrom::Start(start)).unwrap();
    file.write_all(&bytes[directory..end]).unwrap();
    file.write_all(&entry).unwrap();
    let mut tail = bytes[end..].to_vec();
    tail[8..10].copy_from_slice(&count.to_le_bytes());
    tail[10..12].copy_from_slice(&count.to_le_bytes());
    tail[12..16].copy_from_slice(&(size + entry.len() as u32).to_le_bytes());
    tail[16..20].copy_from_slice(&u32::try_from(start).unwrap().to_le_bytes());
    file.write_all(&tail).unwrap();
}

#[test]
fn a_file_of_four_gigabytes_costs_what_one_of_four_megabytes_does() {
    let models = tempfile::tempdir().unwrap();
    with_weights(&models.path().join("small.pt"), 4 << 20);
    with_weights(&models.path().join("large.pt"), 4_000_000_000);
    let out = tempfile::tempdir().unwrap();
    table::run(models.path(), out.path(), &ScanSettings::default());
    let lines = table::lines(out.path());
    let of = |name: &str| -> Vec<_> {
        let own = lines.iter().filter(|line| line.uri.ends_with(name));
        own.map(|line| {
            (line.runtime.clone(), line.verdict.clone(), line.error.clone(), line.bytes_read)
        })
        .collect()
    };
    assert_eq!(of("small.pt"), of("large.pt"));
    assert_eq!(of("large.pt").len(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| line.bytes_read < 256 << 10), "{lines:?}");
}
