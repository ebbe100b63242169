//! Archives: members that change, repeat, share bytes and inflate.

use std::io::{Cursor, Read as _, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::bytes;
use super::once;
use super::splice::{put, repeated, times};
use unskew_random::Random;

/// The most bytes that a member inflates to.
const INFLATED: usize = 20 << 20;

pub fn mutated(archive: &[u8], other: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut members = members(archive)?;
    let nth = random.below(members.len());
    match random.below(10) {
        // As nearly all of a file is structure here, a member counts for more than the archive.
        0..6 => {
            let (name, content) = members.get_mut(nth)?;
            *content = once(name, std::mem::take(content), other, random);
            content.truncate(INFLATED);
        }
        6 => {
            let (name, content) = members.get(nth)?.clone();
            for copy in 0..times(random).min(20_000) {
                members.push((format!("{name}{copy}"), content.clone()));
                if members.len() * content.len() > INFLATED {
                    break;
                }
            }
        }
        7 => {
            let (_, content) = members.get_mut(nth)?;
            let piece = content.get(..content.len().min(400)).unwrap_or_default().to_vec();
            *content = repeated(&piece, INFLATED / piece.len().max(1));
        }
        8 => return overlapping(archive, random),
        _ => {
            return Some(bytes::mutated(archive.to_vec(), other, random));
        }
    }
    written(&members, random)
}

fn members(archive: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut zip = ZipArchive::new(Cursor::new(archive)).ok()?;
    let mut members = Vec::new();
    for at in 0..zip.len().min(2_000) {
        let file = zip.by_index(at).ok()?;
        let name = String::from_utf8_lossy(file.name_raw()).into_owned();
        let mut content = Vec::new();
        file.take(INFLATED as u64).read_to_end(&mut content).ok()?;
        members.push((name, content));
    }
    (!members.is_empty()).then_some(members)
}

fn written(members: &[(String, Vec<u8>)], random: &mut Random) -> Option<Vec<u8>> {
    let packed = random.below(2) == 0;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        let large = content.len() > 1 << 20;
        let method = match packed || large {
            true => CompressionMethod::Deflated,
            false => CompressionMethod::Stored,
        };
        let options = SimpleFileOptions::default().compression_method(method);
        // A name that is there already is left out.
        if zip.start_file(name.as_str(), options).is_ok() {
            zip.write_all(content).ok()?;
        }
    }
    Some(zip.finish().ok()?.into_inner())
}

/// Entries of the directory that name one member, or bytes beyond it.
fn overlapping(archive: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut archive = archive.to_vec();
    let entries: Vec<usize> = memchr::memmem::find_iter(&archive, b"PK\x01\x02").collect();
    let entry = *entries.get(random.below(entries.len()))?;
    // The sizes stand at byte 20 of an entry, the place of the member at byte 42.
    match random.below(3) {
        0 => put(&mut archive, entry + 42..entry + 46, &[0; 4]),
        1 => put(&mut archive, entry + 20..entry + 28, &[0xff, 0xff, 0xff, 0x7f].repeat(2)),
        _ => put(&mut archive, entry + 24..entry + 28, &(random.next() as u32).to_le_bytes()),
    }
    Some(archive)
}
