//! Frames in the pipes between the two processes: a letter, a length, and so many bytes.

use std::io::{self, Read, Write};

/// The largest frame. What is larger goes in several.
pub(crate) const LARGEST: usize = 64 << 20;

/// What stands in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// A question or an answer, in JSON.
    Message,
    /// The child wants bytes of the artifact.
    Wanted,
    /// Those bytes; none at its end.
    Data,
    /// Why there are no such bytes.
    Failed,
    /// The child wants to know of a file beside one of the artifact; [`FrameKind::Data`] tells it.
    Beside,
    /// Bytes of what a conversion made.
    Made,
}

impl FrameKind {
    const ALL: [(u8, Self); 6] = [
        (b'M', Self::Message),
        (b'W', Self::Wanted),
        (b'D', Self::Data),
        (b'F', Self::Failed),
        (b'N', Self::Beside),
        (b'B', Self::Made),
    ];

    fn letter(self) -> u8 {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or(0, |(letter, _)| *letter)
    }

    fn from_letter(letter: u8) -> Option<Self> {
        Self::ALL.iter().find(|(one, _)| *one == letter).map(|(_, kind)| *kind)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: FrameKind,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn write(to: &mut dyn Write, kind: FrameKind, body: &[u8]) -> io::Result<()> {
    let size = u32::try_from(body.len()).ok().filter(|_| body.len() <= LARGEST);
    let size = size.ok_or_else(|| io::Error::other("a frame that is too large"))?;
    let mut head = [0; 5];
    head[0] = kind.letter();
    head[1..].copy_from_slice(&size.to_le_bytes());
    to.write_all(&head)?;
    to.write_all(body)?;
    to.flush()
}

/// Reads a frame; none if nothing comes any more.
pub(crate) fn read(from: &mut dyn Read) -> io::Result<Option<Frame>> {
    let mut head = [0; 5];
    match from.read_exact(&mut head) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let [letter, size @ ..] = head;
    let size = u32::from_le_bytes(size) as usize;
    let kind = FrameKind::from_letter(letter).filter(|_| size <= LARGEST);
    let kind = kind.ok_or_else(|| io::Error::other("something that is no frame"))?;
    // Memory is taken as bytes come: a length by itself is worth nothing.
    let mut body = Vec::new();
    from.take(size as u64).read_to_end(&mut body)?;
    match body.len() == size {
        true => Ok(Some(Frame { kind, body })),
        false => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut pipe = Vec::new();
        write(&mut pipe, FrameKind::Message, b"{}").unwrap();
        write(&mut pipe, FrameKind::Data, b"").unwrap();
        let mut from = pipe.as_slice();
        let first = read(&mut from).unwrap().unwrap();
        assert_eq!((first.kind, first.body.as_slice()), (FrameKind::Message, b"{}".as_slice()));
        assert_eq!(read(&mut from).unwrap().unwrap().kind, FrameKind::Data);
        assert_eq!(read(&mut from).unwrap(), None);
    }

    #[test]
    fn what_is_no_frame_is_refused_before_memory_is_taken_for_it() {
        assert!(read(&mut b"panicked at".as_slice()).is_err(), "no such letter");
        assert!(read(&mut b"M\xff\xff\xff\xff".as_slice()).is_err(), "4 GiB");
        assert_eq!(read(&mut b"M\x09\0\0\0half".as_slice()).unwrap(), None, "cut off");
        assert!(write(&mut Vec::new(), FrameKind::Made, &vec![0; LARGEST + 1]).is_err());
    }
}
