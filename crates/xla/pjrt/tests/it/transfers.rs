//! Data that come later: transfers in parts, promises, views, failures in place of data.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::corpus::{SUM, add, clients, plugins, ramp, supported};
use unskew_pjrt::host::ProcessInfo;
use unskew_pjrt::sys::CallError;
use unskew_pjrt::sys::bindings::PJRT_ProcessState;
use unskew_pjrt::{
    Attribute, Buffer, Client, ElementType, Error, ErrorCode, ExecuteOptions, HostFailure, Memory,
    PjrtValue,
};

fn memory(client: &Client) -> Memory {
    client.addressable_devices().unwrap()[0].default_memory().unwrap()
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

fn is_cancelled(error: &Error) -> bool {
    error.to_string().contains("the host gave up")
}

#[test]
fn a_buffer_is_sent_in_parts_while_a_program_waits_for_it() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let shapes: [(ElementType, &[i64]); 2] =
            [(ElementType::F32, &[2, 3]), (ElementType::F32, &[2, 3])];
        let transfer = client.begin_transfer(&shapes, &memory(&client)).unwrap();
        assert_eq!(transfer.count(), 2);
        assert_eq!((transfer.size(0), transfer.size(2)), (Some(24), None));
        assert_eq!(transfer.device().unwrap(), client.addressable_devices().unwrap()[0]);
        let (a, b) = (transfer.take(0).unwrap(), transfer.take(1).unwrap());
        assert_eq!(transfer.take(0).unwrap_err(), Error::Taken);
        let values = bytes(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let first = transfer.send(0, values[..8].to_vec(), 0, false).unwrap();
        let beyond = transfer.send(0, values.clone(), 4, false).unwrap_err();
        assert_eq!(beyond, Error::Range { offset: 4, size: 24, there: 24 });
        let nowhere = transfer.send(2, vec![0; 4], 0, false).unwrap_err();
        assert_eq!(nowhere, Error::NoSuchBuffer { index: 2, count: 2 });
        assert!(!a.ready().unwrap().is_ready().unwrap(), "0.{minor}");
        first.wait().unwrap();
        transfer.send(0, values[8..].to_vec(), 8, true).unwrap().wait().unwrap();
        let late = transfer.send(0, vec![0; 4], 0, false).unwrap_err();
        assert_eq!(late, Error::Complete { index: 0 });
        let tens = bytes(&[0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
        let whole = transfer.send_whole(1, tens.clone(), ElementType::F32, &[2, 3]);
        match supported(whole) {
            Some(done) => done.wait().unwrap(),
            None => transfer.send(1, tens, 0, true).unwrap().wait().unwrap(),
        }
        let results = add(&client).execute(&[&a, &b], &ExecuteOptions::default()).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), SUM, "0.{minor}");
        let note = Attribute { name: "note".into(), value: PjrtValue::Text("of a test".into()) };
        supported(transfer.annotate(&[note]));
    }
}

#[test]
fn a_buffer_whose_parts_fail_to_come_holds_an_error() {
    for client in clients() {
        let shapes: [(ElementType, &[i64]); 2] = [(ElementType::U8, &[4]), (ElementType::U8, &[4])];
        let transfer = client.begin_transfer(&shapes, &memory(&client)).unwrap();
        let (failed, abandoned) = (transfer.take(0).unwrap(), transfer.take(1).unwrap());
        transfer.fail(0, (ErrorCode::DATA_LOSS, "the disk is gone")).unwrap();
        let error = failed.to_host().unwrap_err();
        assert!(error.to_string().contains("the disk is gone"), "{error}");
        assert_eq!(error.code(), Some(ErrorCode::DATA_LOSS));
        let payloads = [Attribute { name: "a".into(), value: PjrtValue::Text("b".into()) }];
        let carrying =
            HostFailure { payloads: &payloads, ..HostFailure::new(ErrorCode::INTERNAL, "") };
        let refused = transfer.fail(1, carrying).unwrap_err();
        assert!(matches!(refused, Error::NoPayloads { .. }));
        drop(transfer);
        abandoned.to_host().unwrap_err();
    }
}

