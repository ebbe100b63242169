//! The versions by which releases revive the objects of a SavedModel: `data/objects.toml`.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{DataConsumer, Version};
use unskew_tables::toml_table;

/// The version that nearly every object has, as a reader and as a writer.
const COMMON: DataConsumer = DataConsumer { version: 1, min_producer: 1 };

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    identifier: String,
    #[serde(default)]
    since: Option<String>,
    #[serde(default)]
    until: Option<String>,
    version: i64,
    min_producer: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    object: Vec<Object>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml_table!("data/objects.toml"));

/// What `release` has as a reader of objects of this identifier.
pub(crate) fn reader(identifier: &str, release: Version) -> DataConsumer {
    let minor = Version::pair(release.major(), release.minor());
    let bound = |text: &Option<String>| text.as_deref().and_then(|text| text.parse().ok());
    let counts = |object: &&Object| {
        object.identifier == identifier
            && bound(&object.since).is_none_or(|since: Version| since <= minor)
            && bound(&object.until).is_none_or(|until: Version| minor <= until)
    };
    FILE.object.iter().find(counts).map_or(COMMON, |object| DataConsumer {
        version: object.version,
        min_producer: object.min_producer,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_version_one_unless_the_data_says_otherwise() {
        let version =
            |identifier, release: &str| reader(identifier, release.parse().unwrap()).version;
        assert!(FILE.object.iter().all(|object| object.version >= object.min_producer));
        assert_eq!(version("trackable_list_wrapper", "2.21.0"), 1);
        assert_eq!(version("optimizer", "2.4.4"), 1);
        assert_eq!(version("optimizer", "2.9.3"), 2);
        assert_eq!(version("_tf_distribute_sharded_variable", "2.9.3"), 0);
    }
}
