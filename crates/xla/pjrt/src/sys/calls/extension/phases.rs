//! The extension PhaseCompile.

use std::ptr::NonNull;

use crate::host::Error;
use crate::sys::Api;
use crate::sys::bindings::*;
use crate::sys::calls::Handle;
use crate::sys::calls::read::{self, bytes, list};

#[derive(Debug)]
pub(crate) struct PhaseCompiler {
    api: &'static Api,
    raw: NonNull<PJRT_PhaseCompiler>,
}

// SAFETY: the interface says that its functions may be called from any thread, on any object.
unsafe impl Send for PhaseCompiler {}
// SAFETY: as above.
unsafe impl Sync for PhaseCompiler {}

impl Drop for PhaseCompiler {
    fn drop(&mut self) {
        let mut arguments = self.api.record::<PJRT_PhaseCompile_Destroy_Compiler_Args>();
        arguments.phase_compiler = self.raw.as_ptr();
        // SAFETY: the compiler is ours, and nobody can use it afterwards.
        let _ = unsafe { self.api.call_extension(&mut arguments) };
    }
}

/// Asks for the compiler of a plug-in.
pub(crate) fn compiler(api: &'static Api) -> Result<PhaseCompiler, Error> {
    let mut arguments = api.record::<PJRT_PhaseCompile_Get_Compiler_Args>();
    // SAFETY: it has no inputs.
    unsafe { api.call_extension(&mut arguments) }?;
    let raw = read::some("phase_compile_get_compiler", arguments.phase_compiler.cast_mut())?;
    Ok(PhaseCompiler { api, raw })
}

impl PhaseCompiler {
    /// The names of its phases, in their order.
    pub(crate) fn names(&self) -> Result<Vec<Vec<u8>>, Error> {
        let mut arguments = self.api.record::<PJRT_PhaseCompile_Get_PhaseNames_Args>();
        arguments.phase_compiler = self.raw.as_ptr();
        // SAFETY: the compiler is alive.
        unsafe { self.api.call_extension(&mut arguments) }?;
        let (starts, sizes) = (arguments.phase_names, arguments.phase_names_sizes);
        let function = "phase_compile_get_phase_names";
        // SAFETY: the lists are the caller's to free, and are freed once.
        unsafe { self.take(function, starts, sizes, arguments.num_phase_names) }
    }

    /// Runs phases on programs, for a topology.
    pub(crate) fn run(
        &self,
        programs: &[&[u8]],
        phases: &[&str],
        options: &[u8],
        topology: &Handle<PJRT_TopologyDescription>,
    ) -> Result<Vec<Vec<u8>>, Error> {
        if !std::ptr::eq(self.api, topology.api()) {
            return Err(Error::OtherClient);
        }
        let mut inputs: Vec<*const u8> = programs.iter().map(|program| program.as_ptr()).collect();
        let input_sizes: Vec<usize> = programs.iter().map(|program| program.len()).collect();
        let mut names: Vec<*const u8> = phases.iter().map(|phase| phase.as_ptr()).collect();
        let name_sizes: Vec<usize> = phases.iter().map(|phase| phase.len()).collect();
        let mut arguments = self.api.record::<PJRT_PhaseCompile_Run_Phase_Args>();
        arguments.phase_compiler = self.raw.as_ptr();
        arguments.input_programs = inputs.as_mut_ptr();
        arguments.input_programs_sizes = input_sizes.as_ptr();
        arguments.num_input_programs = inputs.len();
        arguments.phases_to_run = names.as_mut_ptr();
        arguments.phases_to_run_sizes = name_sizes.as_ptr();
        arguments.num_phases_to_run = names.len();
        arguments.compile_options = options.as_ptr();
        arguments.compile_options_size = options.len();
        arguments.topology = topology.raw();
        // SAFETY: compiler and topology are alive and of one plug-in; the lists live until the call is
        // over.
        unsafe { self.api.call_extension(&mut arguments) }?;
        let (starts, sizes) = (arguments.output_programs, arguments.output_programs_sizes);
        let function = "phase_compile_run_phases";
        // SAFETY: the lists are the caller's to free, and are freed once.
        unsafe { self.take(function, starts, sizes, arguments.num_output_programs) }
    }

    /// Copies texts of the plug-in, and frees them.
    ///
    /// # Safety
    /// Either list is null, or so many texts are there; they are the caller's to free.
    unsafe fn take(
        &self,
        function: &'static str,
        starts: *mut *const u8,
        sizes: *const usize,
        count: usize,
    ) -> Result<Vec<Vec<u8>>, Error> {
        // SAFETY: the caller says so.
        let copy = unsafe { copied(function, starts, sizes, count) };
        let mut arguments = self.api.record::<PJRT_PhaseCompile_C_Buffers_Destroy_Args>();
        arguments.char_buffers = starts;
        arguments.char_buffer_sizes = sizes;
        arguments.num_char_buffers = count;
        // SAFETY: freed once, after their last use.
        let _ = unsafe { self.api.call_extension(&mut arguments) };
        copy
    }
}

/// # Safety
/// Either list is null, or so many texts are there.
unsafe fn copied(
    function: &'static str,
    starts: *mut *const u8,
    sizes: *const usize,
    count: usize,
) -> Result<Vec<Vec<u8>>, Error> {
    // SAFETY: the caller says so.
    let starts = unsafe { list(function, starts.cast_const(), count) }?;
    // SAFETY: as above.
    let sizes = unsafe { list(function, sizes, count) }?;
    // SAFETY: as above.
    let one = |(&start, &size)| unsafe { bytes(function, start, size) };
    starts.iter().zip(&sizes).map(one).collect()
}
