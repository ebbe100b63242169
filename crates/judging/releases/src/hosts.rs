//! Releases that load PJRT plug-ins: what the tables of JAX, PyTorch/XLA and TensorFlow say alike.

use serde::Deserialize;
use unskew_core::{Date, Fact, Version};
use unskew_pjrt::{HostFramework, ReleasedHost};

use crate::{ReleaseRow, embedded};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table<R> {
    release: Vec<R>,
}

/// A row as it stands in a table.
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
    #[serde(default)]
    needs_extensions: Vec<String>,
}

/// What a row says of a release.
pub(crate) struct HostRow {
    pub(crate) row: ReleaseRow,
    /// The minor of the PJRT C API that it was built with.
    pub(crate) pjrt: Option<i32>,
    /// The newest StableHLO that it writes, or reads if it hands none to plug-ins.
    pub(crate) stablehlo: Option<Version>,
    /// The versions of the IFRT proxy, of IFRT's SerDes, and the least of them for programs, where they were seen.
    pub(crate) ifrt: [Option<[i64; 2]>; 2],
    pub(crate) program_floor: Option<i64>,
    /// Extensions of the PJRT C API that it does not go on without.
    needs_extensions: Vec<String>,
}

impl HostRow {
    fn from_record(record: &Record) -> Option<Self> {
        let row = ReleaseRow { version: record.version.parse().ok()?, released: record.released };
        Some(Self {
            row,
            pjrt: record.pjrt,
            stablehlo: record.stablehlo.as_ref().and_then(|text| text.parse().ok()),
            ifrt: [record.proxy, record.serdes],
            program_floor: record.program_floor,
            needs_extensions: record.needs_extensions.clone(),
        })
    }
}

/// The releases of a framework, oldest version first: what each row says, and each as a host.
pub(crate) struct Hosts {
    pub(crate) entries: Vec<HostRow>,
    pub(crate) rows: Vec<ReleaseRow>,
    pub(crate) hosts: Vec<ReleasedHost>,
}

impl Hosts {
    /// From a table of this crate.
    pub(crate) fn read(framework: HostFramework, table: &str) -> Self {
        let records = embedded::table::<Table<Record>>(table).release;
        let entries: Vec<HostRow> = records.iter().filter_map(HostRow::from_record).collect();
        let host = |entry: &HostRow| {
            let ReleaseRow { version, released } = entry.row;
            let host = ReleasedHost::new(framework, &version.to_string(), released, entry.pjrt)
                .with_needed_extensions(entry.needs_extensions.clone());
            match entry.stablehlo.filter(|_| framework.sends_stablehlo()) {
                Some(version) => host.with_stablehlo(version),
                None => host,
            }
        };
        let (rows, hosts) = entries.iter().map(|entry| (entry.row.clone(), host(entry))).unzip();
        Self { entries, rows, hosts }
    }

    /// What the row of a release says, and the release as a host.
    pub(crate) fn find_host(&self, row: &ReleaseRow) -> Option<(&HostRow, &ReleasedHost)> {
        let all = self.entries.iter().zip(&self.hosts);
        all.into_iter().find(|(entry, _)| entry.row.version == row.version)
    }
}

/// The version of the PJRT C API, in words.
pub(crate) fn pjrt_fact(minor: i32) -> Fact {
    fact("PJRT C API", format!("0.{minor}"))
}

pub(crate) fn fact(label: &str, value: String) -> Fact {
    Fact { label: label.to_owned(), value }
}

/// Whether a release has no version of the PJRT C API that came after it.
#[cfg(test)]
pub(crate) fn assert_of_its_day(name: &str, minor: i32, released: Date) {
    let landed = unskew_pjrt::history().unwrap().landed(Version::pair(0, minor.into())).unwrap();
    assert!(landed <= released, "{name} of {released} has PJRT 0.{minor} of {landed}");
}

/// Whether every row of a table is read, in the order of the versions, and has a version from before its day.
#[cfg(test)]
pub(crate) fn assert_whole(hosts: &Hosts, table: &str) {
    assert_eq!(hosts.rows.len(), table.matches("[[release]]").count());
    assert!(hosts.rows.windows(2).all(|pair| pair[0].version < pair[1].version));
    assert_eq!(
        hosts.entries.iter().filter(|entry| entry.stablehlo.is_some()).count(),
        table.lines().filter(|line| line.starts_with("stablehlo =")).count()
    );
    for entry in &hosts.entries {
        for name in &entry.needs_extensions {
            assert!(unskew_pjrt::layout::extension(name).is_some(), "{name}");
        }
        if let Some(minor) = entry.pjrt {
            assert_of_its_day(&entry.row.version.to_string(), minor, entry.row.released);
        }
    }
}
