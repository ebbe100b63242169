//! Resource limits of a confined child.

use nix::sys::resource::{Resource, setrlimit};

use super::Bounds;

/// How many files it may have open.
const OPEN_FILES: u64 = 256;

/// How many timers and queued signals the user may have in all, if this process wants one more.
const PENDING_SIGNALS: u64 = 1024;

/// Sets all limits, soft and hard.
///
/// # Errors
/// If the kernel refuses one.
pub(super) fn set(bounds: Bounds) -> nix::Result<()> {
    let limits = [
        (Resource::RLIMIT_CORE, 0),
        // Nor may files in memory that the supervisor made become larger.
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_NOFILE, OPEN_FILES),
        (Resource::RLIMIT_DATA, bounds.memory),
        (Resource::RLIMIT_AS, bounds.addresses),
        (Resource::RLIMIT_CPU, bounds.seconds),
        (Resource::RLIMIT_MSGQUEUE, 0),
        (Resource::RLIMIT_MEMLOCK, 64 << 20),
        (Resource::RLIMIT_SIGPENDING, PENDING_SIGNALS),
    ];
    // Who has less already keeps less.
    for (resource, most) in limits {
        let (_, hard) = nix::sys::resource::getrlimit(resource)?;
        let most = most.min(hard);
        setrlimit(resource, most, most)?;
    }
    Ok(())
}
