//! Programs on several devices, and results that come later.

use std::any::Any;
use std::sync::{Arc, Mutex, mpsc};

use unskew_pjrt::convert::compile_options::{CompileOptions, DeviceAssignment};
use unskew_pjrt::{ExecuteOptions, Outputs, PjrtProgram as Code};
use unskew_pjrt_sdk::{
    Compile, Completer, Device, Error, Event, Exported, Exports, Launch, Launched, OlderHosts,
    Platform, Program, Shape, SharedStorage, Storage,
};

use crate::toy::{self, Numbers, Sum, Toy, plugin, shape, toys};

toys! {
    Toy115 115 OlderHosts::Serve;
}

#[test]
fn replicas_run_on_the_devices_of_their_assignment() {
    let plugin = plugin::<Toy115>().unwrap();
    let client = plugin.create_client(&[]).unwrap();
    let devices = client.addressable_devices().unwrap();
    let mut options = CompileOptions::new(2, 1);
    options.device_assignment = Some(DeviceAssignment::from_devices(vec![vec![1, 0]]));
    let sum = client.compile(Code::mlir("sum"), &options.write()).unwrap();
    let ids: Vec<i32> = sum.devices().iter().map(|device| device.id().unwrap()).collect();
    assert_eq!(ids, [1, 0]);
    assert_eq!(sum.executable().unwrap().num_replicas().unwrap(), 2);
    assert_eq!(sum.logical_ids().unwrap().unwrap(), [(0, 0), (1, 0)]);
    let written = sum.device_assignment().unwrap().unwrap();
    assert_eq!(written, DeviceAssignment::from_devices(vec![vec![1, 0]]).write());
    let on = |device: usize, number: f32| {
        client.buffer_of(&[number; 3], &[3], &devices[device]).unwrap()
    };
    let (a, b) = (on(1, 1.0), on(0, 10.0));
    let mut outputs = Outputs::new();
    sum.execute_into(&[&[&a], &[&b]], &ExecuteOptions::default(), &mut outputs).unwrap();
    let results = outputs.buffers();
    assert_eq!(results[0].device().unwrap().id().unwrap(), 1);
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [1.0; 3]);
    assert_eq!(results[1].to_vec::<f32>().unwrap(), [10.0; 3]);

    let copy = a.copy_to_device(&devices[0]).unwrap();
    assert_eq!(copy.device().unwrap().id().unwrap(), 0);
    assert_eq!(copy.to_vec::<f32>().unwrap(), [1.0; 3]);
    let three = client.compile(Code::mlir("sum"), &CompileOptions::new(3, 1).write()).unwrap_err();
    assert!(
        three.to_string().contains("3 replicas of 1 partitions: there are 2 devices"),
        "{three}"
    );
}

#[test]
fn what_an_author_says_of_a_program_reaches_the_host() {
    let plugin = plugin::<Toy115>().unwrap();
    let client = plugin.create_client(&[]).unwrap();
    let sum = client.compile(Code::mlir("sum"), &CompileOptions::default().write()).unwrap();
    let executable = sum.executable().unwrap();
    assert_eq!(executable.cost_analysis().unwrap()[0].name, "flops");
    assert_eq!(executable.memory_stats().unwrap().output_size_in_bytes, Some(12));
    assert_eq!(executable.optimized_program().unwrap(), (b"sum".to_vec(), "mlir".to_owned()));
}

/// A program whose results come when the test says so.
struct Later {
    completers: Mutex<mpsc::Sender<Completer>>,
}

/// Where the completers of [`Later`] arrive.
static ARRIVED: Mutex<Option<mpsc::Receiver<Completer>>> = Mutex::new(None);

struct Slow;

