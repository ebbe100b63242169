//! Structs that hosts hand out: read and filled in by their own size and the layout of their release.

use std::ffi::c_void;
use std::ptr::NonNull;

use unskew_abi::contract::{InterfaceVersion, StructContract, StructReader, StructWriter};
use unskew_stream_executor::layout::{self, NEWEST, Structure};

use crate::Error;

pub(super) fn layout_of(
    structure: Structure,
    release: InterfaceVersion,
) -> Result<&'static StructContract, Error> {
    let found = layout::contract(structure, release);
    found.ok_or_else(|| Error::internal(format!("{} is not in {release}", structure.name())))
}

/// A struct of the host, for reading.
///
/// # Safety
/// `at` is null or a struct of this kind that stays alive and unchanged for `'a`.
pub(super) unsafe fn reader<'a, T>(
    at: *const T,
    structure: Structure,
    release: InterfaceVersion,
) -> Result<StructReader<'a>, Error> {
    let contract = layout_of(structure, release)?;
    let base = NonNull::new(at.cast_mut().cast::<c_void>()).ok_or_else(|| no(structure))?;
    // SAFETY: the caller says so.
    unsafe { StructReader::new(base, contract) }.map_err(|size| wrong(structure, &size))
}

/// A struct of the host, to be filled in.
///
/// # Safety
/// As [`reader`], and nobody else uses it meanwhile.
pub(super) unsafe fn writer<'a, T>(
    at: *mut T,
    structure: Structure,
    release: InterfaceVersion,
) -> Result<StructWriter<'a>, Error> {
    let contract = layout_of(structure, release)?;
    let base = NonNull::new(at.cast::<c_void>()).ok_or_else(|| no(structure))?;
    // SAFETY: the caller says so.
    unsafe { StructWriter::new(base, contract) }.map_err(|size| wrong(structure, &size))
}

/// Fills in a struct of the host from one of the newest layout.
///
/// # Safety
/// As [`writer`].
pub(super) unsafe fn fill<T>(
    at: *mut T,
    value: &T,
    structure: Structure,
    release: InterfaceVersion,
) -> Result<(), Error> {
    // SAFETY: the caller says so.
    let mut writer = unsafe { writer(at, structure, release) }?;
    // SAFETY: the value is alive, and of the newest layout.
    let value = unsafe { reader(value, structure, NEWEST) }?;
    writer.fill_from(&value);
    Ok(())
}

/// What a struct of ours announces: where its last field ends.
pub(super) fn size_of_newest(structure: Structure) -> usize {
    layout::contract(structure, NEWEST).map_or(0, StructContract::size)
}

fn no(structure: Structure) -> Error {
    Error::invalid(format!("the host handed out no {}", structure.name()))
}

fn wrong(structure: Structure, size: &unskew_abi::Implausible) -> Error {
    Error::invalid(format!("{}: {size}", structure.name()))
}
