//! Releases of CUDA, and which drivers run what they compile.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::Version;

use crate::{ComputeCapability, DriverVersion};

/// A release of the CUDA toolkit.
#[derive(Clone, Debug)]
pub struct Toolkit {
    /// Its version: 12.4.
    pub version: Version,
    /// The Linux driver that came with it; older ones do not know its PTX and its GPUs.
    pub driver: DriverVersion,
    /// The version of PTX that it writes.
    pub ptx: Version,
    /// The capabilities that no earlier toolkit compiles for.
    pub first: Vec<ComputeCapability>,
}

#[derive(Deserialize)]
struct Table {
    toolkit: Vec<ToolkitRow>,
    least_driver: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct ToolkitRow {
    version: String,
    driver: String,
    ptx: String,
    first: Vec<String>,
}

struct Toolkits {
    /// In the order of their versions.
    all: Vec<Toolkit>,
    /// The oldest driver by the major of CUDA.
    least_driver: BTreeMap<i64, DriverVersion>,
}

static TOOLKITS: LazyLock<Toolkits> = LazyLock::new(|| {
    let table: Table = unskew_tables::toml_table!("data/toolkits.toml");
    let row = |row: &ToolkitRow| {
        Some(Toolkit {
            version: row.version.parse().ok()?,
            driver: row.driver.parse().ok()?,
            ptx: row.ptx.parse().ok()?,
            first: row.first.iter().filter_map(|one| one.parse().ok()).collect(),
        })
    };
    let least =
        |(major, driver): (&String, &String)| Some((major.parse().ok()?, driver.parse().ok()?));
    Toolkits {
        all: table.toolkit.iter().filter_map(row).collect(),
        least_driver: table.least_driver.iter().filter_map(least).collect(),
    }
});

impl Toolkit {
    /// The first toolkit that writes this version of PTX; none if it is newer than those that are known.
    pub fn for_ptx(isa: Version) -> Option<&'static Self> {
        TOOLKITS.all.iter().find(|toolkit| toolkit.ptx >= isa)
    }

    /// The first toolkit that compiles for a GPU; none of GPUs older than those of 2016, or newer than those that are known.
    pub fn for_gpu(gpu: ComputeCapability) -> Option<&'static Self> {
        TOOLKITS.all.iter().find(|toolkit| toolkit.first.contains(&gpu))
    }

    /// The newest toolkit that is known.
    pub fn newest() -> Option<&'static Self> {
        TOOLKITS.all.last()
    }

    /// The oldest driver that runs what was compiled by a release of CUDA; none if its major is not known.
    pub fn least_driver(cuda: Version) -> Option<&'static DriverVersion> {
        match TOOLKITS.least_driver.get(&cuda.major()) {
            Some(driver) => Some(driver),
            None => TOOLKITS.all.iter().find(|one| one.version == cuda).map(|one| &one.driver),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_whole() {
        let table: Table = unskew_tables::toml_table!("data/toolkits.toml");
        assert_eq!(TOOLKITS.all.len(), table.toolkit.len());
        assert_eq!(TOOLKITS.least_driver.len(), table.least_driver.len());
        for pair in TOOLKITS.all.windows(2) {
            let (one, next) = (&pair[0], &pair[1]);
            assert!(one.version < next.version && one.ptx <= next.ptx, "{}", next.version);
            assert!(one.driver.is_older_than(&next.driver), "{}", next.version);
        }
        for (row, toolkit) in table.toolkit.iter().zip(&TOOLKITS.all) {
            assert_eq!(row.first.len(), toolkit.first.len(), "{}", toolkit.version);
        }
    }

    #[test]
    fn a_driver_has_to_know_the_gpu_the_ptx_and_the_major_of_cuda() {
        let gpu = |text: &str| Toolkit::for_gpu(text.parse().unwrap()).unwrap().driver.to_string();
        assert_eq!([gpu("sm_120"), gpu("sm_90")], ["570.26", "520.61.05"]);
        let ptx =
            |major, minor| Toolkit::for_ptx(Version::pair(major, minor)).map(|one| one.version);
        assert_eq!([ptx(8, 4), ptx(6, 1)], [Some(Version::pair(12, 4)), Some(Version::pair(9, 2))]);
        assert_eq!(ptx(99, 0), None);
        let least = |major, minor| {
            Toolkit::least_driver(Version::pair(major, minor)).map(ToString::to_string)
        };
        assert_eq!(least(12, 9).as_deref(), Some("525.60.13"));
        assert_eq!(least(10, 2).as_deref(), Some("440.33"));
        assert_eq!(least(99, 0), None);
    }
}
