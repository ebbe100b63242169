//! The host API on real CPU plug-ins of three ages.

use std::future::IntoFuture;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use crate::corpus::{ADD, SUM, add, clients, files, one, plugins, ramp, supported};
use unskew_pjrt::convert::compile_options::{CompileOptions, DeviceAssignment};
use unskew_pjrt::host::LoadError;
use unskew_pjrt::sys::CallError;
use unskew_pjrt::{
    Buffer, Contents, ElementType, Error, ErrorCode, ExecuteOptions, HostArray, HostData, Outputs,
    PjrtProgram, Plugin,
};

#[test]
fn plug_ins_of_three_ages_live_in_one_process_and_add() {
    for client in clients() {
        let plugin = client.plugin();
        let (a, b) = (ramp(&client, 1.0), ramp(&client, 10.0));
        let program = add(&client);
        let results = program.execute(&[&a, &b], &ExecuteOptions::default()).unwrap();
        assert_eq!(results.len(), 1, "{}", plugin.version());
        assert_eq!(results[0].to_vec::<f32>().unwrap(), SUM);
        assert_eq!(results[0].dimensions().unwrap(), [2, 3]);
        assert_eq!(results[0].element_type().unwrap(), ElementType::F32);
        assert_eq!(results[0].on_device_size().unwrap(), 24);
        assert_eq!(client.platform_name().unwrap(), "cpu");
        assert!(plugin.stablehlo_version().unwrap().is_some());
    }
}

#[test]
fn loading_twice_is_the_same_plug_in() {
    for (path, plugin) in files().iter().zip(plugins()) {
        let again = Plugin::load(path).unwrap();
        assert!(std::ptr::eq(plugin.api(), again.api()));
    }
}

#[test]
fn what_is_no_plug_in_is_refused_before_its_code_runs() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.so");
    std::fs::write(&text, "not a library").unwrap();
    assert!(matches!(Plugin::load(&text), Err(LoadError::NotAPlugin { .. })));
    let missing = folder.path().join("missing.so");
    assert!(matches!(Plugin::load(missing), Err(LoadError::Unreadable { .. })));
}

#[test]
fn devices_and_memories_are_described() {
    for client in clients() {
        let devices = client.addressable_devices().unwrap();
        assert_eq!(devices.len(), client.devices().unwrap().len());
        assert_eq!(client.process_index().unwrap(), 0);
        assert!(!client.memories().unwrap().is_empty());
        for device in &devices {
            let id = device.id().unwrap();
            assert_eq!(&client.device(id).unwrap(), device);
            assert!(device.is_addressable().unwrap());
            let description = device.description().unwrap();
            assert_eq!(description.process_index().unwrap(), 0);
            assert!(!description.kind().unwrap().is_empty());
            assert!(!description.text().unwrap().is_empty());
            let memory = device.default_memory().unwrap();
            assert!(device.memories().unwrap().contains(&memory));
            assert!(memory.devices().unwrap().contains(device));
            assert!(!memory.kind().unwrap().is_empty());
            memory.kind_id().unwrap();
            device.attributes().unwrap();
        }
        let unknown = client.device(1 << 20);
        assert_eq!(unknown.unwrap_err().code(), Some(ErrorCode::INVALID_ARGUMENT));
    }
}

#[test]
fn every_element_type_of_the_plug_in_goes_to_the_device_and_back() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let device = &client.addressable_devices().unwrap()[0];
        let mut went = 0;
        for value in 1..64 {
            let element_type = ElementType(value);
            let Some(since) = element_type.since().filter(|&since| since <= minor) else {
                continue;
            };
            let Some(width) = element_type.host_bytes() else { continue };
            // Values that fit into the narrowest types: what is beyond is lost on the way.
            let bits = element_type.bits().unwrap().min(7);
            let byte = |at: usize| u8::try_from(at).unwrap() & ((1 << (bits - bits / 2)) - 1);
            let narrow = bits < 7;
            let data: Vec<u8> = (0..6 * width)
                .map(|at| if narrow { byte(at) & 1 } else { u8::from(at % 3 == 0) })
                .collect();
            let array = HostArray { data: &data, element_type, dims: &[2, 3], strides: None };
            match client.buffer(array, device) {
                Ok(buffer) => {
                    assert_eq!(buffer.element_type().unwrap(), element_type);
                    assert_eq!(buffer.to_host().unwrap(), data, "{element_type:?} at 0.{minor}");
                    went += 1;
                }
                // Types of the newest versions are not in every build.
                Err(error) => assert!(since > 90, "{element_type:?}: {error}"),
            }
        }
        assert!(went >= 26, "only {went} at 0.{minor}");
    }
}

