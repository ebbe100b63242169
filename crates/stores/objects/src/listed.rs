//! Object as a store lists it.

use object_store::ObjectMeta;

/// An object as a store lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedObject {
    /// Its key, relative to the place that was opened.
    pub key: String,
    /// How many bytes it has.
    pub size: u64,
    /// What names this state of it, as the store has it, quotes included.
    pub etag: Option<String>,
    /// When it was written, in milliseconds since 1970, as the store says.
    pub modified: i64,
}

impl ListedObject {
    pub(crate) fn new(key: String, meta: &ObjectMeta) -> Self {
        let modified = meta.last_modified.timestamp_millis();
        Self { key, size: meta.size, etag: meta.e_tag.clone(), modified }
    }
}
