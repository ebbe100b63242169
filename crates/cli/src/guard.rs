//! The last resort against files that take the machine down: memory and processor time of this process, watched.
//!
//! What a process may take grows with what it opened ([`ProcessBudget`]). One that is over it ends with an error that says
//! which budget it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use unskew_inspection::{ProcessBudget, processor_time, resident};
use unskew_source::budget::opened;

use crate::args::Watch;

/// How often is looked.
const PAUSE: Duration = Duration::from_millis(10);

/// Ends the process with an error when it takes more than it may. Where the system does not say what that is,
/// nothing is watched.
pub fn start(watch: Watch) {
    watch_until(watch, Arc::default());
}

/// Watches the process while `work` is done: a scan looks itself at the files that it is given as runtimes, and has others look
/// at the rest.
#[cfg(feature = "scan")]
pub fn while_done<T>(watch: Watch, work: impl FnOnce() -> T) -> T {
    let over = Arc::<AtomicBool>::default();
    watch_until(watch, Arc::clone(&over));
    let done = work();
    over.store(true, Ordering::Relaxed);
    done
}

fn watch_until(watch: Watch, over: Arc<AtomicBool>) {
    // `cargo run` becomes the program that it has built, so its own processor time counts for this process too.
    let before = processor_time(None).unwrap_or_default();
    let watched = std::thread::Builder::new().name("budget".to_owned()).spawn(move || {
        while let Some(said) = beyond(watch, before).filter(|_| !over.load(Ordering::Relaxed)) {
            if let Some(what) = said {
                crate::print::failure(&what);
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
    let budget = match run {
        true => ProcessBudget::of_program(files, bytes),
        false => ProcessBudget::of_files(files, bytes),
    };
    if resident(None)? > budget.memory {
        return Some(Some(budget.over_memory()));
    }
    let over = !run && processor_time(None)?.saturating_sub(before) > budget.time;
    Some(over.then(|| budget.over_time()))
}
