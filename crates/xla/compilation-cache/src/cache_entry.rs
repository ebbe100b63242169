//! An entry: what is compressed in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_source::{Budget, Source, SourceExt};

use crate::executable::{CpuTarget, Executable, Stamp};
use crate::packing::EntryCompression;

/// Why JAX does not get an executable out of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// There is not a byte in it.
    Empty,
    /// It is compressed with nothing that JAX knows.
    Unknown,
    /// It ends too early, or its bytes are not those that were written.
    Packing,
    /// Too little is inside for an executable, or its stamp does not fit.
    Executable,
    /// More is inside than is looked at here. This is the one that says nothing about JAX.
    TooLarge,
    /// The file cannot be read.
    Unreadable,
}

impl Damage {
    /// Whether JAX is sure to fail on it too.
    pub fn is_certain(self) -> bool {
        !matches!(self, Self::TooLarge | Self::Unreadable)
    }

    /// What is wrong, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Unknown => "neither zlib nor zstandard",
            Self::Packing => "cut or changed",
            Self::Executable => "no executable inside",
            Self::TooLarge => "too large to be looked at",
            Self::Unreadable => "cannot be read",
        }
    }
}

/// What an entry says of itself.
#[derive(Clone, Debug)]
pub struct CacheEntry {
    /// How it is compressed.
    pub packing: EntryCompression,
    /// How long compiling took, in whole seconds.
    pub compile_seconds: u32,
    executable: Executable,
}

impl CacheEntry {
    /// Reads an entry; what is inside counts against the budget.
    ///
    /// # Errors
    /// If JAX gets no executable out of it, or it is larger than is looked at.
    pub fn read(source: &Arc<dyn Source>, budget: &Budget) -> Result<Self, Damage> {
        if source.size() == 0 {
            return Err(Damage::Empty);
        }
        let head = source.head(4).map_err(|_| Damage::Unreadable)?;
        let packing = EntryCompression::from_head(&head).ok_or(Damage::Unknown)?;
        let inside = packing.unpack(source, budget)?;
        let (seconds, executable) = inside.split_first_chunk::<4>().ok_or(Damage::Executable)?;
        Ok(Self {
            packing,
            compile_seconds: u32::from_be_bytes(*seconds),
            executable: Executable::read(executable).ok_or(Damage::Executable)?,
        })
    }

    /// The debug options of XLA that it was compiled with, by the numbers of their fields; none if the options stand
    /// nowhere, which is so for backends that serialize in a form of their own.
    pub fn debug_options(&self) -> Option<&BTreeSet<u32>> {
        Some(&self.executable.debug_options).filter(|debug_options| !debug_options.is_empty())
    }

    /// The folder of the cache, if a path in it is among the options: JAX hashed it into the key.
    pub fn folder(&self) -> Option<&str> {
        self.executable.folder.as_deref()
    }

    /// The processor that a backend for CPUs compiled for, if the executable says so.
    pub fn target(&self) -> Option<&CpuTarget> {
        self.executable.target.as_ref()
    }

    /// What the adapter of `unskew adapt` wrote in front of the executable.
    pub(crate) fn stamp(&self) -> Option<&Stamp> {
        self.executable.stamp.as_ref()
    }
}
