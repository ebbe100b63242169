use proptest::prelude::*;

use super::*;

fn plugin(minor: u32, file: u8) -> Fingerprint {
    Fingerprint {
        api: (0, minor),
        platform_name: "cpu".to_owned(),
        platform_version: format!("build of 0.{minor}"),
        file_sha256: [file; 32],
        cpu_features: Some(vec!["avx2".to_owned(), "fma".to_owned()]),
        attributes: [("xla_version".to_owned(), "2".to_owned())].into(),
    }
}

fn opened(file: &[u8]) -> (Fingerprint, Vec<u8>) {
    match open(file).unwrap() {
        Opened::Stamped { fingerprint, executable } => (*fingerprint, executable.to_vec()),
        Opened::NotStamped => panic!("not stamped"),
    }
}

/// The file with another header, and a checksum that fits.
fn with_header(header: &[u8]) -> Vec<u8> {
    let mut file = [&MAGIC[..], &1u32.to_le_bytes(), &(header.len() as u32).to_le_bytes()].concat();
    file.extend_from_slice(header);
    file.extend_from_slice(&0u64.to_le_bytes());
    let sum = Sha256::digest(&file);
    [file, sum.to_vec()].concat()
}

#[test]
fn the_bytes_are_those_of_the_documentation() {
    let here = Fingerprint { platform_name: "cpu".into(), api: (0, 81), ..Default::default() };
    let file = stamp(b"xyz", &here);
    assert_eq!(file[..16], *b"\x89UNSKX\r\n\x01\0\0\0\x43\0\0\0");
    assert_eq!(file[16..30], *b"\x01\0\x08\0\0\0\0\0\0\0\x51\0\0\0");
    assert_eq!(file[30..39], *b"\x02\0\x03\0\0\0cpu");
    assert_eq!(file[39..45], *b"\x03\0\0\0\0\0");
    assert_eq!(file[45..51], *b"\x04\0\x20\0\0\0");
    assert_eq!(file[83..91], *b"\x03\0\0\0\0\0\0\0");
    assert_eq!(file.len(), 83 + 8 + 3 + 32);
}

#[test]
fn another_build_is_refused_with_both_sides_named() {
    let error = plugin(81, 1).accepts(&plugin(115, 2)).unwrap_err().to_string();
    assert!(
        error.contains("made by cpu, PJRT 0.115, \"build of 0.115\", xla_version 2"),
        "{error}"
    );
    assert!(
        error.ends_with(
            "loaded by cpu, PJRT 0.81, \"build of 0.81\", xla_version 2, file 010101010101"
        ),
        "{error}"
    );
}

#[test]
fn the_same_build_needs_every_feature_of_the_processor() {
    let made = plugin(81, 1);
    assert_eq!(made.accepts(&made), Ok(()));
    let mut here = made.clone();
    here.cpu_features = Some(vec!["avx2".to_owned()]);
    let error = here.accepts(&made).unwrap_err();
    assert!(error.to_string().ends_with("this processor lacks fma"), "{error}");
    assert_eq!(made.accepts(&here), Ok(()));
    here.cpu_features = None;
    assert_eq!(here.accepts(&made), Ok(()));
}

#[test]
fn what_was_not_stamped_is_no_error() {
    for bytes in [&b""[..], b"\x89UNSK", b"\x0a\x03abc"] {
        assert_eq!(open(bytes), Ok(Opened::NotStamped));
    }
}

#[test]
fn a_newer_format_is_named() {
    let mut file = stamp(b"xyz", &plugin(81, 1));
    file[8] = 2;
    assert_eq!(open(&file), Err(StampError::NewerFormat(2)));
}

#[test]
fn an_unknown_entry_is_refused_below_0x8000_and_skipped_from_there_on() {
    let mut header = plugin(81, 1).header();
    header.extend_from_slice(b"\x00\x90\x02\0\0\0hi");
    assert_eq!(opened(&with_header(&header)).0, plugin(81, 1));
    header.extend_from_slice(b"\x07\x00\x02\0\0\0hi");
    assert_eq!(open(&with_header(&header)), Err(StampError::UnknownEntry(7)));
}

#[test]
fn a_header_must_have_its_entries_once() {
    let header = plugin(81, 1).header();
    let damaged = |header: &[u8]| match open(&with_header(header)) {
        Err(StampError::Damaged { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(damaged(&[]), "a header without an entry that it must have");
    assert_eq!(damaged(&header.repeat(2)), "an entry that stands twice");
    assert_eq!(damaged(&header[..header.len() - 1]), "a length beyond the end");
}

#[test]
fn long_texts_are_cut_and_the_file_stays_readable() {
    let mut long = plugin(81, 1);
    long.platform_version = "\u{e9}".repeat(LONGEST_TEXT);
    long.attributes = (0..40).map(|n| (format!("a{n}"), "v".repeat(LONGEST_TEXT))).collect();
    let (read, _) = opened(&stamp(b"", &long));
    assert_eq!(read.platform_version.len(), LONGEST_TEXT);
    assert!((1..40).contains(&read.attributes.len()));
}

#[test]
fn a_file_is_identified_by_its_sha_256() {
    let file = unskew_source::BytesSource::new("p.so", b"abc".to_vec());
    let digest = Fingerprint::digest(&file).unwrap();
    assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
}

proptest! {
    #[test]
    fn what_was_stamped_is_what_comes_out(
        executable in proptest::collection::vec(any::<u8>(), 0..200),
        text in "[^\0]{0,40}",
        minor in any::<u32>(),
        features in proptest::option::of(proptest::collection::vec("[a-z0-9.]{1,8}", 0..5)),
    ) {
        let mut made = plugin(minor, 9);
        made.platform_version = text.clone();
        made.attributes.insert(text.clone(), text);
        made.cpu_features = features;
        prop_assert_eq!(opened(&stamp(&executable, &made)), (made, executable));
    }

    #[test]
    fn a_changed_byte_is_found(at in 8..150usize, flip in 1..=255u8) {
        let mut file = stamp(b"some machine code", &plugin(81, 1));
        let at = at % file.len();
        file[at] ^= flip;
        prop_assert!(at < 8 || open(&file).is_err());
    }

    #[test]
    fn any_bytes_are_opened_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = open(&bytes);
        let _ = open(&[&MAGIC[..], &1u32.to_le_bytes(), &bytes].concat());
        let _ = open(&with_header(&bytes));
    }
}