#[test]
fn strides_of_the_host_are_followed() {
    for client in clients() {
        let device = &client.addressable_devices().unwrap()[0];
        let values: [i32; 6] = [1, 4, 2, 5, 3, 6];
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        let transposed = HostArray {
            data: &bytes,
            element_type: ElementType::S32,
            dims: &[2, 3],
            strides: Some(&[4, 8]),
        };
        let buffer = client.buffer(transposed, device).unwrap();
        assert_eq!(buffer.to_vec::<i32>().unwrap(), [1, 2, 3, 4, 5, 6]);
        let short = HostArray { data: &bytes[1..], ..transposed };
        let refused = client.buffer(short, device).unwrap_err();
        assert_eq!(refused, Error::TooShort { wanted: 24, given: 23 });
        let other = buffer.to_vec::<f32>().unwrap_err();
        assert!(matches!(other, Error::OtherType { .. }));
    }
}

struct Flag(Arc<AtomicBool>, Vec<u8>);

impl AsRef<[u8]> for Flag {
    fn as_ref(&self) -> &[u8] {
        &self.1
    }
}

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn an_owner_is_kept_until_the_plug_in_is_done() {
    for client in clients() {
        let device = &client.addressable_devices().unwrap()[0];
        for host_data in [HostData::Copied, HostData::Shared] {
            let dropped = Arc::new(AtomicBool::new(false));
            // Plug-ins use memory as it is only if it is aligned well; both ways must work.
            let owner = Flag(Arc::clone(&dropped), vec![3; 4096]);
            let shape = (ElementType::U8, [64_i64, 64]);
            let buffer =
                client.buffer_from_owner(owner, (shape.0, &shape.1), device, host_data).unwrap();
            assert_eq!(buffer.to_host().unwrap(), vec![3; 4096]);
            drop(buffer);
            for _ in 0..200 {
                if dropped.load(Ordering::SeqCst) {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            assert!(dropped.load(Ordering::SeqCst), "{host_data:?}");
        }
    }
}

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: IntoFuture>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future.into_future());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn events_are_futures_and_copies_come_later() {
    for client in clients() {
        let (a, b) = (ramp(&client, 1.0), ramp(&client, 10.0));
        let program = add(&client);
        let mut outputs = Outputs::new();
        for _ in 0..3 {
            let arguments: [&[&Buffer]; 1] = [&[&a, &b]];
            let options = ExecuteOptions::default();
            program.execute_with_events(&arguments, &options, &mut outputs).unwrap();
            assert_eq!(outputs.events().len(), 1);
            outputs.events()[0].wait().unwrap();
            assert!(outputs.events()[0].is_ready().unwrap());
            assert_eq!(outputs.events()[0].error().unwrap(), None);
            let result = &outputs.buffers()[0];
            block_on(result.ready().unwrap()).unwrap();
            let bytes = block_on(result.to_host_async().unwrap()).unwrap();
            assert_eq!(bytes, result.to_host().unwrap());
            let raw = result.raw_bytes(4, 8).unwrap().wait().unwrap();
            assert_eq!(raw, bytes[4..12]);
            assert!(matches!(result.raw_bytes(20, 8), Err(Error::Range { .. })));
        }
    }
}

#[test]
fn contents_are_read_where_they_lie_and_stay_whatever_becomes_of_the_buffer() {
    let donating =
        ADD.replace("%a: tensor<2x3xf32>,", "%a: tensor<2x3xf32> {tf.aliasing_output = 0 : i32},");
    for client in clients() {
        let minor = client.plugin().api().minor();
        let (add, donate) =
            (add(&client), client.compile(PjrtProgram::mlir(&donating), &one()).unwrap());
        let (a, b) = (Arc::new(ramp(&client, 1.0)), ramp(&client, 10.0));
        let none = ExecuteOptions::default();
        let floats = |of: &Contents| -> Vec<f32> {
            of.as_ref().as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect()
        };
        // The buffer of a result, which may not be there yet.
        let sum = Arc::new(add.execute(&[&a, &b], &none).unwrap().remove(0));
        let read = |of: &Arc<Buffer>| of.contents().unwrap().unwrap().wait().unwrap();
        let (of_a, of_sum) = (read(&a), read(&sum));
        assert_eq!(floats(&of_sum), SUM, "0.{minor}");
        let before = of_a.as_ref().to_vec();
        match donate.execute(&[&a, &b], &none) {
            Ok(results) => assert_eq!(results[0].to_vec::<f32>().unwrap(), SUM, "0.{minor}"),
            Err(error) => println!("0.{minor} donates nothing that is read: {error}"),
        }
        sum.delete().unwrap();
        drop((a, sum));
        assert_eq!(of_a.as_ref(), before, "0.{minor}");
        assert_eq!(floats(&of_sum), SUM, "0.{minor}");
    }
}

#[test]
fn a_donated_argument_is_gone_unless_it_is_held_back() {
    let donating =
        ADD.replace("%a: tensor<2x3xf32>,", "%a: tensor<2x3xf32> {tf.aliasing_output = 0 : i32},");
    for client in clients() {
        let program = client.compile(PjrtProgram::mlir(&donating), &one()).unwrap();
        let (a, b) = (ramp(&client, 1.0), ramp(&client, 10.0));
        let kept = ExecuteOptions { non_donatable: &[0], ..ExecuteOptions::default() };
        let first = program.execute(&[&a, &b], &kept).unwrap();
        assert!(!a.is_deleted().unwrap());
        let second = program.execute(&[&a, &b], &ExecuteOptions::default()).unwrap();
        assert!(a.is_deleted().unwrap());
        assert!(!b.is_deleted().unwrap());
        assert_eq!(first[0].to_vec::<f32>().unwrap(), SUM);
        assert_eq!(second[0].to_vec::<f32>().unwrap(), SUM);
        assert!(a.to_host().is_err());
        b.delete().unwrap();
        assert!(b.is_deleted().unwrap());
    }
}

#[test]
fn a_program_of_two_replicas_runs_on_two_devices() {
    for client in clients() {
        let devices = client.addressable_devices().unwrap();
        let mut options = CompileOptions::new(2, 1);
        let id = |at: usize| i64::from(devices[at].id().unwrap());
        options.device_assignment = Some(DeviceAssignment::from_devices(vec![vec![id(0), id(1)]]));
        let program = client.compile(PjrtProgram::mlir(ADD), &options.write()).unwrap();
        assert_eq!(program.devices(), &devices[..2]);
        let on = |at: usize, scale: f32| {
            let values: Vec<f32> = (0..6_u8).map(|i| f32::from(i) * scale).collect();
            client.buffer_of(&values, &[2, 3], &devices[at]).unwrap()
        };
        let (a, b, c, d) = (on(0, 1.0), on(0, 10.0), on(1, 2.0), on(1, 20.0));
        let mut outputs = Outputs::new();
        let options = ExecuteOptions { launch_id: 7, ..ExecuteOptions::default() };
        program.execute_into(&[&[&a, &b], &[&c, &d]], &options, &mut outputs).unwrap();
        assert_eq!(outputs.of_device(0)[0].to_vec::<f32>().unwrap(), SUM);
        assert_eq!(outputs.of_device(1)[0].to_vec::<f32>().unwrap(), SUM.map(|x| 2.0 * x));
        assert_eq!(outputs.of_device(1)[0].device().unwrap(), devices[1]);
        let lists: [&[&Buffer]; 2] = [&[&a, &b], &[&c]];
        let uneven = program.execute_into(&lists, &options, &mut outputs).unwrap_err();
        assert_eq!(uneven, Error::Uneven);
        assert_eq!(client.default_device_assignment(2, 2).unwrap().len(), 2);
        let copy = a.copy_to_device(&devices[1]).unwrap();
        assert_eq!(copy.device().unwrap(), devices[1]);
        assert_eq!(copy.to_host().unwrap(), a.to_host().unwrap());
        let memory = devices[2].default_memory().unwrap();
        let copy = a.copy_to_memory(&memory).unwrap();
        assert_eq!(copy.memory().unwrap(), memory);
    }
}

#[test]
fn executables_say_what_they_are_and_come_back_from_bytes() {
    for client in clients() {
        let program = add(&client);
        let executable = program.executable().unwrap();
        assert_eq!(executable.name().unwrap(), "add");
        assert_eq!(executable.num_outputs().unwrap(), 1);
        assert_eq!(executable.num_replicas().unwrap(), 1);
        assert_eq!(executable.num_partitions().unwrap(), 1);
        assert_eq!(executable.output_types().unwrap(), [ElementType::F32]);
        assert_eq!(executable.output_dimensions().unwrap(), [[2, 3]]);
        if let Some(kinds) = supported(executable.output_memory_kinds()) {
            assert_eq!(kinds.len(), 1);
        }
        assert!(!program.fingerprint().unwrap().is_empty());
        if let Some(costs) = supported(executable.cost_analysis()) {
            assert!(!costs.is_empty());
        }
        let stats = executable.memory_stats().unwrap();
        assert_eq!(stats.argument_size_in_bytes, Some(48));
        assert_eq!(stats.output_size_in_bytes, Some(24));
        let newest = client.plugin().api().minor() >= 104;
        assert_eq!(stats.total_allocation_bytes.is_some(), newest);
        let (code, format) = executable.optimized_program().unwrap();
        assert!(!code.is_empty() && !format.is_empty());
        executable.generated_code_size().unwrap();
        let bytes = executable.serialize().unwrap();
        drop((program, executable));
        let again = client.deserialize(&bytes, None).unwrap();
        let (a, b) = (ramp(&client, 1.0), ramp(&client, 10.0));
        let results = again.execute(&[&a, &b], &ExecuteOptions::default()).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), SUM);
        again.delete().unwrap();
        // Not every plug-in says so afterwards.
        again.is_deleted().unwrap();
    }
}

