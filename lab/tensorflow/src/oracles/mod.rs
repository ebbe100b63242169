//! The commands of this crate.

pub mod behaviour;
pub mod data;
pub mod devices;
pub mod differential;
pub mod keras;
pub mod keras_releases;
pub mod tfjs;
