//! Events.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::bench::Bench;
use super::check_outcome::{CheckOutcome, Checked};
use crate::sys::trial::count_callbacks;

pub(crate) fn ready(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let event = client.buffer_of(&[0.0_f32; 4], &[4], &device)?.ready()?;
    event.wait()?;
    Ok(CheckOutcome::expect(event.is_ready()?, "ready after it was awaited"))
}

pub(crate) fn on_ready(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    let buffer = client.buffer_of(&[0.0_f32; 4], &[4], &device)?;
    let count = count_callbacks(&buffer)?;
    for _ in 0..200 {
        if count.load(Ordering::SeqCst) > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // A second call would come about now.
    std::thread::sleep(Duration::from_millis(20));
    let count = count.load(Ordering::SeqCst);
    Ok(CheckOutcome::expect(count == 1, format!("called {count} times")))
}