#[test]
fn errors_are_typed_and_have_the_plug_ins_words() {
    for client in clients() {
        let wrong = client.compile(PjrtProgram::mlir("module { not mlir }"), &one()).unwrap_err();
        let Error::Call(CallError::Plugin { function, code, message, .. }) = &wrong else {
            panic!("{wrong}");
        };
        assert_eq!(*function, "PJRT_Client_Compile");
        assert!(!message.is_empty());
        // What a program is refused with differs between builds of XLA.
        let known = [ErrorCode::INVALID_ARGUMENT, ErrorCode::UNKNOWN];
        assert!(known.contains(code), "{wrong}");
        let program = add(&client);
        let a = ramp(&client, 1.0);
        let few = program.execute(&[&a], &ExecuteOptions::default()).unwrap_err();
        assert_eq!(few, Error::ArgumentCount { wanted: 2, given: 1 });
        let device = &client.addressable_devices().unwrap()[0];
        let small = client.buffer_of(&[1_f32], &[1], device).unwrap();
        let shapes = program.execute(&[&a, &small], &ExecuteOptions::default()).unwrap_err();
        assert_eq!(shapes.code(), Some(ErrorCode::INVALID_ARGUMENT), "{shapes}");
        let unimplemented = a.bitcast(ElementType::S32, &[2, 3]);
        if client.plugin().api().minor() < 98 {
            let error = unimplemented.unwrap_err();
            assert!(error.is_unimplemented());
            assert!(error.to_string().contains("PJRT_Buffer_Bitcast"), "{error}");
            assert!(error.to_string().contains("0.98"), "{error}");
        }
    }
    let clients = clients();
    if let [one, other, ..] = clients.as_slice() {
        let (a, b) = (ramp(one, 1.0), ramp(other, 1.0));
        let mixed = add(one).execute(&[&a, &b], &ExecuteOptions::default());
        assert_eq!(mixed.unwrap_err(), Error::OtherClient);
    }
}

