//! Whatever the author's code does, the host gets an error, and its process lives on.

use std::any::Any;
use std::sync::Arc;

use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::host::Error as HostError;
use unskew_pjrt::{ExecuteOptions, PjrtProgram as Code};
use unskew_pjrt_sdk::{
    Attribute, Compile, Device, Error, ErrorCode, Exported, Exports, OlderHosts, Platform, Program,
    Shape, SharedStorage, Storage,
};

use crate::toy::{Numbers, Sum, plugin, shape};

/// Where the author's code panics.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Making,
    Name,
    Version,
    Attributes,
    OlderHosts,
    Devices,
    Put,
    Compile,
    Outputs,
    Run,
    Donated,
    Serialize,
    ToHost,
    DeviceBytes,
    Drop,
}

impl At {
    fn here(self, at: Self) {
        assert!(self != at, "the beads fell off");
    }
}

/// A panic of which the value panics once more when it is dropped.
struct Spiteful;

impl Drop for Spiteful {
    fn drop(&mut self) {
        panic!("and once more");
    }
}

struct Careless(At);
struct Bytes(At, Numbers);
struct Task(At);

impl Storage for Bytes {
    fn to_host(&self) -> Result<Vec<u8>, Error> {
        self.0.here(At::ToHost);
        self.1.to_host()
    }
    fn device_bytes(&self) -> usize {
        if self.0 == At::DeviceBytes {
            std::panic::panic_any(Spiteful);
        }
        self.1.device_bytes()
    }
    fn as_any(&self) -> &dyn Any {
        &self.1
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.0.here(At::Drop);
    }
}

impl Platform for Careless {
    fn name(&self) -> &str {
        self.0.here(At::Name);
        "careless"
    }
    fn version(&self) -> &str {
        self.0.here(At::Version);
        "1"
    }
    fn attributes(&self) -> Vec<Attribute> {
        self.0.here(At::Attributes);
        Vec::new()
    }
    fn older_hosts(&self) -> OlderHosts {
        self.0.here(At::OlderHosts);
        OlderHosts::Serve
    }
    fn devices(&self) -> Result<Vec<Device>, Error> {
        self.0.here(At::Devices);
        let (kind, memory) = ("careless".into(), "device".into());
        Ok(vec![Device { id: 0, kind, memory, attributes: Vec::new() }])
    }
    fn put(&self, _: usize, _: &Shape, bytes: Vec<u8>) -> Result<SharedStorage, Error> {
        self.0.here(At::Put);
        let numbers = bytes.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes));
        Ok(Arc::new(Bytes(self.0, Numbers(numbers.collect()))))
    }
    fn compile(&self, _: &Compile<'_>) -> Result<Arc<dyn Program>, Error> {
        self.0.here(At::Compile);
        Ok(Arc::new(Task(self.0)))
    }
}

impl Program for Task {
    fn name(&self) -> &str {
        "task"
    }
    fn outputs(&self) -> Vec<Shape> {
        self.0.here(At::Outputs);
        vec![shape()]
    }
    fn fingerprint(&self) -> String {
        String::new()
    }
    fn run(
        &self,
        device: usize,
        arguments: &[(&Shape, &SharedStorage)],
    ) -> Result<Vec<SharedStorage>, Error> {
        self.0.here(At::Run);
        Sum.run(device, arguments)
    }
    fn donated(&self) -> Vec<usize> {
        self.0.here(At::Donated);
        Vec::new()
    }
    fn serialize(&self) -> Result<Vec<u8>, Error> {
        self.0.here(At::Serialize);
        Ok(Vec::new())
    }
}

/// Everything that a host does, up to the first error.
fn use_it<P: Exports>() -> Result<(), HostError> {
    let plugin = plugin::<P>()?;
    plugin.attributes()?;
    let client = plugin.create_client(&[])?;
    client.platform_name()?;
    client.platform_version()?;
    let device = &client.addressable_devices()?[0];
    let buffer = client.buffer_of(&[1.0_f32, 2.0, 3.0], &[3], device)?;
    buffer.on_device_size()?;
    let program = client.compile(Code::mlir("any"), &CompileOptions::default().write())?;
    program.executable()?.serialize()?;
    program.execute(&[&buffer], &ExecuteOptions::default())?;
    buffer.to_vec::<f32>()?;
    Ok(())
}

macro_rules! panics {
    ($($at:ident)*) => {$({
        struct Broken;
        impl Exports for Broken {
            fn exported() -> &'static Exported {
                static EXPORTED: std::sync::OnceLock<&'static Exported> = std::sync::OnceLock::new();
                EXPORTED.get_or_init(|| {
                    Exported::leak::<Broken>(|| {
                        At::$at.here(At::Making);
                        (Box::new(Careless(At::$at)), 115)
                    })
                })
            }
        }
        let result = use_it::<Broken>();
        if At::$at == At::Drop {
            // The host's own code has no use for an error of `Destroy`; that it lives on is all.
            assert!(result.is_ok());
        } else {
            let error = result.unwrap_err();
            assert_eq!(error.code(), Some(ErrorCode::INTERNAL), "{}: {error}", stringify!($at));
            let text = if At::$at == At::DeviceBytes { "it gave no text" } else { "the beads fell off" };
            assert!(error.to_string().contains(text), "{}: {error}", stringify!($at));
        }
    })*};
}

#[test]
fn a_panic_anywhere_in_the_author_s_code_is_an_error_of_that_call() {
    panics! {
        Making Name Version Attributes OlderHosts Devices Put Compile Outputs Run Donated Serialize ToHost
        DeviceBytes Drop
    }
}
