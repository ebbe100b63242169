//! Archives from records.
//!
//! A fuzzer that changes bytes of a zip archive mostly breaks its checksums. So one target takes
//! the records alone and packs them here: a line with the name, two bytes of length, the content.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The records that `bytes` describe; what does not fit the notation ends them.
pub fn parse(mut bytes: &[u8]) -> Vec<(String, &[u8])> {
    let mut records = Vec::new();
    while let Some(end) = bytes.iter().position(|b| *b == b'\n') {
        let name = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let Some((len, rest)) = bytes[end + 1..].split_first_chunk() else { break };
        let (content, rest) = rest.split_at(rest.len().min(u16::from_le_bytes(*len).into()));
        records.push((name, content));
        bytes = rest;
    }
    records
}

/// One record in the notation of [`parse`], cut at its longest length.
pub fn write(name: &str, content: &[u8], out: &mut Vec<u8>) {
    let content = &content[..content.len().min(u16::MAX.into())];
    out.extend(name.as_bytes());
    out.push(b'\n');
    out.extend((content.len() as u16).to_le_bytes());
    out.extend(content);
}

/// A zip archive of the records; none if they make no archive, such as two of one name.
pub fn archive(records: &[(String, &[u8])]) -> Option<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in records {
        zip.start_file(name, options).ok()?;
        zip.write_all(content).ok()?;
    }
    Some(zip.finish().ok()?.into_inner())
}

/// A tar file of the records; none if they make none, such as one whose name is too long.
pub fn tar(records: &[(String, &[u8])]) -> Option<Vec<u8>> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in records {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, *content).ok()?;
    }
    tar.into_inner().ok()
}
