//! JAX releases: the PJRT version of each, and what its IFRT proxy client announces.

use std::sync::{Arc, LazyLock};

use unskew_core::{
    Axis, Context, Date, Fact, Judgement, Matcher, Party, Requirement, Role, Version, VersionRange,
};
use unskew_extensions::FfiRuntime;
use unskew_pjrt::{HostFramework, ReleasedHost, STABLEHLO_AXIS};
use unskew_tables::toml_as_json;

use crate::ReleaseRow;
use crate::hosts::{HostRow, Hosts, fact, pjrt_fact};

static RELEASES: LazyLock<Hosts> =
    LazyLock::new(|| Hosts::read(HostFramework::Jax, toml_as_json!("data/jax/releases.toml")));

/// A release as an IFRT proxy client: what was not seen is what the histories say of its sources.
fn ifrt(entry: &HostRow) -> unskew_ifrt::IfrtRelease {
    let ReleaseRow { version, released } = entry.row;
    let mut ifrt =
        unskew_ifrt::IfrtRelease::built(&format!("jax {version}"), built(released, entry.pjrt));
    let [proxy, serdes] = entry.ifrt.map(|seen| {
        seen.map(|[min, max]| VersionRange::between(Version::number(min), Version::number(max)))
    });
    ifrt.released = released;
    ifrt.proxy = proxy.or(ifrt.proxy);
    ifrt.serdes = serdes.or(ifrt.serdes);
    ifrt.program_floor = entry.program_floor.map(Version::number).or(ifrt.program_floor);
    ifrt
}

/// Every JAX release, oldest version first.
pub fn rows() -> &'static [ReleaseRow] {
    &RELEASES.rows
}

/// What a release provides and requires, as a host of plug-ins and as an IFRT proxy client.
pub fn party(row: &ReleaseRow) -> Party {
    let Some((entry, host)) = RELEASES.find_host(row) else {
        return Party::new(format!("jax {}", row.version), Role::Host, HostFramework::Jax.kind());
    };
    let party = ifrt(entry).attach(host.clone().among(hosts).party());
    let party = unskew_jax_export::reader(party, row.version);
    let party = unskew_compilation_cache::reader(party, row.version);
    let party = party.with_capability(Arc::new(FfiRuntime::from_jaxlib(row.version)));
    let party = match unskew_stablehlo::requirements::CpuBackend::of_jax(row.version) {
        Some(backend) => party.with_capability(Arc::new(backend)),
        None => party,
    };
    match entry.stablehlo {
        Some(_) => party,
        None => party.require(Requirement::matches(STABLEHLO_AXIS, UnknownStableHlo)),
    }
}

/// A release reads StableHLO also where the database does not have the version: its artifacts are not strangers,
/// and what they require is then not judged.
struct UnknownStableHlo;

impl Matcher for UnknownStableHlo {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let axis = Axis::from(STABLEHLO_AXIS);
        let asks = other.requires.iter().any(|requirement| requirement.axis == axis);
        (other.role == Role::Artifact && asks).then(Judgement::default)
    }
}

/// The StableHLO that a release reads, if the database has it.
pub fn stablehlo(row: &ReleaseRow) -> Option<Version> {
    RELEASES.find_host(row)?.0.stablehlo
}

/// The plug-ins that a release must support: what was in force in the weeks of the policy of its day, up to
/// its own version (PJRT C API versioning document).
pub fn window(row: &ReleaseRow) -> Option<Fact> {
    let own = RELEASES.find_host(row)?.0.pjrt?;
    let supported = unskew_pjrt::supported_minors(row.released, None).ok()?;
    let lowest = supported.in_force.iter().copied().min()?.min(own);
    let (from, until) = (supported.from, supported.until);
    let value = format!("plug-ins of 0.{lowest} to 0.{own}, in force from {from} to {until}");
    Some(fact("must support", value))
}

/// Every release as a host of plug-ins, in the order of the rows.
pub fn hosts() -> &'static [ReleasedHost] {
    &RELEASES.hosts
}

