//! Real entries, and what is done to them.

mod broken;
mod caches;
