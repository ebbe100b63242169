//! Client, devices, memories.

use super::bench::Bench;
use super::check_outcome::{CheckOutcome, Checked};
use crate::sys::trial::destroy_client;

pub(crate) fn initialize(bench: &mut Bench) -> Checked {
    bench.initialize()?;
    Ok(CheckOutcome::Pass(String::new()))
}

pub(crate) fn create(bench: &mut Bench) -> Checked {
    bench.client()?;
    Ok(CheckOutcome::Pass(String::new()))
}

pub(crate) fn platform(bench: &mut Bench) -> Checked {
    let client = bench.client()?;
    let (name, version) = (client.platform_name()?, client.platform_version()?);
    Ok(CheckOutcome::expect(!name.is_empty(), format!("{name:?}, version {version:?}")))
}

pub(crate) fn devices(bench: &mut Bench) -> Checked {
    let client = bench.client()?;
    let (all, mine) = (client.devices()?.len(), client.addressable_devices()?.len());
    let seen = format!("{all} devices, {mine} addressable");
    if all == 0 {
        return Ok(CheckOutcome::NoDevice(seen));
    }
    Ok(CheckOutcome::expect(mine > 0 && mine <= all, seen))
}

pub(crate) fn lookup(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let (id, kind) = (device.id()?, device.description()?.kind()?);
    let same = client.device(id)?.id()? == id;
    Ok(CheckOutcome::expect(same, format!("device {id} of kind {kind:?}")))
}

pub(crate) fn lookup_of_nothing(bench: &mut Bench) -> Checked {
    match bench.client()?.device(i32::MAX) {
        Err(error) => Ok(CheckOutcome::Pass(error.to_string())),
        Ok(_) => Ok(CheckOutcome::Fail("a device of an id that there is not".to_owned())),
    }
}

pub(crate) fn memories(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let (count, default) = (client.memories()?.len(), device.default_memory()?.kind()?);
    Ok(CheckOutcome::expect(
        count > 0 && !default.is_empty(),
        format!("{count}, default {default:?}"),
    ))
}

/// The last check: nothing of the client is used afterwards.
pub(crate) fn destroy(bench: &mut Bench) -> Checked {
    let client = bench.take_client()?;
    let device = client.addressable_devices()?.into_iter().next();
    let device = device.ok_or_else(|| CheckOutcome::NotRun("there is no device".to_owned()))?;
    let freed = destroy_client(device);
    std::mem::forget(client);
    freed?;
    Ok(CheckOutcome::Pass(String::new()))
}
