//! Extensions of real CPU plug-ins of three ages.

use crate::corpus::{add, clients, one, plugins, ramp, supported};
use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::{ElementType, Error, ExecuteOptions, PjrtProgram};

#[test]
fn layouts_are_told_of_clients_topologies_buffers_and_programs() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let layout = client.default_layout(ElementType::F32, &[2, 3]).unwrap();
        assert_eq!(layout.text(), "{1,0}", "0.{minor}");
        assert_eq!(layout.bytes(), b"{1,0}");
        let topology = client.topology().unwrap();
        if let Some(same) = supported(topology.default_layout(ElementType::F32, &[2, 3])) {
            assert_eq!(same, layout);
        }
        assert_eq!(ramp(&client, 1.0).layout().unwrap(), layout);
        let executable = add(&client).executable().unwrap();
        for _ in 0..2 {
            assert_eq!(executable.output_layouts().unwrap(), std::slice::from_ref(&layout));
            let parameters = executable.parameter_layouts();
            assert_eq!(parameters.is_ok(), minor >= 93, "{parameters:?}");
            match parameters {
                Ok(parameters) => assert_eq!(parameters, [layout.clone(), layout.clone()]),
                Err(error) => assert!(error.to_string().contains("0.93"), "{error}"),
            }
        }
        let none = client.default_layout(ElementType::F32, &[-1]).unwrap_err();
        assert!(matches!(none, Error::NotAShape(_)));
    }
}

#[test]
fn memories_are_described_without_devices() {
    for client in clients() {
        let topology = client.topology().unwrap();
        for (device, described) in client.devices().unwrap().iter().zip(topology.devices().unwrap())
        {
            let memories = described.memories().unwrap();
            let kinds: Vec<&str> = memories.iter().map(|memory| memory.kind.as_str()).collect();
            println!("{}: {memories:?}", client.plugin().version());
            // A description names what the devices of a client then have.
            for memory in device.memories().unwrap() {
                assert!(kinds.is_empty() || kinds.contains(&memory.kind().unwrap().as_str()));
            }
            assert!(memories.iter().filter(|memory| memory.is_default).count() <= 1);
        }
    }
}

const SHARDED: &str = r#"module @sharded attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"})
      -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}"#;

#[test]
fn shardings_are_told_of_sharded_programs() {
    for client in clients() {
        let minor = client.plugin().api().minor();
        let mut options = CompileOptions::new(1, 2);
        options.spmd = true;
        let program = client.compile(PjrtProgram::mlir(SHARDED), &options.write()).unwrap();
        let executable = program.executable().unwrap();
        let (parameters, outputs) =
            (executable.parameter_shardings(), executable.output_shardings());
        if minor < 91 {
            assert!(parameters.unwrap_err().is_unimplemented());
            assert!(outputs.unwrap_err().to_string().contains("0.91"));
            continue;
        }
        assert_eq!(parameters.unwrap().unwrap().len(), 1);
        let outputs = outputs.unwrap().unwrap();
        assert!(outputs.len() == 1 && !outputs[0].is_empty());
        let plain = add(&client).executable().unwrap();
        println!("0.{minor}: {:?}", plain.output_shardings().unwrap());
    }
}

#[test]
fn what_cpu_plug_ins_do_not_have_is_a_typed_error() {
    for client in clients() {
        let plugin = client.plugin();
        let executable = add(&client).executable().unwrap();
        let buffer = ramp(&client, 1.0);
        let device = &client.addressable_devices().unwrap()[0];
        let refused = |error: Error| assert!(error.is_unimplemented(), "{error}");
        // The extension is there, and the slot of its compiler is null.
        assert!(plugin.api().extension("PhaseCompile").is_some());
        refused(plugin.phase_compiler().unwrap_err());
        assert!(plugin.profiler().is_none());
        refused(client.abi_version().unwrap_err());
        refused(executable.abi_version().unwrap_err());
        refused(plugin.runtime_abi_version_of(b"").unwrap_err());
        refused(plugin.executable_abi_version_of(b"").unwrap_err());
        refused(executable.vendor_metadata().unwrap_err());
        refused(device.stream().unwrap_err());
        refused(device.wait_for(&buffer).unwrap_err());
    }
}

/// A handler of custom calls, by the layout that the XLA FFI has had since its version 0.1: writes the
/// user data of the execution to its result.
#[allow(unsafe_code, reason = "handlers are foreign code")]
mod handler {
    use std::ffi::c_void;
    use std::sync::atomic::{AtomicI64, Ordering};

