//! What is done with programs besides running them as they come: other topologies, other devices,
//! callbacks; and what is measured of memory.

use crate::corpus::{ADD, SUM, add, clients, one, plugins, ramp, supported};
use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::{DeviceCallbacks, Error, ErrorCode, ExecuteOptions, PjrtProgram};

#[test]
fn a_program_is_compiled_for_a_topology_and_loaded() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let topology = client.topology().unwrap();
        let alone = topology.compile(PjrtProgram::mlir(ADD), &one());
        println!("0.{minor}, without a client: {:?}", alone.as_ref().map(|made| made.name()));
        let compiled = client.compile_for(&topology, PjrtProgram::mlir(ADD), &one());
        let compiled = match compiled {
            Ok(compiled) => compiled,
            // This build has no compiler that works without a client's devices.
            Err(error) => {
                assert_eq!(error.code(), Some(ErrorCode::NOT_FOUND), "0.{minor}: {error}");
                continue;
            }
        };
        assert_eq!(compiled.name().unwrap(), "add");
        let loaded = match client.load(&compiled, &one()) {
            Ok(loaded) => loaded,
            Err(error) => {
                println!("0.{minor}, load: {error}");
                assert!(minor >= 95 || error.is_unimplemented());
                continue;
            }
        };
        let (a, b) = (ramp(&client, 1.0), ramp(&client, 10.0));
        let results = loaded.execute(&[&a, &b], &ExecuteOptions::default()).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), SUM, "0.{minor}");
    }
    if let [one_client, other, ..] = clients().as_slice() {
        let foreign = other.topology().unwrap();
        let mixed = one_client.compile_for(&foreign, PjrtProgram::mlir(ADD), &one());
        assert_eq!(mixed.unwrap_err(), Error::OtherClient);
    }
}

#[test]
fn a_topology_is_described_by_name_or_the_plug_in_says_why_not() {
    for plugin in plugins() {
        match plugin.create_topology("", &[]) {
            Ok(topology) => assert_eq!(topology.platform_name().unwrap(), "cpu"),
            Err(error) => {
                println!("{}: {error}", plugin.version());
                assert!(error.code().is_some(), "{error}");
            }
        }
    }
}

#[test]
fn a_portable_program_runs_on_any_device() {
    for client in clients() {
        let mut options = CompileOptions::new(1, 1);
        options.portable = true;
        let program = client.compile(PjrtProgram::mlir(ADD), &options.write()).unwrap();
        for device in client.addressable_devices().unwrap() {
            let values = [0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0];
            let a = client.buffer_of(&values, &[2, 3], &device).unwrap();
            let results =
                program.execute_on(&device, &[&a, &a], &ExecuteOptions::default()).unwrap();
            assert_eq!(results[0].to_vec::<f32>().unwrap(), values.map(|value| 2.0 * value));
            assert_eq!(results[0].device().unwrap(), device);
        }
    }
    if let [client, other, ..] = clients().as_slice() {
        let device = &other.addressable_devices().unwrap()[0];
        let mixed = add(client).execute_on(device, &[], &ExecuteOptions::default());
        assert_eq!(mixed.unwrap_err(), Error::OtherClient);
    }
}

#[test]
fn memory_use_is_told_or_the_plug_in_says_that_it_does_not_count() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let device = &client.addressable_devices().unwrap()[0];
        let Some(stats) = supported(device.memory_stats()) else { continue };
        assert!(stats.bytes_in_use >= 0);
        let cleared = supported(device.clear_memory_stats());
        assert!(cleared.is_none() || minor >= 106);
    }
}

#[test]
fn callbacks_that_no_program_calls_do_no_harm_and_uneven_ones_are_refused() {
    for client in clients() {
        let program = add(&client);
        let of = |count: usize| {
            (0..count).fold(DeviceCallbacks::new(), |callbacks, at| {
                callbacks.on_send(i64::try_from(at).unwrap(), |_, _, _| Ok(()))
            })
        };
        let uneven = program.callbacks(vec![of(1), of(2)]).unwrap_err();
        assert_eq!(uneven, Error::Uneven);
        let (a, b) = (ramp(&client, 1.0), ramp(&client, 10.0));
        let two = program.callbacks(vec![of(1), of(1)]).unwrap();
        let options = ExecuteOptions { callbacks: Some(&two), ..ExecuteOptions::default() };
        assert_eq!(program.execute(&[&a, &b], &options).unwrap_err(), Error::Uneven);
        let none = program.callbacks(vec![DeviceCallbacks::new()]).unwrap();
        let options = ExecuteOptions { callbacks: Some(&none), ..ExecuteOptions::default() };
        let results = program.execute(&[&a, &b], &options).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), SUM);
        let unused = program.callbacks(vec![of(1)]).unwrap();
        let options = ExecuteOptions { callbacks: Some(&unused), ..ExecuteOptions::default() };
        let outcome = program.execute(&[&a, &b], &options).map(|results| results.len());
        println!("{}: {outcome:?}", client.plugin().version());
        assert!(outcome.is_ok_and(|count| count == 1));
    }
}
