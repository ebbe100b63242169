//! Named values: options that a host gives, attributes that a plug-in has.

use super::read::MOST;
use crate::sys::bindings::*;
use crate::sys::error::text;
use crate::sys::{Api, Record};
use crate::{Attribute, PjrtValue};

/// Options as the interface wants them; they borrow from the attributes.
pub(crate) fn to_c(api: &Api, options: &[Attribute]) -> Vec<PJRT_NamedValue> {
    options.iter().map(|option| one(api, option)).collect()
}

fn one(api: &Api, option: &Attribute) -> PJRT_NamedValue {
    let mut named = api.record::<PJRT_NamedValue>();
    named.name = option.name.as_ptr();
    named.name_size = option.name.len();
    named.value_size = 1;
    let (kind, value) = match &option.value {
        PjrtValue::Text(text) => {
            named.value_size = text.len();
            (PJRT_NamedValue_Type::kString, PJRT_NamedValue_Value { string_value: text.as_ptr() })
        }
        PjrtValue::Number(n) => {
            (PJRT_NamedValue_Type::kInt64, PJRT_NamedValue_Value { int64_value: *n })
        }
        PjrtValue::Numbers(list) => {
            named.value_size = list.len();
            let value = PJRT_NamedValue_Value { int64_array_value: list.as_ptr() };
            (PJRT_NamedValue_Type::kInt64List, value)
        }
        PjrtValue::Float(f) => {
            (PJRT_NamedValue_Type::kFloat, PJRT_NamedValue_Value { float_value: *f })
        }
        PjrtValue::Bool(yes) => {
            let value = PJRT_NamedValue_Value { bool_value: u8::from(*yes) };
            (PJRT_NamedValue_Type::kBool, value)
        }
        PjrtValue::Unknown(kind) => {
            (PJRT_NamedValue_Type(*kind), PJRT_NamedValue_Value { int64_value: 0 })
        }
    };
    named.r#type = kind;
    named.value = value;
    named
}

/// Attributes of the plug-in, copied; at most [`MOST`] are believed.
///
/// # Safety
/// `start` is null, or so many named values are there.
pub(crate) unsafe fn from_c(start: *const PJRT_NamedValue, count: usize) -> Vec<Attribute> {
    if start.is_null() || !start.is_aligned() {
        return Vec::new();
    }
    // The struct has had one size since it was introduced, so an array has one stride.
    let record = |at: usize| {
        // SAFETY: the caller says that so many are there.
        unsafe { attribute(&*start.add(at)) }
    };
    (0..count.min(MOST)).map(record).collect()
}

unsafe fn attribute(named: &PJRT_NamedValue) -> Attribute {
    // SAFETY: the plug-in says that the name is there.
    let name = unsafe { text(named.name, named.name_size) };
    // SAFETY: the type says which of the values is there; all bytes of the union are initialized.
    let value = unsafe {
        match named.r#type {
            PJRT_NamedValue_Type::kString => {
                PjrtValue::Text(text(named.value.string_value, named.value_size))
            }
            PJRT_NamedValue_Type::kInt64 => PjrtValue::Number(named.value.int64_value),
            PJRT_NamedValue_Type::kInt64List => {
                let start = named.value.int64_array_value;
                let list = super::read::list("PJRT_NamedValue", start, named.value_size);
                PjrtValue::Numbers(list.unwrap_or_default())
            }
            PJRT_NamedValue_Type::kFloat => PjrtValue::Float(named.value.float_value),
            PJRT_NamedValue_Type::kBool => PjrtValue::Bool(named.value.bool_value != 0),
            other => PjrtValue::Unknown(other.0),
        }
    };
    Attribute { name, value }
}

const _: () = assert!(size_of::<PJRT_NamedValue>() == 56 && PJRT_NamedValue::ANNOUNCES_SIZE);
