//! Objects in stores, by URI, with a synchronous face: listed, read by range, written.
//!
//! | URI | store | settings from |
//! | --- | --- | --- |
//! | `file:///models/net.pt`, `/models/net.pt`, `net.pt` | this machine | |
//! | `s3://bucket/models/net.pt` | S3 and what speaks like it | `AWS_*` |
//! | `gs://bucket/models/net.pt` | Google Cloud Storage | `GOOGLE_*` |
//! | `az://container/models/net.pt`, `abfss://container@account.../net.pt` | Azure | `AZURE_*` |
//! | `https://host/models/net.pt` | a web server that answers ranges | |
//! | `hf://org/model@revision/net.pt` | the Hugging Face hub | `HF_TOKEN`, `HF_TOKEN_PATH`, `HF_HOME`, `HF_ENDPOINT` |
//!
//! * [`ObjectPlace`]: what a URI names, taken apart;
//! * [`Objects`]: everything below a place: [`Objects::list`], [`Objects::stat`], [`Objects::put`],
//!   [`Objects::upload`], [`Objects::delete`]; keys are relative to the place;
//! * [`Object`]: one of them as a [`Source`](unskew_source::Source): reads become ranged requests, small ones
//!   come out of a small cache of blocks, and the end of an archive is fetched in one piece;
//! * [`Ranged`]: anything else that answers ranges ([`Ranges`]), read in the same way; [`run`] for other futures;
//! * [`StoreSettings`]: where a store is and who asks, from the environment or by hand;
//! * [`ObjectError`]: what could not be done, with the URI and the cause.
//!
//! An object is read as what it was when it was opened. Every request names the ETag (`If-Match`), and the
//! answer is held against it and the size; an object that changes in between is an error
//! ([`ObjectErrorCause::Changed`]), never a mixture of two. Requests that fail for a while are repeated, at most
//! five times in half a minute. [`Objects::traffic`] counts what went over the line.
//!
//! The futures of the crate `object_store` run on two threads of this crate's own, started on first use. A call
//! waits for its answer and may come from any thread, those of another tokio runtime included (which it blocks).
//! TLS is done by rustls on ring, with the certificates of the system.
//!
//! ```
//! use unskew_objects::Objects;
//! use unskew_source::{Source, SourceExt};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let store = Objects::open(folder.path().to_str().unwrap()).unwrap();
//! store.put("models/net.pt", b"PK\x03\x04...".to_vec()).unwrap();
//!
//! let found: Vec<_> = store.list("models").collect::<Result<_, _>>().unwrap();
//! assert_eq!((found[0].key.as_str(), found[0].size), ("models/net.pt", 7));
//! let net = store.object("models/net.pt").unwrap();
//! assert_eq!(net.bytes(0, 4).unwrap(), b"PK\x03\x04");
//! assert!(store.stat("models/other.pt").unwrap().is_none());
//! ```
#![forbid(unsafe_code)]

mod blocks;
mod client;
mod error;
mod hub;
mod listed;
mod listing;
mod object;
mod object_place;
mod objects;
mod ranges;
mod settings;
mod store;
mod traffic;
mod upload;
mod waiting;

pub use error::{ObjectError, ObjectErrorCause};
pub use listed::ListedObject;
pub use listing::ObjectListing;
pub use object::Object;
pub use object_place::{ObjectPlace, Scheme};
pub use objects::Objects;
pub use ranges::{Ranged, Ranges};
pub use settings::StoreSettings;
pub use traffic::Traffic;
pub use upload::ObjectUpload;
pub use waiting::run;
