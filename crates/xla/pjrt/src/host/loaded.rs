//! Programs that are loaded, and their execution.

use std::ffi::CStr;
use std::sync::{Arc, OnceLock};

use super::parameters::Parameters;
use super::{Buffer, Callbacks, Device, Error, Event, Executable, ExecuteContext, or_if_absent};
use crate::sys::bindings::PJRT_LoadedExecutable;
use crate::sys::calls::execute::{self, ExecuteCall, Lists, Shape};
use crate::sys::calls::{Owned, executable};

/// A program that is loaded and can run.
#[derive(Debug)]
pub struct LoadedExecutable {
    raw: Arc<Owned<PJRT_LoadedExecutable>>,
    devices: Vec<Device>,
    num_outputs: usize,
    parameters: OnceLock<Option<Parameters>>,
}

/// How a program runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExecuteOptions<'a> {
    /// A number by which executions on several processes are told to be one.
    pub launch_id: i32,
    /// The arguments, by their places, that stay usable even if the program could reuse their memory.
    /// Since 0.39; an error before, where the plug-in would not see it.
    pub non_donatable: &'a [i64],
    /// Where in the program of the user the execution was started, for profiles. Not passed on to a
    /// plug-in before 0.76.
    pub call_location: Option<&'a CStr>,
    /// Data for the handlers of custom calls. It is kept until the execution is over. Since 0.64; an
    /// error before.
    pub context: Option<&'a ExecuteContext>,
    /// What is called when the program sends to the host, or receives from it: made by
    /// [`LoadedExecutable::callbacks`]. They are kept until the execution is over.
    pub callbacks: Option<&'a Callbacks>,
}

/// The results of an execution, device by device; kept and passed again, it spares allocations.
#[derive(Debug, Default)]
pub struct Outputs {
    lists: Lists,
    buffers: Vec<Buffer>,
    events: Vec<Event>,
    each: usize,
}

impl Outputs {
    /// Room for results, which grows as needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// All results, device by device.
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// The results of one device, by its place among the devices of the executable.
    pub fn of_device(&self, device: usize) -> &[Buffer] {
        let from = device.saturating_mul(self.each);
        self.buffers.get(from..from.saturating_add(self.each)).unwrap_or_default()
    }

    /// The results, taken out.
    pub fn take(&mut self) -> Vec<Buffer> {
        std::mem::take(&mut self.buffers)
    }

    /// For each device an event for when it is done, if they were asked for.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The events, taken out.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}

impl LoadedExecutable {
    pub(crate) fn raw(&self) -> &Owned<PJRT_LoadedExecutable> {
        &self.raw
    }

    pub(crate) fn new(raw: Owned<PJRT_LoadedExecutable>) -> Result<Self, Error> {
        let raw = Arc::new(raw);
        let devices = executable::devices(&raw)?.into_iter().map(Device::new).collect();
        let num_outputs = executable::num_outputs(&*executable::of_loaded(&raw)?)?;
        if num_outputs > crate::sys::calls::read::MOST {
            let function = "PJRT_Executable_NumOutputs";
            return Err(Error::Implausible { function, count: num_outputs });
        }
        Ok(Self { raw, devices, num_outputs, parameters: OnceLock::new() })
    }

    /// Its address, for calls through [`Plugin::api`](super::Plugin::api) that this API does not have.
    /// It is valid as long as this lives.
    pub fn address(&self) -> *mut std::ffi::c_void {
        self.raw.raw().cast()
    }

    /// The compiled program.
    ///
    /// # Errors
    /// If the plug-in does not answer.
    pub fn executable(&self) -> Result<Executable, Error> {
        executable::of_loaded(&self.raw).map(Executable::new)
    }

    /// The usable devices that it runs on.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// How many results each device yields.
    pub fn num_outputs(&self) -> usize {
        self.num_outputs
    }

    /// A text that tells programs apart: from the executable since 0.35, from the loaded one before.
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn fingerprint(&self) -> Result<String, Error> {
        let loaded = || executable::loaded_fingerprint(&self.raw).map_err(Error::from);
        or_if_absent(self.executable()?.fingerprint(), loaded)
    }

    /// Which device runs which replica and partition, as a serialized `DeviceAssignmentProto`; none
    /// before 0.79.
    pub fn device_assignment(&self) -> Result<Option<Vec<u8>>, Error> {
        or_if_absent(executable::device_assignment(&self.raw).map(Some), || Ok(None))
    }

    /// Which replica and partition each of its devices runs; none before 0.96.
    pub fn logical_ids(&self) -> Result<Option<Vec<(i32, i32)>>, Error> {
        let ids = executable::logical_ids(&self.raw).map_err(Error::from).flatten();
        let pairs = ids.map(|ids| Some(ids.iter().map(|id| (id.replica, id.partition)).collect()));
        or_if_absent(pairs, || Ok(None))
    }

    /// Drops what it holds now; it cannot run any more.
    pub fn delete(&self) -> Result<(), Error> {
        executable::delete(&self.raw).map_err(Into::into)
    }

    /// Whether it was deleted.
    pub fn is_deleted(&self) -> Result<bool, Error> {
        executable::is_deleted(&self.raw).map_err(Into::into)
    }

