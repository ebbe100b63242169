//! Compilation in phases.

use crate::host::{Error, Plugin, Topology};
use crate::sys::calls::extension::phases;

/// A compiler that works in phases, each of which takes and yields programs.
#[derive(Debug)]
pub struct PhaseCompiler {
    raw: phases::PhaseCompiler,
}

impl PhaseCompiler {
    /// The names of its phases, in their order.
    ///
    /// # Errors
    /// If the plug-in does not answer.
    pub fn phases(&self) -> Result<Vec<String>, Error> {
        let names = self.raw.names()?;
        Ok(names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// Runs phases on programs, with the compile options of a serialized `CompileOptionsProto`; yields
    /// the programs that come out. What a program is, is the business of the plug-in's phases.
    ///
    /// # Errors
    /// If the topology is of another plug-in, or the compiler refuses.
    pub fn run(
        &self,
        phases: &[&str],
        programs: &[&[u8]],
        options: &[u8],
        topology: &Topology,
    ) -> Result<Vec<Vec<u8>>, Error> {
        self.raw.run(programs, phases, options, topology.raw())
    }
}

impl Plugin {
    /// The compiler of the plug-in that works in phases, if it has one. Since 0.70, by the extension
    /// PhaseCompile, which some plug-ins have without a compiler.
    ///
    /// # Errors
    /// If the plug-in has none.
    pub fn phase_compiler(&self) -> Result<PhaseCompiler, Error> {
        Ok(PhaseCompiler { raw: phases::compiler(self.api())? })
    }
}