    /// The type of the user data that is asked for.
    pub static TYPE: AtomicI64 = AtomicI64::new(0);

    #[repr(C)]
    struct Get {
        size: usize,
        extension: *mut c_void,
        context: *mut c_void,
        type_id: *const i64,
        data: *mut c_void,
    }

    unsafe fn word(base: *mut u8, at: usize) -> *mut u8 {
        // SAFETY: the caller knows the layout.
        unsafe { base.add(at).cast::<*mut u8>().read() }
    }

    pub unsafe extern "C" fn user_data_to_result(frame: *mut c_void) -> *mut c_void {
        let frame = frame.cast::<u8>();
        // SAFETY: XLA calls with a frame of the layout that has not changed since version 0.1.
        unsafe {
            let (extension, api) = (word(frame, 8), word(frame, 16));
            if !extension.is_null() {
                // Asked for the version of the interface: the caller's own.
                let metadata = word(extension, 24);
                metadata.add(24).cast::<u64>().write(api.add(32).cast::<u64>().read());
                return std::ptr::null_mut();
            }
            let type_id = TYPE.load(Ordering::SeqCst);
            let mut get = Get {
                size: size_of::<Get>(),
                extension: std::ptr::null_mut(),
                context: word(frame, 24).cast(),
                type_id: &raw const type_id,
                data: std::ptr::null_mut(),
            };
            type Asks = unsafe extern "C" fn(*mut Get) -> *mut c_void;
            let ask: Asks = std::mem::transmute::<*mut u8, Asks>(word(api, 96));
            let error = ask(&raw mut get);
            if error.is_null() {
                let result = word(word(frame, 112), 0);
                word(result, 24).cast::<f32>().write(get.data.cast::<f32>().read());
            }
            error
        }
    }
}

const CALL: &str = r#"module @call {
  func.func public @main() -> tensor<f32> {
    %0 = stablehlo.custom_call @unskew_user_data() {api_version = 4 : i32} : () -> tensor<f32>
    return %0 : tensor<f32>
  }
}"#;

/// Counts how often it is dropped.
#[repr(C)]
struct Number(f32, std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl Drop for Number {
    fn drop(&mut self) {
        self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    }
}

#[test]
#[allow(unsafe_code, reason = "handlers are foreign code")]
fn an_execution_carries_user_data_to_a_handler_and_drops_it() {
    use std::sync::atomic::Ordering;
    for plugin in plugins() {
        let client = plugin.create_client(&[]).unwrap();
        let minor = plugin.api().minor();
        let ffi = plugin.ffi().unwrap();
        assert!(ffi.takes_handlers() && ffi.takes_types());
        let of = ffi.register_type::<Number>("unskew_number").unwrap();
        let again = ffi.register_type::<Number>("unskew_number");
        println!("0.{minor}: {of:?}, again: {again:?}");
        let context = plugin.execute_context().unwrap();
        let dropped = std::sync::Arc::<std::sync::atomic::AtomicUsize>::default();
        let inserted = context.insert(&of, Number(7.0, dropped.clone()));
        if minor < 82 {
            assert!(inserted.unwrap_err().is_unimplemented());
            assert_eq!(dropped.load(Ordering::SeqCst), 1);
            continue;
        }
        inserted.unwrap();
        let twice = context.insert(&of, Number(8.0, dropped.clone())).unwrap_err();
        assert_eq!((twice, dropped.swap(0, Ordering::SeqCst)), (Error::Taken, 1));
        handler::TYPE.store(of.id(), Ordering::SeqCst);
        let address = std::ptr::NonNull::new(handler::user_data_to_result as *mut _).unwrap();
        // SAFETY: the handler is one.
        unsafe { ffi.register_handler("unskew_user_data", "Host", address, 0) }.unwrap();
        let program = client.compile(PjrtProgram::mlir(CALL), &one()).unwrap();
        let options = ExecuteOptions { context: Some(&context), ..ExecuteOptions::default() };
        let results = program.execute(&[], &options).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [7.0], "0.{minor}");
        assert_eq!(dropped.load(Ordering::SeqCst), 0);
        drop(context);
        for _ in 0..200 {
            if dropped.load(Ordering::SeqCst) == 1 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(dropped.load(Ordering::SeqCst), 1, "0.{minor}");
    }
}
