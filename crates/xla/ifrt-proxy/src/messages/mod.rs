//! The messages of the proxy's protocol, of every version from 3 to 25.
//!
//! A message has the fields of all versions: those that went (the one handle of a deletion before 5) and
//! those that came. Values that have SerDes versions, and XLA's own messages, are fields of bytes here,
//! which are the same on the wire: the types of `unskew_ifrt` read them, by the version they carry, and
//! what they do not know of XLA's stays as it came.

mod arrays;
mod copies;
mod envelope;
mod executables;
mod execution;
mod init;
mod transport;

pub use arrays::*;
pub use copies::*;
pub use envelope::*;
pub use executables::*;
pub use execution::*;
pub use init::*;
pub use transport::*;
