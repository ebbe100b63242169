//! As much of protobuf as graphs and profiles take: the fields of a message, and how one is written.

use unskew_stream_executor_sdk::Error;

/// A field of a message: its number, its bytes as they stand there, and what is in them if they have a length.
pub struct Field<'a> {
    pub number: u64,
    pub whole: &'a [u8],
    pub payload: &'a [u8],
}

/// The fields of a message, in their order.
pub fn fields(message: &[u8]) -> Result<Vec<Field<'_>>, Error> {
    let mut fields = Vec::new();
    let mut rest = message;
    while !rest.is_empty() {
        let (key, mut left) = varint(rest)?;
        let mut payload = &left[..0];
        let length = match key & 7 {
            0 => left.len() - varint(left)?.1.len(),
            1 => 8,
            2 => {
                let (length, behind) = varint(left)?;
                left = behind;
                let length = usize::try_from(length).map_err(|_| broken())?;
                payload = left.get(..length).ok_or_else(broken)?;
                length
            }
            5 => 4,
            _ => return Err(broken()),
        };
        let next = left.get(length..).ok_or_else(broken)?;
        let whole = &rest[..rest.len() - next.len()];
        fields.push(Field { number: key >> 3, whole, payload });
        rest = next;
    }
    Ok(fields)
}

/// A number, and what comes behind it.
fn varint(bytes: &[u8]) -> Result<(u64, &[u8]), Error> {
    let mut value = 0;
    for (i, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i).min(63);
        if byte & 0x80 == 0 {
            return Ok((value, &bytes[i + 1..]));
        }
    }
    Err(broken())
}

fn broken() -> Error {
    Error::invalid("bytes that are no protobuf message")
}

/// Writes a number as a field.
pub fn put_number(message: &mut Vec<u8>, field: u64, value: u64) {
    put_varint(message, field << 3);
    put_varint(message, value);
}

/// Writes bytes as a field: a text, or a message.
pub fn put_bytes(message: &mut Vec<u8>, field: u64, value: &[u8]) {
    put_varint(message, field << 3 | 2);
    put_varint(message, value.len() as u64);
    message.extend_from_slice(value);
}

fn put_varint(message: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        message.push(value as u8 | 0x80);
        value >>= 7;
    }
    message.push(value as u8);
}
