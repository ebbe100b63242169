//! `unskew lint` on repositories with a dated history: what counts is what was promised, on that day.

mod configuration;
#[cfg(unix)]
mod hostile;
mod landing;
mod policy;
mod repository;
mod windows;
