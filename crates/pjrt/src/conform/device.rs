//! Client, devices, memories, topology, buffers, events, layouts.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::bench::Bench;
use super::outcome::Outcome;
use crate::layout;
use crate::sys::bindings::PJRT_Buffer_Type;

type Found = Result<Outcome, Outcome>;

const F32: PJRT_Buffer_Type = PJRT_Buffer_Type::F32;

pub(crate) fn initialize(bench: &mut Bench) -> Found {
    bench.trial.initialize()?;
    Ok(Outcome::Pass(String::new()))
}

pub(crate) fn create(bench: &mut Bench) -> Found {
    bench.client()?;
    Ok(Outcome::Pass(String::new()))
}

pub(crate) fn platform(bench: &mut Bench) -> Found {
    let (name, version) = bench.client()?.platform()?;
    Ok(Outcome::expect(!name.is_empty(), format!("{name:?}, version {version:?}")))
}

pub(crate) fn devices(bench: &mut Bench) -> Found {
    let client = bench.client()?;
    let (all, mine) = (client.devices()?, client.addressable()?);
    let seen = format!("{all} devices, {} addressable", mine.len());
    Ok(Outcome::expect(!mine.is_empty() && mine.len() <= all, seen))
}

pub(crate) fn lookup(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let (id, kind) = device.describe()?;
    let found = client.lookup(id)?;
    let same = match found {
        Some(found) => found.describe()?.0 == id,
        None => false,
    };
    Ok(Outcome::expect(same, format!("device {id} of kind {kind:?}")))
}

pub(crate) fn lookup_of_nothing(bench: &mut Bench) -> Found {
    match bench.client()?.lookup(i32::MAX) {
        Err(error) => Ok(Outcome::Pass(error.to_string())),
        Ok(None) => Ok(Outcome::Pass("no device".to_owned())),
        Ok(Some(_)) => Ok(Outcome::Fail("a device of an id that there is not".to_owned())),
    }
}

pub(crate) fn memories(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let (count, default) = (client.memories()?, device.default_memory()?);
    Ok(Outcome::expect(count > 0 && !default.is_empty(), format!("{count}, default {default:?}")))
}

pub(crate) fn topology(bench: &mut Bench) -> Found {
    let client = bench.client()?;
    let (name, _) = client.platform()?;
    let said = client.topology()?;
    Ok(Outcome::expect(name == said, format!("{said:?}, as the client: {name:?}")))
}

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
pub(crate) fn round_trip(bench: &mut Bench, name: &str, kind: i32, width: usize) -> Found {
    let since = types().find(|t| t.0 == name).map_or(0, |t| t.3);
    if bench.trial.api().minor() < since {
        let said = format!("since 0.{since}");
        return Ok(Outcome::Unsupported { function: String::new(), said });
    }
    let (client, device) = bench.device()?;
    // Types of less than a byte take a byte each, of which only the low bits count.
    let mask = match name {
        "PRED" | "S1" | "U1" | "S2" | "U2" => 1,
        _ if name.contains('4') && width == 1 && !name.starts_with("F8") => 7,
        _ => 0x3f,
    };
    let data: Vec<u8> = (0..6 * width).map(|i| (i % 61) as u8 & mask).collect();
    let kind = PJRT_Buffer_Type(kind);
    let buffer = match client.buffer(device, kind, &data, &[3, 2], &[]) {
        Ok(buffer) => buffer,
        // A device need not have every type; saying so is the right answer.
        Err(crate::sys::trial::Trouble::Call(error)) => {
            return Ok(Outcome::Unsupported { function: String::new(), said: error.to_string() });
        }
        Err(other) => return Err(other.into()),
    };
    let shape = buffer.shape()?;
    if shape != (vec![3, 2], kind) {
        return Ok(Outcome::Fail(format!("sent [3, 2] of type {}, is {shape:?}", kind.0)));
    }
    let back = buffer.read()?;
    Ok(match back == data {
        true => Outcome::Pass(format!("{} bytes", data.len())),
        false => Outcome::Fail(format!("sent {data:02x?}, came back {back:02x?}")),
    })
}

/// A transposed matrix, told by its strides.
pub(crate) fn strides(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let data: Vec<u8> = (0..6).flat_map(|i: u8| f32::from(i).to_le_bytes()).collect();
    let buffer = client.buffer(device, F32, &data, &[2, 3], &[4, 8])?;
    let values = super::execute::floats(&buffer.read()?);
    let plain = buffer.shape()?.0 == [2, 3] && values == [0.0, 2.0, 4.0, 1.0, 3.0, 5.0];
    // Without a wanted layout a plug-in may give the bytes back in the device's own order.
    let own = values == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    Ok(Outcome::expect(plain || own, format!("{values:?}")))
}

pub(crate) fn empty(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let buffer = client.buffer(device, F32, &[], &[0, 3], &[])?;
    let (back, shape) = (buffer.read()?, buffer.shape()?.0);
    Ok(Outcome::expect(back.is_empty() && shape == [0, 3], format!("{} bytes", back.len())))
}

pub(crate) fn scalar(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let buffer = client.buffer(device, F32, &1.5_f32.to_le_bytes(), &[], &[])?;
    let values = super::execute::floats(&buffer.read()?);
    Ok(Outcome::expect(values == [1.5], format!("{values:?}")))
}

pub(crate) fn delete(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let buffer = client.buffer(device, F32, &[0; 16], &[4], &[])?;
    let before = buffer.is_deleted()?;
    buffer.delete()?;
    let after = buffer.is_deleted()?;
    Ok(Outcome::expect(!before && after, format!("deleted before: {before}, after: {after}")))
}

pub(crate) fn read_after_delete(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let buffer = client.buffer(device, F32, &[0; 16], &[4], &[])?;
    buffer.delete()?;
    Ok(match buffer.read() {
        Err(error) => Outcome::Pass(error.to_string()),
        Ok(_) => Outcome::Fail("a deleted buffer can be read".to_owned()),
    })
}

pub(crate) fn device_size(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let size = client.buffer(device, F32, &[0; 16], &[4], &[])?.device_size()?;
    Ok(Outcome::expect(size >= 16, format!("{size} bytes for 16")))
}

pub(crate) fn ready(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let event = client.buffer(device, F32, &[0; 16], &[4], &[])?.ready()?;
    event.wait()?;
    Ok(Outcome::expect(event.is_ready()?, "ready after it was awaited"))
}

pub(crate) fn on_ready(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let event = client.buffer(device, F32, &[0; 16], &[4], &[])?.ready()?;
    let count = event.on_ready()?;
    event.wait()?;
    for _ in 0..200 {
        if count.load(Ordering::SeqCst) > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // A second call would come about now.
    std::thread::sleep(Duration::from_millis(20));
    let count = count.load(Ordering::SeqCst);
    Ok(Outcome::expect(count == 1, format!("called {count} times")))
}

pub(crate) fn default_layout(bench: &mut Bench) -> Found {
    let text = bench.client()?.default_layout(F32, &[3, 2])?;
    Ok(Outcome::expect(text.starts_with('{'), text))
}

pub(crate) fn buffer_layout(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let text = client.buffer(device, F32, &[0; 24], &[3, 2], &[])?.layout()?;
    Ok(Outcome::expect(text.starts_with('{'), text))
}

/// The last check: nothing of the client is used afterwards.
pub(crate) fn destroy(bench: &mut Bench) -> Found {
    bench.client()?.destroy()?;
    Ok(Outcome::Pass(String::new()))
}
