//! Reader of a struct that another side made.
#![allow(unsafe_code, reason = "foreign structs are read through raw pointers")]

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::{Notice, PlainData, StructContract, UnknownTail, Zero};
use crate::{ForeignStruct, Implausible, has_field};

/// A struct of another producer, read by its own size. What `#[derive(Extensible)]` makes wraps this,
/// with a function for each field.
#[derive(Clone, Copy, Debug)]
pub struct StructReader<'a> {
    memory: ForeignStruct,
    contract: &'static StructContract,
    borrow: PhantomData<&'a ()>,
}

impl<'a> StructReader<'a> {
    /// The struct at `base`.
    ///
    /// # Errors
    /// [`Implausible`] if it announces a size that cannot be true: 0, as producers do that forgot to
    /// fill it in, or more than [`crate::LARGEST_STRUCT`].
    ///
    /// # Safety
    /// `base` points to a struct of this kind, aligned to eight bytes, that was made by the headers of
    /// any version and stays alive and unchanged for `'a`.
    pub unsafe fn new(
        base: NonNull<c_void>,
        contract: &'static StructContract,
    ) -> Result<Self, Implausible> {
        // SAFETY: the caller says that the struct announces its own size, and is alive.
        let memory = unsafe { ForeignStruct::announced(base, size_of::<usize>()) }?;
        Ok(Self { memory, contract, borrow: PhantomData })
    }

    pub(super) fn over(memory: ForeignStruct, contract: &'static StructContract) -> Self {
        Self { memory, contract, borrow: PhantomData }
    }

    /// The size that its producer announced, in bytes.
    pub fn announced(&self) -> usize {
        self.memory.size()
    }

    /// What is declared of the struct.
    pub fn contract(&self) -> &'static StructContract {
        self.contract
    }

    /// Whether its producer knows the field.
    pub fn has(&self, field: usize) -> bool {
        let field = self.contract.fields.get(field);
        field.is_some_and(|field| has_field(self.memory.size(), field.end()))
    }

    /// The field's value; none if its producer does not know it, and none if it is zero and zero is
    /// no-op.
    ///
    /// The type is the one of the declaration; for any other it is none.
    pub fn get<T: PlainData>(&self, field: usize) -> Option<T> {
        let declared = self.contract.fields.get(field)?;
        if declared.bytes != size_of::<T>() || !self.has(field) {
            return None;
        }
        // SAFETY: the field lies within the announced size, which the maker of this reader declared
        // readable, and any bytes are a value of the type; nothing is assumed of their alignment.
        let value = unsafe { self.memory.base().add(declared.offset).cast::<T>().read_unaligned() };
        (declared.zero == Zero::Value || !value.is_zero()).then_some(value)
    }

    /// The value of the field of this name; none as for [`StructReader::get`], and none if the layout that this
    /// reader goes by has no such field.
    pub fn get_named<T: PlainData>(&self, name: &str) -> Option<T> {
        self.get(self.contract.field(name)?.0)
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.memory.byte(at)
    }

    /// What should be told of the struct.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices: Vec<Notice> = Notice::of_struct(self.contract).into_iter().collect();
        let structure = self.contract.name;
        for (i, field) in self.contract.fields.iter().enumerate() {
            if field.offset < self.announced() && !self.has(i) {
                let announced = self.announced();
                notices.push(Notice::EndsWithinField { structure, field: field.name, announced });
            }
            if let Some(deprecated) = field.deprecated
                && self.has(i)
                && self.bytes(field.offset, field.end()).any(|(_, byte)| byte != 0)
            {
                notices.push(Notice::DeprecatedField {
                    structure,
                    field: field.name,
                    since: deprecated.since,
                    replaced_by: deprecated.replaced_by,
                });
            }
        }
        notices.extend(self.known_only().err().map(Notice::UnknownTail));
        notices
    }

    /// Says whether all that the producer set is known here.
    ///
    /// Between the last field known here and the next multiple of eight bytes may be padding, which
    /// holds anything; so these are only looked at if the struct ends there.
    ///
    /// # Errors
    /// [`UnknownTail`] if a byte behind is not zero.
    pub fn known_only(&self) -> Result<(), UnknownTail> {
        let known = self.contract.size();
        let announced = self.announced();
        let padded = known.next_multiple_of(8);
        let from = if announced > padded { padded } else { known };
        match self.bytes(from, announced).find(|(_, byte)| *byte != 0) {
            None => Ok(()),
            Some((at, _)) => {
                Err(UnknownTail { structure: self.contract.name, announced, known, at })
            }
        }
    }

    fn bytes(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, u8)> + use<'_, 'a> {
        let to = to.min(self.announced());
        (from..to).filter_map(|at| Some((at, self.memory.byte(at)?)))
    }
}
