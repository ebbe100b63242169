//! A host of one release, or one that differs from it: registration, and the first device.

use std::ffi::{c_char, c_void};
use std::ptr::NonNull;

use unskew_abi::contract::StructContract;

use super::guarded::GuardedStruct;
use super::{LoadedPlugin, status};
use crate::bindings::TF_Status;
use crate::layout::{FIRST, NullFieldEffect, Structure, contract, demands};
use crate::preflight::{
    HostScript, NullField, ObservedStruct, PluginEntry, PluginTrial, Skew, TracedCall, VERSION,
};

/// The longest name that is read, in bytes.
const LONGEST_NAME: usize = 256;

/// How much memory is asked for, in bytes.
const PIECE: u64 = 256;

/// A function that takes the platform, a struct or a place for a number, and a status.
type Fallible = unsafe extern "C" fn(*mut u8, *mut u8, *mut TF_Status);
/// A function that takes the platform and a struct, to free what is in it.
type Destroy = unsafe extern "C" fn(*mut u8, *mut u8);
/// A function that takes a struct, to free what is in it.
pub(super) type DestroyOne = unsafe extern "C" fn(*mut u8);
/// The function that takes a device, how many bytes of which kind, and a place for the piece.
type Allocate = unsafe extern "C" fn(*mut u8, u64, i64, *mut u8);
pub(super) type EntryFunction = unsafe extern "C" fn(*mut u8, *mut TF_Status);

/// Plays the host of `script` on a plug-in. `seen` gets what was seen before every call and at the end:
/// a call may be the last.
pub(crate) fn play(loaded: &LoadedPlugin, script: HostScript, seen: &mut dyn FnMut(&PluginTrial)) {
    let mut host = SimulatedHost {
        loaded,
        script,
        trial: PluginTrial::new(script),
        seen,
        structs: Vec::new(),
    };
    // Without memory there is nothing to play with; the trial then says that nothing was called.
    let _ = host.play();
    host.trial.stage.clear();
    host.say();
}

pub(super) struct SimulatedHost<'a> {
    pub(super) loaded: &'a LoadedPlugin,
    pub(super) script: HostScript,
    pub(super) trial: PluginTrial,
    seen: &'a mut dyn FnMut(&PluginTrial),
    structs: Vec<HostStruct>,
}

#[derive(Clone, Copy)]
pub(super) struct HostStruct {
    structure: Structure,
    contract: &'static StructContract,
    memory: GuardedStruct,
}

impl HostStruct {
    fn offset(&self, field: &str) -> Option<usize> {
        self.contract.field(field).map(|(_, field)| field.offset)
    }

    pub(super) fn put<T: Copy>(&self, field: &str, value: T) {
        if let Some(offset) = self.offset(field) {
            self.memory.put(offset, value);
        }
    }

    /// The address in a field; none if it is null, or not there.
    pub(super) fn pointer(&self, field: &str) -> Option<NonNull<c_void>> {
        let address = self.memory.get::<usize>(self.offset(field)?)?;
        NonNull::new(std::ptr::with_exposed_provenance_mut(address))
    }

    pub(super) fn address(&self) -> *mut u8 {
        self.memory.address()
    }
}