    /// Runs on its one device, and yields the results.
    ///
    /// An argument that the program donates is deleted afterwards, unless
    /// [`ExecuteOptions::non_donatable`] says otherwise.
    ///
    /// The number and the element types of the arguments are compared with the parameters of the program
    /// before the plug-in is asked: plug-ins built from XLA compare only sizes, and compute with the bits
    /// of the wrong type. The C API has no function for parameters in any version. They are read from the
    /// optimized program, once, at the first execution. Where the plug-in shows none, or not as
    /// `hlo_with_config`, nothing is compared, and the plug-in judges alone.
    ///
    /// # Errors
    /// [`Error::ArgumentCount`] and [`Error::ArgumentType`]; if arguments are of another client, or the
    /// plug-in refuses. What fails later is an error of the results.
    pub fn execute(
        &self,
        arguments: &[&Buffer],
        options: &ExecuteOptions<'_>,
    ) -> Result<Vec<Buffer>, Error> {
        let mut outputs = Outputs::new();
        self.execute_into(&[arguments], options, &mut outputs)?;
        Ok(outputs.take())
    }

    /// Runs on all of its devices, with one list of arguments for each, into `outputs`, whose former
    /// contents are dropped. Allocates nothing once `outputs` has been used.
    ///
    /// # Errors
    /// As [`LoadedExecutable::execute`]; and if the lists have different lengths.
    pub fn execute_into(
        &self,
        arguments: &[&[&Buffer]],
        options: &ExecuteOptions<'_>,
        outputs: &mut Outputs,
    ) -> Result<(), Error> {
        self.run(arguments, options, None, false, outputs)
    }

    /// As [`LoadedExecutable::execute_into`], with an event for each device.
    ///
    /// # Errors
    /// As [`LoadedExecutable::execute_into`].
    pub fn execute_with_events(
        &self,
        arguments: &[&[&Buffer]],
        options: &ExecuteOptions<'_>,
        outputs: &mut Outputs,
    ) -> Result<(), Error> {
        self.run(arguments, options, None, true, outputs)
    }

    /// Runs on one device of the same client: of a portable executable any, of another one of its own.
    ///
    /// # Errors
    /// As [`LoadedExecutable::execute`].
    pub fn execute_on(
        &self,
        device: &Device,
        arguments: &[&Buffer],
        options: &ExecuteOptions<'_>,
    ) -> Result<Vec<Buffer>, Error> {
        let mut outputs = Outputs::new();
        self.run(&[arguments], options, Some(device), false, &mut outputs)?;
        Ok(outputs.take())
    }

    /// What it takes, if the plug-in shows that.
    fn parameters(&self) -> Option<&Parameters> {
        let read = || {
            self.executable().ok().and_then(|executable| Parameters::from_executable(&executable))
        };
        self.parameters.get_or_init(read).as_ref()
    }

    fn run(
        &self,
        arguments: &[&[&Buffer]],
        options: &ExecuteOptions<'_>,
        device: Option<&Device>,
        with_events: bool,
        outputs: &mut Outputs,
    ) -> Result<(), Error> {
        let count = arguments.first().ok_or(Error::Uneven)?.len();
        let devices = if device.is_some() { 1 } else { self.devices.len() };
        if arguments.len() != devices.max(1) || arguments.iter().any(|list| list.len() != count) {
            return Err(Error::Uneven);
        }
        if let Some(callbacks) = options.callbacks {
            callbacks.raw().check(&self.raw, arguments.len())?;
        }
        let Outputs { lists, buffers, events, each } = outputs;
        buffers.clear();
        events.clear();
        lists.clear();
        for list in arguments {
            for buffer in *list {
                lists.argument(&self.raw, buffer.raw())?;
            }
        }
        if let Some(device) = device {
            Error::same_client(&self.raw, &device.raw)?;
        }
        if let Some(parameters) = self.parameters() {
            arguments.iter().try_for_each(|list| parameters.take(list))?;
        }
        let shape = Shape {
            devices: arguments.len(),
            arguments: count,
            outputs: self.num_outputs,
            // What the execution uses until it is over is kept by its events.
            with_events: with_events || options.context.is_some() || options.callbacks.is_some(),
        };
        let told = ExecuteCall {
            launch_id: options.launch_id,
            non_donatable: options.non_donatable,
            call_location: options.call_location,
            context: options.context.map(ExecuteContext::raw),
            callbacks: options.callbacks.map(Callbacks::raw).map(AsRef::as_ref),
        };
        execute::execute(&self.raw, told, device.map(|device| &device.raw), shape, lists)?;
        *each = self.num_outputs;
        buffers.reserve(arguments.len().saturating_mul(self.num_outputs));
        if shape.with_events {
            let taken = execute::take_events(&self.raw, lists);
            if let Some(context) = options.context {
                execute::keep_until(&taken, arguments.len(), context.share());
            }
            if let Some(callbacks) = options.callbacks {
                execute::keep_until(&taken, arguments.len(), Arc::clone(callbacks.raw()));
            }
            if with_events {
                events.extend(taken.into_iter().map(Event::new));
            }
        }
        execute::take_outputs(&self.raw, lists, |buffer| buffers.push(Buffer::new(buffer)))
    }
}
