//! JAX releases: the PJRT version of each, and what its IFRT proxy client announces.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{
    Axis, Context, Date, Fact, Judgement, Matcher, Party, Requirement, Role, Version, VersionRange,
};
use unskew_pjrt::{Host, STABLEHLO_AXIS};
use unskew_tables::toml_as_json;

use crate::{Operator, Row};

/// One release as its row says.
struct Entry {
    row: Row,
    pjrt: Option<i32>,
    stablehlo: Option<Version>,
    /// What its IFRT proxy client was seen to announce.
    proxy: Option<VersionRange>,
    serdes: Option<VersionRange>,
    program_floor: Option<Version>,
}

impl Entry {
    /// The release as an IFRT proxy client: what was not seen is what the histories say of its sources.
    fn ifrt(&self) -> unskew_ifrt::Release {
        let Row { version, released } = self.row;
        let name = format!("jax {version}");
        let mut ifrt = unskew_ifrt::Release::built(&name, built(released, self.pjrt));
        ifrt.released = released;
        ifrt.proxy = self.proxy.or(ifrt.proxy);
        ifrt.serdes = self.serdes.or(ifrt.serdes);
        ifrt.program_floor = self.program_floor.or(ifrt.program_floor);
        ifrt
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    release: Vec<Record>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    version: String,
    released: Date,
    pjrt: Option<i32>,
    stablehlo: Option<String>,
    proxy: Option<[i64; 2]>,
    serdes: Option<[i64; 2]>,
    program_floor: Option<i64>,
}

/// Every JAX release, oldest version first.
pub fn rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> =
        LazyLock::new(|| entries().iter().map(|entry| entry.row.clone()).collect());
    &ROWS
}

/// What a release provides and requires, as a host of plug-ins and as an IFRT proxy client.
pub fn party(row: &Row) -> Party {
    let Some(index) = entries().iter().position(|entry| entry.row.version == row.version) else {
        return Party::new(format!("jax {}", row.version), Role::Host, "JAX release");
    };
    let host = hosts()[index].clone().among(hosts);
    let party = entries()[index].ifrt().attach(host.party());
    let party = unskew_jax_export::reader(party, row.version);
    let party = unskew_compilation_cache::reader(party, row.version);
    match entries()[index].stablehlo {
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
pub fn stablehlo(row: &Row) -> Option<Version> {
    entries().iter().find(|entry| entry.row.version == row.version)?.stablehlo
}

/// The plug-ins that a release must support: what was in force in the weeks of the policy of its day, up to
/// its own version (PJRT C API versioning document).
pub fn window(row: &Row) -> Option<Fact> {
    let own = entries().iter().find(|entry| entry.row.version == row.version)?.pjrt?;
    let supported = unskew_pjrt::supported_minors(row.released, None).ok()?;
    let lowest = supported.in_force.iter().copied().min()?.min(own);
    let (from, until) = (supported.from, supported.until);
    let value = format!("plug-ins of 0.{lowest} to 0.{own}, in force from {from} to {until}");
    Some(fact("must support", value))
}

/// None: JAX has no table of operators.
pub fn operators(_: &Row, _: &str) -> Vec<Operator> {
    Vec::new()
}

/// Every release as a host of plug-ins, in the order of the rows.
pub fn hosts() -> &'static [Host] {
    static HOSTS: LazyLock<Vec<Host>> = LazyLock::new(|| {
        let host = |entry: &Entry| Host {
            name: format!("jax {}", entry.row.version),
            kind: "JAX release".to_owned(),
            released: entry.row.released,
            minor: entry.pjrt,
            stablehlo: entry.stablehlo,
            siblings: None,
        };
        entries().iter().map(host).collect()
    });
    &HOSTS
}

/// The table, read once. It is part of this crate, and a test reads every row.
fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let table: Option<Table> =
            serde_json::from_str(toml_as_json!("data/jax/releases.toml")).ok();
        table.map(|table| table.release.iter().filter_map(entry).collect()).unwrap_or_default()
    });
    &ENTRIES
}

