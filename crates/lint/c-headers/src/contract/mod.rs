//! A header read as an interface contract: what two sides that were built at different times must agree on.
//!
//! A plain C interface breaks whenever a struct changes. The interfaces between frameworks and devices
//! do not, because they follow a contract, which this module finds in the declarations:
//!
//! | part of the contract | how it looks in a header | here |
//! | --- | --- | --- |
//! | extensible struct | its first field is `size_t struct_size` | [`HeaderStruct::is_extensible`] |
//! | announced size | a macro, enumerator or constant that names the last field | [`HeaderStruct::announced`] |
//! | function table | an extensible struct with function pointers | [`HeaderMember::is_function`] |
//! | extension | a struct that begins with the base of a chain: size, type, next | [`HeaderStruct::is_extension`] |
//! | version | `..._MAJOR`, `..._MINOR`, `..._PATCH`, or one number `..._VERSION` | [`VersionLine`] |
//! | use | alone behind a pointer, as an element of an array, inside of another struct | [`Uses`] |
//! | remarks | "deprecated", "optional", "0 is no-op", "NULL is no-op" | [`Remark`] |
//!
//! Several headers make one [`HeaderContract`]: a struct of one may be embedded in that of another, and a
//! function may move between them. What could not be read stands in [`HeaderContract::unread`]; the rest is
//! judged all the same.
//!
//! ```
//! use unskew_c_headers::contract::{HeaderContract, HeaderSource};
//!
//! let contract = HeaderContract::read(&[HeaderSource { name: "thing.h", text: b"
//!     #define THING_MAJOR 1
//!     #define THING_MINOR 4
//!     typedef struct Thing { size_t struct_size; int kind; char flag; } Thing;
//!     #define THING_STRUCT_SIZE OFFSET_OF_END(Thing, flag)
//! " }], "");
//! let thing = &contract.structs["Thing"];
//! assert!(thing.is_extensible());
//! assert_eq!(thing.layout.as_ref().map(|layout| (layout.end, layout.size)), Ok((13, 16)));
//! assert_eq!(contract.lines[0].to_string(), "1.4");
//! ```

mod announced;
mod folder;
mod inclusions;
mod parts;
mod placement;
mod read;
mod remark;
mod structure;
mod uses;
mod version;

pub use announced::{AnnouncedSize, Extent};
pub use folder::called_alike;
pub use parts::{
    Constant, ConstantValue, Guard, HeaderAlias, HeaderEnum, HeaderFunction, HeaderVariable, Unread,
};
pub use read::{HeaderContract, HeaderSource, read_together};
pub use remark::{Deadline, DeprecationRemark, Remark};
pub use structure::{HeaderMember, HeaderStruct, Uses};
pub use version::{VersionLine, VersionNumber};

use std::fmt;
use std::sync::Arc;

use crate::header::HeaderPlace;

/// A place in one of the headers of a contract.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The name under which the header was given.
    pub file: Arc<str>,
    /// Line and column in it.
    pub place: HeaderPlace,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.place.line)
    }
}
