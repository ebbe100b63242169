//! The newest StableHLO of which a library reads all, by the names that its code has for what came with each version.

use anyhow::{Context as _, Result};
use memchr::memmem;
use unskew_core::Version;

/// What came with a version, by the name that code built with it has: an operation of VHLO, or the class of a type. The
/// versions that are not here brought nothing that has a name. On 23 jaxlibs from 0.4.18 to 0.12.0.1 the newest one found is
/// the newest of these that is not above the version which `stablehlo.get_current_version()` says.
const NAMES: [(Version, &str); 22] = [
    (Version::triple(0, 10, 0), "FloatF8E4M3FNUZV1"),
    (Version::triple(0, 11, 0), "FloatF8E4M3B11FNUZV1"),
    (Version::triple(0, 16, 0), "vhlo.collective_broadcast_v1"),
    (Version::triple(0, 18, 0), "UniformQuantizedPerAxisV1"),
    (Version::triple(0, 19, 0), "vhlo.composite_v1"),
    (Version::triple(0, 20, 0), "vhlo.dynamic_conv_v2"),
    (Version::triple(1, 1, 0), "vhlo.gather_v2"),
    (Version::triple(1, 2, 0), "IntegerSI2V1"),
    (Version::triple(1, 4, 0), "vhlo.tan_v1"),
    (Version::triple(1, 5, 0), "vhlo.all_reduce_v2"),
    (Version::triple(1, 6, 0), "vhlo.dot_general_v2"),
    (Version::triple(1, 7, 0), "FloatF8E4M3V1"),
    (Version::triple(1, 8, 0), "FloatF8E8M0FNUV1"),
    (Version::triple(1, 9, 0), "vhlo.exponential_v2"),
    (Version::triple(1, 10, 0), "vhlo.cbrt_v2"),
    (Version::triple(1, 12, 0), "vhlo.send_v2"),
    (Version::triple(1, 13, 0), "RankedBufferV1"),
    (Version::triple(1, 14, 0), "vhlo.composite_v2"),
    (Version::triple(1, 15, 0), "vhlo.async_start_v1"),
    (Version::triple(1, 18, 0), "vhlo.custom_call_v2"),
    (Version::triple(1, 19, 0), "vhlo.collective_reduce_v1"),
    (Version::triple(1, 20, 0), "vhlo.collective_broadcast_v2"),
];

/// The newest StableHLO of which the library reads all. A version without a name is counted if it had landed when PJRT
/// 0.`minor`, which is in the library, did.
///
/// # Errors
/// If the library has no VHLO, or PJRT 0.`minor` no day.
pub(super) fn newest(library: &[u8], minor: u32) -> Result<Version> {
    let has = |name: &str| memmem::find(library, name.as_bytes()).is_some();
    let (named, missing) = split(has);
    let named = named.context("no operations of VHLO in the library")?;
    let pjrt = unskew_pjrt::history().context("no history of PJRT")?;
    let day = pjrt.landed(Version::pair(0, minor.into())).context("no day of this PJRT")?;
    let history = unskew_stablehlo::history().context("no history of StableHLO")?;
    let nameless =
        history.as_of(day).filter(|version| missing.is_none_or(|first| *version < first));
    Ok(nameless.map_or(named, |nameless| nameless.max(named)))
}

/// The last version before the first whose name is missing, and that one.
fn split(has: impl Fn(&str) -> bool) -> (Option<Version>, Option<Version>) {
    let there = NAMES.iter().take_while(|(_, name)| has(name)).count();
    let version = |index: usize| NAMES.get(index).map(|(version, _)| *version);
    (there.checked_sub(1).and_then(version), version(there))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(until: usize) -> Vec<u8> {
        NAMES[..until].iter().flat_map(|(_, name)| [name.as_bytes(), &[0]].concat()).collect()
    }

    #[test]
    fn names_tell_the_version_and_days_tell_those_without_one() {
        let newest_of =
            |names: usize, minor: u32| newest(&library(names), minor).unwrap().to_string();
        assert_eq!(
            newest_of(2, 23),
            "0.14.0",
            "nothing with a name came between 0.11.0 and 0.16.0"
        );
        assert_eq!(newest_of(2, 40), "0.15.0");
        assert_eq!(newest_of(14, 67), "1.9.0");
        assert_eq!(newest_of(15, 70), "1.10.0", "1.11.0 landed after this PJRT");
        assert_eq!(newest_of(17, 75), "1.13.0", "its day is before that of what is there");
        assert!(newest(b"nothing", 40).is_err());
    }

    #[test]
    fn names_stand_in_the_order_of_their_versions() {
        assert!(NAMES.is_sorted_by_key(|(version, _)| *version));
    }
}
