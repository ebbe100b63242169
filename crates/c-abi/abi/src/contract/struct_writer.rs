//! Filling in a struct that another side made.
#![allow(unsafe_code, reason = "foreign structs are written through raw pointers")]

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::{InterfaceVersion, PlainData, StructContract, StructReader};
use crate::{ForeignStruct, Implausible, has_field};

/// A struct of another producer that this side fills in: a host hands out the memory, a plug-in
/// writes. Nothing is ever written beyond the size that the producer announced. What
/// `#[derive(Extensible)]` makes wraps this, with a function for each field.
#[derive(Debug)]
pub struct StructWriter<'a> {
    memory: ForeignStruct,
    contract: &'static StructContract,
    borrow: PhantomData<&'a mut ()>,
}

/// A field that the producer of the struct does not know, and that was to hold something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{structure}.{field} is there since {since}, and the other side's struct ends before: it has {announced} bytes, wanted {needed}"
)]
pub struct AbsentField {
    /// The name of the struct in C.
    pub structure: &'static str,
    /// The name in C of the field that was to be set.
    pub field: &'static str,
    /// The first version that has it.
    pub since: InterfaceVersion,
    /// The size of the other side's struct, in bytes.
    pub announced: usize,
    /// The least size that has the field.
    pub needed: usize,
}

impl<'a> StructWriter<'a> {
    /// The struct at `base`.
    ///
    /// # Errors
    /// As [`StructReader::new`].
    ///
    /// # Safety
    /// As [`StructReader::new`]; and nobody else uses the struct during `'a`.
    pub unsafe fn new(
        base: NonNull<c_void>,
        contract: &'static StructContract,
    ) -> Result<Self, Implausible> {
        // SAFETY: the caller says that the struct announces its own size, and is alive.
        let memory = unsafe { ForeignStruct::announced(base, size_of::<usize>()) }?;
        Ok(Self { memory, contract, borrow: PhantomData })
    }

    /// The struct for reading.
    pub fn reader(&self) -> StructReader<'_> {
        StructReader::over(self.memory, self.contract)
    }

    /// Writes a field, if it is there.
    ///
    /// # Errors
    /// [`AbsentField`] if it is not, and the value is not zero: then there was something to say.
    pub fn set<T: PlainData>(&mut self, field: usize, value: T) -> Result<(), AbsentField> {
        let Some(declared) = self.contract.fields.get(field) else { return Ok(()) };
        let fits = declared.bytes == size_of::<T>();
        if !has_field(self.memory.size(), declared.end()) || !fits {
            return if value.is_zero() { Ok(()) } else { Err(self.absent(field)) };
        }
        // SAFETY: the field lies within the announced size, which the maker of this writer declared
        // writable, and nobody else uses it; nothing is assumed of its alignment.
        unsafe { self.memory.base().add(declared.offset).cast::<T>().write_unaligned(value) };
        Ok(())
    }

    /// Writes the field of this name, and says whether the layout that this writer goes by has it: a field
    /// that the release of the other side does not have is passed over.
    ///
    /// # Errors
    /// As [`StructWriter::set`].
    pub fn set_named<T: PlainData>(&mut self, name: &str, value: T) -> Result<bool, AbsentField> {
        let Some((field, _)) = self.contract.field(name) else { return Ok(false) };
        self.set(field, value)?;
        Ok(true)
    }

    /// Fills the struct in from another one of its kind, which may have the layout of another release:
    /// every field that both declare under the same name with the same size, and that is there on both
    /// sides. The first, the size, stays.
    pub fn fill_from(&mut self, other: &StructReader<'_>) {
        for field in self.contract.fields.iter().skip(1) {
            let Some((there, theirs)) = other.contract().field(field.name) else { continue };
            let known = has_field(self.memory.size(), field.end()) && other.has(there);
            if !known || theirs.bytes != field.bytes {
                continue;
            }
            for at in 0..field.bytes {
                let Some(byte) = other.byte(theirs.offset + at) else { continue };
                // SAFETY: the field lies within the announced size, which the maker of this writer
                // declared writable, and nobody else uses it.
                unsafe { self.memory.base().add(field.offset + at).write(byte) };
            }
        }
    }

    fn absent(&self, field: usize) -> AbsentField {
        let declared = &self.contract.fields[field];
        AbsentField {
            structure: self.contract.name,
            field: declared.name,
            since: declared.since,
            announced: self.memory.size(),
            needed: declared.end(),
        }
    }
}
