//! Compiled programs.

use super::{CompiledMemoryStats, Error};
use crate::Attribute;
use crate::sys::bindings::{PJRT_Buffer_Type as ElementType, PJRT_Executable};
use crate::sys::calls::extension::{metadata, shardings};
use crate::sys::calls::{Owned, executable};

/// A compiled program, loaded or not.
#[derive(Debug)]
pub struct Executable {
    raw: Owned<PJRT_Executable>,
}

impl Executable {
    pub(crate) fn new(raw: Owned<PJRT_Executable>) -> Self {
        Self { raw }
    }

    pub(crate) fn raw(&self) -> &Owned<PJRT_Executable> {
        &self.raw
    }

    /// The name of the program.
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn name(&self) -> Result<String, Error> {
        executable::name(&self.raw).map_err(Into::into)
    }

    /// How many replicas it has.
    pub fn num_replicas(&self) -> Result<usize, Error> {
        executable::num_replicas(&self.raw).map_err(Into::into)
    }

    /// How many partitions it has.
    pub fn num_partitions(&self) -> Result<usize, Error> {
        executable::num_partitions(&self.raw).map_err(Into::into)
    }

    /// How many results each device yields.
    pub fn num_outputs(&self) -> Result<usize, Error> {
        executable::num_outputs(&self.raw).map_err(Into::into)
    }

    /// The element type of each result.
    pub fn output_types(&self) -> Result<Vec<ElementType>, Error> {
        executable::output_types(&self.raw)?
    }

    /// The dimensions of each result.
    pub fn output_dimensions(&self) -> Result<Vec<Vec<i64>>, Error> {
        executable::output_dimensions(&self.raw)
    }

    /// The kind of memory of each result.
    pub fn output_memory_kinds(&self) -> Result<Vec<String>, Error> {
        executable::output_memory_kinds(&self.raw)
    }

    /// The kind of memory of each parameter. Since 0.102.
    pub fn parameter_memory_kinds(&self) -> Result<Vec<String>, Error> {
        executable::parameter_memory_kinds(&self.raw)
    }

    /// The sharding of each result, as a serialized `OpSharding`; none if the program is not sharded.
    /// Since 0.91, by the extension Shardings.
    pub fn output_shardings(&self) -> Result<Option<Vec<Vec<u8>>>, Error> {
        shardings::of_outputs(&self.raw)
    }

    /// The sharding of each parameter, as [`Executable::output_shardings`].
    pub fn parameter_shardings(&self) -> Result<Option<Vec<Vec<u8>>>, Error> {
        shardings::of_parameters(&self.raw)
    }

    /// What the vendor says of it, as bytes of the vendor's own. Since 0.75, by the extension
    /// ExecutableMetadata.
    pub fn vendor_metadata(&self) -> Result<Vec<u8>, Error> {
        metadata::of_executable(&self.raw)
    }

    /// The size of the machine code, in bytes.
    pub fn generated_code_size(&self) -> Result<i64, Error> {
        executable::code_size(&self.raw).map_err(Into::into)
    }

    /// A text that tells programs apart. Since 0.35; before, [`LoadedExecutable`] has it.
    ///
    /// [`LoadedExecutable`]: super::LoadedExecutable
    pub fn fingerprint(&self) -> Result<String, Error> {
        executable::fingerprint(&self.raw).map_err(Into::into)
    }

    /// What the compiler estimates that the program costs.
    pub fn cost_analysis(&self) -> Result<Vec<Attribute>, Error> {
        executable::cost_analysis(&self.raw).map_err(Into::into)
    }

    /// How much memory the program uses. Since 0.40.
    pub fn memory_stats(&self) -> Result<CompiledMemoryStats, Error> {
        let stats = executable::memory_stats(&self.raw)?;
        Ok(CompiledMemoryStats::from_args(self.raw.api(), &stats))
    }

    /// The program as the compiler left it, with the name of its format.
    pub fn optimized_program(&self) -> Result<(Vec<u8>, String), Error> {
        executable::optimized_program(&self.raw)
    }

    /// It as bytes that the same build of the plug-in can load.
    pub fn serialize(&self) -> Result<Vec<u8>, Error> {
        executable::serialize(&self.raw)
    }

    /// The options that it was compiled with, as a serialized `CompileOptionsProto`. Since 0.87.
    pub fn compile_options(&self) -> Result<Vec<u8>, Error> {
        executable::compile_options(&self.raw)
    }
}
