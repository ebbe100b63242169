//! The code of a TorchScript archive: which operators it calls, how, and where.
//!
//! The code is a small Python: the operators of PyTorch itself are called as `torch.NAME(...)`, all
//! others as `ops.NS.NAME(...)`; methods and functions of the model are called by other names. So the
//! calls are found without parsing the language, by its tokens alone. A runtime resolves *every* call
//! when it loads a file, also in a branch that can never be taken, so nothing is left out; a call in
//! a branch is marked as such.

mod calls;
mod token;

pub use calls::{ArgumentKind, scan};
