//! Entries that a host calls after it has registered a platform: kernels, graph optimizer, profiler.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::functions;
use super::simulated_host::{EntryFunction, HostStruct, SimulatedHost, VERSION_FIELDS};
use crate::layout::Structure;
use crate::preflight::{PluginEntry, VERSION};

impl SimulatedHost<'_> {
    pub(super) fn later(&mut self) -> Option<()> {
        match self.script.entry {
            PluginEntry::Device => None,
            PluginEntry::Kernels => self.kernels(),
            PluginEntry::Graph => self.graph(),
            PluginEntry::Profiler => self.profiler(),
        }
    }

    fn kernels(&mut self) -> Option<()> {
        let address = self.loaded.function(PluginEntry::Kernels.function())?;
        // SAFETY: the interface gives the entry this type.
        let enter =
            unsafe { std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn()>(address) };
        // SAFETY: a plug-in may do anything, which is what is to be found out; this process is a copy.
        self.call(PluginEntry::Kernels.function(), |_| unsafe { enter() });
        self.trial.kernels = functions::kernels();
        Some(())
    }

    fn graph(&mut self) -> Option<()> {
        let configs = self.hand_out(Structure::TP_OptimizerConfigs)?;
        let optimizer = self.hand_out(Structure::TP_Optimizer)?;
        let params = self.hand_out(Structure::TP_OptimizerRegistrationParams)?;
        params.put("optimizer_configs", configs.address());
        params.put("optimizer", optimizer.address());
        if self.enter(&params)? {
            self.trial.device_type = self.text(&params, "device_type");
            [&params, &configs, &optimizer].into_iter().for_each(|handed| self.demand(handed));
        }
        Some(())
    }

    fn profiler(&mut self) -> Option<()> {
        let profiler = self.hand_out(Structure::TP_Profiler)?;
        let fns = self.hand_out(Structure::TP_ProfilerFns)?;
        let params = self.hand_out(Structure::TF_ProfilerRegistrationParams)?;
        params.put("profiler", profiler.address());
        params.put("profiler_fns", fns.address());
        if self.enter(&params)? {
            self.trial.device_type = self.text(&profiler, "device_type");
            [&params, &profiler, &fns].into_iter().for_each(|handed| self.demand(handed));
            self.destroy_one("destroy_profiler", &params, &profiler);
            self.destroy_one("destroy_profiler_fns", &params, &fns);
        }
        Some(())
    }

    /// Calls the entry with its arguments; says whether it was answered without an error.
    fn enter(&mut self, params: &HostStruct) -> Option<bool> {
        for (field, number) in VERSION_FIELDS.into_iter().zip(VERSION) {
            params.put(field, number);
        }
        let function = self.script.entry.function();
        let address = self.loaded.function(function)?;
        // SAFETY: the interface gives both entries this type.
        let enter = unsafe { std::mem::transmute::<NonNull<c_void>, EntryFunction>(address) };
        // SAFETY: the structs are those of a release, in memory of their own; else as above.
        Some(self.call(function, |status| unsafe { enter(params.address(), status) }))
    }
}
