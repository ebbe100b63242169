//! The TensorFlow releases: `releases.toml`, `ops.tsv` and `kernels.tsv` in `data/tensorflow`.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use unskew_core::{DataConsumer, Date, Fact, Party, Version};
use unskew_pjrt::{HostFramework, ReleasedHost, Strictness};
use unskew_tables::{packed_rows, toml_table};
use unskew_tensorflow::{
    CallModuleSupport, KernelHistory, KernelTable, OpHistory, OpRegistry, ReleaseNumber,
    RuntimeUsage, TensorFlowRuntime,
};

use crate::hosts::{fact, pjrt_fact};
use crate::{ReleaseRow, embedded};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Releases {
    common: Common,
    release: Vec<Release>,
}

/// The numbers that all releases share.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Common {
    min_producer: i64,
    min_consumer: i64,
    checkpoint: i64,
    checkpoint_min_producer: i64,
    checkpoint_min_consumer: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    version: String,
    released: Date,
    graph_def: i64,
    #[serde(default)]
    public_only: bool,
    /// The minor of the PJRT C API that its library was compiled with, and how strictly it compares it with a plug-in's.
    pjrt: Option<i32>,
    handshake: Option<Strictness>,
    /// The newest StableHLO that it reads, and the least and the newest version of the op `XlaCallModule` that it runs.
    stablehlo: Option<String>,
    call_module: Option<[i64; 2]>,
}

/// The numbers of every release. The file is part of the program and read by a test, so a fault in
/// it cannot reach a user; it would leave no releases.
static RELEASES: LazyLock<Releases> =
    LazyLock::new(|| toml_table!("data/tensorflow/releases.toml"));

/// The ops of every release, of which a line is read only when its op is asked for.
static OPS: LazyLock<Option<Arc<OpHistory>>> =
    LazyLock::new(|| embedded::rows(OpHistory::from_text(packed_rows!("data/tensorflow/ops.tsv"))));

/// The kernels of every release that lists them, of which a line is read only when its op is asked for.
static KERNELS: LazyLock<Option<Arc<KernelHistory>>> = LazyLock::new(|| {
    let text = packed_rows!("data/tensorflow/kernels.tsv");
    embedded::rows(KernelHistory::from_text(text))
});

static ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| RELEASES.release.iter().filter_map(row).collect());

static NUMBERS: LazyLock<Arc<[ReleaseNumber]>> = LazyLock::new(|| {
    let number = |release: &Release| {
        let version = release.version.parse().ok()?;
        Some(ReleaseNumber { release: version, graph_def: release.graph_def })
    };
    RELEASES.release.iter().filter_map(number).collect()
});

fn row(release: &Release) -> Option<ReleaseRow> {
    Some(ReleaseRow { version: release.version.parse().ok()?, released: release.released })
}

/// The function by which a plug-in has TensorFlow make its client.
const CLIENT: &str = "TF_CreateAndSetPjRtCApiClient";
/// The last release that exports it. The table of exports says so too, and takes long to read for a question that is about
/// no plug-in.
const LAST_WITH_CLIENT: Version = Version::pair(2, 18);

/// Every release that loads PJRT plug-ins, oldest first.
pub(crate) fn hosts() -> &'static [ReleasedHost] {
    static HOSTS: LazyLock<Vec<ReleasedHost>> = LazyLock::new(|| {
        let host = |release: &Release| {
            let Release { version, released, pjrt, handshake, .. } = release;
            let host =
                ReleasedHost::new(HostFramework::TensorFlow, version, *released, Some((*pjrt)?));
            let number: Version = version.parse().ok()?;
            let minor = Version::pair(number.major(), number.minor());
            let lacks = Some(CLIENT).filter(|_| minor > LAST_WITH_CLIENT);
            Some(ReleasedHost { strictness: *handshake, lacks, ..host })
        };
        RELEASES.release.iter().filter_map(host).collect()
    });
    &HOSTS
}

/// The same party, as a host of PJRT plug-ins if the release loads them.
pub(crate) fn as_host(party: Party) -> Party {
    match hosts().iter().find(|host| host.name == party.name) {
        Some(host) => host.clone().among(hosts).attach(party),
        None => party,
    }
}

/// The versions of a release, in words.
pub(crate) fn axes(row: &ReleaseRow) -> Vec<Fact> {
    let Releases { common, release: releases } = &*RELEASES;
    let is = |release: &&Release| release.version.parse::<Version>() == Ok(row.version);
    let Some(release) = releases.iter().find(is) else { return Vec::new() };
    let numbers = |version: i64, min_producer: i64, min_consumer: i64| {
        format!("{version}, min_producer {min_producer}, min_consumer {min_consumer}")
    };
    let Common { checkpoint, checkpoint_min_producer, checkpoint_min_consumer, .. } = *common;
    let mut axes = vec![
        fact("GraphDef", numbers(release.graph_def, common.min_producer, common.min_consumer)),
        fact("checkpoint", numbers(checkpoint, checkpoint_min_producer, checkpoint_min_consumer)),
    ];
    axes.extend(release.pjrt.map(pjrt_fact));
    axes.extend(
        release.stablehlo.as_ref().map(|version| fact("StableHLO", format!("reads {version}"))),
    );
    axes.extend(
        release
            .call_module
            .map(|[least, newest]| fact("XlaCallModule", format!("{least} to {newest}"))),
    );
    axes
}

