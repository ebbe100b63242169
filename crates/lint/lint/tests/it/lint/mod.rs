//! `unskew lint` on repositories with a dated history: what counts is what was promised, on that day.

mod configuration;
mod landing;
mod policy;
mod repository;
mod windows;
