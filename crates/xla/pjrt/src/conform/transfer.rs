//! Buffers whose contents come later, by the asynchronous host-to-device transfer manager.

use super::bench::Bench;
use super::check_outcome::{CheckOutcome, Checked};
use super::execute::floats;
use crate::host::Error;
use crate::sys::bindings::PJRT_Buffer_Type as ElementType;
use crate::sys::trial::Transfer;

const F32: ElementType = ElementType::F32;
const SHAPES: [(ElementType, &[i64]); 2] = [(F32, &[4]), (F32, &[2])];

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub(crate) fn describes(bench: &mut Bench) -> Checked {
    let (_, device) = bench.device()?;
    let transfer = Transfer::begin(&device, &SHAPES)?;
    let (count, size, mine) = (transfer.count()?, transfer.size(0)?, transfer.is_of(&device)?);
    let seen = format!("{count} buffers, the first of {size} bytes, on its device: {mine}");
    Ok(CheckOutcome::expect(count == 2 && size >= 16 && mine, seen))
}

pub(crate) fn in_pieces(bench: &mut Bench) -> Checked {
    let (_, device) = bench.device()?;
    let transfer = Transfer::begin(&device, &SHAPES)?;
    let (first, second) = (transfer.retrieve(0)?, transfer.retrieve(1)?);
    let data = bytes(&[1.0, 2.0, 3.0, 4.0]);
    let (head, tail) = data.split_at(8);
    transfer.send(0, (0, head), false)?;
    transfer.send(0, (8, tail), true)?;
    transfer.send(1, (0, &bytes(&[5.0, 6.0])), true)?;
    let (first, second) = (floats(&first.to_host()?), floats(&second.to_host()?));
    let right = first == [1.0, 2.0, 3.0, 4.0] && second == [5.0, 6.0];
    Ok(CheckOutcome::expect(right, format!("{first:?}, {second:?}")))
}

pub(crate) fn as_array(bench: &mut Bench) -> Checked {
    let (_, device) = bench.device()?;
    let transfer = Transfer::begin(&device, &SHAPES[..1])?;
    let buffer = transfer.retrieve(0)?;
    transfer.send_array(0, &bytes(&[1.0, 2.0, 3.0, 4.0]), (F32, &[4]))?;
    let values = floats(&buffer.to_host()?);
    Ok(CheckOutcome::expect(values == [1.0, 2.0, 3.0, 4.0], format!("{values:?}")))
}

pub(crate) fn error(bench: &mut Bench) -> Checked {
    let (_, device) = bench.device()?;
    let transfer = Transfer::begin(&device, &SHAPES[..1])?;
    let buffer = transfer.retrieve(0)?;
    transfer.fail(0, "given up on purpose")?;
    Ok(match buffer.to_host() {
        Err(Error::Call(error)) => {
            let said = error.to_string();
            CheckOutcome::expect(said.contains("given up on purpose"), said)
        }
        Err(error) => error.into(),
        Ok(_) => CheckOutcome::Fail("a buffer whose contents failed can be read".to_owned()),
    })
}