/// The versions of a release, in words.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let Some((entry, _)) = RELEASES.find_host(row) else { return Vec::new() };
    let ifrt = ifrt(entry);
    let axes = [
        entry.pjrt.map(pjrt_fact),
        entry.stablehlo.map(|version| fact("StableHLO", version.to_string())),
        ifrt.proxy.map(|range| fact("IFRT proxy", range.to_string())),
        ifrt.serdes.map(|range| fact("IFRT SerDes", range.to_string())),
    ];
    axes.into_iter().flatten().collect()
}

/// The last day on which the sources of a release can have been taken: a release is pinned some days
/// before it is made, and its PJRT minor tells by when at the latest.
fn built(released: Date, pjrt: Option<i32>) -> Date {
    let minor = pjrt.map(|minor| Version::pair(0, minor.into()));
    let last = minor.and_then(|minor| unskew_pjrt::history()?.superseded(minor));
    last.map_or(released, |last| last.min(released))
}

#[cfg(test)]
mod tests {
    use unskew_core::{Window, check};

    use super::*;
    use crate::hosts::assert_whole;

    #[test]
    fn every_row_is_read_and_has_a_pjrt_version_from_before_its_day() {
        assert_whole(&RELEASES, include_str!("../data/jax/releases.toml"));
    }

    /// A release is pinned to sources that are some days old, so what a client announces may lag
    /// behind the histories, by no more than these days. It is never ahead of them.
    #[test]
    fn what_was_measured_is_what_the_histories_say_within_the_lag_of_a_pin() {
        let (mut same, mut all) = (0, 0);
        for entry in &RELEASES.entries {
            let day = built(entry.row.released, entry.pjrt);
            let at = |day| unskew_ifrt::IfrtRelease::built("", day);
            let (now, before) = (at(day), at(Window::days(21).start(day, &[]).unwrap()));
            let [proxy, serdes] = entry.ifrt;
            let pairs = [(proxy, now.proxy, before.proxy), (serdes, now.serdes, before.serdes)];
            for (measured, now, before) in pairs {
                let Some([_, measured]) = measured else { continue };
                let max = |range: Option<VersionRange>| range.and_then(|range| range.max);
                let measured = Some(Version::number(measured));
                assert!(measured <= max(now), "jax {} is ahead", entry.row.version);
                assert!(measured >= max(before), "jax {} lags", entry.row.version);
                all += 1;
                same += usize::from(measured == max(now));
            }
        }
        println!("agreement {same}/{all} measured ranges, the others within the lag of a pin");
        assert!(same * 20 >= all * 17, "{same} of {all}");
    }

    #[test]
    fn a_program_for_a_release_of_unknown_stablehlo_is_not_judged_and_no_stranger() {
        let unknown = RELEASES.entries.iter().find(|entry| entry.stablehlo.is_none()).unwrap();
        let need = unskew_core::Need::Within(VersionRange::exactly(Version::triple(1, 0, 0)));
        let finding = |_: &unskew_core::Clash<'_>| unreachable!();
        let program = Party::new("a.stablehlo", Role::Artifact, "StableHLO portable artifact")
            .require(Requirement::new(STABLEHLO_AXIS, need, finding));
        let today = Context::for_tests();
        let verdict = check(&program, &party(&unknown.row), &today);
        assert_eq!(verdict.outcome, unskew_core::Outcome::Unjudged);
        let graph = Party::new("a.pb", Role::Artifact, "GraphDef");
        let verdict = check(&graph, &party(&unknown.row), &today);
        assert_eq!(verdict.outcome, unskew_core::Outcome::Unrelated);
    }

    #[test]
    fn two_jax_releases_are_a_client_and_a_server() {
        let find =
            |text: &str| party(rows().iter().find(|row| row.version.to_string() == text).unwrap());
        let today = Context::for_tests();
        let verdict = check(&find("0.6.2"), &find("0.10.2"), &today);
        assert!(verdict.findings.iter().any(|finding| finding.rule.code == "IF101"));
        assert!(check(&find("0.9.1"), &find("0.9.2"), &today).works());
        let host = find("0.6.2");
        assert_eq!(
            host.provision(&Axis::from("pjrt.api")).unwrap().versions,
            VersionRange::exactly(Version::pair(0, 70))
        );
    }
}