#[test]
fn data_of_another_length_than_their_dimensions_are_refused() {
    for client in clients() {
        let device = &client.addressable_devices().unwrap()[0];
        for (data, dims, wanted) in [
            (&[1_f32, 2.0, 3.0][..], &[2_i64][..], 2),
            (&[1.0], &[2], 2),
            (&[1.0], &[3, 0], 0),
            (&[], &[], 1),
            (&[1.0, 2.0], &[], 1),
        ] {
            let refused = client.buffer_of(data, dims, device).unwrap_err();
            assert_eq!(refused, Error::OtherCount { wanted, given: data.len() }, "{dims:?}");
        }
        let negative = client.buffer_of(&[1_i64], &[-1], device).unwrap_err();
        assert!(matches!(negative, Error::NotAShape(_)), "{negative}");
        let scalar = client.buffer_of(&[7_i64], &[], device).unwrap();
        assert_eq!(scalar.to_vec::<i64>().unwrap(), [7]);
        let empty = client.buffer_of::<u8>(&[], &[4, 0], device).unwrap();
        assert_eq!(empty.dimensions().unwrap(), [4, 0]);
    }
}

#[test]
fn arguments_of_another_number_or_type_are_refused_before_the_plug_in_is_asked() {
    for client in clients() {
        let device = &client.addressable_devices().unwrap()[0];
        let (program, a) = (add(&client), ramp(&client, 1.0));
        let whole = client.buffer_of(&[1_i32; 6], &[2, 3], device).unwrap();
        let options = ExecuteOptions::default();
        let refused = |arguments: &[&Buffer]| {
            let on = program.execute_on(device, arguments, &options).unwrap_err();
            let error = program.execute(arguments, &options).unwrap_err();
            assert_eq!(on, error);
            error
        };
        for given in [0, 1, 3] {
            let few_or_many = vec![&a; given];
            assert_eq!(refused(&few_or_many), Error::ArgumentCount { wanted: 2, given });
        }
        let (wanted, given) = ("F32".to_owned(), "S32".to_owned());
        assert_eq!(refused(&[&a, &whole]), Error::ArgumentType { index: 1, wanted, given });
        // What was refused took nothing along.
        let results = program.execute(&[&a, &a], &options).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    }
}