/// Every release, oldest first.
pub fn rows() -> &'static [ReleaseRow] {
    &ROWS
}

/// The ops of every release as one history.
pub fn history() -> Option<&'static Arc<OpHistory>> {
    OPS.as_ref()
}

/// The release of `row` as a runtime.
pub fn runtime(row: &ReleaseRow) -> Option<TensorFlowRuntime> {
    let Releases { common, release: releases } = &*RELEASES;
    let is = |release: &&Release| release.version.parse::<Version>() == Ok(row.version);
    let release = releases.iter().find(is)?;
    let reader = |version, min_producer| DataConsumer { version, min_producer };
    Some(TensorFlowRuntime {
        version: row.version,
        released: row.released,
        graph_def: reader(release.graph_def, common.min_producer),
        checkpoint: reader(common.checkpoint, common.checkpoint_min_producer),
        ops: OpRegistry::new(OPS.as_ref()?.clone(), row.version, release.public_only),
        kernels: KERNELS.as_ref().map(|kernels| KernelTable::new(kernels.clone(), row.version)),
        usage: RuntimeUsage::default(),
        known: NUMBERS.clone(),
    })
}

/// What a release runs of programs of StableHLO in graphs; none where that was not measured.
pub(crate) fn call_module(row: &ReleaseRow) -> Option<CallModuleSupport> {
    let is = |release: &&Release| release.version.parse::<Version>() == Ok(row.version);
    let release = RELEASES.release.iter().find(is)?;
    let [least, newest] = release.call_module?;
    Some(CallModuleSupport {
        tensorflow: row.version,
        least,
        newest,
        stablehlo: release.stablehlo.as_ref()?.parse().ok()?,
    })
}

/// A release as a runtime; none if it is of another family.
pub fn runtime_of(release: crate::Release) -> Option<TensorFlowRuntime> {
    (release.family() == crate::Family::TensorFlow).then(|| runtime(release.row())).flatten()
}

/// The release of `row` as a party. A row that is not one of [`rows`] gives a party that provides
/// and requires nothing.
pub fn party(row: &ReleaseRow) -> Party {
    match runtime(row) {
        Some(runtime) => runtime.party(),
        None => Party::new(
            format!("tensorflow {}", row.version),
            unskew_core::Role::Runtime,
            "TensorFlow release",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, Operator};

    fn operators(row: &ReleaseRow, pattern: &str) -> Vec<Operator> {
        Family::TensorFlow.operators(row, pattern)
    }

    fn release(version: &str) -> &'static ReleaseRow {
        let version = version.parse().unwrap();
        rows().iter().find(|row| row.version == version).unwrap()
    }

    #[test]
    fn every_row_has_a_registry_and_every_registry_a_row() {
        let history = OPS.as_ref().unwrap();
        history.validate().unwrap();
        let rows: Vec<_> = rows().iter().map(|row| row.version).collect();
        assert_eq!(rows, history.releases());
        assert_eq!(rows.len(), 39);
        assert!(rows.is_sorted());
    }

    #[test]
    fn every_host_has_a_pjrt_version_from_before_its_day() {
        assert_eq!(hosts().len(), 8);
        for host in hosts() {
            crate::hosts::assert_of_its_day(&host.name, host.minor.unwrap(), host.released);
            assert!(host.strictness.is_some(), "{}", host.name);
            let release = host.name.rsplit(' ').next().unwrap().parse().unwrap();
            let exports = unskew_stream_executor::exports(&release);
            assert_eq!(exports.has(CLIENT), Some(host.lacks.is_none()), "{}", host.name);
        }
    }

    #[test]
    fn ops_are_found_by_name_and_by_part() {
        let cast = operators(release("2.21.0"), "Cast");
        assert_eq!(cast.len(), 1);
        assert!(cast[0].text.contains("Truncate: bool = false"), "{}", cast[0].text);
        assert_eq!(cast[0].since.to_string(), "1.11.0");
        assert!(!operators(release("1.4.1"), "Cast")[0].text.contains("Truncate"));
        assert!(operators(release("2.21.0"), "CTCGreedy").len() == 1);
        assert!(operators(release("2.21.0"), "NoSuchOp").is_empty());
    }

    #[test]
    fn the_numbers_are_not_monotone_in_the_release() {
        let number = |version| runtime(release(version)).unwrap().graph_def.version;
        assert!(number("1.15.0") > number("2.0.4"));
    }

    #[test]
    fn the_whole_history_has_the_measured_size() {
        let history = OPS.as_ref().unwrap();
        let names: std::collections::BTreeSet<&str> =
            history.rows().iter().filter_map(|(text, _)| text.split('(').next()).collect();
        assert_eq!(names.len(), 1993);
        let deprecated = names.iter().filter(|name| {
            let definitions = history.named(name);
            definitions
                .iter()
                .filter_map(unskew_tensorflow::OpDefinition::get)
                .any(|op| op.deprecation.is_some())
        });
        assert_eq!(deprecated.count(), 66);
    }
}
