//! The contract of C structs that grow: declared once, kept by both sides.
//!
//! A *producer* makes a struct, a *consumer* takes it, and either may have the newer headers. What
//! makes this work is said once, where the struct is declared:
//!
//! ```
//! # #![allow(unsafe_code)]
//! use std::ffi::c_void;
//! use unskew_abi::contract::{Extensible, InterfaceVersion};
//!
//! /// A toy.
//! #[derive(Extensible)]
//! #[repr(C)]
//! pub struct Toy {
//!     /// Where the last field ends that the producer knows, in bytes.
//!     pub struct_size: usize,
//!     /// Free-form data of the plug-in.
//!     pub ext: *mut c_void,
//!     /// Index of the device.
//!     pub old_field: i32,
//!     /// Came with 1.1, went out of use with 1.2.
//!     #[extensible(since = "1.1", zero = "no-op", deprecated = "1.2")]
//!     pub new_field1: *mut c_void,
//!     /// Came with 1.1.
//!     #[extensible(since = "1.1", zero = "no-op")]
//!     pub new_field2: i32,
//! }
//!
//! // The size is where the last field ends, never `size_of`: that counts padding.
//! assert_eq!(Toy::STRUCT_SIZE, 36);
//! assert_eq!(size_of::<Toy>(), 40);
//! assert_eq!(Toy::CONTRACT.size_at(InterfaceVersion::new(1, 0)), 20);
//!
//! // A producer that has the headers of 1.0: its struct ends after `old_field`.
//! let mut produced: [u64; 3] = [20, 0, 7];
//! // SAFETY: this is a struct of the producer, which announces its own size.
//! let toy = unsafe { ToyReader::new(std::ptr::NonNull::from(&mut produced).cast()) }.unwrap();
//! assert_eq!(toy.old_field(), Some(7));
//! assert_eq!(toy.new_field2(), None);
//! ```
//!
//! # What is read and written
//!
//! A field is there if it ends at or before the `struct_size` of the producer. A field whose zero is
//! *no-op* is besides only there if it is not zero: so it can be deprecated by leaving it zero. A field
//! whose zero is a value, or says that something optional is not given, is not; its deprecation takes a
//! new major version.
//!
//! A consumer that writes into a struct of another producer (a host hands out the memory, the plug-in
//! fills it in) writes only fields that are there; one that is not is [`AbsentField`], unless the value is
//! zero.
//!
//! # What a reader notices
//!
//! [`StructReader::notices`] lists what is not an error and yet should be told: a deprecated field that is
//! set, a struct that is deprecated as a whole, a size that ends within a field, and bytes behind what
//! this side knows that are not zero. The last means that the producer said something that will be
//! ignored; an interface that cannot ignore it calls [`StructReader::known_only`].
//!
//! # Renaming and retyping
//!
//! is deprecation with extension: the new field replaces the old, and both are served for a grace
//! period. `replaces = "name"` makes the reader of the new field fall back to the old one, and the
//! writer of the new field fill in both; `upgrade` and `downgrade` name the conversions if the type
//! changes too.
//!
//! # What does not compile
//!
//! A field that is not appended, an alignment of more than eight bytes, a type that not every byte is a
//! value of (`bool`), and a deprecation that would take a major version:
//!
//! ```compile_fail,E0080
//! #[derive(unskew_abi::contract::Extensible)]
//! #[repr(C)]
//! pub struct Toy {
//!     pub struct_size: usize,
//!     // 0 is an index: it cannot say that the field is not set.
//!     #[extensible(deprecated = "1.2")]
//!     pub old_field: i32,
//! }
//! ```
//!
//! ```compile_fail,E0080
//! #[derive(unskew_abi::contract::Extensible)]
//! #[repr(C)]
//! pub struct Toy {
//!     pub struct_size: usize,
//!     #[extensible(since = "1.1")]
//!     pub inserted: i32,
//!     pub old_field: i32,
//! }
//! ```
//!
//! ```compile_fail,E0277
//! #[derive(unskew_abi::contract::Extensible)]
//! #[repr(C)]
//! pub struct Toy {
//!     pub struct_size: usize,
//!     pub flag: bool,
//! }
//! ```
//!
//! Optional and experimental parts are in [`feature`], the handshake at registration in [`handshake`].
//!
//! Sources: *StreamExecutor C API Versioning Strategy*, of which every case is a test of this crate
//! (`tests/it/contract.rs`), with one erratum: it tests `struct_size > offsetof(field)`, which takes a field
//! for present that is there in part. And *PJRT C API ABI versioning* for optional and experimental
//! features.

mod declaration;
pub mod feature;
pub mod handshake;
mod notice;
mod plain;
mod struct_reader;
mod struct_writer;
mod version;

pub use declaration::{Deprecated, Extensible, FieldContract, StructContract, Zero};
pub use notice::{Notice, UnknownTail};
pub use plain::PlainData;
pub use struct_reader::StructReader;
pub use struct_writer::{AbsentField, StructWriter};
pub use unskew_abi_derive::Extensible;
pub use version::{InterfaceVersion, NotAVersion};
