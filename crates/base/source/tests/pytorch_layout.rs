//! Archives laid out as PyTorch lays them out open whatever their names are.
//!
//! PyTorch writes the end records of zip64 behind every directory, whether numbers need them or not, so the directory
//! ends 76 bytes before the record that all readers look for first.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail")]

use std::sync::Arc;

use proptest::prelude::*;
use unskew_source::{Archive, BytesSource};

/// An archive with these members, stored, at multiples of 64.
fn archive(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in members {
        let offset = file.len() as u32;
        let begins = file.len() + 30 + name.len() + 4;
        let padding = begins.next_multiple_of(64) - begins;
        // No flags but UTF-8, stored, no date.
        let mut shared = vec![0, 0, 0, 8, 0, 0, 0, 0, 0, 0];
        shared.extend(crc32fast::hash(bytes).to_le_bytes());
        shared.extend((bytes.len() as u32).to_le_bytes());
        shared.extend((bytes.len() as u32).to_le_bytes());
        shared.extend((name.len() as u16).to_le_bytes());
        file.extend(b"PK\x03\x04");
        file.extend(&shared);
        file.extend((padding as u16 + 4).to_le_bytes());
        file.extend(name.as_bytes());
        file.extend(b"FB");
        file.extend((padding as u16).to_le_bytes());
        file.extend(b"Z".repeat(padding));
        file.extend(bytes);
        directory.extend(b"PK\x01\x02\0\0");
        directory.extend(&shared);
        directory.extend([0; 12]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, len, count) = (file.len(), directory.len(), members.len());
    file.extend(directory);
    file.extend(b"PK\x06\x06");
    file.extend(44_u64.to_le_bytes());
    file.extend([30, 3, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for number in [count, count, len, start] {
        file.extend((number as u64).to_le_bytes());
    }
    file.extend(b"PK\x06\x07\0\0\0\0");
    file.extend(((start + len) as u64).to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend((count as u16).to_le_bytes());
    file.extend((count as u16).to_le_bytes());
    file.extend((len as u32).to_le_bytes());
    file.extend((start as u32).to_le_bytes());
    file.extend([0, 0]);
    file
}

/// Opens an archive and holds its members against those that were put into it.
fn holds(bytes: Vec<u8>, members: &[(String, Vec<u8>)]) -> Result<(), TestCaseError> {
    let archive = Archive::open(Arc::new(BytesSource::new("net.pt", bytes)));
    let archive = archive.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(archive.entries().len(), members.len());
    for (name, bytes) in members {
        let entry = archive.entry(name);
        prop_assert!(entry.is_some(), "{name} is not there");
        let read = archive.read(entry.unwrap());
        prop_assert_eq!(&read.map_err(|error| TestCaseError::fail(error.to_string()))?, bytes);
    }
    Ok(())
}

#[test]
fn a_first_name_may_have_any_length() {
    for length in 1..=600 {
        for rest in [&["version"][..], &["data.pkl", "version"], &[]] {
            let stem = "n".repeat(length);
            let mut members = vec![(stem.clone(), b"first".to_vec())];
            members.extend(rest.iter().map(|name| (format!("{stem}/{name}"), b"3\n".to_vec())));
            holds(archive(&members), &members).unwrap();
        }
    }
}

#[test]
fn what_stands_in_front_of_an_archive_is_still_skipped() {
    let members = vec![("net/data.pkl".to_owned(), b"\x80\x02).".to_vec())];
    let mut bytes = b"#!/bin/sh\nexit 0\n".to_vec();
    bytes.extend(archive(&members));
    holds(bytes, &members).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn names_and_members_of_any_size_are_found(
        sizes in prop::collection::vec((1_usize..80, 0_usize..200), 1..6),
        byte in any::<u8>(),
    ) {
        let named = sizes.iter().enumerate();
        let members: Vec<(String, Vec<u8>)> = named
            .map(|(n, (name, size))| (format!("{}{n}", "r".repeat(*name)), vec![byte; *size]))
            .collect();
        holds(archive(&members), &members)?;
    }
}
