use std::borrow::Cow;

use proptest::prelude::*;

use super::super::wire::message;
use super::*;

/// What JAX 0.4.28 sends: debug options, one device of an assignment, and what comes behind.
fn old_host(debug: &[u8]) -> Vec<u8> {
    let mut build = vec![0x08];
    build.extend([0xff; 9]);
    build.push(1);
    message(&mut build, 3, debug);
    build.extend([0x20, 1, 0x28, 1, 0x30, 1]);
    build.extend([0x4a, 9, 0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 0]);
    build.extend([0x62, 1, 1]);
    let mut options = Vec::new();
    message(&mut options, 3, &build);
    number(&mut options, 5, -1);
    options
}

fn number(out: &mut Vec<u8>, field: u32, value: i64) {
    super::super::wire::number(out, field, value.cast_unsigned());
}

fn debug(fields: &[(u32, i64)]) -> Vec<u8> {
    let mut debug = Vec::new();
    fields.iter().for_each(|(field, value)| number(&mut debug, *field, *value));
    debug
}

/// [`old_host`] without debug options.
fn stripped() -> Vec<u8> {
    let with = old_host(&[]);
    let mut without = with.clone();
    without.drain(13..15);
    without[1] -= 2;
    without
}

#[test]
fn debug_options_of_an_old_host_go_and_all_else_stays() {
    let old = old_host(&debug(&[(31, 3), (35, 1), (123, 4), (283, 100)]));
    assert_eq!(*update_debug_options(&old).unwrap(), stripped());
}

#[test]
fn a_host_that_knows_the_option_keeps_its_own() {
    let new = old_host(&debug(&[(31, 3), (323, 32)]));
    assert!(matches!(update_debug_options(&new).unwrap(), Cow::Borrowed(bytes) if bytes == new));
    assert!(matches!(update_debug_options(&stripped()).unwrap(), Cow::Borrowed(_)));
    assert!(matches!(update_debug_options(&[]).unwrap(), Cow::Borrowed(_)));
}

#[test]
fn what_jax_set_by_itself_becomes_an_override() {
    // jax_disable_most_optimizations: level 0 is not written, the other is 1.
    let old = old_host(&debug(&[(35, 1), (73, 1)]));
    let mut expected = stripped();
    let mut put = |name: &str, value: [u8; 2]| {
        let mut entry = Vec::new();
        message(&mut entry, 1, name.as_bytes());
        message(&mut entry, 2, &value);
        message(&mut expected, 7, &entry);
    };
    put("xla_backend_optimization_level", [0x18, 0]);
    put("xla_llvm_disable_expensive_passes", [0x10, 1]);
    assert_eq!(*update_debug_options(&old).unwrap(), expected);
}

#[test]
fn an_override_of_the_user_is_not_overridden() {
    let mut old = old_host(&debug(&[(31, 1)]));
    let mut entry = Vec::new();
    message(&mut entry, 1, b"xla_backend_optimization_level");
    message(&mut entry, 2, &[0x18, 2]);
    message(&mut old, 7, &entry);
    let updated = update_debug_options(&old).unwrap();
    assert_eq!(updated.windows(14).filter(|w| w == b"xla_backend_op").count(), 1);
}

#[test]
fn the_options_of_a_host_are_read() {
    let read = CompileOptions::read(&old_host(&debug(&[(31, 3)]))).unwrap();
    let device_assignment = Some(DeviceAssignment::from_devices(vec![vec![0]]));
    assert_eq!(
        read,
        CompileOptions {
            device_ordinal: -1,
            spmd: true,
            device_assignment,
            ..CompileOptions::new(1, 1)
        }
    );
    let unpacked = [0x1a, 8, 0x4a, 6, 0x1a, 4, 0x08, 5, 0x08, 6];
    let read = CompileOptions::read(&unpacked).unwrap();
    assert_eq!(read.device_assignment.unwrap().devices, [[5, 6]]);
}

#[test]
fn what_is_no_message_says_where() {
    let error = update_debug_options(&[0x1a, 5, 1]).unwrap_err();
    assert!(error.to_string().starts_with("compile options, byte 0"), "{error}");
    let error = CompileOptions::read(&[0x1a, 2, 0x22, 0]).unwrap_err();
    assert!(error.to_string().ends_with("field 4 is not a number"), "{error}");
    assert!(CompileOptions::read(&vec![0; LARGEST + 1]).is_err());
}

fn options() -> impl Strategy<Value = CompileOptions> {
    let devices = proptest::collection::vec(proptest::collection::vec(any::<i64>(), 0..4), 0..4);
    let assignment = proptest::option::of(devices);
    (any::<i64>(), any::<i64>(), any::<i64>(), any::<bool>(), any::<bool>(), assignment).prop_map(
        |(num_replicas, num_partitions, device_ordinal, spmd, portable, devices)| CompileOptions {
            num_replicas,
            num_partitions,
            device_ordinal,
            spmd,
            portable,
            device_assignment: devices.map(DeviceAssignment::from_devices),
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(options in options()) {
        prop_assert_eq!(CompileOptions::read(&options.write()).unwrap(), options);
    }

    #[test]
    fn updating_changes_nothing_that_is_read_and_updates_once(
        options in options(),
        fields in proptest::collection::vec((1..400u32, any::<i64>()), 0..8),
        tail in 100..200u32,
    ) {
        let mut bytes = options.write();
        let mut build = Vec::new();
        message(&mut build, 3, &debug(&fields));
        number(&mut build, tail, 7);
        message(&mut bytes, 3, &build);
        number(&mut bytes, tail, 7);
        let once = update_debug_options(&bytes).unwrap().into_owned();
        prop_assert_eq!(CompileOptions::read(&once).unwrap(), options);
        prop_assert_eq!(&*update_debug_options(&once).unwrap(), &once);
    }

    #[test]
    fn any_bytes_are_mended_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = CompileOptions::read(&bytes);
        if let Ok(updated) = update_debug_options(&bytes) {
            prop_assert!(updated.len() <= bytes.len() + 120);
        }
    }
}
