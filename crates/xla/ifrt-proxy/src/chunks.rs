//! Buffers as they travel: in messages of one field, in frames of gRPC, without a copy that is not needed.
//!
//! A library that encodes and decodes messages copies what is in them. Here the head of a message is written by
//! itself, and its bytes go to the network from where they lie; what comes is taken apart as it comes, and the
//! bytes are put where the plug-in is to find them.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{BufMut as _, Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue};
use http_body::{Body, Frame};
use prost::Message as _;
use prost::encoding::{decode_varint, encode_varint};
use tonic::Status;

use crate::aligned::{Filling, Pool};
use crate::messages::Chunk;

/// How large the parts of a buffer are that is sent to a client, in bytes.
const PART: usize = 1 << 20;

/// What stands before every message: whether it is compressed, and its length in four bytes.
const PREFIX: usize = 5;

/// What stands before the bytes in a message: field 1, of bytes, whose length follows.
const KEY: u8 = 0x0a;

/// A response of messages that have the parts of a buffer, and of the status OK. An empty buffer is one empty
/// message.
pub(crate) struct Sending {
    data: Bytes,
    next: Next,
}

#[derive(PartialEq)]
enum Next {
    Head,
    Part(usize),
    Status,
    Nothing,
}

impl Sending {
    pub(crate) fn answer(data: Bytes) -> http::Response<tonic::body::Body> {
        let body = tonic::body::Body::new(Self { data, next: Next::Head });
        let mut response = http::Response::new(body);
        let kind = HeaderValue::from_static("application/grpc");
        response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
        response
    }

    fn frame(&mut self) -> Option<Frame<Bytes>> {
        match self.next {
            Next::Head => {
                let part = self.data.len().min(PART);
                self.next = if part > 0 { Next::Part(part) } else { Next::Status };
                Some(Frame::data(head(part)))
            }
            Next::Part(part) => {
                let frame = Frame::data(self.data.split_to(part));
                self.next = if self.data.is_empty() { Next::Status } else { Next::Head };
                Some(frame)
            }
            Next::Status => {
                // Whoever has read the status may do with the array what needs its memory.
                self.data = Bytes::new();
                self.next = Next::Nothing;
                let ok = (HeaderName::from_static("grpc-status"), HeaderValue::from_static("0"));
                Some(Frame::trailers(HeaderMap::from_iter([ok])))
            }
            Next::Nothing => None,
        }
    }
}

/// What stands before so many bytes of a buffer.
fn head(part: usize) -> Bytes {
    let mut field = BytesMut::new();
    if part > 0 {
        field.put_u8(KEY);
        encode_varint(part as u64, &mut field);
    }
    let mut head = BytesMut::with_capacity(PREFIX + field.len());
    head.put_u8(0);
    head.put_u32(u32::try_from(field.len() + part).unwrap_or(u32::MAX));
    head.put(field);
    head.freeze()
}

impl Body for Sending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.frame().map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.next == Next::Nothing
    }
}

/// A request of messages that have the parts of a buffer.
pub(crate) struct Receiving {
    size: usize,
    /// The largest message, in bytes.
    largest: usize,
    pool: Arc<Pool>,
    /// What has come of a message up to the bytes of its buffer; all of it, if it has something else.
    head: BytesMut,
    /// How many bytes of a buffer are still to come in this message.
    left: usize,
    to: To,
}

/// Where the bytes go.
enum To {
    Nowhere,
    /// They came in one piece, and stay where they are.
    There(Bytes),
    Here(Filling),
}

/// What the beginning of a message says.
enum Head {
    /// Nothing yet: at least so many bytes more are needed.
    More(usize),
    /// So many bytes of a buffer follow, and nothing else.
    Part(usize),
    /// It is all of the message.
    Whole,
}

impl Receiving {
    /// A buffer of this size, of which nothing has come yet.
    pub(crate) fn new(size: usize, largest: usize, pool: Arc<Pool>) -> Self {
        Self { size, largest, pool, head: BytesMut::new(), left: 0, to: To::Nowhere }
    }

