//! The last resort against files that take the machine down: memory and processor time of this process, watched.
//!
//! Readers have budgets of their own, which are counted, and name the place in the file
//! ([`unskew_source::Budget`]). What none of them foresees ends here, with an error that says which budget it
//! was. What a process may take grows with what it opened, so that hundreds of models in a folder are no bomb.

use std::time::Duration;

use unskew_source::budget::{opened, scale};

use crate::args::Watch;

/// How often is looked.
const PAUSE: Duration = Duration::from_millis(10);

/// Memory of a process that opened nothing, and for each file, in bytes.
const MEMORY: (u64, u64) = (216 << 20, 4 << 20);

/// Processor time of a process that opened nothing, for each file, and for each MiB of files beyond [`FREE`].
const TIME: (Duration, Duration, Duration) =
    (Duration::from_millis(1700), Duration::from_millis(100), Duration::from_millis(60));

/// So many bytes of files give no more time: one hostile file of that size ends within 2 seconds.
const FREE: u64 = 24 << 20;

/// A build without optimization is so much slower.
const SLOWER: u32 = if cfg!(debug_assertions) { 20 } else { 1 };

/// Ends the process with an error when it takes more than it may. Where the system does not say what that is,
/// nothing is watched.
pub fn start(watch: Watch) {
    // `cargo run` becomes the program that it has built, so its own processor time counts for this process too.
    let before = processor_time().unwrap_or_default();
    let watched = std::thread::Builder::new().name("budget".to_owned()).spawn(move || {
        while let Some(said) = beyond(watch, before) {
            if let Some(what) = said {
                let more = scale().saturating_mul(4);
                crate::print::failure(&format!(
                    "over the budget of {what} for these files; if you trust them, raise the budget (`--budget {more}`)"
                ));
                std::process::exit(2);
            }
            std::thread::sleep(PAUSE);
        }
    });
    // Without the thread the budgets of the readers still hold.
    drop(watched);
}

/// What was taken too much of since the processor time `before`, if anything was; none where nobody says.
fn beyond(watch: Watch, before: Duration) -> Option<Option<String>> {
    let run = watch == Watch::Memory;
    let (files, bytes) = opened();
    let memory =
        MEMORY.0 + files.saturating_mul(MEMORY.1) + bytes.saturating_mul(if run { 16 } else { 6 });
    let memory = memory.saturating_mul(scale());
    let (base, file, mib) = TIME;
    let times =
        |each: Duration, count: u64| each.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
    let time = base + times(file, files) + times(mib, bytes.saturating_sub(FREE) >> 20);
    let time = times(time * SLOWER, scale());
    if resident()? > memory {
        return Some(Some(format!("{} MiB of memory", memory >> 20)));
    }
    let over = !run && processor_time()?.saturating_sub(before) > time;
    Some(over.then(|| format!("{:.1} seconds of processor time", time.as_secs_f64())))
}

/// The memory that this process has now.
#[cfg(target_os = "linux")]
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The most memory that this process ever had.
#[cfg(all(unix, not(target_os = "linux")))]
fn resident() -> Option<u64> {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF).ok()?;
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    u64::try_from(usage.max_rss()).ok()?.checked_mul(unit)
}

#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF).ok()?;
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let both = micros(usage.user_time()) + micros(usage.system_time());
    u64::try_from(both).ok().map(Duration::from_micros)
}

#[cfg(not(unix))]
fn resident() -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
}
