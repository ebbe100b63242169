//! Compiling, executing, serializing, analyses.

use super::bench::Bench;
use super::outcome::Outcome;
use super::program::{ADD, DONATE, NONSENSE, OPTIONS, replicated};
use crate::sys::bindings::PJRT_Buffer_Type;
use crate::sys::trial::{Buffer, Client, Device, Program};

type Found = Result<Outcome, Outcome>;

const F32: PJRT_Buffer_Type = PJRT_Buffer_Type::F32;

/// The most devices that one program is run on.
const MOST_DEVICES: usize = 8;

/// What four bytes each say.
pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

fn vector(client: Client, device: Device, values: &[f32]) -> Result<Buffer, Outcome> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Ok(client.buffer(device, F32, &bytes, &[values.len() as i64], &[])?)
}

pub(crate) fn compile(bench: &mut Bench) -> Found {
    let outputs = bench.program()?.outputs()?;
    Ok(Outcome::expect(outputs == 1, format!("{outputs} outputs")))
}

fn refused(result: Result<Program, crate::sys::trial::Trouble>) -> Outcome {
    match result {
        Err(error) => Outcome::Pass(first_line(&error.to_string())),
        Ok(_) => Outcome::Fail("it compiles".to_owned()),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

pub(crate) fn nonsense(bench: &mut Bench) -> Found {
    Ok(refused(bench.client()?.compile(NONSENSE.as_bytes(), "mlir", OPTIONS)))
}

pub(crate) fn unknown_format(bench: &mut Bench) -> Found {
    Ok(refused(bench.client()?.compile(ADD.as_bytes(), "no such format", OPTIONS)))
}

pub(crate) fn broken_options(bench: &mut Bench) -> Found {
    Ok(refused(bench.client()?.compile(ADD.as_bytes(), "mlir", &[0x1a, 0x7f])))
}

pub(crate) fn add(bench: &mut Bench) -> Found {
    let program = bench.program()?;
    run_add(bench, program)
}

fn run_add(bench: &mut Bench, program: Program) -> Found {
    let (client, device) = bench.device()?;
    let a = vector(client, device, &[1.0, 2.0, 3.0, 4.0])?;
    let b = vector(client, device, &[10.0, 20.0, 30.0, 40.0])?;
    let results = program.execute(&[vec![&a, &b]], 1)?;
    let Some(sum) = results.first().and_then(|list| list.first()) else {
        return Ok(Outcome::Fail("no result".to_owned()));
    };
    let sum = floats(&sum.read()?);
    Ok(Outcome::expect(sum == [11.0, 22.0, 33.0, 44.0], format!("{sum:?}")))
}

pub(crate) fn too_few_arguments(bench: &mut Bench) -> Found {
    let program = bench.program()?;
    let (client, device) = bench.device()?;
    let a = vector(client, device, &[1.0; 4])?;
    Ok(rejected(program.execute(&[vec![&a]], 1)))
}

pub(crate) fn wrong_shape(bench: &mut Bench) -> Found {
    let program = bench.program()?;
    let (client, device) = bench.device()?;
    let (a, b) = (vector(client, device, &[1.0; 4])?, vector(client, device, &[1.0; 5])?);
    Ok(rejected(program.execute(&[vec![&a, &b]], 1)))
}

/// An error may come with the call or with the result.
fn rejected(result: Result<Vec<Vec<Buffer>>, crate::sys::trial::Trouble>) -> Outcome {
    let read = result.and_then(|lists| {
        let all = lists.iter().flatten();
        all.map(Buffer::read).collect::<Result<Vec<_>, _>>()
    });
    match read {
        Err(error) => Outcome::Pass(first_line(&error.to_string())),
        Ok(values) => Outcome::Fail(format!("it runs, with the result {values:?}")),
    }
}

pub(crate) fn donation(bench: &mut Bench) -> Found {
    let (client, device) = bench.device()?;
    let program = client.compile(DONATE.as_bytes(), "mlir", OPTIONS)?;
    let a = vector(client, device, &[1.0, 2.0, 3.0, 4.0])?;
    let results = program.execute(&[vec![&a]], 1)?;
    let Some(sum) = results.first().and_then(|list| list.first()) else {
        return Ok(Outcome::Fail("no result".to_owned()));
    };
    let (sum, gone) = (floats(&sum.read()?), a.is_deleted()?);
    let right = sum == [2.0, 3.0, 4.0, 5.0] && gone;
    Ok(Outcome::expect(right, format!("{sum:?}, argument deleted: {gone}")))
}

pub(crate) fn several_devices(bench: &mut Bench) -> Found {
    let client = bench.client()?;
    let mut devices = client.addressable()?;
    devices.truncate(MOST_DEVICES);
    if devices.len() < 2 {
        return Err(Outcome::NotRun("there is one device".to_owned()));
    }
    let options = replicated(devices.len() as u8);
    let program = client.compile(ADD.as_bytes(), "mlir", &options)?;
    let mut owned = Vec::new();
    for (device, first) in devices.iter().zip(0_u8..) {
        let a = vector(client, *device, &[f32::from(first); 4])?;
        owned.push((a, vector(client, *device, &[1.0; 4])?));
    }
    let lists: Vec<Vec<&Buffer>> = owned.iter().map(|(a, b)| vec![a, b]).collect();
    let results = program.execute(&lists, 1)?;
    for (list, first) in results.iter().zip(0_u8..) {
        let Some(sum) = list.first() else {
            return Ok(Outcome::Fail("no result".to_owned()));
        };
        let sum = floats(&sum.read()?);
        if sum != [f32::from(first) + 1.0; 4] {
            return Ok(Outcome::Fail(format!("device {first}: {sum:?}")));
        }
    }
    Ok(Outcome::Pass(format!("{} devices", devices.len())))
}

pub(crate) fn load_again(bench: &mut Bench) -> Found {
    let bytes = bench.program()?.serialize()?;
    if bytes.is_empty() {
        return Ok(Outcome::Fail("no bytes".to_owned()));
    }
    let program = bench.client()?.load(&bytes)?;
    match run_add(bench, program)? {
        Outcome::Pass(_) => Ok(Outcome::Pass(format!("{} bytes, same result", bytes.len()))),
        other => Ok(other),
    }
}

pub(crate) fn load_nonsense(bench: &mut Bench) -> Found {
    Ok(match bench.client()?.load(b"no executable") {
        Err(error) => Outcome::Pass(first_line(&error.to_string())),
        Ok(_) => Outcome::Fail("nonsense is loaded".to_owned()),
    })
}

pub(crate) fn fingerprint(bench: &mut Bench) -> Found {
    let (first, second) = (bench.program()?.fingerprint()?, bench.program()?.fingerprint()?);
    let seen = format!("{} bytes", first.len());
    Ok(Outcome::expect(!first.is_empty() && first == second, seen))
}

pub(crate) fn memory(bench: &mut Bench) -> Found {
    let (arguments, outputs) = bench.program()?.memory()?;
    let seen = format!("{arguments} bytes of arguments, {outputs} of results");
    Ok(Outcome::expect(arguments >= 32 && outputs >= 16, seen))
}

pub(crate) fn costs(bench: &mut Bench) -> Found {
    let properties = bench.program()?.costs()?;
    Ok(Outcome::expect(properties > 0, format!("{properties} properties")))
}
