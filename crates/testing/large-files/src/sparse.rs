//! Large files, written in order: some parts as bytes, some as noise, some as holes.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

/// What stands where the weights of a model are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Small numbers from a fixed sequence.
    Noise,
    /// Nothing: zeros that take no room on the disk.
    Hole,
}

/// A file under construction.
pub struct SparseFile {
    file: BufWriter<File>,
    weights: Weights,
    /// How many bytes there are so far.
    pub len: u64,
    noise: Vec<u8>,
}

impl SparseFile {
    /// A new file at `path`, over whatever was there.
    pub fn create(path: &Path, weights: Weights) -> io::Result<Self> {
        let file = BufWriter::new(File::create(path)?);
        Ok(Self { file, weights, len: 0, noise: Vec::new() })
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.len += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Writes `len` bytes of weights: the same for the same length.
    pub fn weights(&mut self, len: usize) -> io::Result<()> {
        self.len += len as u64;
        if self.weights == Weights::Hole {
            return self.file.seek(SeekFrom::Current(len as i64)).map(drop);
        }
        if self.noise.len() != len {
            self.noise = noise(len);
        }
        self.file.write_all(&self.noise)
    }

    /// Ends the file where it is; a hole at its end counts.
    pub fn finish(self) -> io::Result<()> {
        let len = self.len;
        self.file.into_inner()?.set_len(len)
    }
}

/// The CRC-32 of `len` bytes of weights.
pub fn checksum(weights: Weights, len: usize) -> u32 {
    let mut crc = flate2::Crc::new();
    match weights {
        Weights::Noise => crc.update(&noise(len)),
        Weights::Hole => crc.update(&vec![0; len]),
    }
    crc.sum()
}

/// Floats between 1/128 and 2/128, from Marsaglia's xorshift.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    let mut bytes = Vec::with_capacity(len + 3);
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        bytes.extend((0x3c00_0000 | state >> 9).to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}