#[test]
fn what_a_client_made_keeps_it_alive() {
    for client in clients() {
        let buffer = ramp(&client, 1.0);
        drop(client);
        assert_eq!(buffer.to_vec::<f32>().unwrap()[5], 5.0);
    }
}

#[test]
fn the_topology_of_a_client_describes_its_devices() {
    for client in clients() {
        let topology = client.topology().unwrap();
        assert_eq!(topology.platform_name().unwrap(), "cpu");
        assert_eq!(topology.devices().unwrap().len(), client.devices().unwrap().len());
        topology.attributes().unwrap();
        let bytes = topology.serialize().unwrap();
        assert_eq!(
            topology.fingerprint().unwrap(),
            client.topology().unwrap().fingerprint().unwrap()
        );
        let again = client.plugin().deserialize_topology(&bytes);
        match again {
            Ok(again) => assert_eq!(again.platform_name().unwrap(), "cpu"),
            Err(error) => println!("{}: {error}", client.plugin().version()),
        }
    }
}

#[test]
fn contents_come_in_row_major_order_however_they_lie() {
    let text = r#"module { func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}) {
        %b = stablehlo.add %a, %a : tensor<2x3xf32>
        return %b : tensor<2x3xf32> } }"#;
    for client in clients() {
        let program = client.compile(PjrtProgram::mlir(text), &one()).unwrap();
        let results = program.execute(&[&ramp(&client, 1.0)], &ExecuteOptions::default()).unwrap();
        assert_eq!(results[0].minor_to_major().unwrap(), Some(vec![0, 1]));
        let wanted = [0.0, 2.0, 4.0, 6.0, 8.0, 10.0];
        assert_eq!(results[0].to_vec::<f32>().unwrap(), wanted);
        let later = block_on(results[0].to_host_async().unwrap()).unwrap();
        let values = later.chunks(4).map(|bytes| f32::from_ne_bytes(bytes.try_into().unwrap()));
        assert!(values.eq(wanted));
    }
}
