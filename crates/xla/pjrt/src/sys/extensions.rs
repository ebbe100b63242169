//! The chain of extensions of a plug-in.

use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::NonNull;

use unskew_abi::ForeignStruct;

use super::call::ExtensionCall;
use crate::layout::{self, SIZED_EXTENSIONS};

/// The most extensions that are believed.
const MOST: usize = 1024;

/// The size of the head of an extension, in bytes.
const HEAD: usize = 24;

/// One extension of a plug-in.
#[derive(Clone, Copy, Debug)]
pub struct ExtensionTable {
    /// The number of its type.
    pub kind: i32,
    /// The size that it announces, in bytes; none below 0.45, where none did.
    pub size: Option<usize>,
    address: NonNull<c_void>,
}

impl ExtensionTable {
    /// Its name; none if the type is not known.
    pub fn name(&self) -> Option<&'static str> {
        layout::extension_name(self.kind)
    }

    /// The address of the extension's struct in the plug-in.
    pub fn address(&self) -> NonNull<c_void> {
        self.address
    }

    /// What is in the slot of this place, counted from 0 after the head; none if the extension ends
    /// before, or the slot is null. An extension without a size has no slots that could be trusted.
    pub fn slot(&self, index: usize) -> Option<NonNull<c_void>> {
        let size = self.size.filter(|size| (HEAD..=unskew_abi::LARGEST_STRUCT).contains(size))?;
        // SAFETY: the extension says that it has so many bytes; the plug-in stays loaded.
        let table = unsafe { ForeignStruct::sized(self.address, size) };
        table.pointer(HEAD.checked_add(index.checked_mul(8)?)?).and_then(NonNull::new)
    }
}

/// The first minor from which the slot of these arguments has meant what it means today.
pub(crate) fn slot_since<T: ExtensionCall>() -> i32 {
    let extension = layout::extension(T::EXTENSION);
    let slot = extension.and_then(|extension| extension.slots.get(<T as ExtensionCall>::INDEX));
    slot.map_or(i32::MAX, |slot| slot.since)
}

/// Walks a chain, whose nodes had no size before 0.45; with what stopped the walk, if not its end.
///
/// # Safety
/// `first` is null or the head of an extension, as the maker of the chain says; `minor` is the minor
/// that it was built with.
pub(crate) unsafe fn walk(
    minor: i32,
    first: Option<*mut c_void>,
) -> (Vec<ExtensionTable>, Option<&'static str>) {
    let sized = minor >= SIZED_EXTENSIONS;
    let (size, kind_at, next_at) = if sized { (HEAD, 8, 16) } else { (16, 0, 8) };
    let mut found = Vec::new();
    let mut met = HashSet::new();
    let mut next = first.and_then(NonNull::new);
    while let Some(address) = next {
        if !met.insert(address) {
            return (found, Some("the chain bites its own tail"));
        }
        if met.len() > MOST {
            return (found, Some("the chain does not end"));
        }
        if !address.cast::<usize>().is_aligned() {
            return (found, Some("a node is not aligned"));
        }
        // SAFETY: the maker of the chain says that the head of an extension is there.
        let head = unsafe { ForeignStruct::sized(address, size) };
        let announced = if sized { head.word(0) } else { None };
        let kind = head.int(kind_at).unwrap_or(-1);
        found.push(ExtensionTable { kind, size: announced, address });
        next = head.pointer(next_at).and_then(NonNull::new);
    }
    (found, None)
}
