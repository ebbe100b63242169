//! The other side: what a release of a framework, or an installed copy of it, exports.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_core::Version;

use crate::{Build, ExportTable, Framework, Machine, Needs, ReleaseSet, releases, table};

/// What a release exports: the capability of its party that the matcher of an extension asks for.
#[derive(Clone, Debug)]
pub struct ExportedSymbols {
    framework: Framework,
    release: Version,
    /// Whether it has the libraries for CUDA; none if it is not known.
    cuda: Option<bool>,
    /// The majors of CUDA whose runtime is there with it; empty if that is not known.
    runtimes: BTreeSet<u32>,
    /// The names in the libraries that are really there, where they were read.
    names: Option<Arc<BTreeSet<String>>>,
}

impl ExportedSymbols {
    /// Those of a published release, by the table.
    pub fn of_release(framework: Framework, release: Version) -> Self {
        Self { framework, release, cuda: None, runtimes: BTreeSet::new(), names: None }
    }

    /// The same of a build that has the libraries for CUDA, or has not.
    #[must_use]
    pub fn with_cuda(mut self, has: bool) -> Self {
        self.cuda = Some(has);
        self
    }

    /// The same where the runtimes of these majors of CUDA are there, and no other.
    #[must_use]
    pub fn with_cuda_runtimes(mut self, majors: BTreeSet<u32>) -> Self {
        self.runtimes = majors;
        self
    }

    /// The majors of CUDA whose runtime is there with it; empty if that is not known.
    pub fn cuda_runtimes(&self) -> &BTreeSet<u32> {
        &self.runtimes
    }

    /// The major of CUDA's runtime that an extension is linked against and that is not there, if that is known.
    pub fn lacks_cuda(&self, needs: &Needs) -> Option<u32> {
        let is_known = self.cuda != Some(false) && !self.runtimes.is_empty();
        needs.cuda_majors().find(|major| is_known && !self.runtimes.contains(major))
    }

    /// The same of libraries that were read: a nightly, or a build of one's own.
    #[must_use]
    pub fn read(mut self, names: BTreeSet<String>) -> Self {
        self.names = Some(Arc::new(names));
        self
    }

    /// The framework whose libraries export these symbols.
    pub fn framework(&self) -> Framework {
        self.framework
    }

    /// The release as its version says, without a build such as `+cpu`.
    pub fn release(&self) -> Version {
        self.release
    }

    /// Whether it has the libraries for CUDA; none if it is not known.
    pub fn cuda(&self) -> Option<bool> {
        self.cuda
    }

    /// Whether the names were read from the libraries themselves.
    pub fn is_read(&self) -> bool {
        self.names.is_some()
    }

    /// Whether anything is known of the release for this machine.
    pub fn is_known(&self, machine: Machine) -> bool {
        self.names.is_some() || !self.columns(table(), machine, Build::Cpu).is_empty()
    }

    /// Whether a symbol is exported; [`ExportedSymbols::is_known`] says whether the answer means anything.
    pub fn has(&self, symbol: &str, machine: Machine) -> bool {
        match &self.names {
            Some(names) => names.contains(symbol),
            None => self.has_releases(releases(symbol), machine),
        }
    }

    /// The same of a symbol that was looked up already.
    pub(crate) fn has_releases(&self, releases: ReleaseSet, machine: Machine) -> bool {
        let mut columns = self.columns(table(), machine, Build::Cpu).0;
        if self.cuda != Some(false) {
            columns |= self.columns(table(), machine, Build::Cuda).0;
        }
        releases.0 & columns != 0
    }

    /// Whether it is only in the libraries for CUDA.
    pub(crate) fn only_with_cuda(&self, releases: ReleaseSet, machine: Machine) -> bool {
        releases.0 & self.columns(table(), machine, Build::Cpu).0 == 0
            && releases.0 & self.columns(table(), machine, Build::Cuda).0 != 0
    }

    /// Whether its own functions take the strings of C++11; none if that is not known.
    pub fn cxx11(&self, machine: Machine) -> Option<bool> {
        let is = |column: &&crate::Column| {
            (column.framework, column.release, column.machine)
                == (self.framework, self.release, machine)
        };
        table().columns().iter().find(is).map(|column| column.cxx11)
    }

    fn columns(&self, table: &ExportTable, machine: Machine, build: Build) -> ReleaseSet {
        table.select(|column| {
            (column.framework, column.release, column.machine, column.build)
                == (self.framework, self.release, machine, build)
        })
    }
}
