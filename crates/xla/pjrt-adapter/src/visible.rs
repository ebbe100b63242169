//! Extensions of a plug-in that a host of another age may see, and how much of each.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use unskew_pjrt::layout::{self, SIZED_EXTENSIONS};
use unskew_tables::toml_as_json;

use crate::ages::Ages;

/// The size of the head of an extension.
const HEAD: usize = 24;

/// The first minor at which hosts make an execution context before they use the extension FFI.
const EXECUTE_CONTEXT: i32 = 52;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The minors from which on the extension is not what it was.
    breaks: Vec<i32>,
}

/// What is known of extensions that the ABI data do not describe. The file is part of this crate, and
/// a test reads it.
static OTHERS: LazyLock<BTreeMap<String, Record>> = LazyLock::new(|| {
    serde_json::from_str(toml_as_json!("data/extensions.toml")).unwrap_or_default()
});

/// Whether any extension is shown at all: before 0.45 the chain was laid out in another way.
pub fn any(ages: &Ages) -> bool {
    ages.present >= SIZED_EXTENSIONS && ages.plugin >= SIZED_EXTENSIONS
}

/// How many bytes of the extension of this number, which announces `size` bytes, are shown; none if
/// the host does not see it.
///
/// An extension has no version, so what is shown is what has meant the same at both ages. Slots at the
/// end that are younger than the older side are cut off; hosts do not look at the size, so whoever
/// shows the extension puts something harmless behind it. If one in the middle is, the extension is
/// hidden: a host that sees it calls it (JAX hands user data to the extension FFI at every execution),
/// and one that does not see it does without.
pub fn shown(kind: i32, size: usize, ages: &Ages) -> Option<usize> {
    let older = ages.host.min(ages.plugin).min(ages.present);
    let newer = ages.host.max(ages.plugin);
    if older == newer {
        return Some(size);
    }
    let known = layout::extensions().iter().find(|extension| extension.kind == kind)?;
    if known.since > older || (known.name == "FFI" && older < EXECUTE_CONTEXT) {
        return None;
    }
    if known.slots.is_empty() {
        let breaks = &OTHERS.get(known.name)?.breaks;
        let broken = breaks.iter().any(|minor| (older + 1..=newer).contains(minor));
        return (!broken).then_some(size);
    }
    let there = size.saturating_sub(HEAD).div_ceil(8).min(known.slots.len());
    let kept = known.slots.get(..there)?.iter().rposition(|slot| slot.since <= older)? + 1;
    let changed = known.slots.iter().take(kept).any(|slot| slot.since > older);
    (!changed).then_some(size.min(HEAD + 8 * kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AdapterConfig, HostAge};

    fn at(name: &str, size: usize, present: i32, plugin: i32) -> Option<usize> {
        let kind = layout::extension(name).unwrap().kind;
        shown(kind, size, &Ages::from_config(&AdapterConfig::presenting("p.so", present), plugin))
    }

    #[test]
    fn what_was_appended_later_is_cut_off() {
        let layouts = |present| at("Layouts", 80, present, 115);
        let sizes = [50, 54, 74, 76, 80, 81, 92, 93, 115].map(layouts);
        let expected =
            [None, Some(56), Some(56), Some(64), Some(64), Some(72), Some(72), Some(80), Some(80)];
        assert_eq!(sizes, expected);
        assert_eq!(at("CrossHostTransfers", 56, 76, 115), Some(32));
    }

    #[test]
    fn what_changed_its_meaning_is_hidden() {
        let ffi = |present| at("FFI", 48, present, 115);
        assert_eq!([70, 76, 81, 82].map(ffi), [None, None, None, Some(48)]);
        let host = HostAge { name: "jax".into(), minor: 112, released: None, stablehlo: None };
        let config = AdapterConfig { host: Some(host), ..AdapterConfig::presenting("p.so", 112) };
        assert_eq!(
            shown(5, 48, &Ages::from_config(&config, 78)),
            None,
            "a plug-in from before the change"
        );
    }

    #[test]
    fn an_extension_of_which_nothing_is_known_is_shown_to_its_own_age_only() {
        assert_eq!(at("Collectives", 40, 114, 115), None);
        assert!(at("Collectives", 40, 115, 115).is_some());
        assert!(at("Gpu_Custom_Call", 33, 70, 115).is_some());
        assert_eq!(at("Triton", 32, 76, 115), None);
    }

    #[test]
    fn the_data_of_this_crate_name_extensions_that_the_abi_data_do_not_describe() {
        assert!(!OTHERS.is_empty());
        for name in OTHERS.keys() {
            assert!(layout::extension(name).is_some_and(|e| e.slots.is_empty()), "{name}");
        }
    }
}
