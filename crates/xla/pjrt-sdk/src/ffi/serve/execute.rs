//! Running programs.

use std::mem::offset_of;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};

use unskew_pjrt::sys::bindings::*;

use super::client::host_is_young_enough;
use super::{nested, numbers, object, serve, share};
use crate::ffi::call_guard::end;
use crate::ffi::handle_objects::{BufferState, LoadedState};
use crate::{Error, Launch, Launched, SharedStorage};

serve!(PJRT_LoadedExecutable_Execute_Args to output_lists, |a, plugin| {
    // First of all, so that a host can find out which size is accepted without a program.
    let kept = non_donatable(a.options)?;
    if !a.options.is_null() {
        let announced = a.options.cast::<usize>().read_unaligned();
        host_is_young_enough(plugin, "PJRT_ExecuteOptions", announced)?;
    }
    let loaded = object::<LoadedState, _>(a.executable)?;
    if loaded.deleted.load(Relaxed) {
        return Err(Error::invalid("the executable was deleted"));
    }
    if a.argument_lists.is_null() || a.output_lists.is_null() {
        return Err(Error::invalid("no lists of arguments or results"));
    }
    let places = places(a, loaded)?;
    let mut given = Vec::new();
    for at in 0..places.len() {
        given.push(arguments(*a.argument_lists.add(at), a.num_args)?);
    }
    let launches: Vec<Launch<'_>> = places.iter().zip(&given).map(launch).collect();
    let program = &loaded.executable.program;
    let launched = program.launch(&launches)?;
    let wanted = loaded.executable.outputs.len();
    let right = |launched: &Launched| launched.results.len() == wanted;
    if launched.len() != places.len() || !launched.iter().all(right) {
        let found: Vec<usize> = launched.iter().map(|launched| launched.results.len()).collect();
        return Err(Error::internal(format!(
            "{}: {wanted} results wanted for each of {} devices: {found:?}",
            plugin.name,
            places.len()
        )));
    }
    for place in program.donated().into_iter().filter(|place| !kept.contains(&(*place as i64))) {
        for (buffer, _) in given.iter().filter_map(|list| list.get(place)) {
            buffer.stored.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }
    for (at, (place, launched)) in places.iter().zip(launched).enumerate() {
        let list = *a.output_lists.add(at);
        for (i, (shape, stored)) in loaded.executable.outputs.iter().zip(launched.results).enumerate() {
            let (client, ready) = (Arc::clone(&loaded.client), Arc::clone(&launched.done.0));
            let buffer = BufferState::new(client, place.device, shape.clone(), stored, ready);
            list.add(i).write(share(Arc::new(buffer)));
        }
        if !a.device_complete_events.is_null() {
            a.device_complete_events.add(at).write(share(launched.done.0));
        }
    }
});

struct Assignment {
    device: usize,
    replica: usize,
    partition: usize,
}

/// The buffers of one launch, each with what it holds now.
type Given<'a> = Vec<(&'a BufferState, SharedStorage)>;

/// The devices of a call: the one that it names, or all that the program was compiled for.
fn places(
    a: &PJRT_LoadedExecutable_Execute_Args,
    loaded: &LoadedState,
) -> Result<Vec<Assignment>, Error> {
    let assignment = &loaded.assignment;
    let wanted = if a.execute_device.is_null() { assignment.devices.len() } else { 1 };
    if a.num_devices != wanted {
        return Err(Error::invalid(format!(
            "{wanted} lists of arguments wanted: {}",
            a.num_devices
        )));
    }
    let partitions = assignment.partitions.max(1);
    let place = |(at, device): (usize, &usize)| Assignment {
        device: *device,
        replica: at / partitions,
        partition: at % partitions,
    };
    let all = assignment.devices.iter().enumerate().map(place);
    if a.execute_device.is_null() {
        return Ok(all.collect());
    }
    let device = loaded.client.place(a.execute_device);
    let device = device.ok_or_else(|| Error::invalid("a device of another client"))?;
    let mut named = all.filter(|place| place.device == device);
    // A program for one device runs on any.
    let other =
        (assignment.devices.len() == 1).then_some(Assignment { device, replica: 0, partition: 0 });
    let found = named.next().or(other);
    Ok(vec![found.ok_or_else(|| Error::invalid("a device that the program was not compiled for"))?])
}

fn launch<'a>((place, given): (&Assignment, &'a Given<'_>)) -> Launch<'a> {
    let arguments = given.iter().map(|(buffer, stored)| (&buffer.shape, stored)).collect();
    let Assignment { device, replica, partition } = *place;
    Launch { device, replica, partition, arguments }
}

/// The arguments that the host wants to keep, by their places; there since 0.39.
///
/// # Safety
/// `options` is null or options of a host.
unsafe fn non_donatable(options: *const PJRT_ExecuteOptions) -> Result<Vec<i64>, Error> {
    // Headers of 0.39 to 0.45 announced as little as those that did not have the field: they cannot be
    // told apart, and a host that keeps nothing is the likelier one.
    let needs = end(offset_of!(PJRT_ExecuteOptions, launch_id), |options: &PJRT_ExecuteOptions| {
        &raw const options.launch_id
    });
    // SAFETY: the caller says so.
    let Some(options) = (unsafe { nested(options, needs)? }) else { return Ok(Vec::new()) };
    let (list, count) =
        (options.non_donatable_input_indices, options.num_non_donatable_input_indices);
    // SAFETY: the host says that so many numbers are there; a list that it does not send is null.
    Ok(unsafe { numbers(list, count) })
}

/// The buffers of a list. This waits until their contents are there.
///
/// # Safety
/// `list` has `count` handles of buffers that are alive.
unsafe fn arguments<'a>(list: *const *mut PJRT_Buffer, count: usize) -> Result<Given<'a>, Error> {
    let mut all = Vec::new();
    for i in 0..count {
        // SAFETY: the caller says so.
        let buffer = unsafe { object::<BufferState, _>(*list.add(i))? };
        let stored = buffer.stored()?;
        buffer.ready.wait()?;
        all.push((buffer, stored));
    }
    Ok(all)
}
