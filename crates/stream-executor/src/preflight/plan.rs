//! Which hosts are played, in which order.

use super::era::eras;
use super::trial::{Script, Skew};
use crate::layout::NEWEST;

/// Every host that a plug-in is tried with: those of all eras, the newest first, and then hosts that no
/// release is, with the structs of the newest.
pub(crate) fn plan() -> Vec<Script> {
    let mut scripts: Vec<Script> =
        eras().iter().rev().map(|era| Script::of(era.first.minor)).collect();
    let skews = [
        Skew::Major(1),
        Skew::Major(99),
        Skew::Announces(0),
        Skew::Announces(1),
        Skew::Announces(1 << 40),
        Skew::Longer(64),
        Skew::Shorter,
        Skew::Twice,
        Skew::NoStructs,
    ];
    scripts.extend(skews.map(|skew| Script { minor: NEWEST.minor, skew }));
    scripts
}
