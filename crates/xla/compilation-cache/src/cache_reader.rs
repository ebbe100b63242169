//! JAX releases as readers of caches.

use unskew_core::{Party, Provision, Version};

use crate::AXIS;

/// Adds to a JAX release that it looks into caches.
pub fn reader(party: Party, jax: Version) -> Party {
    party.provide(Provision::version(AXIS, jax).at("jax_compilation_cache_dir"))
}
