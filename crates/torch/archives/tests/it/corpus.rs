//! The real files that 24 releases wrote, and the releases that read them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use unskew_core::{Context, Conversion, Party, Severity, Verdict, Version, check};
use unskew_source::{Archive, ArchiveOutput, BytesSource, ConvertedArtifact, Source, SourceExt};
use unskew_tables::toml_as_json;
use unskew_torch::{ReleaseCalendar, TorchConvertOptions, TorchRuntime, convert};
use unskew_torch_schemas::OperatorHistory;

/// The files of a `tar.xz`, by name.
pub fn unpacked(packed: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = tar::Archive::new(liblzma::read::XzDecoder::new(packed));
    let mut files = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(name, bytes);
    }
    files
}

/// Every file by `release/name`, and the table of what its release said about it.
pub fn files() -> (BTreeMap<String, Vec<u8>>, String) {
    let mut files = unpacked(include_bytes!("../data/archives.tar.xz"));
    let facts = String::from_utf8(files.remove("facts.tsv").unwrap()).unwrap();
    (files, facts)
}

fn data(name: &str) -> String {
    let folder = Path::new(env!("UNSKEW_ROOT")).join("crates/judging/releases/data/torch");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The operator tables of all releases.
pub fn history() -> OperatorHistory {
    OperatorHistory::from_text(data("operators.tsv")).unwrap()
}

fn calendar() -> Arc<ReleaseCalendar> {
    let calendar: ReleaseCalendar =
        serde_json::from_str(toml_as_json!("../../judging/releases/data/torch/releases.toml"))
            .unwrap();
    calendar.into()
}

/// Every release of the database, by version.
pub fn runtimes() -> BTreeMap<String, Party> {
    let calendar = calendar();
    let history = Arc::new(history());
    let runtime = |release: &unskew_torch::TorchRelease| TorchRuntime {
        release: release.clone(),
        operators: history.table(release.version).unwrap(),
        calendar: calendar.clone(),
        device: None,
    };
    let releases = calendar.releases().iter();
    releases.map(|r| (r.version.to_string(), runtime(r).party())).collect()
}

/// One release of the database.
pub fn runtime(version: &str) -> TorchRuntime {
    let calendar = calendar();
    let release = calendar.first(|release| release.version.to_string() == version).unwrap();
    let operators = Arc::new(history()).table(release.version).unwrap();
    TorchRuntime { release: release.clone(), operators, calendar: calendar.clone(), device: None }
}

pub fn source(name: &str, bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(BytesSource::new(name, bytes.to_vec()))
}

pub fn party(name: &str, bytes: &[u8]) -> Party {
    unskew_torch::party(&source(name, bytes)).unwrap().unwrap()
}

pub fn verdict(file: &Party, runtime: &Party) -> Verdict {
    check(file, runtime, &Context::for_tests())
}

/// `1.10.2` of `1.10.2/add.pt`, and the name behind it.
pub fn split(path: &str) -> (Version, &str, &str, &str) {
    let (release, name) = path.split_once('/').unwrap();
    let (stem, extension) = name.split_once('.').unwrap();
    (release.parse().unwrap(), release, stem, extension)
}

/// What a conversion says and makes.
pub fn converted(name: &str, bytes: &[u8], to: &TorchRuntime) -> (Conversion, Vec<u8>) {
    let (plan, output) =
        convert(&source(name, bytes), to, &TorchConvertOptions::default()).unwrap().unwrap();
    let ConvertedArtifact::File(file) = output else { panic!("a folder") };
    (plan, file.all().unwrap())
}

/// Holds that a release runs a file.
pub fn accepted(name: &str, bytes: &[u8], to: &TorchRuntime) {
    let found = verdict(&party(name, bytes), &to.party());
    assert!(found.severity() < Some(Severity::Error), "{name}: {found:?}");
}

/// The content of a record, named from within the folder of the archive; what is no text in it is replaced.
pub fn record(bytes: &[u8], name: &str) -> Option<String> {
    let archive = Archive::open(Arc::new(BytesSource::new("a", bytes.to_vec()))).unwrap();
    let wanted = |entry: &&unskew_source::ArchiveMember| {
        entry.name.split_once('/').is_some_and(|(_, record)| record == name)
    };
    let entry = archive.entries().iter().find(wanted)?;
    Some(String::from_utf8_lossy(&archive.read(entry).unwrap()).into_owned())
}

/// The models of the corpus that have code.
pub fn models() -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    let names = [
        "silero-vad-5.1.jit",
        "silero-vad-6.2.3.jit",
        "hakai-kelp-presence.pt",
        "hakai-kelp-species.pt",
        "hakai-mussel-presence.pt",
    ];
    let read = |name: &str| {
        let path = folder.join(name);
        let bytes = std::fs::read(&path);
        (
            name.to_owned(),
            bytes.unwrap_or_else(|e| panic!("{}: {e}; run cargo xtask corpus", path.display())),
        )
    };
    names.into_iter().map(read).collect()
}

/// An archive of version 3 with these records.
pub fn archive(records: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ArchiveOutput::new("net.pt");
    archive.add("net/version", b"3\n".to_vec(), false).unwrap();
    archive.add("net/constants.pkl", b"\x80\x02).".to_vec(), false).unwrap();
    for (name, bytes) in records {
        archive.add(&format!("net/{name}"), bytes.to_vec(), false).unwrap();
    }
    archive.finish().unwrap().all().unwrap()
}
