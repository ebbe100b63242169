//! A stored zip archive as PyTorch writes one: each record begins at a multiple of 64.

use std::io;
use std::path::Path;

use crate::sparse::{SparseFile, Weights};

/// The largest number that fits the 32 bits of a classic archive.
const CLASSIC: u64 = 0xffff_ffff;

/// An archive under construction.
pub struct ZipFile {
    file: SparseFile,
    directory: Vec<u8>,
    records: u64,
}

impl ZipFile {
    pub fn create(path: &Path, weights: Weights) -> io::Result<Self> {
        let file = SparseFile::create(path, weights)?;
        Ok(Self { file, directory: Vec::new(), records: 0 })
    }

    /// Adds a record of these bytes.
    pub fn record(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        self.head(name, crc.sum(), bytes.len())?;
        self.file.bytes(bytes)
    }

    /// Adds a record of weights whose checksum is known.
    pub fn weights(&mut self, name: &str, crc: u32, len: usize) -> io::Result<()> {
        self.head(name, crc, len)?;
        self.file.weights(len)
    }

    /// The header before a record, and its entry in the directory.
    fn head(&mut self, name: &str, crc: u32, len: usize) -> io::Result<()> {
        let offset = self.file.len;
        let begins = offset + 30 + name.len() as u64 + 4;
        let padding = begins.next_multiple_of(64) - begins;
        // Version 0, no flags, stored, no date: what both headers have in common.
        let mut shared = vec![0; 10];
        shared.extend(crc.to_le_bytes());
        shared.extend((len as u32).to_le_bytes());
        shared.extend((len as u32).to_le_bytes());
        shared.extend((name.len() as u16).to_le_bytes());
        let local = [b"PK\x03\x04", &shared[..], &(padding as u16 + 4).to_le_bytes()];
        self.file.bytes(&local.concat())?;
        self.file.bytes(name.as_bytes())?;
        self.file.bytes(&[b"FB", &(padding as u16).to_le_bytes()[..]].concat())?;
        self.file.bytes(&b"Z".repeat(padding as usize))?;

        let wide = offset >= CLASSIC;
        let extra = if wide { [&[1, 0, 8, 0][..], &offset.to_le_bytes()].concat() } else { vec![] };
        self.directory.extend(b"PK\x01\x02\0\0");
        self.directory.extend(shared);
        self.directory.extend((extra.len() as u16).to_le_bytes());
        self.directory.extend([0; 10]);
        self.directory.extend((offset.min(CLASSIC) as u32).to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.directory.extend(extra);
        self.records += 1;
        Ok(())
    }

    /// Writes the central directory, with the records of Zip64 where it needs them.
    pub fn finish(mut self) -> io::Result<()> {
        let (start, len, records) = (self.file.len, self.directory.len() as u64, self.records);
        self.file.bytes(&self.directory)?;
        if start >= CLASSIC {
            let mut end = b"PK\x06\x06".to_vec();
            end.extend(44_u64.to_le_bytes());
            end.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            for number in [records, records, len, start] {
                end.extend(number.to_le_bytes());
            }
            end.extend(b"PK\x06\x07\0\0\0\0");
            end.extend((start + len).to_le_bytes());
            end.extend(1_u32.to_le_bytes());
            self.file.bytes(&end)?;
        }
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        end.extend((records as u16).to_le_bytes());
        end.extend((records as u16).to_le_bytes());
        end.extend((len as u32).to_le_bytes());
        end.extend((start.min(CLASSIC) as u32).to_le_bytes());
        end.extend([0, 0]);
        self.file.bytes(&end)?;
        self.file.finish()
    }
}
