//! Time limits of a plug-in.

use std::time::{Duration, Instant};

/// How many times the time of one answer a plug-in gets for all of them.
pub const WHOLE: u32 = 2;

/// The time of one answer, and one clock for the whole.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    /// How long a plug-in gets for one answer.
    pub answer: Duration,
    whole: Duration,
    /// When all that is asked of it ends.
    until: Instant,
}

impl TimeLimits {
    /// The clock starts now, and runs for [`WHOLE`] times the time of one answer.
    pub fn start(answer: Duration) -> Self {
        let whole = answer.saturating_mul(WHOLE);
        let now = Instant::now();
        // A day is as good as no end.
        let until = now.checked_add(whole).unwrap_or(now + Duration::from_secs(86_400));
        Self { answer, whole, until }
    }

    /// The same clock, for answers of another time.
    #[must_use]
    pub fn with_answer(self, answer: Duration) -> Self {
        Self { answer, ..self }
    }

    /// What is left of the whole.
    pub fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Whether nothing is left of the whole.
    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// The sentence for what was not reached.
    pub fn over(&self) -> String {
        let whole = self.whole.as_secs();
        format!("the {whole} s for all that is asked of the plug-in were over")
    }
}

impl From<Duration> for TimeLimits {
    fn from(answer: Duration) -> Self {
        Self::start(answer)
    }
}