#[test]
fn an_alias_stands_for_a_buffer_that_is_named_later() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let new = || client.alias_buffer(ElementType::F32, &[2, 3], &memory(&client));
        let Some((alias, promise)) = supported(new()) else { continue };
        println!("0.{minor}: aliases");
        let (a, b) = (ramp(&client, 1.0), ramp(&client, 10.0));
        promise.fulfill(Ok(&a)).unwrap();
        let results = add(&client).execute(&[&alias, &b], &ExecuteOptions::default()).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), SUM, "0.{minor}");
        assert!(a.is_deleted().unwrap(), "its memory is the alias's now");
        let (broken, promise) = new().unwrap();
        drop(promise);
        assert!(is_cancelled(&broken.to_host().unwrap_err()));
        let (failed, promise) = new().unwrap();
        promise.fulfill(Err(HostFailure::new(ErrorCode::ABORTED, "no such data"))).unwrap();
        assert_eq!(failed.to_host().unwrap_err().code(), Some(ErrorCode::ABORTED));
        let (other, promise) = new().unwrap();
        let device = &client.addressable_devices().unwrap()[0];
        let small = client.buffer_of(&[1_f32], &[1], device).unwrap();
        assert_eq!(promise.fulfill(Ok(&small)).unwrap_err(), Error::OtherShape);
        other.to_host().unwrap_err();
    }
}

#[test]
fn a_donation_waits_for_its_dependency() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let a = ramp(&client, 1.0);
        let Some((new, dependency)) = supported(a.donate_with_dependency()) else { continue };
        println!("0.{minor}: donates");
        assert!(a.is_deleted().unwrap());
        assert!(!new.ready().unwrap().is_ready().unwrap(), "0.{minor}");
        dependency.meet(Ok(())).unwrap();
        assert_eq!(new.to_vec::<f32>().unwrap()[5], 5.0);
        let (broken, dependency) = ramp(&client, 1.0).donate_with_dependency().unwrap();
        drop(dependency);
        assert!(is_cancelled(&broken.ready().unwrap().wait().unwrap_err()));
    }
}

#[test]
fn a_raw_copy_begins_when_there_is_room() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let a = ramp(&client, 1.0);
        assert!(matches!(a.announce_raw_copy(20, 8), Err(Error::Range { .. })));
        let Some(copy) = supported(a.announce_raw_copy(4, 8)) else { continue };
        println!("0.{minor}: copies later");
        assert_eq!(copy.begin().unwrap().wait().unwrap(), bytes(&[1.0, 2.0]));
        drop(a.announce_raw_copy(0, 4).unwrap());
        let cancelled = a.announce_raw_copy(0, 4).unwrap();
        cancelled.cancel((ErrorCode::CANCELLED, "not needed")).unwrap();
        assert_eq!(a.to_vec::<f32>().unwrap()[5], 5.0);
    }
}

#[test]
fn the_host_sets_events_of_its_own() {
    for plugin in plugins() {
        let minor = plugin.api().minor();
        let Some(event) = supported(plugin.create_event()) else { continue };
        println!("0.{minor}: sets events");
        assert!(!event.is_ready().unwrap());
        let outcome = event.outcome();
        event.set(Ok(())).unwrap();
        outcome.wait().unwrap();
        assert!(event.is_ready().unwrap());
        assert_eq!(event.set(Ok(())).unwrap_err(), Error::Taken);
        let event = plugin.create_event().unwrap();
        let outcome = event.outcome();
        event.set(Err(HostFailure::new(ErrorCode::ABORTED, "no"))).unwrap();
        assert_eq!(outcome.wait().unwrap_err().code(), Some(ErrorCode::ABORTED));
        let event = plugin.create_event().unwrap();
        let outcome = event.outcome();
        drop(event);
        assert!(is_cancelled(&outcome.wait().unwrap_err()));
    }
}

/// Memory that is aligned as plug-ins want it, and counts its drops.
struct Lent(Vec<u8>, usize, Arc<AtomicUsize>);

const LENT: usize = 4096;

impl Lent {
    fn new(dropped: &Arc<AtomicUsize>, offset: usize) -> Self {
        let memory = vec![1_u8; LENT + 256];
        let start = memory.as_ptr().align_offset(128) + offset;
        Self(memory, start, Arc::clone(dropped))
    }
}

impl AsMut<[u8]> for Lent {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0[self.1..self.1 + LENT]
    }
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.0[self.1..self.1 + LENT]
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.2.fetch_add(1, Ordering::SeqCst);
    }
}

