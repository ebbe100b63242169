//! Zstandard (RFC 8878) from front to back: all frames, one after the other.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// What a compressed stream holds. Writers that compress in parallel, and those that let parts be read alone, write many
/// frames, and between them some that are to be skipped.
pub(super) struct Zstandard<R> {
    packed: R,
    /// The frame that is read; its window has at most 128 MiB, or the decoder refuses.
    frame: Option<Box<FrameDecoder>>,
}

impl<R: BufRead> Zstandard<R> {
    pub(super) fn new(packed: R) -> Self {
        Self { packed, frame: None }
    }

    /// Begins the next frame; none at the end.
    fn next(&mut self) -> io::Result<Option<Box<FrameDecoder>>> {
        loop {
            if self.packed.fill_buf()?.is_empty() {
                return Ok(None);
            }
            let mut frame = Box::new(FrameDecoder::new());
            match frame.init(&mut self.packed) {
                Ok(()) => return Ok(Some(frame)),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut notes = (&mut self.packed).take(length.into());
                    if io::copy(&mut notes, &mut io::sink())? < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(broken(error)),
            }
        }
    }
}

impl<R: BufRead> Read for Zstandard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(mut frame) = self.frame.take().map_or_else(|| self.next(), |f| Ok(Some(f)))?
            else {
                return Ok(0);
            };
            while frame.can_collect() == 0 && !frame.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                frame.decode_blocks(&mut self.packed, one).map_err(broken)?;
            }
            // A frame without any more bytes is followed by the next.
            let n = frame.read(buffer)?;
            if n > 0 {
                self.frame = Some(frame);
                return Ok(n);
            }
        }
    }
}

fn broken(error: FrameDecoderError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn whole(packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Zstandard::new(packed).read_to_end(&mut all).map(|_| all)
    }

    #[test]
    fn all_frames_are_read_and_those_to_be_skipped_are_not() {
        let pack = |bytes: &[u8]| compress_to_vec(bytes, CompressionLevel::Fastest);
        let large: Vec<u8> = (0..300_000u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
        let skipped = b"\x50\x2a\x4d\x18\x05\0\0\0notes".to_vec();
        let stream =
            [skipped.clone(), pack(b"one "), skipped, pack(&large), pack(b""), pack(b"two")];
        let expected = [b"one ".as_slice(), &large, b"two"].concat();
        assert_eq!(whole(&stream.concat()).unwrap(), expected);
        assert_eq!(whole(b"").unwrap(), b"");
    }

    #[test]
    fn what_is_cut_or_no_frame_is_an_error() {
        let packed = compress_to_vec(&b"weights".repeat(1000)[..], CompressionLevel::Fastest);
        assert!(whole(&packed[..packed.len() - 3]).is_err());
        assert!(whole(&[&packed[..], b"and more"].concat()).is_err());
        assert!(whole(b"\x50\x2a\x4d\x18\xff\xff\xff\xffnotes").is_err());
        assert!(whole(b"no frame at all").is_err());
    }
}
