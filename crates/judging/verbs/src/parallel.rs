//! The same work on many things, on as many threads as the machine has cores.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What `work` makes of 0 to `count - 1`, in this order. Each thread takes the next number that none has taken, so a slow
/// one holds up no other; after an error no further one is taken.
///
/// # Errors
/// If `work` failed: its error for the lowest number among those that were taken.
pub fn try_map<T: Send, E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(count);
    if threads < 2 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut made = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return made;
            }
            let result = work(index);
            if result.is_err() {
                next.store(count, Ordering::Relaxed);
            }
            made.push((index, result));
        }
    };
    let mut made = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(made) => made,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect::<Vec<_>>()
    });
    made.sort_unstable_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::try_map;

    #[test]
    fn results_stand_in_the_order_of_what_they_were_made_of() {
        for count in [0, 1, 2, 1000] {
            let doubled: Vec<usize> = (0..count).map(|index| index * 2).collect();
            assert_eq!(try_map(count, |index| Ok::<_, ()>(index * 2)), Ok(doubled));
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let work = |index| if index < 7 { Ok(index) } else { Err(index) };
        assert_eq!(try_map(usize::MAX / 2, work), Err(7));
    }
}
