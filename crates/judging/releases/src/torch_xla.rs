//! Releases of PyTorch/XLA: hosts of PJRT plug-ins, as JAX is one, and readers of StableHLO.

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

/// A release as a host of plug-ins and as a reader of StableHLO, which `torch_xla.stablehlo` runs.
pub(crate) fn party(row: &ReleaseRow) -> Party {
    let Some((entry, host)) = RELEASES.find_host(row) else {
        let name = format!("torch_xla {}", row.version);
        return Party::new(name, Role::Host, HostFramework::TorchXla.kind());
    };
    let party = host.clone().among(hosts).party();
    match entry.stablehlo {
        Some(version) => unskew_stablehlo::reader_only(party, version)
            .fact("StableHLO", format!("reads up to {version}")),
        None => party,
    }
}

/// Every release as a host of plug-ins, in the order of the rows.
pub(crate) fn hosts() -> &'static [ReleasedHost] {
    &RELEASES.hosts
}

/// The versions of a release, in words.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let Some((entry, _)) = RELEASES.find_host(row) else { return Vec::new() };
    let stablehlo =
        entry.stablehlo.map(|version| fact("StableHLO", format!("reads up to {version}")));
    entry.pjrt.map(pjrt_fact).into_iter().chain(stablehlo).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::assert_whole;

    #[test]
    fn every_row_is_read_and_has_a_pjrt_version_from_before_its_day() {
        assert_whole(&RELEASES, include_str!("../data/torch_xla/releases.toml"));
        let is_whole =
            |entry: &crate::hosts::HostRow| entry.pjrt.is_some() && entry.stablehlo.is_some();
        assert!(RELEASES.entries.iter().all(is_whole));
        let read: Vec<_> = RELEASES.entries.iter().map(|entry| entry.stablehlo).collect();
        assert!(read.is_sorted(), "no release reads less than the one before");
    }
}