    /// Takes what came.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for what is no such message, or more than was announced; OUT_OF_RANGE for a message that is
    /// too large; UNIMPLEMENTED for a compressed one; RESOURCE_EXHAUSTED if there is no room.
    pub(crate) fn take(&mut self, mut came: Bytes) -> Result<(), Status> {
        while !came.is_empty() {
            if self.left > 0 {
                let part = came.split_to(self.left.min(came.len()));
                self.left -= part.len();
                self.keep(part)?;
                continue;
            }
            // A head may be all there is of a message, so it is looked at before more is taken, too.
            let mut wanted = self.wanted()?;
            while wanted > 0 && !came.is_empty() {
                self.head.put(came.split_to(wanted.min(came.len())));
                wanted = self.wanted()?;
            }
        }
        Ok(())
    }

    /// How many bytes more are needed to know what comes; none if that is known, and seen to.
    fn wanted(&mut self) -> Result<usize, Status> {
        match self.look()? {
            Head::More(count) => return Ok(count),
            Head::Part(count) => {
                self.left = count;
                self.head.clear();
            }
            Head::Whole => {
                let message = self.head.split().freeze().slice(PREFIX..);
                let chunk = Chunk::decode(message);
                self.keep(chunk.map_err(|error| broken(&error.to_string()))?.data)?;
            }
        }
        Ok(0)
    }

    fn look(&self) -> Result<Head, Status> {
        let Some((prefix, mut message)) = self.head.split_first_chunk::<PREFIX>() else {
            return Ok(Head::More(PREFIX - self.head.len()));
        };
        let [compressed, length @ ..] = *prefix;
        if compressed != 0 {
            return Err(Status::unimplemented("buffers are not received compressed"));
        }
        let length = u32::from_be_bytes(length) as usize;
        if length > self.largest {
            let text = format!("a message may have {} bytes, and has {length}", self.largest);
            return Err(Status::out_of_range(text));
        }
        let there = message.len();
        let rest = length - there.min(length);
        if rest == 0 {
            return Ok(Head::Whole);
        }
        match message.split_first() {
            None => Ok(Head::More(1)),
            Some((&KEY, mut after)) => {
                message = after;
                match decode_varint(&mut after) {
                    // If bytes have come behind the length, the message was found to be of another kind before.
                    Ok(count) if count == rest as u64 && after.is_empty() => Ok(Head::Part(rest)),
                    // The length has at most ten bytes.
                    Err(_) if message.len() < 10 => Ok(Head::More(1)),
                    _ => Ok(Head::More(rest)),
                }
            }
            Some(_) => Ok(Head::More(rest)),
        }
    }

    fn keep(&mut self, part: Bytes) -> Result<(), Status> {
        let there = match &self.to {
            To::Nowhere => 0,
            To::There(data) => data.len(),
            To::Here(filling) => filling.len(),
        };
        if part.len() > self.size - there {
            return Err(wrong_size(self.size));
        }
        if part.is_empty() {
            return Ok(());
        }
        if let To::Here(filling) = &mut self.to {
            filling.extend(&part);
        } else if part.len() == self.size {
            // Most buffers are one part, which is not copied.
            self.to = To::There(part);
        } else {
            let none = || format!("there is no room for {} bytes", self.size);
            let room = self.pool.room(self.size);
            let mut filling = room.ok_or_else(|| Status::resource_exhausted(none()))?;
            filling.extend(&part);
            self.to = To::Here(filling);
        }
        Ok(())
    }

    /// The buffer.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if it is not all there.
    pub(crate) fn end(self) -> Result<Bytes, Status> {
        if self.left > 0 || !self.head.is_empty() {
            return Err(broken("it ends within a message"));
        }
        let data = match self.to {
            To::Nowhere => Bytes::new(),
            To::There(data) => data,
            To::Here(filling) => filling.freeze(),
        };
        if data.len() == self.size { Ok(data) } else { Err(wrong_size(self.size)) }
    }
}

fn broken(why: &str) -> Status {
    Status::invalid_argument(format!("a buffer that cannot be read: {why}"))
}

