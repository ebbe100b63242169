//! Buffers: every element type, strides, edges, deletion.

use super::bench::Bench;
use super::check_outcome::{CheckOutcome, Checked};
use super::execute::floats;
use crate::host::{Error, HostArray};
use crate::layout;
use crate::sys::bindings::PJRT_Buffer_Type as ElementType;

const F32: ElementType = ElementType::F32;

/// What is said of buffers that lie in the memory of the host.
pub(crate) const HOST_MEMORY: &str = "the host's";

/// Bytes per element on the host by the type's name; none if that is not a type of numbers.
pub(crate) fn width(name: &str) -> Option<usize> {
    match name {
        "INVALID" | "TOKEN" => None,
        "PRED" => Some(1),
        "C64" => Some(8),
        "C128" => Some(16),
        _ => {
            let digits: String = name
                .chars()
                .skip_while(|c| !c.is_ascii_digit())
                .take_while(char::is_ascii_digit)
                .collect();
            Some(digits.parse::<usize>().ok()?.div_ceil(8))
        }
    }
}

/// Every type of element: its name, number, width, and the first minor that has it.
pub(crate) fn types() -> impl Iterator<Item = (&'static str, i32, usize, i32)> {
    let all = layout::enums().iter().filter(|kind| kind.name == "PJRT_Buffer_Type");
    all.flat_map(|kind| kind.values)
        .filter_map(|value| Some((value.name, value.value, width(value.name)?, value.since)))
}

/// Three by two elements to the device and back.
pub(crate) fn round_trip(bench: &mut Bench, name: &str, kind: i32, width: usize) -> Checked {
    let since = types().find(|t| t.0 == name).map_or(0, |t| t.3);
    if bench.api().minor() < since {
        let said = format!("since 0.{since}");
        return Ok(CheckOutcome::Unsupported { function: String::new(), said });
    }
    let (client, device) = bench.device()?;
    // Types of less than a byte take a byte each, of which only the low bits count.
    let mask = match name {
        "PRED" | "S1" | "U1" | "S2" | "U2" => 1,
        _ if name.contains('4') && width == 1 && !name.starts_with("F8") => 7,
        _ => 0x3f,
    };
    let data: Vec<u8> = (0..6 * width).map(|i| (i % 61) as u8 & mask).collect();
    let kind = ElementType(kind);
    let array = HostArray { data: &data, element_type: kind, dims: &[3, 2], strides: None };
    let buffer = match client.buffer(array, &device) {
        Ok(buffer) => buffer,
        // A device need not have every type; saying so is the right answer.
        Err(Error::Call(error)) => {
            return Ok(CheckOutcome::Unsupported {
                function: String::new(),
                said: error.to_string(),
            });
        }
        Err(other) => return Err(other.into()),
    };
    let shape = (buffer.dimensions()?, buffer.element_type()?);
    if shape != (vec![3, 2], kind) {
        return Ok(CheckOutcome::Fail(format!("sent [3, 2] of type {}, is {shape:?}", kind.0)));
    }
    let back = buffer.to_host()?;
    Ok(match back == data {
        true => CheckOutcome::Pass(format!("{} bytes", data.len())),
        false => CheckOutcome::Fail(format!("sent {data:02x?}, came back {back:02x?}")),
    })
}

/// A transposed matrix, told by its strides.
pub(crate) fn strides(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let data: Vec<u8> = (0..6).flat_map(|i: u8| f32::from(i).to_le_bytes()).collect();
    let buffer = {
        let strides = Some(&[4, 8][..]);
        let array = HostArray { data: &data, element_type: F32, dims: &[2, 3], strides };
        client.buffer(array, &device)?
    };
    let values = floats(&buffer.to_host()?);
    let plain = buffer.dimensions()? == [2, 3] && values == [0.0, 2.0, 4.0, 1.0, 3.0, 5.0];
    // Without a wanted layout a plug-in may give the bytes back in the device's own order.
    let own = values == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    Ok(CheckOutcome::expect(plain || own, format!("{values:?}")))
}

pub(crate) fn empty(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let buffer = client.buffer_of::<f32>(&[], &[0, 3], &device)?;
    let (back, shape) = (buffer.to_host()?, buffer.dimensions()?);
    Ok(CheckOutcome::expect(back.is_empty() && shape == [0, 3], format!("{} bytes", back.len())))
}

pub(crate) fn scalar(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let buffer = client.buffer_of(&[1.5_f32], &[], &device)?;
    let values = floats(&buffer.to_host()?);
    Ok(CheckOutcome::expect(values == [1.5], format!("{values:?}")))
}

pub(crate) fn delete(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let buffer = client.buffer_of(&[0.0_f32; 4], &[4], &device)?;
    let before = buffer.is_deleted()?;
    buffer.delete()?;
    let after = buffer.is_deleted()?;
    Ok(CheckOutcome::expect(!before && after, format!("deleted before: {before}, after: {after}")))
}

pub(crate) fn read_after_delete(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let buffer = client.buffer_of(&[0.0_f32; 4], &[4], &device)?;
    buffer.delete()?;
    Ok(match buffer.to_host() {
        Err(error) => CheckOutcome::Pass(error.to_string()),
        Ok(_) => CheckOutcome::Fail("a deleted buffer can be read".to_owned()),
    })
}

pub(crate) fn device_size(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let size = client.buffer_of(&[0.0_f32; 4], &[4], &device)?.on_device_size()?;
    Ok(CheckOutcome::expect(size >= 16, format!("{size} bytes for 16")))
}

pub(crate) fn memory(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let on_cpu = client.buffer_of(&[0.0_f32; 4], &[4], &device)?.is_on_cpu()?;
    Ok(CheckOutcome::Pass(if on_cpu { HOST_MEMORY } else { "the device's" }.to_owned()))
}
