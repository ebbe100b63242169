//! A small plug-in: one device that computes elementwise on the CPU.
//!
//! ```text
//! cargo build -p unskew-pjrt-sdk --example abacus
//! unskew run target/debug/examples/libabacus.so add.mlir --fill ones
//! ```
//!
//! It reads StableHLO as text and as the portable artifacts that JAX sends: functions of `f32` tensors made
//! of elementwise operations, constants and, in artifacts, broadcasts and calls. Whatever else a program has
//! is refused by name.
//!
//! The environment variable `ABACUS_PRESENTS` sets the minor that it presents, so that tests can see it
//! through hosts of any age; a plug-in of yours would present one version. With `ABACUS_TAKES_NO_TEXT` it takes
//! artifacts only, as many plug-ins do.

mod artifact;
mod platform;
mod program;
mod text;

use platform::Abacus;
use unskew_pjrt_sdk::export_plugin;

/// What it presents unless told otherwise.
const PRESENTS: i32 = 115;

fn presented() -> i32 {
    let wanted = std::env::var("ABACUS_PRESENTS").ok();
    wanted.and_then(|minor| minor.parse().ok()).unwrap_or(PRESENTS)
}

export_plugin!(AbacusPlugin, presented(), Abacus);