fn wrong_size(size: usize) -> Status {
    Status::invalid_argument(format!(
        "the buffer does not have the size that was announced: {size}"
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A message as gRPC frames it.
    fn framed(message: &[u8]) -> Vec<u8> {
        let mut all = vec![0];
        all.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
        all.extend(message);
        all
    }

    fn received(size: usize, stream: &[u8], cut: usize) -> Result<Bytes, Status> {
        let mut receiving = Receiving::new(size, 1 << 20, Arc::default());
        stream.chunks(cut).try_for_each(|part| receiving.take(Bytes::copy_from_slice(part)))?;
        receiving.end()
    }

    fn sent(data: &Bytes) -> Vec<u8> {
        let mut sending = Sending { data: data.clone(), next: Next::Head };
        let mut all = Vec::new();
        while let Some(frame) = sending.frame() {
            match frame.into_data() {
                Ok(data) => all.extend_from_slice(&data),
                Err(frame) => assert_eq!(frame.into_trailers().unwrap()["grpc-status"], "0"),
            }
        }
        assert!(sending.is_end_stream());
        all
    }

    #[test]
    fn what_is_sent_is_messages_of_parts() {
        assert_eq!(sent(&Bytes::new()), framed(&[]));
        for size in [1, PART, 2 * PART + 7] {
            let data = Bytes::from_iter((0..size).map(|at| (at % 251) as u8));
            let parts = data.chunks(PART).map(|part| Chunk { data: Bytes::copy_from_slice(part) });
            let expected: Vec<u8> = parts.flat_map(|part| framed(&part.encode_to_vec())).collect();
            assert!(sent(&data) == expected, "{size}");
        }
    }

    #[test]
    fn a_buffer_in_one_part_is_not_copied() {
        let stream = Bytes::from(sent(&Bytes::from_static(b"all there is")));
        let mut receiving = Receiving::new(12, 100, Arc::default());
        receiving.take(stream.clone()).unwrap();
        assert_eq!(receiving.end().unwrap().as_ptr(), stream.slice(7..).as_ptr());
    }

    #[test]
    fn what_is_no_buffer_of_the_size_is_refused() {
        let whole = framed(&Chunk { data: Bytes::from_static(b"1234") }.encode_to_vec());
        let code = |size, stream: &[u8]| received(size, stream, 3).unwrap_err().code();
        for (size, stream) in [
            (5, &whole[..]),
            (3, &whole),
            (4, &whole[..10]),
            (4, &whole[..3]),
            (1, &[]),
            (0, &framed(&[KEY, 0xff])),
            (0, &framed(&[KEY, 5])),
            (0, &framed(&[KEY, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1])),
            (0, &framed(&[0xff; 30])),
        ] {
            assert_eq!(code(size, stream), tonic::Code::InvalidArgument, "{size} {stream:?}");
        }
        assert_eq!(code(4, &[1, 0, 0, 0, 0]), tonic::Code::Unimplemented);
        assert_eq!(code(4, &[0, 0xff, 0, 0, 0]), tonic::Code::OutOfRange);
        let huge = framed(&Chunk { data: Bytes::from(vec![0; 9]) }.encode_to_vec());
        let none = Receiving::new(usize::MAX, 100, Arc::default()).take(huge.into()).unwrap_err();
        assert_eq!(none.code(), tonic::Code::ResourceExhausted);
    }

    proptest! {
        #[test]
        fn messages_are_read_however_they_are_cut(
            parts in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..300), any::<bool>()), 0..6),
            cut in 1_usize..40,
        ) {
            let mut stream = Vec::new();
            let mut all = Vec::new();
            for (part, odd) in parts {
                let mut message = Chunk { data: part.clone().into() }.encode_to_vec();
                if odd {
                    // A field of a later version: number 9, a number.
                    message.extend([0x48, 1]);
                }
                stream.extend(framed(&message));
                all.extend(part);
            }
            prop_assert_eq!(received(all.len(), &stream, cut).unwrap(), all);
        }

        #[test]
        fn any_bytes_are_read_or_refused(
            stream in proptest::collection::vec(prop_oneof![Just(0), Just(KEY), 0_u8..20, any::<u8>()], 0..60),
            cut in 1_usize..10,
            size in 0_usize..9,
        ) {
            let whole = received(size, &stream, stream.len().max(1));
            let in_parts = received(size, &stream, cut);
            prop_assert_eq!(whole.ok(), in_parts.ok());
        }
    }
}
