//! Ages of the two sides, and what follows from them.

use unskew_core::Date;
use unskew_pjrt::layout::{FLOOR, SIZED_EXTENSIONS, Size, StructHistory};

use crate::{AdapterConfig, Mode};

/// The newest minor whose structs are known. A later plug-in may have grown beyond them.
pub const NEWEST: i32 = 116;

/// The minor that had two tables and lived for a day; the one before it is presented instead.
const SPLIT: i32 = 56;

/// The ages of the two sides, and of the table between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ages {
    /// The minor of the plug-in.
    pub plugin: i32,
    /// The minor that the host sees: never above the plug-in's.
    pub present: i32,
    /// The minor whose structs the host is taken to send: its own if it is known, or the presented one.
    pub host: i32,
    /// Whether the host's own minor is known.
    pub host_known: bool,
    /// The day on which the host was released.
    pub released: Option<Date>,
    /// Whether the plug-in is to behave as one of the presented minor.
    pub emulates: bool,
}

impl Ages {
    /// What settings mean for a plug-in of this minor.
    pub fn from_config(config: &AdapterConfig, plugin: i32) -> Self {
        let emulates = config.mode == Mode::Emulate;
        let mut present = config.present.min(plugin).max(FLOOR);
        if present == SPLIT && !emulates {
            present -= 1;
        }
        let host = config.host.as_ref().filter(|_| !emulates);
        Self {
            plugin,
            present,
            host: host.map_or(present, |host| host.minor),
            host_known: host.is_some(),
            released: host.and_then(|host| host.day()),
            emulates,
        }
    }

    /// The size of a struct as the host's header has it, as far as it has it.
    pub fn host_size<'a>(&self, record: &'a StructHistory) -> Option<&'a Size> {
        record.size(self.host, self.released)
    }

    /// The size of a struct as the plug-in's header has it; as of today if the plug-in has it not.
    pub(crate) fn plugin_size<'a>(&self, record: &'a StructHistory) -> Option<&'a Size> {
        record.size(self.plugin, None).or(record.sizes.last())
    }

    /// Whether chains of extensions in arguments are laid out alike on both sides, and so may pass.
    pub(crate) fn chains_fit(&self) -> bool {
        let old = |minor: i32| minor < SIZED_EXTENSIONS;
        !old(self.plugin) && !old(self.present) && !old(self.host)
    }

    /// Whether the plug-in may have grown beyond what is known here.
    pub(crate) fn plugin_is_newer_than_known(&self) -> bool {
        self.plugin > NEWEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HostAge;

    #[test]
    fn the_older_side_decides_what_is_presented() {
        let host = HostAge { name: "jax".into(), minor: 112, released: None, stablehlo: None };
        let config = AdapterConfig { host: Some(host), ..AdapterConfig::presenting("p.so", 112) };
        let ages = Ages::from_config(&config, 81);
        assert_eq!((ages.present, ages.host, ages.host_known), (81, 112, true));
        assert_eq!(Ages::from_config(&AdapterConfig::presenting("p.so", 54), 81).host, 54);
        assert_eq!(Ages::from_config(&AdapterConfig::presenting("p.so", 56), 81).present, 55);
        assert_eq!(Ages::from_config(&AdapterConfig::emulating("p.so", 56), 81).present, 56);
        assert_eq!(Ages::from_config(&AdapterConfig::presenting("p.so", 7), 81).present, FLOOR);
    }

    #[test]
    fn chains_pass_only_between_sides_that_have_sizes_in_them() {
        assert!(Ages::from_config(&AdapterConfig::presenting("p.so", 45), 81).chains_fit());
        assert!(!Ages::from_config(&AdapterConfig::presenting("p.so", 44), 81).chains_fit());
    }
}