fn entry(record: &Record) -> Option<Entry> {
    let version: Version = record.version.parse().ok()?;
    let measured =
        |[min, max]: [i64; 2]| VersionRange::between(Version::number(min), Version::number(max));
    Some(Entry {
        row: Row { version, released: record.released },
        pjrt: record.pjrt,
        stablehlo: record.stablehlo.as_ref().and_then(|text| text.parse().ok()),
        proxy: record.proxy.map(measured),
        serdes: record.serdes.map(measured),
        program_floor: record.program_floor.map(Version::number),
    })
}

/// The versions of a release, in words.
pub(crate) fn axes(row: &Row) -> Vec<Fact> {
    let Some(entry) = entries().iter().find(|entry| entry.row.version == row.version) else {
        return Vec::new();
    };
    let ifrt = entry.ifrt();
    let axes = [
        entry.pjrt.map(|minor| fact("PJRT C API", format!("0.{minor}"))),
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

fn fact(label: &str, value: String) -> Fact {
    Fact { label: label.to_owned(), value }
}

#[cfg(test)]
mod tests {
    use unskew_core::{Window, check};

    use super::*;

    #[test]
    fn every_row_is_read_and_they_stand_in_order() {
        let written = include_str!("../data/jax/releases.toml").matches("[[release]]").count();
        assert_eq!(rows().len(), written);
        assert!(rows().windows(2).all(|pair| pair[0].version < pair[1].version));
    }

    /// A release is pinned to sources that are some days old, so what a client announces may lag
    /// behind the histories, by no more than these days. It is never ahead of them.
    #[test]
    fn what_was_measured_is_what_the_histories_say_within_the_lag_of_a_pin() {
        let table: Table = serde_json::from_str(toml_as_json!("data/jax/releases.toml")).unwrap();
        let (mut same, mut all) = (0, 0);
        for record in &table.release {
            let day = built(record.released, record.pjrt);
            let at = |day| unskew_ifrt::Release::built("", day);
            let (now, before) = (at(day), at(Window::days(21).start(day, &[]).unwrap()));
            let pairs = [
                (record.proxy, now.proxy, before.proxy),
                (record.serdes, now.serdes, before.serdes),
            ];
            for (measured, now, before) in pairs {
                let Some([_, measured]) = measured else { continue };
                let max = |range: Option<VersionRange>| range.and_then(|range| range.max);
                let measured = Some(Version::number(measured));
                assert!(measured <= max(now), "jax {} is ahead", record.version);
                assert!(measured >= max(before), "jax {} lags", record.version);
                all += 1;
                same += usize::from(measured == max(now));
            }
        }
        println!("agreement {same}/{all} measured ranges, the others within the lag of a pin");
        assert!(same * 20 >= all * 17, "{same} of {all}");
    }

    #[test]
    fn no_release_has_a_pjrt_version_from_its_future() {
        let history = unskew_pjrt::history().unwrap();
        for entry in entries() {
            if let Some(minor) = entry.pjrt {
                let landed = history.landed(Version::pair(0, minor.into())).unwrap();
                assert!(landed <= entry.row.released, "jax {}", entry.row.version);
            }
        }
    }

    #[test]
    fn a_program_for_a_release_of_unknown_stablehlo_is_not_judged_and_no_stranger() {
        let unknown = entries().iter().find(|entry| entry.stablehlo.is_none()).unwrap();
        let need = unskew_core::Need::Within(VersionRange::exactly(Version::triple(1, 0, 0)));
        let finding = |_: &unskew_core::Clash<'_>| unreachable!();
        let program = Party::new("a.stablehlo", Role::Artifact, "StableHLO portable artifact")
            .require(Requirement::new(STABLEHLO_AXIS, need, finding));
        let today = Context::on(Date::constant(2026, 11, 1));
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
        let today = Context::on(Date::constant(2026, 11, 1));
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
