//! Requirements of a program to the compiler of a plug-in, beyond that it reads the program.
//!
//! The versions of StableHLO say whether a plug-in reads a program. Whether it compiles it depends on what no version says:
//! the handlers of custom calls that were registered in it, the passes of its XLA that replace some of them, whether it takes
//! arrays of unknown size, how many devices it has. No function of the PJRT C API lists any of that, so the plug-in is asked:
//! for each custom call a program is made that does nothing else (`gather`), and the plug-in compiles it on trial. Whether
//! it reads the whole program is asked with a number of partitions that no plug-in has: what it then says is what it says of
//! an addition, unless it refuses the program before it looks at the options.
//!
//! What the answers do not decide stays unjudged: a call in a branch that the compiler may drop, a refusal in words that are
//! not known, a plug-in that takes no programs as text.

mod call_uses;
mod cpu;
mod gather;
mod judge;
mod program;

use std::fmt;

pub use cpu::CpuBackend;
pub(crate) use program::Program;

/// A program that is compiled on trial.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TrialProgram {
    /// StableHLO, as text or as bytecode.
    pub program: Vec<u8>,
    /// Into how many partitions it is split.
    pub partitions: i64,
}

/// What came of a program on trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialAnswer {
    /// The plug-in compiles it.
    Compiles,
    /// The plug-in refuses it, in these words.
    Refused(String),
    /// The plug-in ends its process over it, or does not come back: how.
    Ended(String),
    /// It was not tried.
    NotTried,
}

/// What a plug-in showed and said on trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialReport {
    /// How many devices it has, without options.
    pub devices: usize,
    /// The kinds of memory of its devices.
    pub memories: Vec<String>,
    /// What came of each program, in their order.
    pub answers: Vec<TrialAnswer>,
}

/// Asks a plug-in, or says why it cannot be asked.
type Ask = dyn Fn(&[TrialProgram]) -> Result<TrialReport, String> + Send + Sync;

/// A plug-in whose compiler can be asked. Whoever makes the party of a plug-in gives it this capability.
pub struct Compiler(Box<Ask>);

impl Compiler {
    /// One that `ask` has compile programs.
    pub fn new(
        ask: impl Fn(&[TrialProgram]) -> Result<TrialReport, String> + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(ask))
    }

    pub(crate) fn ask(&self, trials: &[TrialProgram]) -> Result<TrialReport, String> {
        (self.0)(trials)
    }
}

impl fmt::Debug for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Compiler")
    }
}
