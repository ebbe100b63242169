//! Compiling and executing.

use super::bench::Bench;
use super::check_outcome::{CheckOutcome, Checked};
use super::program::{ADD, DONATE, NONSENSE, OPTIONS, replicated};
use crate::host::{
    Buffer, Client, Device, Error, ExecuteOptions, LoadedExecutable, Outputs, PjrtProgram,
};

/// The most devices that one program is run on.
const MOST_DEVICES: usize = 8;

/// Why a program was not run on several devices, which is no lack of the plug-in.
pub(crate) const ONE_DEVICE: &str = "there is one device";

pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

fn vector(client: &Client, device: &Device, values: &[f32]) -> Result<Buffer, Error> {
    client.buffer_of(values, &[values.len() as i64], device)
}

pub(crate) fn compile(bench: &mut Bench) -> Checked {
    let outputs = bench.program()?.executable()?.num_outputs()?;
    let seen = match &bench.refused_text {
        // No host sends text, so it is no fault that none is taken.
        Some(refusal) => format!("by artifact; text is refused: {}", first_line(refusal)),
        None => format!("{outputs} outputs"),
    };
    Ok(CheckOutcome::expect(outputs == 1, seen))
}

/// A StableHLO portable artifact, which is what hosts send.
pub(crate) fn compile_artifact(bench: &mut Bench) -> Checked {
    let program = bench.client()?.compile(PjrtProgram::mlir(ADD.artifact), OPTIONS)?;
    run_add(bench, &program)
}

fn refused(result: Result<LoadedExecutable, Error>) -> CheckOutcome {
    match result {
        Err(error) => CheckOutcome::Pass(first_line(&error.to_string())),
        Ok(_) => CheckOutcome::Fail("it compiles".to_owned()),
    }
}

pub(crate) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

pub(crate) fn nonsense(bench: &mut Bench) -> Checked {
    Ok(refused(bench.client()?.compile(PjrtProgram::mlir(NONSENSE), OPTIONS)))
}

pub(crate) fn unknown_format(bench: &mut Bench) -> Checked {
    let program = PjrtProgram { code: ADD.artifact, format: "no such format" };
    Ok(refused(bench.client()?.compile(program, OPTIONS)))
}

pub(crate) fn broken_options(bench: &mut Bench) -> Checked {
    Ok(refused(bench.client()?.compile(PjrtProgram::mlir(ADD.artifact), &[0x1a, 0x7f])))
}

pub(crate) fn add(bench: &mut Bench) -> Checked {
    bench.program()?;
    let (client, device) = bench.device()?;
    add_on(&client, &device, bench.program()?)
}

pub(crate) fn run_add(bench: &mut Bench, program: &LoadedExecutable) -> Checked {
    let (client, device) = bench.device()?;
    add_on(&client, &device, program)
}

fn add_on(client: &Client, device: &Device, program: &LoadedExecutable) -> Checked {
    let a = vector(client, device, &[1.0, 2.0, 3.0, 4.0])?;
    let b = vector(client, device, &[10.0, 20.0, 30.0, 40.0])?;
    let results = run(program, &[&[&a, &b]])?;
    let Some(sum) = results.of_device(0).first() else {
        return Ok(CheckOutcome::Fail("no result".to_owned()));
    };
    let sum = floats(&sum.to_host()?);
    Ok(CheckOutcome::expect(sum == [11.0, 22.0, 33.0, 44.0], format!("{sum:?}")))
}

/// Runs a program, and waits until it has run.
fn run(program: &LoadedExecutable, arguments: &[&[&Buffer]]) -> Result<Outputs, Error> {
    let mut results = Outputs::new();
    program.execute_with_events(arguments, &ExecuteOptions::default(), &mut results)?;
    results.events().iter().try_for_each(crate::host::Event::wait)?;
    Ok(results)
}

pub(crate) fn too_few_arguments(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let a = vector(&client, &device, &[1.0; 4])?;
    Ok(rejected(run(bench.program()?, &[&[&a]])))
}

pub(crate) fn wrong_shape(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let (a, b) = (vector(&client, &device, &[1.0; 4])?, vector(&client, &device, &[1.0; 5])?);
    Ok(rejected(run(bench.program()?, &[&[&a, &b]])))
}

/// An error may come with the call or with the result.
fn rejected(result: Result<Outputs, Error>) -> CheckOutcome {
    let read = result.and_then(|results| {
        results.buffers().iter().map(Buffer::to_host).collect::<Result<Vec<_>, _>>()
    });
    match read {
        Err(error) => CheckOutcome::Pass(first_line(&error.to_string())),
        Ok(values) => CheckOutcome::Fail(format!("it runs, with the result {values:?}")),
    }
}

pub(crate) fn donation(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let program = bench.compile(&DONATE, OPTIONS)?;
    let a = vector(&client, &device, &[1.0, 2.0, 3.0, 4.0])?;
    let results = run(&program, &[&[&a]])?;
    let Some(sum) = results.of_device(0).first() else {
        return Ok(CheckOutcome::Fail("no result".to_owned()));
    };
    let (sum, gone) = (floats(&sum.to_host()?), a.is_deleted()?);
    let right = sum == [2.0, 3.0, 4.0, 5.0] && gone;
    Ok(CheckOutcome::expect(right, format!("{sum:?}, argument deleted: {gone}")))
}

pub(crate) fn several_devices(bench: &mut Bench) -> Checked {
    let client = bench.client()?;
    let mut devices = client.addressable_devices()?;
    devices.truncate(MOST_DEVICES);
    if devices.len() < 2 {
        return Err(CheckOutcome::NotRun(ONE_DEVICE.to_owned()));
    }
    let options = replicated(devices.len() as u8);
    let program = bench.compile(&ADD, &options)?;
    let mut owned = Vec::new();
    for (device, first) in devices.iter().zip(0_u8..) {
        let a = vector(&client, device, &[f32::from(first); 4])?;
        owned.push((a, vector(&client, device, &[1.0; 4])?));
    }
    let lists: Vec<[&Buffer; 2]> = owned.iter().map(|(a, b)| [a, b]).collect();
    let lists: Vec<&[&Buffer]> = lists.iter().map(<[&Buffer; 2]>::as_slice).collect();
    let results = run(&program, &lists)?;
    for (place, first) in (0..devices.len()).zip(0_u8..) {
        let Some(sum) = results.of_device(place).first() else {
            return Ok(CheckOutcome::Fail("no result".to_owned()));
        };
        let sum = floats(&sum.to_host()?);
        if sum != [f32::from(first) + 1.0; 4] {
            return Ok(CheckOutcome::Fail(format!("device {first}: {sum:?}")));
        }
    }
    Ok(CheckOutcome::Pass(format!("{} devices", devices.len())))
}
