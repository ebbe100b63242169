//! JAX's persistent compilation caches: which entries a JAX release looks up, and which are stale or broken.
//!
//! With `jax_compilation_cache_dir` JAX keeps what it compiled in a folder, a file for each program:
//!
//! | file | what it is |
//! | --- | --- |
//! | `jit_f-KEY-cache` | an entry, of JAX 0.4.31 and later; `KEY` has 64 hexadecimal digits |
//! | `jit_f-KEY` | an entry, of JAX up to 0.4.30, which later ones do not look at |
//! | `jit_f-KEY-atime` | when the entry was last used: nanoseconds since 1970, eight bytes, little-endian |
//! | `_temp_jit_f-KEY` | what was being written when the process ended |
//! | `.lockfile` | the lock of a cache with a limit of size |
//! | `xla_gpu_...` | caches of XLA itself, which are not looked at here |
//!
//! An entry is compressed, with zstandard if Python has it and with zlib otherwise. Inside stand four bytes, big-endian:
//! the seconds that compiling took. Behind them is the serialized executable; since jaxlib 0.9.1 with a header of IFRT in front. It
//! is a protobuf message: field 1 is what the backend made, field 2 the options that it was compiled with.
//!
//! # What can be told
//!
//! The key is a SHA-256 of the program, the version of jaxlib, the platform and its version, `XLA_FLAGS`, the options, the
//! devices and the compression. It cannot be inverted. So which entry JAX looks up next cannot be said, but which it never
//! does can: a jaxlib other than the one that wrote an entry asks for another key. Who wrote it stands nowhere either, and
//! shows in the options ([`CacheEntry::debug_options`]): jaxlib writes its debug options by their numbers, XLA adds and removes some in
//! nearly every release, and `data/writers.tsv` has the numbers of each ([`writers`]). A plug-in leaves them as they are,
//! so they tell the jaxlib whatever compiled the program.
//!
//! JAX up to 0.10 also hashes a path below the folder, so an entry of a cache that was moved is found no more
//! ([`CacheEntry::folder`]). A broken entry stays for ever: JAX since 0.4.30 says that it could not read it, compiles, and
//! writes no entry where there is one ([`writers::BROKEN_ENTRIES_STAY`]).
//!
//! Executables that people serialize themselves ([`executable_party`]), alone or as a pickle, are known too. Nobody is said to
//! load them; releases that surely do not are (`data/executable-breaks.tsv`).
//!
//! `cargo lab jax-caches` has real releases make caches, and holds what is said here against which entries they take;
//! `cargo lab jax-executables` does so with executables.
#![forbid(unsafe_code)]

mod breaks;
mod cache;
mod cache_entry;
mod cache_reader;
mod executable;
mod name;
mod packing;
mod party;
pub mod rules;
mod serialized;
mod verdict;
pub mod writers;

pub use cache::{Cache, CacheItem, EntryStatus};
pub use cache_entry::{CacheEntry, Damage};
pub use cache_reader::reader;
pub use executable::CpuTarget;
pub use name::CacheFileName;
pub use party::{CacheFile, entry_party, folder, folder_party};
pub use serialized::executable_party;

/// The axis of JAX releases that look into compilation caches.
pub const AXIS: &str = "jax.compilation_cache";
