//! Parameters of a program, and whether arguments fit.

use super::{Buffer, Error, Executable};
use crate::convert::{hlo_program, program_shape};
use crate::sys::bindings::PJRT_Buffer_Type as ElementType;

/// The element types of the parameters of a program; none for one that is no array of a known type.
#[derive(Debug)]
pub(super) struct Parameters(Vec<Option<ElementType>>);

impl Parameters {
    /// Those of the optimized program; none if the plug-in does not show it in the format that is read.
    pub(super) fn from_executable(executable: &Executable) -> Option<Self> {
        let (program, format) = executable.optimized_program().ok()?;
        if format != hlo_program::FORMAT {
            return None;
        }
        let found = program_shape::parameters(&program).ok()?;
        match found.as_slice() {
            // A module without a shape, and one that takes nothing, look alike. A single parameter that is
            // no array may be a tuple of all arguments.
            [] => None,
            [one] if one.element_type.is_none() => None,
            all => Some(Self(all.iter().map(|parameter| parameter.element_type).collect())),
        }
    }

    /// Compares the arguments of one device.
    ///
    /// # Errors
    /// [`Error::ArgumentCount`], [`Error::ArgumentType`]. An argument that does not tell its type is left
    /// to the plug-in.
    #[inline]
    pub(super) fn take(&self, arguments: &[&Buffer]) -> Result<(), Error> {
        let Self(wanted) = self;
        if wanted.len() != arguments.len() {
            return Err(Error::ArgumentCount { wanted: wanted.len(), given: arguments.len() });
        }
        for (index, (wanted, argument)) in wanted.iter().zip(arguments).enumerate() {
            if let (Some(wanted), Ok(given)) = (*wanted, argument.element_type())
                && wanted != given
            {
                let (wanted, given) = (wanted.label(), given.label());
                return Err(Error::ArgumentType { index, wanted, given });
            }
        }
        Ok(())
    }
}
