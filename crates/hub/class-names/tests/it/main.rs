//! Tests of this crate as those who use it see it.

mod hostile;
mod verdicts;
