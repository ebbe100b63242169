//! Bytes that are no real file: read or refused, never a panic, and no more memory than a real one.

use std::io::Write;
use std::sync::OnceLock;

use crate::corpus::{self, files, source};
use proptest::prelude::*;
use unskew_core::{Context, check};
use unskew_source::{ConvertedArtifact, SourceExt};
use unskew_torch::{TorchConvertOptions, TorchRuntime, convert};

/// One real file of each kind.
fn samples() -> &'static [(String, Vec<u8>)] {
    static SAMPLES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let (files, _) = files();
        let names = [
            "1.1.0/loop.pt",
            "1.3.1/arange.pt",
            "1.6.0/conv.ptl",
            "1.10.2/linspace.ptl",
            "2.15.0/Gelu.pt",
            "2.15.0/Add.ff",
            "1.13.1/Div.ff",
            "2.1.2/Add.pt2",
            "2.4.1/Gelu.pt2",
            "2.15.0/Gelu.pt2",
            "2.15.0/Lstm.ptl",
        ];
        names.iter().map(|name| ((*name).to_owned(), files[*name].clone())).collect()
    })
}

fn must_not_panic(bytes: &[u8]) {
    if let Ok(Some(party)) = unskew_torch::party(&source("hostile.pt", bytes)) {
        let runtimes = runtimes();
        let _ = check(&party, &runtimes["2.15.0"], &Context::for_tests());
    }
    for to in targets() {
        let Ok(Some((plan, ConvertedArtifact::File(output)))) =
            convert(&source("hostile.pt", bytes), to, &TorchConvertOptions::default())
        else {
            continue;
        };
        // What is planned without a blocker can be written, and read again.
        if plan.is_possible() {
            let result = output.all().unwrap();
            assert!(
                unskew_torch::read(&source("result.pt", &result)).is_ok(),
                "{:?}",
                plan.rewrites
            );
        }
    }
}

/// A release that old files are converted for, and one for new ones.
fn targets() -> &'static [TorchRuntime] {
    static TARGETS: OnceLock<Vec<TorchRuntime>> = OnceLock::new();
    TARGETS.get_or_init(|| ["2.15.0", "2.3.1"].map(corpus::runtime).into())
}

fn runtimes() -> &'static std::collections::BTreeMap<String, unskew_core::Party> {
    static RUNTIMES: OnceLock<std::collections::BTreeMap<String, unskew_core::Party>> =
        OnceLock::new();
    RUNTIMES.get_or_init(corpus::runtimes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_files_are_read_or_refused(
        which in 0..11_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = samples()[which].1.clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        must_not_panic(&bytes);
    }

    #[test]
    fn truncated_files_are_read_or_refused(which in 0..11_usize, len in any::<prop::sample::Index>()) {
        let bytes = &samples()[which].1;
        must_not_panic(&bytes[..len.index(bytes.len())]);
    }

    #[test]
    fn archives_with_changed_records_are_read_or_refused(
        which in 0..11_usize,
        record in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let bytes = &samples()[which].1;
        if bytes.starts_with(b"PK") {
            let mut members = unpack(bytes);
            let record = record.index(members.len());
            let content = &mut members[record].1;
            for (at, byte) in changes {
                let at = at.index(content.len().max(1));
                if let Some(old) = content.get_mut(at) {
                    *old = byte;
                }
            }
            if let Some(cut) = cut {
                content.truncate(cut.index(content.len() + 1));
            }
            let members: Vec<(&str, &[u8])> =
                members.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
            must_not_panic(&archive(&members));
        }
    }

    #[test]
    fn any_bytes_behind_any_magic_are_read_or_refused(
        head in prop::sample::select(vec![
            &b"\x28\0\0\0PTMF"[..], b"\x10\0\0\0ET12", b"\x80\x02", b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.",
            b"\x20\0\0\0\0\0\0\0{", b"PK\x03\x04", b"PK\x05\x06", b"",
        ]),
        tail in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        must_not_panic(&[head, &tail].concat());
    }

    #[test]
    fn numbers_of_a_flatbuffer_can_be_anything(
        at in any::<prop::sample::Index>(),
        number in prop::sample::select(vec![0_u32, 1, 4, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fff0]),
    ) {
        for name in ["2.15.0/Add.ff", "1.13.1/Div.ff"] {
            let mut bytes = samples().iter().find(|(n, _)| n == name).unwrap().1.clone();
            let at = at.index(bytes.len() / 4) * 4;
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            must_not_panic(&bytes);
        }
    }
}

fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn unpack(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let archive = unskew_source::Archive::open(source("a.pt", bytes)).unwrap();
    let entries = archive.entries().iter();
    entries.map(|entry| (entry.name.clone(), archive.read(entry).unwrap())).collect()
}

fn error(bytes: &[u8]) -> String {
    unskew_torch::party(&source("a.pt", bytes)).unwrap_err().to_string()
}

#[test]
fn code_that_inflates_without_end_is_refused_with_its_record() {
    let bomb = vec![b' '; (64 << 20) + 1];
    let bytes = archive(&[("a/version", b"3"), ("a/code/x.py", &bomb)]);
    assert!(bytes.len() < 1 << 20);
    assert!(error(&bytes).contains("a/code/x.py"), "{}", error(&bytes));
}

#[test]
fn pickles_of_one_file_share_a_budget() {
    // Empty lists: a byte each, and much less when they are packed.
    let pickle = |lists: usize| [b"\x80\x02(".as_slice(), &vec![b']'; lists], b"l."].concat();
    let (data, constants) = (pickle(300_000), pickle(300_000));
    let code: (&str, &[u8]) = ("a/code/x.py", b"x = 1\n");
    let one = [("a/version", &b"3"[..]), ("a/data.pkl", &data), code];
    assert!(unskew_torch::party(&source("a.pt", &archive(&one))).unwrap().is_some());
    let both = [&one[..], &[("a/constants.pkl", &constants)]].concat();
    let error = error(&archive(&both));
    assert!(error.contains("nodes for one file") && error.contains("data.pkl"), "{error}");
}

#[test]
fn faults_name_the_file_the_record_and_the_place() {
    let code: (&str, &[u8]) = ("a/code/x.py", b"x = 1\n");
    let brackets = b"(".repeat(5000);
    let nested = [b"{\"graph_module\":".as_slice(), &b"[".repeat(500)].concat();
    for (members, want) in [
        (vec![code], "a.pt, record version: no record with the file format version"),
        (vec![("a/version", &b"three"[..]), code], "a.pt, record version: no number: \"three\""),
        (
            vec![("a/version", b"3"), ("a/code/x.py", &brackets)],
            "a.pt, record code/x.py: no TorchScript: line 1, column 301: nested",
        ),
        (
            vec![("a/version", b"3"), code, ("a/bytecode.pkl", b"\x80\x02K")],
            "a.pt, record bytecode.pkl, byte 2: ends after",
        ),
        (
            vec![("a/version", b"3"), code, ("a/bytecode.pkl", b"\x80\x02N.")],
            "a.pt, record bytecode.pkl: not a tuple",
        ),
        (
            vec![("serialized_exported_program.json", &nested)],
            "a.pt, record serialized_exported_program.json: ",
        ),
        (vec![("a/version", b"1"), ("a/model.json", b"{"), code], "a.pt, record model.json: "),
    ] {
        let found = error(&archive(&members));
        assert!(found.starts_with(want), "{found}\n{want}");
    }
}

#[test]
fn offsets_that_lead_back_or_nowhere_are_refused() {
    for number in [0_u32, 0x8000_0000, 0xffff_fff0, 0x7fff_ffff] {
        let mut bytes = samples().iter().find(|(n, _)| n == "2.15.0/Add.ff").unwrap().1.clone();
        bytes[..4].copy_from_slice(&number.to_le_bytes());
        let found = error(&bytes);
        assert!(found.starts_with("a.pt, byte 0, field Module: flatbuffer: "), "{found}");
    }
}
