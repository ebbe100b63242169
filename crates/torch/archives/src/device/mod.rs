//! Devices: runtimes that were built with a selection of PyTorch's operators.
//!
//! The RFC has a delivery service know the operators and versions of every runtime in the field. A device
//! says what it has in an operator table of its own ([`DeviceTable`]), a JSON file; a release with a
//! selective-build list ([`selection`]) gives the same. Models are held against it like against a
//! release, and besides: the operators that upgraders call must be there too.
//!
//! Source: *PyTorch RFC 0017, Operator Versioning*, "Edge runtime and mobile delivery service changes".

mod closure;
mod package;
mod selection;
mod table;

pub(crate) use closure::upgraders;
pub use closure::{OperatorClosure, closure};
pub use package::{PACKAGE_RECORD, add_to_package, of_package};
pub use selection::{SelectionError, selection};
pub use table::{DeviceOperator, DeviceTable, DeviceTableError};

use std::collections::BTreeMap;

/// What a device says of itself besides its numbers and its operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceDescription {
    /// The name that the table gives the device.
    pub name: String,
    /// The version of each operator, by its full name; 0 for those that are left out.
    pub versions: BTreeMap<String, u32>,
}