impl Platform for Slow {
    fn name(&self) -> &str {
        "slow"
    }
    fn version(&self) -> &str {
        "1"
    }
    fn devices(&self) -> Result<Vec<Device>, Error> {
        Toy { older: OlderHosts::Serve }.devices()
    }
    fn put(&self, device: usize, shape: &Shape, bytes: Vec<u8>) -> Result<SharedStorage, Error> {
        Toy { older: OlderHosts::Serve }.put(device, shape, bytes)
    }
    fn compile(&self, _: &Compile<'_>) -> Result<Arc<dyn Program>, Error> {
        let (sender, receiver) = mpsc::channel();
        *ARRIVED.lock().unwrap() = Some(receiver);
        Ok(Arc::new(Later { completers: Mutex::new(sender) }))
    }
}

/// Contents that nobody may ask for too early.
struct Promised(Event, Numbers);

impl Storage for Promised {
    fn to_host(&self) -> Result<Vec<u8>, Error> {
        self.0.wait()?;
        self.1.to_host()
    }
    fn device_bytes(&self) -> usize {
        self.1.device_bytes()
    }
    fn as_any(&self) -> &dyn Any {
        &self.1
    }
}

impl Program for Later {
    fn name(&self) -> &str {
        "later"
    }
    fn outputs(&self) -> Vec<Shape> {
        vec![shape()]
    }
    fn fingerprint(&self) -> String {
        "later".into()
    }
    fn run(
        &self,
        device: usize,
        arguments: &[(&Shape, &SharedStorage)],
    ) -> Result<Vec<SharedStorage>, Error> {
        Sum.run(device, arguments)
    }
    fn launch(&self, launches: &[Launch<'_>]) -> Result<Vec<Launched>, Error> {
        let begin = |_: &Launch<'_>| {
            let (done, completer) = Event::pending();
            self.completers.lock().unwrap().send(completer).unwrap();
            let promised = Promised(done.clone(), Numbers(vec![7.0; 3]));
            Launched { results: vec![Arc::new(promised)], done }
        };
        Ok(launches.iter().map(begin).collect())
    }
}

struct SlowPlugin;

impl Exports for SlowPlugin {
    fn exported() -> &'static Exported {
        static EXPORTED: std::sync::OnceLock<&'static Exported> = std::sync::OnceLock::new();
        EXPORTED.get_or_init(|| Exported::leak::<SlowPlugin>(|| (Box::new(Slow), 115)))
    }
}

#[test]
fn results_may_come_later_from_another_thread_or_fail() {
    let plugin = plugin::<SlowPlugin>().unwrap();
    let client = plugin.create_client(&[]).unwrap();
    let later = client.compile(Code::mlir("any"), &CompileOptions::default().write()).unwrap();
    let next = || ARRIVED.lock().unwrap().as_ref().unwrap().recv().unwrap();

    let result = later.execute(&[], &ExecuteOptions::default()).unwrap().remove(0);
    let ready = result.ready().unwrap();
    assert!(!ready.is_ready().unwrap());
    // The copy is asked for before there is anything to copy.
    let copy = result.to_host_async().unwrap();
    let completer = next();
    let worker = std::thread::spawn(move || completer.complete(Ok(())));
    let copied = copy.wait().unwrap();
    assert_eq!(copied, [7.0_f32; 3].iter().flat_map(|n| n.to_ne_bytes()).collect::<Vec<u8>>());
    ready.wait().unwrap();
    worker.join().unwrap();

    let result = later.execute(&[], &ExecuteOptions::default()).unwrap().remove(0);
    let copy = result.to_host_async().unwrap();
    next().complete(Err(Error::internal("the beads fell off")));
    let error = copy.wait().unwrap_err().to_string();
    assert!(error.contains("the beads fell off"), "{error}");
    let error = later.execute(&[&result], &ExecuteOptions::default()).unwrap_err().to_string();
    assert!(error.contains("the beads fell off"), "{error}");

    let result = later.execute(&[], &ExecuteOptions::default()).unwrap().remove(0);
    drop(next());
    let error = result.to_vec::<f32>().unwrap_err().to_string();
    assert!(error.contains("the work was given up"), "{error}");
}
