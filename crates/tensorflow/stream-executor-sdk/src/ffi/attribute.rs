//! Construction of a kernel from the attributes of its operation.

use std::ffi::CString;

use super::framework::{self, TF_OpKernelConstruction};
use super::status::{Status, text};
use crate::{DataType, Error};

/// The operation that a kernel is made for.
pub struct Construction<'a> {
    raw: *mut TF_OpKernelConstruction,
    host: std::marker::PhantomData<&'a ()>,
}

/// Asks the host, with a status to answer.
macro_rules! ask {
    ($self:ident, $name:ident, $function:ident, $value:expr $(, $room:expr)?) => {{
        let (name, status) = (text($name), Status::new());
        // SAFETY: the construction is alive, the name ends with a zero, and the value has the room that the
        // function fills.
        unsafe { framework::$function($self.raw, name.as_ptr(), $value $(, $room)?, status.raw()) };
        status.result()
    }};
}

impl Construction<'_> {
    /// # Safety
    /// `raw` is what the host passed, and alive for as long as this value.
    pub(super) unsafe fn new(raw: *mut TF_OpKernelConstruction) -> Self {
        Self { raw, host: std::marker::PhantomData }
    }

    pub(super) fn fail(&self, error: &Error) {
        let status = Status::from(error);
        // SAFETY: both are alive.
        unsafe { framework::TF_OpKernelConstruction_Failure(self.raw, status.raw()) }
    }

    /// Whether the operation has an attribute: an older release may not have it.
    ///
    /// # Errors
    /// What the host says.
    pub fn has(&self, name: &str) -> Result<bool, Error> {
        let (name, status) = (text(name), Status::new());
        // SAFETY: the construction is alive, and the name ends with a zero.
        let found = unsafe {
            framework::TF_OpKernelConstruction_HasAttr(self.raw, name.as_ptr(), status.raw())
        };
        status.result().map(|()| found)
    }

    /// An attribute that is a type.
    ///
    /// # Errors
    /// If there is no such attribute, or it is of another kind.
    pub fn data_type(&self, name: &str) -> Result<DataType, Error> {
        let mut value = 0;
        ask!(self, name, TF_OpKernelConstruction_GetAttrType, &raw mut value)?;
        Ok(DataType(value))
    }

    /// An attribute that is a whole number.
    ///
    /// # Errors
    /// As [`Construction::data_type`].
    pub fn int(&self, name: &str) -> Result<i64, Error> {
        let mut value = 0;
        ask!(self, name, TF_OpKernelConstruction_GetAttrInt64, &raw mut value)?;
        Ok(value)
    }

    /// An attribute that is a number.
    ///
    /// # Errors
    /// As [`Construction::data_type`].
    pub fn float(&self, name: &str) -> Result<f32, Error> {
        let mut value = 0.0;
        ask!(self, name, TF_OpKernelConstruction_GetAttrFloat, &raw mut value)?;
        Ok(value)
    }

    /// An attribute that is true or false.
    ///
    /// # Errors
    /// As [`Construction::data_type`].
    pub fn bool(&self, name: &str) -> Result<bool, Error> {
        let mut value = 0;
        ask!(self, name, TF_OpKernelConstruction_GetAttrBool, &raw mut value)?;
        Ok(value != 0)
    }

    /// An attribute that is a text.
    ///
    /// # Errors
    /// As [`Construction::data_type`].
    pub fn string(&self, name: &str) -> Result<String, Error> {
        let (_, total) = self.size(name)?;
        let room = usize::try_from(total).unwrap_or(0);
        let mut bytes = vec![0_u8; room + 1];
        let start = bytes.as_mut_ptr().cast();
        ask!(self, name, TF_OpKernelConstruction_GetAttrString, start, room)?;
        bytes.truncate(room);
        let text = CString::new(bytes).map_err(|_| Error::invalid("a text with a zero in it"))?;
        text.into_string().map_err(|_| Error::invalid("a text that is not UTF-8"))
    }

    /// An attribute that is a list of whole numbers.
    ///
    /// # Errors
    /// As [`Construction::data_type`].
    pub fn ints(&self, name: &str) -> Result<Vec<i64>, Error> {
        let (count, _) = self.size(name)?;
        let mut values = vec![0_i64; usize::try_from(count).unwrap_or(0)];
        let start = values.as_mut_ptr();
        ask!(self, name, TF_OpKernelConstruction_GetAttrInt64List, start, count.max(0))?;
        Ok(values)
    }

    /// How many elements an attribute has, if it is a list, and how long a text it is.
    fn size(&self, name: &str) -> Result<(i32, i32), Error> {
        let (mut list, mut total) = (0, 0);
        ask!(self, name, TF_OpKernelConstruction_GetAttrSize, &raw mut list, &raw mut total)?;
        Ok((list, total))
    }
}
