//! Releases of PyTorch/XLA: hosts of PJRT plug-ins, as JAX is one.

use std::sync::LazyLock;

use unskew_core::{Fact, Party, Role};
use unskew_pjrt::{HostFramework, ReleasedHost};
use unskew_tables::toml_as_json;

use crate::ReleaseRow;
use crate::hosts::{Hosts, fact, pjrt_fact};

static RELEASES: LazyLock<Hosts> = LazyLock::new(|| {
    Hosts::read(HostFramework::TorchXla, toml_as_json!("data/torch_xla/releases.toml"))
});

/// Every release, oldest version first.
pub(crate) fn rows() -> &'static [ReleaseRow] {
    &RELEASES.rows
}

/// A release as a host of plug-ins.
pub(crate) fn party(row: &ReleaseRow) -> Party {
    match RELEASES.find_host(row) {
        Some((_, host)) => host.clone().among(hosts).party(),
        None => Party::new(
            format!("torch_xla {}", row.version),
            Role::Host,
            HostFramework::TorchXla.kind(),
        ),
    }
}

/// Every release as a host of plug-ins, in the order of the rows.
pub(crate) fn hosts() -> &'static [ReleasedHost] {
    &RELEASES.hosts
}

/// The versions of a release, in words.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let Some((entry, _)) = RELEASES.find_host(row) else { return Vec::new() };
    let stablehlo = entry.stablehlo.map(|version| fact("StableHLO", format!("writes {version}")));
    entry.pjrt.map(pjrt_fact).into_iter().chain(stablehlo).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::assert_whole;

    #[test]
    fn every_row_is_read_and_has_a_pjrt_version_from_before_its_day() {
        assert_whole(&RELEASES, include_str!("../data/torch_xla/releases.toml"));
        assert!(RELEASES.entries.iter().all(|entry| entry.pjrt.is_some()));
    }
}
