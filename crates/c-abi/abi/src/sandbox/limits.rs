//! Resource limits of a confined child.

use nix::sys::resource::{Resource, setrlimit};

use super::Bounds;

/// The largest file in memory that it may make, in bytes: the stand-ins for TensorFlow's libraries are some.
const LARGEST_FILE: u64 = 64 << 20;

/// How many files it may have open.
const OPEN_FILES: u64 = 256;

/// Sets all limits, soft and hard.
///
/// # Errors
/// If the kernel refuses one.
pub(super) fn set(bounds: Bounds) -> nix::Result<()> {
    let limits = [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, LARGEST_FILE),
        (Resource::RLIMIT_NOFILE, OPEN_FILES),
        (Resource::RLIMIT_DATA, bounds.memory),
        (Resource::RLIMIT_AS, bounds.addresses),
        (Resource::RLIMIT_CPU, bounds.seconds),
        (Resource::RLIMIT_MSGQUEUE, 0),
        (Resource::RLIMIT_MEMLOCK, 64 << 20),
    ];
    // Who has less already keeps less.
    for (resource, most) in limits {
        let (_, hard) = nix::sys::resource::getrlimit(resource)?;
        let most = most.min(hard);
        setrlimit(resource, most, most)?;
    }
    Ok(())
}
