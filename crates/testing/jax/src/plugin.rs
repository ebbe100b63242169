//! The plug-ins of the corpus that JAX can run on.

use std::path::PathBuf;

/// A plug-in of the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorpusPlugin {
    /// The package that it comes from.
    pub name: &'static str,
    /// The minor version of the PJRT C API that it was built with.
    pub minor: i32,
    /// Its file in the corpus.
    pub file: &'static str,
}

/// CPU plug-ins of three vendors and three ages, oldest first.
pub const PLUGINS: [CorpusPlugin; 3] = [
    CorpusPlugin { name: "xla-cpu-pjrt 0.0.1", minor: 81, file: "xla-cpu-pjrt-0.0.1.so" },
    CorpusPlugin {
        name: "fastatomstruct-xla-cpu 2026.6.23",
        minor: 106,
        file: "fastatomstruct-xla-cpu-2026.6.23.so",
    },
    CorpusPlugin {
        name: "lammps-jax-pjrt-cpu 0.11.2",
        minor: 115,
        file: "lammps-jax-pjrt-cpu-0.11.2.so",
    },
];

impl CorpusPlugin {
    /// Where it lies once `cargo xtask corpus` has fetched it.
    pub fn path(&self) -> PathBuf {
        unskew_peers::root().join("corpus").join(self.file)
    }
}