impl SimulatedHost<'_> {
    fn play(&mut self) -> Option<()> {
        let platform = self.hand_out(Structure::SP_Platform)?;
        let fns = self.hand_out(Structure::SP_PlatformFns)?;
        let params = self.hand_out(Structure::SE_PlatformRegistrationParams)?;
        let major = if let Skew::Major(major) = self.script.skew { Some(major) } else { None };
        let version = major.map_or(VERSION, |major| [major, 0, 0]);
        for (field, number) in VERSION_FIELDS.into_iter().zip(version) {
            params.put(field, number);
        }
        if self.script.skew != Skew::NoStructs {
            params.put("platform", platform.address());
            params.put("platform_fns", fns.address());
        }
        let enter = self.loaded.function("SE_InitPlugin")?;
        // SAFETY: the interface gives the entry this type.
        let enter = unsafe { std::mem::transmute::<NonNull<c_void>, EntryFunction>(enter) };
        let times = if self.script.skew == Skew::Twice { 2 } else { 1 };
        for _ in 0..times {
            // SAFETY: the structs are those of a release, in memory of their own. A plug-in may do
            // anything, which is what is to be found out; this process is a copy.
            let init = |status| unsafe { enter(params.address(), status) };
            let accepted = self.call("SE_InitPlugin", init);
            let numbers = VERSION_FIELDS.map(|field| number(&params, field));
            self.trial.version = numbers;
            self.names(&platform);
            if !accepted {
                self.trial.stage = "unloading".to_owned();
                self.say();
                self.loaded.unload();
                return None;
            }
        }
        if self.script.entry != PluginEntry::Device {
            // What was seen so far is told by another trial.
            self.structs.clear();
            self.trial =
                PluginTrial { version: self.trial.version, ..PluginTrial::new(self.script) };
            return self.later();
        }
        for handed in [&params, &platform, &fns] {
            self.demand(handed);
        }
        let whole = matches!(self.script.skew, Skew::None | Skew::Longer(_) | Skew::Shorter);
        if !whole || self.script.release() < FIRST {
            return None;
        }
        self.device(&platform, &fns);
        if self.trial.refusal().is_none() {
            self.destroy_one("destroy_platform_fns", &params, &fns);
            self.destroy_one("destroy_platform", &params, &platform);
        }
        None
    }

    /// What comes after registration, and what undoes it.
    fn device(&mut self, platform: &HostStruct, fns: &HostStruct) {
        let mut count = 0_i32;
        if fns.pointer("get_device_count").is_some() {
            let place = (&raw mut count).cast();
            if self.ask("get_device_count", platform, fns, place) == Some(true) {
                self.trial.devices = Some(count);
            }
        }
        let device_fns = self.made("create_device_fns", platform, fns, Structure::SP_DeviceFns);
        let executor =
            self.made("create_stream_executor", platform, fns, Structure::SP_StreamExecutor);
        if let Some(executor) = &executor {
            self.unified(platform, executor);
        }
        let timed = demands(Structure::SP_PlatformFns, self.script.release())
            .any(|demand| demand.field == "create_timer_fns");
        let timers = timed.then(|| self.timers(platform, fns)).flatten();
        let there = self.trial.devices.is_some_and(|devices| devices > 0);
        let device = there
            .then(|| self.made("create_device", platform, fns, Structure::SP_Device))
            .flatten();
        if let (Some(device), Some(executor)) = (&device, &executor) {
            self.memory(device, executor);
        }
        for (function, handed) in [
            ("destroy_device", device),
            ("destroy_timer_fns", timers),
            ("destroy_stream_executor", executor),
            ("destroy_device_fns", device_fns),
        ] {
            if let Some(handed) = handed {
                self.destroy(function, platform, fns, handed);
            }
        }
    }

    /// Has a struct filled in by a function that takes it inside of its arguments; none if there is no
    /// such function, or it answers with an error.
    fn made(
        &mut self,
        function: &str,
        platform: &HostStruct,
        fns: &HostStruct,
        structure: Structure,
    ) -> Option<HostStruct> {
        fns.pointer(function)?;
        let (arguments, field) = match structure {
            Structure::SP_DeviceFns => (Structure::SE_CreateDeviceFnsParams, "device_fns"),
            Structure::SP_Device => (Structure::SE_CreateDeviceParams, "device"),
            _ => (Structure::SE_CreateStreamExecutorParams, "stream_executor"),
        };
        let handed = self.hand_out(structure)?;
        let arguments = self.hand_out(arguments)?;
        arguments.put(field, handed.address());
        let done = self.ask(function, platform, fns, arguments.address())?;
        self.demand(&handed);
        done.then_some(handed)
    }

    fn timers(&mut self, platform: &HostStruct, fns: &HostStruct) -> Option<HostStruct> {
        fns.pointer("create_timer_fns")?;
        let handed = self.hand_out(Structure::SP_TimerFns)?;
        let done = self.ask("create_timer_fns", platform, fns, handed.address())?;
        self.demand(&handed);
        done.then_some(handed)
    }

    /// What a host does first with a device: it asks for memory, and how much there is.
    fn memory(&mut self, device: &HostStruct, executor: &HostStruct) -> Option<()> {
        let device = device.address();
        let stats = self.hand_out(Structure::SP_AllocatorStats)?;
        let address = executor.pointer("get_allocator_stats")?;
        // SAFETY: the interface gives these functions these types; else as in `ask`.
        let told = unsafe { std::mem::transmute::<NonNull<c_void>, Destroy>(address) };
        // SAFETY: as at the entry.
        self.call("get_allocator_stats", |_| unsafe { told(device, stats.address()) });
        let piece = self.hand_out(Structure::SP_DeviceMemoryBase)?;
        let address = executor.pointer("allocate")?;
        // SAFETY: as above.
        let allocate = unsafe { std::mem::transmute::<NonNull<c_void>, Allocate>(address) };
        // SAFETY: as at the entry.
        self.call("allocate", |_| unsafe { allocate(device, PIECE, 0, piece.address()) });
        piece.pointer("opaque")?;
        let address = executor.pointer("deallocate")?;
        // SAFETY: as above.
        let deallocate = unsafe { std::mem::transmute::<NonNull<c_void>, Destroy>(address) };
        // SAFETY: as at the entry.
        self.call("deallocate", |_| unsafe { deallocate(device, piece.address()) });
        Some(())
    }

    /// Calls a function of the platform; none if it is not there.
    fn ask(
        &mut self,
        function: &str,
        platform: &HostStruct,
        fns: &HostStruct,
        argument: *mut u8,
    ) -> Option<bool> {
        let address = fns.pointer(function)?;
        // SAFETY: the interface gives these functions this type. What a plug-in of another layout has in
        // the slot, only the call shows, as in a real host.
        let called = unsafe { std::mem::transmute::<NonNull<c_void>, Fallible>(address) };
        let platform = platform.address();
        // SAFETY: as at the entry.
        Some(self.call(function, |status| unsafe { called(platform, argument, status) }))
    }

    fn destroy(
        &mut self,
        function: &str,
        platform: &HostStruct,
        fns: &HostStruct,
        handed: HostStruct,
    ) {
        let Some(address) = fns.pointer(function) else { return };
        // SAFETY: as in `ask`.
        let called = unsafe { std::mem::transmute::<NonNull<c_void>, Destroy>(address) };
        // SAFETY: as at the entry.
        self.call(function, |_| unsafe { called(platform.address(), handed.address()) });
    }

    pub(super) fn destroy_one(&mut self, function: &str, params: &HostStruct, handed: &HostStruct) {
        let Some(address) = params.pointer(function) else { return };
        // SAFETY: as in `ask`.
        let called = unsafe { std::mem::transmute::<NonNull<c_void>, DestroyOne>(address) };
        // SAFETY: as at the entry.
        self.call(function, |_| unsafe { called(handed.address()) });
    }

    /// Makes a call and notes what it did; says whether it was answered without an error.
    pub(super) fn call(&mut self, function: &str, call: impl FnOnce(*mut TF_Status)) -> bool {
        self.trial.stage = function.to_owned();
        self.say();
        let status = status::new();
        call(status);
        let (code, message) = status::read(status);
        self.trial.calls.push(TracedCall { function: function.to_owned(), code, message });
        self.look(function);
        code == 0
    }

    /// Notes what was written into the structs, and beside them.
    fn look(&mut self, function: &str) {
        for (handed, seen) in self.structs.iter().zip(&mut self.trial.structs) {
            let overrun = handed.memory.overrun();
            let (before, behind) = (overrun.before as u64, overrun.behind as u64);
            if (before, behind) != (0, 0) && (seen.before, seen.behind) == (0, 0) {
                function.clone_into(&mut seen.by);
            }
            (seen.before, seen.behind) = (before, behind);
            seen.after = handed.memory.get::<u64>(0).unwrap_or_default();
        }
    }

    fn say(&mut self) {
        (self.seen)(&self.trial);
    }

    /// Memory for a struct of the release, as the script has it.
    pub(super) fn hand_out(&mut self, structure: Structure) -> Option<HostStruct> {
        let contract = contract(structure, self.script.release())?;
        let (mut bytes, mut announced) = (contract.size(), None);
        match self.script.skew {
            Skew::Longer(more) => bytes += usize::try_from(more).ok()?,
            Skew::Shorter if is_filled_in(structure) => {
                bytes = contract.fields.iter().rev().nth(1)?.end();
            }
            Skew::Announces(size) => announced = Some(size),
            _ => {}
        }
        let memory = GuardedStruct::new(bytes).ok()?;
        let announced = announced.unwrap_or(bytes as u64);
        memory.put(0, announced);
        let handed = HostStruct { structure, contract, memory };
        self.structs.push(handed);
        self.trial.structs.push(ObservedStruct {
            name: structure.name().to_owned(),
            bytes: memory.bytes() as u64,
            announced,
            after: announced,
            behind: 0,
            before: 0,
            by: String::new(),
        });
        Some(handed)
    }

    /// Notes the fields that the release wants and that are null.
    pub(super) fn demand(&mut self, handed: &HostStruct) {
        for demand in demands(handed.structure, self.script.release()) {
            let there = handed.offset(demand.field);
            let value = there.and_then(|offset| handed.memory.get::<u64>(offset));
            if value == Some(0) {
                self.trial.empty.push(NullField {
                    structure: handed.structure.name().to_owned(),
                    field: demand.field.to_owned(),
                    refused: demand.otherwise == NullFieldEffect::Refused,
                });
            }
        }
    }

    /// Unified memory has to be served if the platform says that it is supported.
    fn unified(&mut self, platform: &HostStruct, executor: &HostStruct) {
        let says = platform.offset("supports_unified_memory");
        // SAFETY: the field lies within the struct of every release, whatever its end.
        let says = says.filter(|offset| *offset < platform.memory.bytes());
        let supported =
            says.is_some_and(|offset| unsafe { platform.address().add(offset).read() != 0 });
        for field in ["unified_memory_allocate", "unified_memory_deallocate"] {
            if supported && executor.pointer(field).is_none() {
                let structure = executor.structure.name().to_owned();
                self.trial.empty.push(NullField {
                    structure,
                    field: field.to_owned(),
                    refused: true,
                });
            }
        }
    }

    fn names(&mut self, platform: &HostStruct) {
        self.trial.name = self.text(platform, "name");
        self.trial.device_type = self.text(platform, "type");
    }

    pub(super) fn text(&mut self, handed: &HostStruct, field: &str) -> Option<String> {
        let address = handed.pointer(field)?.cast::<c_char>().as_ptr();
        self.trial.stage = format!("reading {}.{field}", handed.structure.name());
        self.say();
        // SAFETY: the plug-in says that a text lies there; if none does, the copy ends and says where.
        let bytes = unsafe {
            let length = libc::strnlen(address, LONGEST_NAME);
            std::slice::from_raw_parts(address.cast::<u8>(), length)
        };
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

pub(super) const VERSION_FIELDS: [&str; 3] = ["major_version", "minor_version", "patch_version"];

fn number(params: &HostStruct, field: &str) -> i32 {
    params.offset(field).and_then(|offset| params.memory.get(offset)).unwrap_or_default()
}

/// Whether a plug-in fills the struct in; else the host does, and the plug-in reads it.
fn is_filled_in(structure: Structure) -> bool {
    !structure.name().starts_with("SE_")
}