fn wait_for(count: &AtomicUsize, wanted: usize) {
    for _ in 0..200 {
        if count.load(Ordering::SeqCst) == wanted {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(count.load(Ordering::SeqCst), wanted);
}

#[test]
fn a_view_uses_memory_without_a_copy_and_gives_it_back_once() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let device = &client.addressable_devices().unwrap()[0];
        let dropped = Arc::new(AtomicUsize::new(0));
        let lent = Lent::new(&dropped, 0);
        let address = lent.as_ref().as_ptr().addr();
        let shape = (ElementType::U8, [64_i64, 64]);
        let view = client.view_of_host_memory(lent, (shape.0, &shape.1), device).unwrap();
        assert_eq!(view.device_address().unwrap(), address, "0.{minor}");
        assert_eq!(view.to_host().unwrap(), vec![1; LENT]);
        assert_eq!(dropped.load(Ordering::SeqCst), 0);
        drop(view);
        wait_for(&dropped, 1);
        // Too short for its shape, aligned badly: given back all the same.
        let shape = (ElementType::U8, [64_i64, 65]);
        let short = client.view_of_host_memory(Lent::new(&dropped, 0), (shape.0, &shape.1), device);
        assert_eq!(short.unwrap_err(), Error::TooShort { wanted: 64 * 65, given: LENT });
        wait_for(&dropped, 2);
        let shape = (ElementType::F32, [32_i64, 32]);
        let odd = client.view_of_host_memory(Lent::new(&dropped, 1), (shape.0, &shape.1), device);
        println!("0.{minor}: {odd:?}");
        drop(odd);
        wait_for(&dropped, 3);
        let in_memory = client.view_of_host_memory(
            Lent::new(&dropped, 0),
            (shape.0, &shape.1),
            &memory(&client),
        );
        drop(supported(in_memory));
        wait_for(&dropped, 4);
    }
}

#[test]
fn memory_is_mapped_until_the_guard_goes() {
    for client in clients() {
        let dropped = Arc::new(AtomicUsize::new(0));
        let mapped = client.dma_map(Lent::new(&dropped, 0));
        if let Some(mapped) = supported(mapped) {
            assert_eq!(mapped.len(), LENT);
            assert_eq!(dropped.load(Ordering::SeqCst), 0);
        }
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn operations_are_marked_and_processes_are_told_of() {
    for client in clients() {
        let device = &client.addressable_devices().unwrap()[0];
        drop(supported(device.track("a test")));
        let process = ProcessInfo {
            task_id: 0,
            incarnation_id: 1,
            state: PJRT_ProcessState::kConnected,
            error: None,
        };
        supported(client.update_processes(&[process]));
    }
}

#[test]
fn uninitialized_buffers_have_their_shape() {
    for client in clients() {
        let buffer = client.uninitialized_buffer(ElementType::F32, &[2, 3], &memory(&client));
        let Some(buffer) = supported(buffer) else { continue };
        assert_eq!(buffer.dimensions().unwrap(), [2, 3]);
        assert_eq!(buffer.on_device_size().unwrap(), 24);
        let none = client.uninitialized_buffer(ElementType::F32, &[-2], &memory(&client));
        assert!(matches!(none, Err(Error::NotAShape(_))));
    }
}

fn payloads(error: &Error) -> &[(String, Vec<u8>)] {
    let Error::Call(CallError::Plugin { payloads, .. }) = error else { panic!("{error}") };
    payloads
}

#[test]
fn a_failure_in_place_of_a_buffer_goes_through_programs_with_what_it_carries() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let new = |failure: HostFailure<'_>| -> Result<Buffer, Error> {
            client.error_buffer(failure, ElementType::F32, &[2, 3], &memory(&client))
        };
        let plain = HostFailure::new(ErrorCode::DATA_LOSS, "lost on the way");
        let Some(buffer) = supported(new(plain)) else { continue };
        let error = buffer.to_host().unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::DATA_LOSS), "{error}");
        assert!(error.to_string().contains("lost on the way"));
        let b = ramp(&client, 1.0);
        let through = add(&client).execute(&[&buffer, &b], &ExecuteOptions::default());
        let error = through.and_then(|results| results[0].to_host()).unwrap_err();
        assert!(error.to_string().contains("lost on the way"), "{error}");
        let carried = [Attribute { name: "where".into(), value: PjrtValue::Text("lane 7".into()) }];
        let buffer = new(HostFailure { payloads: &carried, ..plain });
        if minor < 103 {
            assert!(matches!(buffer, Err(Error::UnknownOption { since: 103, .. })));
            continue;
        }
        let error = buffer.unwrap().to_host().unwrap_err();
        assert_eq!(payloads(&error), [("where".to_owned(), b"lane 7".to_vec())], "0.{minor}");
    }
}

#[test]
fn poison_reaches_no_execution_that_is_not_there() {
    for client in clients() {
        let device = &client.addressable_devices().unwrap()[0];
        let poisoned = device.poison_execution(9, (ErrorCode::ABORTED, "stop"));
        let minor = client.plugin().api().minor();
        assert!(supported(poisoned).map_or(minor < 85, |poisoned| !poisoned), "0.{minor}");
        let payloads = [Attribute { name: "a".into(), value: PjrtValue::Text("b".into()) }];
        let carrying =
            HostFailure { payloads: &payloads, ..HostFailure::new(ErrorCode::ABORTED, "stop") };
        match device.poison_execution(9, carrying) {
            Ok(poisoned) => assert!(minor >= 100 && !poisoned),
            Err(Error::UnknownOption { since: 100, .. }) => assert!(minor < 100),
            Err(error) => panic!("0.{minor}: {error}"),
        }
    }
}
